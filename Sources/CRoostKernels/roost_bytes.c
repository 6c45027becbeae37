#include "roost_bytes.h"

#include <math.h>
#include <string.h>

/* The compiler emits one variant for each instruction set; the dynamic loader selects one (GNU ifunc). */
#if defined(__x86_64__) && defined(__linux__)
#define WIDEST __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define WIDEST
#endif

typedef struct {
    float scale, error, length;
    int32_t sum;
    int is_finite;
} rounded;

/* Quantizes one vector, so that x is approximately scale * into. The rounding error is measured, not estimated; the
   factor 1.0001 covers the rounding of the sums themselves. */
static inline __attribute__((always_inline)) rounded round_one(const float *x, size_t d, int8_t *into) {
    _Pragma("clang fp reassociate(on) contract(fast)")
    /* Without the sign, floats order like their bits; infinities and NaN come last. */
    uint32_t bits = 0;
    float total = 0;
    for (size_t i = 0; i < d; i++) {
        const uint32_t magnitude = __builtin_bit_cast(uint32_t, x[i]) & 0x7FFFFFFFu;
        bits = magnitude > bits ? magnitude : bits;
        total += x[i] * x[i];
    }
    const float largest = __builtin_bit_cast(float, bits);
    rounded r = {0};
    /* The error bound needs a finite length. */
    r.is_finite = bits < 0x7F800000u && total < 1e30f;
    if (!r.is_finite || largest <= 1e-30f) {
        memset(into, 0, d);
        r.error = r.is_finite ? sqrtf(total) * 1.0001f : 0;
        return r;
    }
    const float inverse = 127.0f / largest;
    int32_t sum = 0, squares = 0;
    float along = 0;
    for (size_t i = 0; i < d; i++) {
        /* Adding 1.5 * 2^23 rounds to the nearest integer, which then is in the low bits. */
        const float shifted = x[i] * inverse + 12582912.0f;
        const int32_t byte = __builtin_bit_cast(int32_t, shifted) - 0x4B400000;
        sum += byte;
        squares += byte * byte;
        along += x[i] * (float)byte;
        into[i] = (int8_t)byte;
    }
    /* The least-squares scale: it makes the error orthogonal to the quantized vector. */
    r.scale = along / (float)squares;
    float squared_error = 0;
    for (size_t i = 0; i < d; i++) {
        const float rest = x[i] - (float)into[i] * r.scale;
        squared_error += rest * rest;
    }
    r.sum = sum;
    r.error = sqrtf(squared_error) * 1.0001f;
    r.length = sqrtf((float)squares) * r.scale * 1.0001f;
    return r;
}

WIDEST int roost_byte_vectors_fill(const float *x, size_t count, size_t d, roost_byte_vectors into) {
    const size_t n = (d + 3) / 4 * 4;
    /* Covers the rounding of Float32 sums of products, whatever their order; it grows with the dimension. */
    const float slack = 2e-5f * (d > 1024 ? (float)d / 1024 : 1);
    int is_finite = 1;
    for (size_t v = 0; v < count; v++) {
        int8_t *bytes = into.bytes + v * n;
        for (size_t i = d; i < n; i++) bytes[i] = 0;
        const rounded r = round_one(x + v * d, d, bytes);
        is_finite &= r.is_finite;
        into.offset[v] = 128 * r.sum;
        into.inverse[v] = r.scale > 0 ? 1 / r.scale : 1;
        into.error[v] = r.error + slack * (r.length + r.error);
        into.length[v] = r.length;
    }
    return is_finite;
}

WIDEST int roost_byte_panel_fill(const float *rows, size_t count, size_t d, roost_byte_panel *into) {
    const size_t n = (d + 3) / 4 * 4;
    int8_t bytes[n];
    memset(bytes, 0, n);
    int is_finite = 1;
    into->error = into->length = 0;
    for (size_t row = 0; row < ROOST_BYTE_ROWS; row++) {
        if (row >= count) {
            into->scale[row] = NAN;
            continue;
        }
        const rounded r = round_one(rows + row * d, d, bytes);
        is_finite &= r.is_finite;
        into->scale[row] = r.scale;
        into->error = r.error > into->error ? r.error : into->error;
        into->length = r.length + r.error > into->length ? r.length + r.error : into->length;
        uint8_t *to = into->bytes + row * 4;
        for (size_t i = 0; i < n; i += 4) {
            uint32_t four;
            memcpy(&four, bytes + i, 4);
            four ^= 0x80808080u; /* 128 added to each */
            memcpy(to + i * ROOST_BYTE_ROWS, &four, 4);
        }
    }
    return is_finite;
}
