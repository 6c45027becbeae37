/* AVX-512 with byte products (VNNI): Intel since Ice Lake, AMD since Zen 4. */
#if defined(__x86_64__)
#include <immintrin.h>
#include <math.h>
#include <string.h>

#include "roost_panels.h"

#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,fma"))), \
                             apply_to = function)
#define NAME "avx512vnni"
#define SUFFIX avx512vnni
#define LANES 16
#define ROWS 8
#define VECTORS 2
#define FEW_ROWS 2
#define DOT4(sum, x, w) ((ints)_mm512_dpbusd_epi32((__m512i)(sum), (__m512i)(x), (__m512i)(w)))
#include "roost_panels_body.h"
#pragma clang attribute pop
#endif
