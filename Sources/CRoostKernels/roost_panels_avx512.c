/* AVX-512 without byte products: Intel Skylake-X and other processors before Cascade Lake. */
#if defined(__x86_64__)
#include <immintrin.h>
#include <math.h>
#include <string.h>

#include "roost_panels.h"

#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,fma"))), apply_to = function)
#define NAME "avx512"
#define SUFFIX avx512
#define LANES 16
#define ROWS 8
#define VECTORS 2
#define FEW_ROWS 2
/* Widens even and odd bytes separately to 16 bits, which is exact; vpmaddubsw would saturate. */
#define DOT4(sum, x, w)                                                                                       \
    ((sum) +                                                                                                  \
     (ints)_mm512_madd_epi16((__m512i)((x) & 0x00FF00FF), _mm512_srai_epi16((__m512i)((w) << 8), 8)) +        \
     (ints)_mm512_madd_epi16(_mm512_srli_epi16((__m512i)(x), 8), _mm512_srai_epi16((__m512i)(w), 8)))
#include "roost_panels_body.h"
#pragma clang attribute pop
#endif
