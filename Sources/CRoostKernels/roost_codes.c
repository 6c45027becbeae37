#include "roost_codes.h"
#include "roost_kernels.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

typedef void products_function(const int8_t *, int32_t, size_t, const uint8_t *, const uint32_t *, size_t,
                               int32_t *);

#define INLINE static inline __attribute__((always_inline))

/* The number of rows to prefetch: with more, a core has no line-fill buffers left for further requests. */
#define AHEAD 5

INLINE const uint8_t *row_of(const uint8_t *codes, size_t length, uint32_t row) {
    return codes + (size_t)row * length;
}

INLINE void fetch(const uint8_t *row, size_t length) {
    for (size_t j = 0; j < length; j += 64) __builtin_prefetch(row + j);
}

INLINE void fetch_first(const uint8_t *codes, size_t length, const uint32_t *rows, size_t count) {
    for (size_t i = 0; i < count && i < AHEAD; i++) fetch(row_of(codes, length, rows[i]), length);
}

void roost_code_products_portable(const int8_t *query, int32_t sum, size_t length, const uint8_t *codes,
                                  const uint32_t *rows, size_t count, int32_t *products) {
    for (size_t i = 0; i < count; i++) {
        const uint8_t *row = row_of(codes, length, rows[i]);
        int32_t total = 0;
        for (size_t j = 0; j < length; j++)
            total += (row[j] & 15) * query[j] + (row[j] >> 4) * query[length + j];
        products[i] = 2 * total - 15 * sum;
    }
}

#if defined(__x86_64__)

__attribute__((target("avx512f,avx512bw,avx512vl,avx512vnni"))) static void products_avx512vnni(
    const int8_t *query, int32_t sum, size_t length, const uint8_t *codes, const uint32_t *rows, size_t count,
    int32_t *products) {
    const __m512i half = _mm512_set1_epi8(15);
    fetch_first(codes, length, rows, count);
    for (size_t i = 0; i < count; i++) {
        if (i + AHEAD < count) fetch(row_of(codes, length, rows[i + AHEAD]), length);
        const uint8_t *row = row_of(codes, length, rows[i]);
        __m512i low = _mm512_setzero_si512(), high = _mm512_setzero_si512();
        for (size_t j = 0; j < length; j += 64) {
            const __m512i both = _mm512_loadu_si512(row + j);
            low = _mm512_dpbusd_epi32(low, _mm512_and_si512(both, half), _mm512_loadu_si512(query + j));
            high = _mm512_dpbusd_epi32(high, _mm512_and_si512(_mm512_srli_epi16(both, 4), half),
                                       _mm512_loadu_si512(query + length + j));
        }
        products[i] = 2 * _mm512_reduce_add_epi32(_mm512_add_epi32(low, high)) - 15 * sum;
    }
}

/* Sums of two products fit in 16 bits, because a half is at most 15 (2 * 15 * 128 < 2^15). */
__attribute__((target("avx2"))) static void products_avx2(const int8_t *query, int32_t sum, size_t length,
                                                          const uint8_t *codes, const uint32_t *rows,
                                                          size_t count, int32_t *products) {
    const __m256i half = _mm256_set1_epi8(15), ones = _mm256_set1_epi16(1);
    fetch_first(codes, length, rows, count);
    for (size_t i = 0; i < count; i++) {
        if (i + AHEAD < count) fetch(row_of(codes, length, rows[i + AHEAD]), length);
        const uint8_t *row = row_of(codes, length, rows[i]);
        __m256i total = _mm256_setzero_si256();
        for (size_t j = 0; j < length; j += 32) {
            const __m256i both = _mm256_loadu_si256((const __m256i *)(row + j));
            const __m256i low = _mm256_maddubs_epi16(_mm256_and_si256(both, half),
                                                     _mm256_loadu_si256((const __m256i *)(query + j)));
            const __m256i high =
                _mm256_maddubs_epi16(_mm256_and_si256(_mm256_srli_epi16(both, 4), half),
                                     _mm256_loadu_si256((const __m256i *)(query + length + j)));
            total = _mm256_add_epi32(total, _mm256_madd_epi16(_mm256_add_epi16(low, high), ones));
        }
        __m128i part = _mm_add_epi32(_mm256_castsi256_si128(total), _mm256_extracti128_si256(total, 1));
        part = _mm_add_epi32(part, _mm_shuffle_epi32(part, 0x4E));
        part = _mm_add_epi32(part, _mm_shuffle_epi32(part, 0xB1));
        products[i] = 2 * _mm_cvtsi128_si32(part) - 15 * sum;
    }
}

static products_function *chosen(void) {
    if (roost_is_portable()) return roost_code_products_portable;
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vnni"))
        return products_avx512vnni;
    return __builtin_cpu_supports("avx2") ? products_avx2 : roost_code_products_portable;
}
#else
static products_function *chosen(void) { return roost_code_products_portable; }
#endif

void roost_code_products(const int8_t *query, int32_t sum, size_t length, const uint8_t *codes,
                         const uint32_t *rows, size_t count, int32_t *products) {
    /* Threads may race to write the pointer, but all of them write the same value. */
    static products_function *function;
    products_function *known = __atomic_load_n(&function, __ATOMIC_RELAXED);
    if (!known) {
        known = chosen();
        __atomic_store_n(&function, known, __ATOMIC_RELAXED);
    }
    known(query, sum, length, codes, rows, count, products);
}

size_t roost_unreached(const uint32_t *neighbors, size_t count, uint8_t *reached, uint8_t search, const uint8_t *codes,
                       size_t length, uint32_t *rows) {
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        const uint32_t row = neighbors[i];
        rows[found] = row;
        /* No branch, because about half of the neighbors were reached before, in an unpredictable order. */
        found += reached[row] != search;
        reached[row] = search;
    }
    /* To the second-level cache, which has more requests open at a time than the first. */
    for (size_t i = AHEAD; i < found; i++)
        for (size_t j = 0; j < length; j += 64) __builtin_prefetch(row_of(codes, length, rows[i]) + j, 0, 2);
    return found;
}

void roost_prefetch_list(const uint32_t *neighbors, size_t count) { fetch((const uint8_t *)neighbors, 4 * count); }

/* The compiler emits one variant for each instruction set; the dynamic loader selects one (GNU ifunc). */
#if defined(__x86_64__) && defined(__linux__)
#define WIDEST __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define WIDEST
#endif

WIDEST int32_t roost_code_query(const uint8_t *row, size_t length, int8_t *query) {
    int32_t sum = 0;
    for (size_t j = 0; j < length; j++) {
        query[j] = (int8_t)(2 * (row[j] & 15) - 15);
        query[length + j] = (int8_t)(2 * (row[j] >> 4) - 15);
        sum += query[j] + query[length + j];
    }
    return sum;
}

WIDEST void roost_hadamard(float *x, size_t count) {
    for (size_t block = 0; block < count; block++) {
        float *y = x + 128 * block;
        for (size_t step = 64; step > 0; step /= 2)
            for (size_t start = 0; start < 128; start += 2 * step)
                for (size_t i = start; i < start + step; i++) {
                    const float a = y[i], b = y[i + step];
                    y[i] = a + b;
                    y[i + step] = a - b;
                }
        for (size_t i = 0; i < 128; i++) y[i] *= 0.08838834764831845f; /* 1 / sqrt(128) */
    }
}
