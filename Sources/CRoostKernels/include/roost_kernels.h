#ifndef ROOST_KERNELS_H
#define ROOST_KERNELS_H

#include <stddef.h>

/* The inner product of two vectors, accumulated in Float32. Compiled several times for wider vector units; the
   widest that the processor has is chosen when the library is loaded, so the last bits may differ between
   processors. */
float roost_dot(const float *a, const float *b, size_t count);

#endif
