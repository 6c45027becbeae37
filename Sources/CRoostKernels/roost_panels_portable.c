/* The vector instructions that every processor of the architecture has: NEON on ARM, SSE2 on x86. */
#include <math.h>
#include <string.h>

#include "roost_panels.h"

#define NAME "portable"
#define SUFFIX portable
#define LANES 4
#if defined(__aarch64__)
#define ROWS 8
#define FEW_ROWS 2
#else
#define ROWS 4
#define FEW_ROWS 1
#endif
#define VECTORS 2
#define DOT4(sum, x, w)                                                                  \
    ((sum) + ((x) & 255) * ((w) << 24 >> 24) + ((x) >> 8 & 255) * ((w) << 16 >> 24) +    \
     ((x) >> 16 & 255) * ((w) << 8 >> 24) + ((x) >> 24 & 255) * ((w) >> 24))
#include "roost_panels_body.h"
