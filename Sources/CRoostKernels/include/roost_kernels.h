#ifndef ROOST_KERNELS_H
#define ROOST_KERNELS_H

#include <stddef.h>

/* Returns the inner product of two vectors, accumulated in Float32. The function is compiled for several vector
   widths, and the widest that the processor supports is selected when the library is loaded. The last bits of the
   result may therefore differ between processors. */
float roost_dot(const float *a, const float *b, size_t count);

/* Whether the environment variable ROOST_KERNELS is "portable" at the first call. The functions that choose an
   implementation for the processor then choose the portable one, so that it can be tested on any processor. */
int roost_is_portable(void);

#endif
