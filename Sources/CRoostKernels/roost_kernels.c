#include "roost_kernels.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* One body, several instruction sets: the loader picks at start-up (GNU ifunc). Elsewhere, the one build. */
#if defined(__x86_64__) && defined(__linux__) && defined(__clang__)
#define WIDEST __attribute__((target_clones("arch=skylake-avx512", "arch=haswell", "default")))
#else
#define WIDEST
#endif

#define REASSOCIATE _Pragma("clang fp reassociate(on) contract(fast)")

/* e^x for x <= 88, to about 2 ulp: 2^n * p(r) with |r| <= ln(2) / 2. Written without branches so that the
   compiler can turn loops over it into vector code; underflow gives 0. */
static inline float exponential(float x) {
    const float magic = 12582912.0f; /* 1.5 * 2^23: adding it rounds to an integer */
    x = x < -87.0f ? -87.0f : x;
    x = x > 88.0f ? 88.0f : x;
    float n = (x * 1.44269504088896341f + magic) - magic;
    float r = x - n * 0.693359375f;
    r = r + n * 2.12194440e-4f;
    float p = 1.9875691500e-4f;
    p = p * r + 1.3981999507e-3f;
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    p = p * r + 5.0000001201e-1f;
    p = p * r * r + r + 1.0f;
    union { int32_t i; float f; } scale;
    scale.i = ((int32_t)n + 127) << 23;
    return p * scale.f;
}

static inline float gelu(float v) {
    float z = fabsf(v) * 0.70710678118654752f;
    float t = 1.0f / (1.0f + 0.3275911f * z);
    float p = 1.061405429f;
    p = p * t - 1.453152027f;
    p = p * t + 1.421413741f;
    p = p * t - 0.284496736f;
    p = p * t + 0.254829592f;
    float complement = p * t * exponential(-z * z); /* 1 - erf(z) */
    float erf = v < 0 ? complement - 1.0f : 1.0f - complement;
    return 0.5f * v * (1.0f + erf);
}

WIDEST void roost_add_bias(float *x, const float *bias, size_t rows, size_t columns) {
    for (size_t row = 0; row < rows; row++) {
        float *restrict v = x + row * columns;
        for (size_t i = 0; i < columns; i++) v[i] += bias[i];
    }
}

WIDEST void roost_add_bias_gelu(float *x, const float *bias, size_t rows, size_t columns) {
    for (size_t row = 0; row < rows; row++) {
        float *restrict v = x + row * columns;
        for (size_t i = 0; i < columns; i++) v[i] = gelu(v[i] + bias[i]);
    }
}

WIDEST void roost_layer_norm(float *x, const float *bias, const float *residual, const float *gamma,
                             const float *beta, float epsilon, size_t rows, size_t columns) {
    REASSOCIATE
    for (size_t row = 0; row < rows; row++) {
        float *restrict v = x + row * columns;
        if (bias)
            for (size_t i = 0; i < columns; i++) v[i] += bias[i];
        if (residual) {
            const float *restrict other = residual + row * columns;
            for (size_t i = 0; i < columns; i++) v[i] += other[i];
        }
        float sum = 0;
        for (size_t i = 0; i < columns; i++) sum += v[i];
        const float mean = sum / (float)columns;
        float squares = 0;
        for (size_t i = 0; i < columns; i++) squares += (v[i] - mean) * (v[i] - mean);
        const float inverse = 1.0f / sqrtf(squares / (float)columns + epsilon);
        for (size_t i = 0; i < columns; i++) v[i] = (v[i] - mean) * inverse * gamma[i] + beta[i];
    }
}

WIDEST void roost_softmax(float *x, float scale, size_t rows, size_t columns, size_t stride) {
    REASSOCIATE
    for (size_t row = 0; row < rows; row++) {
        float *restrict v = x + row * stride;
        float largest = -INFINITY;
        for (size_t i = 0; i < columns; i++) largest = v[i] > largest ? v[i] : largest;
        float sum = 0;
        for (size_t i = 0; i < columns; i++) {
            const float e = exponential(scale * (v[i] - largest));
            v[i] = e;
            sum += e;
        }
        const float inverse = 1.0f / sum;
        for (size_t i = 0; i < columns; i++) v[i] *= inverse;
    }
}

WIDEST void roost_sum_rows(const float *x, float *sum, size_t rows, size_t columns) {
    for (size_t row = 0; row < rows; row++) {
        const float *restrict v = x + row * columns;
        for (size_t i = 0; i < columns; i++) sum[i] += v[i];
    }
}

WIDEST float roost_dot(const float *a, const float *b, size_t count) {
    REASSOCIATE
    float sum = 0;
    for (size_t i = 0; i < count; i++) sum += a[i] * b[i];
    return sum;
}
