/* The linear layers for a short text of up to 16 tokens. Included by roost_panels_body.h for each instruction set.
   The lanes hold inputs instead of tokens, because there are too few tokens to fill them. */

/* Eight numbers, one for each token of a group. */
typedef float eight __attribute__((ext_vector_type(8)));
typedef float loose_eight __attribute__((ext_vector_type(8), aligned(4), may_alias));

#define PICK8(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)

/* Computes the horizontal sum of each of eight vectors. */
INLINE void sums_of(const floats v[8], eight *sums) {
#if LANES == 4
    floats pair[4], half[2];
    UNROLL for (int i = 0; i < 4; i++)
        pair[i] = PICK8(v[2 * i], v[2 * i + 1], 0, 4, 2, 6) + PICK8(v[2 * i], v[2 * i + 1], 1, 5, 3, 7);
    UNROLL for (int i = 0; i < 2; i++)
        half[i] = PICK8(pair[2 * i], pair[2 * i + 1], 0, 1, 4, 5) + PICK8(pair[2 * i], pair[2 * i + 1], 2, 3, 6, 7);
    *sums = PICK8(half[0], half[1], 0, 1, 2, 3, 4, 5, 6, 7);
#else
    eight w[8];
#if LANES == 16
    UNROLL for (int i = 0; i < 8; i++) w[i] = v[i].lo + v[i].hi;
#else
    UNROLL for (int i = 0; i < 8; i++) w[i] = v[i];
#endif
    UNROLL for (int i = 0; i < 4; i++)
        w[i] = PICK8(w[2 * i], w[2 * i + 1], 0, 8, 2, 10, 4, 12, 6, 14) +
               PICK8(w[2 * i], w[2 * i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
    UNROLL for (int i = 0; i < 2; i++)
        w[i] = PICK8(w[2 * i], w[2 * i + 1], 0, 1, 8, 9, 4, 5, 12, 13) +
               PICK8(w[2 * i], w[2 * i + 1], 2, 3, 10, 11, 6, 7, 14, 15);
    *sums = PICK8(w[0], w[1], 0, 1, 2, 3, 8, 9, 10, 11) + PICK8(w[0], w[1], 4, 5, 6, 7, 12, 13, 14, 15);
#endif
}

/* Multiplies rows of weights, with inputs in the lanes, with a group of eight tokens. */
INLINE void few_tile(int rows, const float *w, size_t inputs, const float *x, float *y, const float *bias,
                     const float *residual, roost_activation activation) {
    floats sums[FEW_ROWS][8];
    UNROLL for (int i = 0; i < rows; i++) UNROLL for (int t = 0; t < 8; t++) sums[i][t] = (floats)(0.0f);
    for (size_t p = 0; p < inputs; p += LANES) {
        floats a[FEW_ROWS];
        UNROLL for (int i = 0; i < rows; i++) {
            a[i] = load(w + i * inputs + p);
            __builtin_prefetch(w + (i + 2 * rows) * inputs + p);
        }
        UNROLL for (int t = 0; t < 8; t++) {
            const floats b = load(x + t * inputs + p);
            UNROLL for (int i = 0; i < rows; i++) sums[i][t] = a[i] * b + sums[i][t];
        }
    }
    UNROLL for (int i = 0; i < rows; i++) {
        eight v;
        sums_of(sums[i], &v);
        v += bias[i];
        if (residual) v += *(const loose_eight *)(residual + i * PANEL);
        if (activation == ROOST_GELU) {
#if LANES == 16
            floats wide = PICK8(v, v, 0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7);
            v = gelu(wide).lo;
#elif LANES == 8
            v = gelu(v);
#else
            const floats low = gelu(v.lo), high = gelu(v.hi);
            v.lo = low;
            v.hi = high;
#endif
        }
        *(loose_eight *)(y + i * PANEL) = v;
    }
}

static void JOIN(linear_few_, SUFFIX)(const roost_linear_layer *layer, size_t first, size_t count,
                                      const float *x, size_t tokens, float *y, const float *residual,
                                      roost_activation activation) {
    const size_t inputs = layer->inputs;
    size_t row = first;
    /* The rows of a tile stay in the cache for the second group. */
#define TILE(R)                                                                                          \
    for (size_t group = 0; group < tokens; group += 8)                                                   \
        few_tile(R, layer->weight + row * inputs, inputs, x + group * inputs, y + row * PANEL + group,   \
                 layer->bias + row, residual ? residual + row * PANEL + group : 0, activation)
    for (; row + FEW_ROWS <= first + count; row += FEW_ROWS) TILE(FEW_ROWS);
    for (; row < first + count; row++) TILE(1);
#undef TILE
}

static void JOIN(rows_, SUFFIX)(const float *x, size_t n, size_t tokens, float *rows) {
    for (size_t group = 0; group < tokens; group += 8, x += 8, rows += 8 * n) for (size_t i = 0; i < n; i += 8) {
        eight v[8], w[8];
        UNROLL for (int k = 0; k < 8; k++) v[k] = *(const loose_eight *)(x + (i + k) * PANEL);
        UNROLL for (int k = 0; k < 8; k += 2) {
            w[k] = PICK8(v[k], v[k + 1], 0, 8, 2, 10, 4, 12, 6, 14);
            w[k + 1] = PICK8(v[k], v[k + 1], 1, 9, 3, 11, 5, 13, 7, 15);
        }
        UNROLL for (int k = 0; k < 8; k += 4) UNROLL for (int j = k; j < k + 2; j++) {
            v[j] = PICK8(w[j], w[j + 2], 0, 1, 8, 9, 4, 5, 12, 13);
            v[j + 2] = PICK8(w[j], w[j + 2], 2, 3, 10, 11, 6, 7, 14, 15);
        }
        UNROLL for (int k = 0; k < 4; k++) {
            *(loose_eight *)(rows + k * n + i) = PICK8(v[k], v[k + 4], 0, 1, 2, 3, 8, 9, 10, 11);
            *(loose_eight *)(rows + (k + 4) * n + i) = PICK8(v[k], v[k + 4], 4, 5, 6, 7, 12, 13, 14, 15);
        }
    }
}
