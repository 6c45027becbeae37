#ifndef ROOST_KERNELS_H
#define ROOST_KERNELS_H

/* Element-wise passes of a transformer that BLAS has no routine for. Every function works on row-major
   Float32, in place where it can, and is compiled several times for wider vector units; the widest that the
   processor has is chosen when the library is loaded. Results may differ between processors in the last bits. */

#include <stddef.h>

/* x (rows, columns) += bias (columns). */
void roost_add_bias(float *x, const float *bias, size_t rows, size_t columns);

/* x (rows, columns) = gelu(x + bias): 0.5 v (1 + erf(v / sqrt 2)), erf within 2e-7 (Abramowitz & Stegun 7.1.26). */
void roost_add_bias_gelu(float *x, const float *bias, size_t rows, size_t columns);

/* x (rows, columns) = layer norm of (x + bias + residual) over each row; bias and residual may be NULL.
   Ba, Kiros & Hinton 2016. */
void roost_layer_norm(float *x, const float *bias, const float *residual, const float *gamma, const float *beta,
                      float epsilon, size_t rows, size_t columns);

/* Each row of x (rows, columns, leading dimension stride) becomes softmax(scale * row). */
void roost_softmax(float *x, float scale, size_t rows, size_t columns, size_t stride);

/* Adds every row of x (rows, columns) to sum (columns). */
void roost_sum_rows(const float *x, float *sum, size_t rows, size_t columns);

/* The inner product of two vectors, accumulated in Float32. */
float roost_dot(const float *a, const float *b, size_t count);

#endif
