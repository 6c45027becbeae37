/* AVX2 with fused multiply-add: nearly every x86 processor since 2013 (Haswell, Zen). */
#if defined(__x86_64__)
#include <immintrin.h>
#include <math.h>
#include <string.h>

#include "roost_panels.h"

#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#define NAME "avx2"
#define SUFFIX avx2
#define LANES 8
#define ROWS 4
#define VECTORS 2
#define FEW_ROWS 1
/* Widens even and odd bytes separately to 16 bits, which is exact; vpmaddubsw would saturate. */
#define DOT4(sum, x, w)                                                                                       \
    ((sum) +                                                                                                  \
     (ints)_mm256_madd_epi16((__m256i)((x) & 0x00FF00FF), _mm256_srai_epi16((__m256i)((w) << 8), 8)) +        \
     (ints)_mm256_madd_epi16(_mm256_srli_epi16((__m256i)(x), 8), _mm256_srai_epi16((__m256i)(w), 8)))
#include "roost_panels_body.h"
#pragma clang attribute pop
#endif
