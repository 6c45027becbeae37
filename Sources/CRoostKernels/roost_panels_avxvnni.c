/* AVX2 with byte products: Intel desktop processors since Alder Lake. */
#if defined(__x86_64__)
#include <immintrin.h>
#include <math.h>
#include <string.h>

#include "roost_panels.h"

#pragma clang attribute push(__attribute__((target("avx2,fma,avxvnni"))), apply_to = function)
#define NAME "avxvnni"
#define SUFFIX avxvnni
#define LANES 8
#define ROWS 4
#define VECTORS 2
#define FEW_ROWS 1
#define DOT4(sum, x, w) ((ints)_mm256_dpbusd_avx_epi32((__m256i)(sum), (__m256i)(x), (__m256i)(w)))
#include "roost_panels_body.h"
#pragma clang attribute pop
#endif
