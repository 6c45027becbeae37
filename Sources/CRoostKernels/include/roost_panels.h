#ifndef ROOST_PANELS_H
#define ROOST_PANELS_H

/* The operations of a transformer, and a comparison of many vectors, over panels. A panel holds 32 tokens side by
   side, one in each lane of the vector registers, so no operation has to add across lanes. A panel of n features
   is a row-major (n, 32) matrix; panel p of a buffer starts at number p * n * 32. Weights are used in the layout
   of PyTorch, (outputs, inputs) row-major: each weight is broadcast to the lanes, so opening a model packs and
   copies nothing.

   Each kernel exists for several instruction sets; `roost_panels_best` selects by the features of the processor.
   The results of the variants differ only in their last bits (tests compare them). */

#include <stddef.h>
#include <stdint.h>

#include "roost_bytes.h"

#define ROOST_PANEL_TOKENS 32

/* The function applied to the output of a linear layer before it is stored. */
typedef enum { ROOST_IDENTITY = 0, ROOST_GELU = 1 } roost_activation;

/* A linear layer with weights (outputs, inputs) and biases (outputs). */
typedef struct {
    const float *weight;
    const float *bias;
    size_t outputs;
    size_t inputs;
} roost_linear_layer;

/* A linear layer with 8-bit weights: row r of the matrix is approximately scale[r] * weight[r], and sum[r] is the
   sum of scale[r] * weight[r]. `inputs` is a multiple of 4. */
typedef struct {
    const int8_t *weight;
    const float *scale;
    const float *sum;
    const float *bias;
    size_t outputs;
    size_t inputs;
} roost_linear_int8_layer;

/* Panels of 8-bit activations: each byte of a panel (n / 4, 32, 4) is (x - minimum[t]) / scale[t], rounded. */
typedef struct {
    uint8_t *bytes;
    float *scale;   /* (panels, 32) */
    float *minimum; /* (panels, 32) */
} roost_quantized_panels;

/* The kernels for one instruction set. */
typedef struct {
    const char *name;

    /* Computes y = activation(W x + b + residual) for `tokens` tokens in panels, but only rows [first, first +
       count) of the outputs. `stride` is the distance between the panels of y; `residual` has the layout of y and
       may be y itself or NULL. */
    void (*linear)(const roost_linear_layer *layer, size_t first, size_t count, const float *x, size_t tokens,
                   float *y, size_t stride, const float *residual, roost_activation activation);

    /* Transposes the first tokens of a panel of n features, rounded up to a multiple of 8, into rows (tokens, n);
       n is a multiple of 16. */
    void (*rows)(const float *x, size_t n, size_t tokens, float *rows);

    /* Computes `linear` for up to 16 tokens in one panel, with x as rows (tokens rounded up to a multiple of 8,
       inputs); inputs is a multiple of 16. Reads the weights sequentially, so its speed is that of the memory. */
    void (*linear_few)(const roost_linear_layer *layer, size_t first, size_t count, const float *x, size_t tokens,
                       float *y, const float *residual, roost_activation activation);

    /* Computes `linear` with 8-bit weights and activations, accumulated in 32-bit integers. The error of GELU is
       at most 1.1e-3. */
    void (*linear_int8)(const roost_linear_int8_layer *layer, size_t first, size_t count,
                        roost_quantized_panels x, size_t tokens, float *y, size_t stride,
                        const float *residual, roost_activation activation);

    /* Quantizes the n features of each token to 8 bits between their minimum and maximum; n is a multiple of 4. */
    void (*quantize)(const float *x, size_t n, size_t tokens, roost_quantized_panels into);

    /* Applies layer normalization over the n features of each token, in place (Ba, Kiros & Hinton 2016). */
    void (*layer_norm)(float *x, const float *gamma, const float *beta, float epsilon, size_t n, size_t tokens);

    /* Computes attention of one head over the sequence of `count` tokens that starts at token `first`. qkv holds
       panels of 3 * width features (queries, keys, values). Writes the features of the head to `context`, which
       holds panels of `width` features. `scratch` has room for `roost_attention_scratch(head_size, count)`
       numbers. */
    void (*attend)(const float *qkv, size_t width, size_t head_size, size_t head, size_t first, size_t count,
                   float *context, float *scratch);

    /* Finds the pairs of a vector v and a row of the panel whose inner product may reach thresholds[v]: all that
       do, and few others. Writes v * 32 + row for each pair to `found`, which has room for 32 * count numbers.
       Returns the number of pairs. */
    size_t (*reaching)(const roost_byte_vectors *vectors, size_t count, size_t n, const roost_byte_panel *panel,
                       const float *thresholds, uint32_t *found);
} roost_panel_kernels;

/* Returns the fastest kernels that this processor supports. */
const roost_panel_kernels *roost_panels_best(void);

/* Returns the kernels with a name ("avx512vnni", "avx512", "avxvnni", "avx2" or "portable"), or NULL if this
   processor does not support them. */
const roost_panel_kernels *roost_panels_named(const char *name);

/* Quantizes each row of weights to integers from -127 to 127 times a scale, rounded to nearest. `sum` receives the
   sums of the quantized rows. */
void roost_quantize_rows(const float *weight, size_t rows, size_t inputs, int8_t *into, float *scale, float *sum);

/* Returns the number of floats of scratch memory that `attend` needs. */
size_t roost_attention_scratch(size_t head_size, size_t count);

#endif
