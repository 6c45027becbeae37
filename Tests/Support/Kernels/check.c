/* Compares the kernels in C with plain loops. Needs no Swift, so that Scripts/kernel-test can run it on processors for
   which it only has a compiler and an emulator. Prints one line per kernel; the exit status is 1 after a difference. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "roost_bytes.h"
#include "roost_codes.h"
#include "roost_crc32c.h"
#include "roost_kernels.h"
#include "roost_panels.h"

#define PANEL ROOST_PANEL_TOKENS

static int failures = 0;

static void report(const char *kernels, const char *name, double error, double limit) {
    const int isGood = error <= limit; /* not for NaN */
    printf("%-8s %-16s %-12s largest error %.2g\n", isGood ? "correct" : "WRONG", kernels, name, error);
    failures += !isGood;
}

/* A generator with the same numbers on each processor, from -1 to 1. */
static uint64_t state = 1;
static float next(void) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (float)((int32_t)(state >> 32)) / 2147483648.0f;
}

static float *numbers(size_t count) {
    float *x = aligned_alloc(64, (count * sizeof(float) + 63) / 64 * 64);
    for (size_t i = 0; i < count; i++) x[i] = next();
    return x;
}

static double larger(double a, double b) { return a > b || isnan(a) ? a : b; }
static double gelu(double v) { return 0.5 * v * (1 + erf(v / sqrt(2))); }
static float *at(float *panels, size_t n, size_t feature, size_t token) {
    return panels + (token / PANEL * n + feature) * PANEL + token % PANEL;
}

enum { inputs = 64, outputs = 21, tokens = 77, panels = (tokens + PANEL - 1) / PANEL, few_tokens = 13 };

static void check_linear(const roost_panel_kernels *k) {
    float *w = numbers(outputs * inputs), *bias = numbers(outputs), *x = numbers(panels * PANEL * inputs);
    float *residual = numbers(panels * PANEL * outputs), *y = numbers(panels * PANEL * outputs);
    const roost_linear_layer layer = {w, bias, outputs, inputs};
    double error = 0, few = 0;
    k->linear(&layer, 0, outputs, x, tokens, y, outputs * PANEL, residual, ROOST_GELU);
    float *rows = numbers(16 * inputs), *z = numbers(PANEL * outputs);
    k->rows(x, inputs, few_tokens, rows);
    k->linear_few(&layer, 0, outputs, rows, few_tokens, z, NULL, ROOST_IDENTITY);
    for (size_t row = 0; row < outputs; row++)
        for (size_t t = 0; t < tokens; t++) {
            double sum = bias[row];
            for (size_t i = 0; i < inputs; i++) sum += (double)w[row * inputs + i] * *at(x, inputs, i, t);
            error = larger(fabs(gelu(sum + *at(residual, outputs, row, t)) - *at(y, outputs, row, t)), error);
            if (t < few_tokens) few = larger(fabs(sum - z[row * PANEL + t]), few);
        }
    report(k->name, "linear", error, 1e-4);
    report(k->name, "linear_few", few, 1e-4);
    free(w), free(bias), free(x), free(residual), free(y), free(rows), free(z);
}

static void check_linear_int8(const roost_panel_kernels *k) {
    float *w = numbers(outputs * inputs), *bias = numbers(outputs), *x = numbers(panels * PANEL * inputs);
    float *y = numbers(panels * PANEL * outputs), scale[outputs], sum[outputs];
    int8_t weight[outputs * inputs];
    roost_quantize_rows(w, outputs, inputs, weight, scale, sum);
    double rounding = 0, error = 0, quantization = 0;
    for (size_t i = 0; i < outputs * inputs; i++)
        rounding = larger(fabs(w[i] / scale[i / inputs] - weight[i]), rounding);
    report("all", "quantize_rows", rounding, 0.501);
    roost_quantized_panels q = {calloc(panels * PANEL, inputs), numbers(panels * PANEL), numbers(panels * PANEL)};
    k->quantize(x, inputs, tokens, q);
    const roost_linear_int8_layer layer = {weight, scale, sum, bias, outputs, inputs};
    k->linear_int8(&layer, 0, outputs, q, tokens, y, outputs * PANEL, NULL, ROOST_IDENTITY);
    for (size_t t = 0; t < tokens; t++) {
        double row[inputs];
        for (size_t i = 0; i < inputs; i++) {
            const uint8_t byte = q.bytes[((t / PANEL * inputs + i) / 4 * PANEL + t % PANEL) * 4 + i % 4];
            row[i] = q.minimum[t] + (double)q.scale[t] * byte;
            quantization = larger(fabs(row[i] - *at(x, inputs, i, t)) / q.scale[t], quantization);
        }
        for (size_t r = 0; r < outputs; r++) {
            double total = bias[r];
            for (size_t i = 0; i < inputs; i++) total += (double)scale[r] * weight[r * inputs + i] * row[i];
            error = larger(fabs(total - *at(y, outputs, r, t)), error);
        }
    }
    report(k->name, "quantize", quantization, 0.501);
    report(k->name, "linear_int8", error, 1e-4);
    free(w), free(bias), free(x), free(y), free(q.bytes), free(q.scale), free(q.minimum);
}

static void check_layer_norm(const roost_panel_kernels *k) {
    float *x = numbers(panels * PANEL * inputs), *gamma = numbers(inputs), *beta = numbers(inputs);
    float *y = numbers(panels * PANEL * inputs);
    memcpy(y, x, panels * PANEL * inputs * sizeof(float));
    k->layer_norm(y, gamma, beta, 1e-12f, inputs, tokens);
    double error = 0;
    for (size_t t = 0; t < tokens; t++) {
        double mean = 0, variance = 0;
        for (size_t i = 0; i < inputs; i++) mean += *at(x, inputs, i, t) / inputs;
        for (size_t i = 0; i < inputs; i++) variance += pow(*at(x, inputs, i, t) - mean, 2) / inputs;
        for (size_t i = 0; i < inputs; i++) {
            const double expected = (*at(x, inputs, i, t) - mean) / sqrt(variance + 1e-12) * gamma[i] + beta[i];
            error = larger(fabs(expected - *at(y, inputs, i, t)), error);
        }
    }
    report(k->name, "layer_norm", error, 1e-4);
    free(x), free(gamma), free(beta), free(y);
}

/* Sequences that begin and end inside panels. */
static void check_attention(const roost_panel_kernels *k) {
    enum { width = inputs, size = 16, head = 2, first = 5, count = 66 };
    float *qkv = numbers(panels * PANEL * 3 * width), *context = numbers(panels * PANEL * width);
    float *scratch = numbers(roost_attention_scratch(size, count));
    const float before = *at(context, width, head * size, first - 1);
    k->attend(qkv, width, size, head, first, count, context, scratch);
    double error = fabs(before - *at(context, width, head * size, first - 1));
    for (size_t t = 0; t < count; t++) {
        double score[count], sum = 0, expected[size] = {0};
        for (size_t j = 0; j < count; j++) {
            score[j] = 0;
            for (size_t i = 0; i < size; i++)
                score[j] += (double)*at(qkv, 3 * width, head * size + i, first + t)
                    * *at(qkv, 3 * width, width + head * size + i, first + j);
            sum += score[j] = exp(score[j] / sqrt(size));
        }
        for (size_t i = 0; i < size; i++) {
            for (size_t j = 0; j < count; j++)
                expected[i] += score[j] / sum * *at(qkv, 3 * width, 2 * width + head * size + i, first + j);
            error = larger(fabs(expected[i] - *at(context, width, head * size + i, first + t)), error);
        }
    }
    report(k->name, "attend", error, 1e-4);
    free(qkv), free(context), free(scratch);
}

/* No pair that reaches its threshold is missed, and few others are found. */
static void check_reaching(const roost_panel_kernels *k) {
    enum { count = 40, rows = 30, d = 61, n = 64 };
    float *x = numbers(count * d), *y = numbers(rows * d), thresholds[count];
    int8_t bytes[count * n];
    int32_t offset[count];
    float inverse[count], error[count], length[count], scale[PANEL];
    uint8_t *panel_bytes = calloc(PANEL, n);
    const roost_byte_vectors vectors = {bytes, offset, inverse, error, length};
    roost_byte_panel panel = {panel_bytes, scale, 0, 0};
    const int is_finite = roost_byte_vectors_fill(x, count, d, vectors) & roost_byte_panel_fill(y, rows, d, &panel);
    uint32_t found[count * PANEL];
    for (size_t v = 0; v < count; v++) thresholds[v] = 2;
    const size_t pairs = k->reaching(&vectors, count, n, &panel, thresholds, found);
    size_t missed = 0, reached = 0;
    for (uint32_t v = 0; v < count; v++)
        for (uint32_t row = 0; row < rows; row++) {
            double product = 0;
            for (size_t i = 0; i < d; i++) product += (double)x[v * d + i] * y[row * d + i];
            if (product < thresholds[v]) continue;
            reached++;
            size_t i = 0;
            while (i < pairs && found[i] != v * PANEL + row) i++;
            missed += i == pairs;
        }
    const int isUseful = is_finite && reached > 100 && pairs < reached * 1.5;
    report(k->name, "reaching", isUseful ? (double)missed : NAN, 0);
    free(x), free(y), free(panel_bytes);
}

static void check_codes(void) {
    enum { length = 192, rows = 37, count = 100 };
    uint8_t codes[rows * length];
    int8_t query[2 * length];
    uint32_t chosen[count];
    int32_t sum = 0, products[count], portable[count];
    for (size_t i = 0; i < sizeof codes; i++) codes[i] = (uint8_t)(127 * next() + 128);
    for (size_t i = 0; i < 2 * length; i++) sum += query[i] = (int8_t)(127 * next());
    for (size_t i = 0; i < count; i++) chosen[i] = (uint32_t)(i * 7 % rows);
    roost_code_products(query, sum, length, codes, chosen, count, products);
    roost_code_products_portable(query, sum, length, codes, chosen, count, portable);
    double error = 0, other = 0;
    for (size_t i = 0; i < count; i++) {
        int32_t expected = 0;
        for (size_t j = 0; j < length; j++) {
            const uint8_t byte = codes[chosen[i] * length + j];
            expected += (2 * (byte & 15) - 15) * query[j] + (2 * (byte >> 4) - 15) * query[length + j];
        }
        error = larger(abs(expected - products[i]), error);
        other = larger(abs(expected - portable[i]), other);
    }
    report("best", "codes", error, 0);
    report("portable", "codes", other, 0);
}

static void check_others(void) {
    enum { count = 1000, blocks = 3 };
    float *a = numbers(count), *b = numbers(count), *x = numbers(blocks * 128), y[blocks * 128];
    double product = 0, error = 0;
    for (size_t i = 0; i < count; i++) product += (double)a[i] * b[i];
    report("best", "dot", fabs(product - roost_dot(a, b, count)), 1e-4);
    memcpy(y, x, sizeof y);
    roost_hadamard(y, blocks);
    for (size_t i = 0; i < blocks * 128; i++) {
        double expected = 0;
        for (size_t j = 0; j < 128; j++)
            expected += (__builtin_parityll(i % 128 & j) ? -1.0 : 1.0) * x[i / 128 * 128 + j] / sqrt(128);
        error = larger(fabs(expected - y[i]), error);
    }
    report("best", "hadamard", error, 1e-5);
    /* The check value of the algorithm, and all lengths and alignments. */
    int differs = roost_crc32c(0, "123456789", 9) != 0xE3069283u;
    for (size_t start = 0; start < 9; start++)
        for (size_t end = start; end < 4 * count; end += 1 + end / 8)
            differs |= roost_crc32c(7, (char *)a + start, end - start)
                != roost_crc32c_portable(7, (char *)a + start, end - start);
    report("best", "crc32c", differs, 0);
    free(a), free(b), free(x);
}

int main(void) {
    const char *names[] = {"avx512vnni", "avx512", "avxvnni", "avx2", "portable"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const roost_panel_kernels *kernels = roost_panels_named(names[i]);
        if (!kernels) continue;
        check_linear(kernels);
        check_linear_int8(kernels);
        check_layer_norm(kernels);
        check_attention(kernels);
        check_reaching(kernels);
    }
    check_codes();
    check_others();
    const char *chosen = roost_panels_best()->name;
    const int isPortable = strcmp(chosen, "portable") == 0;
    report(chosen, "chosen", roost_is_portable() && !isPortable, 0);
    return failures > 0;
}
