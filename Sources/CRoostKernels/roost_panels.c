#include "roost_panels.h"
#include "roost_kernels.h"

#include <math.h>
#include <string.h>

extern const roost_panel_kernels roost_panels_portable;
#if defined(__x86_64__)
extern const roost_panel_kernels roost_panels_avx2, roost_panels_avxvnni, roost_panels_avx512,
    roost_panels_avx512vnni;
#endif

/* Fills in the kernels that this processor supports, fastest first, and returns their number. */
static size_t available(const roost_panel_kernels *kernels[5]) {
    size_t count = 0;
#if defined(__x86_64__)
    __builtin_cpu_init();
    const int wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                     __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    const int narrow = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (wide && __builtin_cpu_supports("avx512vnni")) kernels[count++] = &roost_panels_avx512vnni;
    if (wide) kernels[count++] = &roost_panels_avx512;
    if (narrow && __builtin_cpu_supports("avxvnni")) kernels[count++] = &roost_panels_avxvnni;
    if (narrow) kernels[count++] = &roost_panels_avx2;
#endif
    kernels[count++] = &roost_panels_portable;
    return count;
}

const roost_panel_kernels *roost_panels_best(void) {
    const roost_panel_kernels *kernels[5];
    const size_t count = available(kernels);
    return kernels[roost_is_portable() ? count - 1 : 0];
}

const roost_panel_kernels *roost_panels_named(const char *name) {
    const roost_panel_kernels *kernels[5];
    const size_t count = available(kernels);
    for (size_t i = 0; i < count; i++)
        if (strcmp(kernels[i]->name, name) == 0) return kernels[i];
    return NULL;
}

/* The compiler emits one variant for each instruction set; the dynamic loader selects one (GNU ifunc). */
#if defined(__x86_64__) && defined(__linux__)
#define WIDEST __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define WIDEST
#endif

WIDEST void roost_quantize_rows(const float *weight, size_t rows, size_t inputs, int8_t *into, float *scale,
                                float *sum) {
    for (size_t row = 0; row < rows; row++) {
        const float *w = weight + row * inputs;
        int8_t *q = into + row * inputs;
        float largest = 0;
        for (size_t i = 0; i < inputs; i++) largest = fabsf(w[i]) > largest ? fabsf(w[i]) : largest;
        const float inverse = largest > 1e-30f ? 127.0f / largest : 0;
        int32_t total = 0;
        for (size_t i = 0; i < inputs; i++) {
            /* Adding 1.5 * 2^23 rounds to the nearest integer. */
            const int32_t n = (int32_t)((w[i] * inverse + 12582912.0f) - 12582912.0f);
            q[i] = (int8_t)n;
            total += n;
        }
        scale[row] = largest / 127.0f;
        sum[row] = (float)total * scale[row];
    }
}

size_t roost_attention_scratch(size_t head_size, size_t count) {
    const size_t panels = (count + ROOST_PANEL_TOKENS - 1) / ROOST_PANEL_TOKENS;
    const size_t stride = (panels + 1) * ROOST_PANEL_TOKENS;
    return 3 * head_size * stride + count * ROOST_PANEL_TOKENS;
}
