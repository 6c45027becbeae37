/* The kernels of roost_panels.h for one instruction set. The file that includes this one defines:
   NAME     the name of the instruction set
   LANES    the number of floats in a vector register
   ROWS     the rows of weights in a tile
   FEW_ROWS the rows of weights in a tile of the kernel for up to 16 tokens
   VECTORS  the vectors of tokens in a tile; ROWS * VECTORS sums stay in registers
   SUFFIX   the suffix of the function names
   DOT4(sum, x, w)  in each lane, sum plus the four products of unsigned bytes of x and signed bytes of w */

#define PANEL ROOST_PANEL_TOKENS
#define INLINE static inline __attribute__((always_inline))
#define UNROLL _Pragma("clang loop unroll(full)")
#define JOIN2(a, b) a##b
#define JOIN(a, b) JOIN2(a, b)

_Pragma("clang fp contract(fast)")

typedef float floats __attribute__((ext_vector_type(LANES)));
typedef int32_t ints __attribute__((ext_vector_type(LANES)));
typedef float loose_floats __attribute__((ext_vector_type(LANES), aligned(4), may_alias));
typedef int32_t loose_ints __attribute__((ext_vector_type(LANES), aligned(4), may_alias));

INLINE floats load(const float *p) { return *(const loose_floats *)p; }
INLINE void store(float *p, floats v) { *(loose_floats *)p = v; }
INLINE floats larger(floats a, floats b) { return __builtin_elementwise_max(a, b); }
INLINE floats smaller(floats a, floats b) { return __builtin_elementwise_min(a, b); }

/* Returns e^x for x <= 88 to about 2 ulp, as 2^n * p(r) with |r| <= ln(2) / 2. Below -70 the result is e^-70, so
   that products with it are not subnormal. The polynomial is that of expf in the Cephes library (Moshier). */
INLINE floats exponential(floats x) {
    const floats magic = (floats)(12582912.0f); /* 1.5 * 2^23: adding it rounds to an integer */
    x = smaller(larger(x, (floats)(-70.0f)), (floats)(88.0f));
    const floats shifted = x * 1.44269504088896341f + magic;
    const floats n = shifted - magic;
    floats r = x - n * 0.693359375f;
    r = r + n * 2.12194440e-4f;
    floats p = (floats)(1.9875691500e-4f);
    p = p * r + 1.3981999507e-3f;
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    p = p * r + 5.0000001201e-1f;
    p = p * (r * r) + r + 1.0f;
    const ints scale = __builtin_convertvector(n, ints) + 127 << 23;
    return p * __builtin_bit_cast(floats, scale);
}

/* Returns 0.5 v (1 + erf(v / sqrt 2)); the error of erf is at most 2e-7 (Abramowitz & Stegun 7.1.26). */
INLINE floats gelu(floats v) {
    const floats z = __builtin_elementwise_abs(v) * 0.70710678118654752f;
    const floats t = 1.0f / (1.0f + 0.3275911f * z);
    floats p = (floats)(1.061405429f);
    p = p * t - 1.453152027f;
    p = p * t + 1.421413741f;
    p = p * t - 0.284496736f;
    p = p * t + 0.254829592f;
    const floats complement = p * t * exponential(-z * z); /* 1 - erf(z) */
    /* With c = 1 - erf(|v| / sqrt 2), the result is v - 0.5 v c for positive v and 0.5 v c for negative v. */
    const floats half = 0.5f * v * complement;
    return larger(v, (floats)(0.0f)) - __builtin_elementwise_abs(half);
}

/* Returns GELU with an error of at most 1.1e-3, which is small against the step of 8-bit activations:
   v (1/2 + v P(v^2)) for |v| <= 3.4. P is the minimax polynomial, fitted by linear programming at 3,000 points. */
INLINE floats rough_gelu(floats v) {
    const floats near = smaller(larger(v, (floats)(-3.4f)), (floats)(3.4f)), square = near * near;
    floats p = (floats)(1.05565767e-05f);
    p = p * square - 4.15140993e-04f;
    p = p * square + 6.71192274e-03f;
    p = p * square - 5.98076577e-02f;
    p = p * square + 3.94279351e-01f;
    return v * smaller(larger(near * p + 0.5f, (floats)(0.0f)), (floats)(1.0f));
}

INLINE floats finish(floats v, roost_activation activation) {
    return activation == ROOST_GELU ? gelu(v) : v;
}

/* Returns the number of vectors that the tokens of the panel starting at token `first` occupy. */
INLINE size_t vectors_of(size_t tokens, size_t first) {
    const size_t left = tokens - first < PANEL ? tokens - first : PANEL;
    return (left + LANES - 1) / LANES;
}

/* Adds a[i, p] * x[p, j] to sums[i][j] for p < k. a has arbitrary strides; x has rows of `across` numbers. */
INLINE void multiply(int rows, int vectors, const float *a, size_t row_stride, size_t k_stride, const float *x,
                     size_t across, size_t k, floats sums[ROWS][VECTORS]) {
    for (size_t p = 0; p < k; p++) {
        /* Prefetches the rows of the next tile, which follow these. */
        __builtin_prefetch(a + rows * row_stride + p * rows);
        floats b[VECTORS];
        UNROLL for (int j = 0; j < vectors; j++) b[j] = load(x + p * across + j * LANES);
        UNROLL for (int i = 0; i < rows; i++) {
            const floats w = (floats)(a[i * row_stride + p * k_stride]);
            UNROLL for (int j = 0; j < vectors; j++) sums[i][j] = w * b[j] + sums[i][j];
        }
    }
}

/* Calls body(rows, vectors) with constants, so that the compiler can unroll the loops. */
#define WITH_SIZES(rows, vectors, body)                                                        \
    do {                                                                                       \
        if ((vectors) == VECTORS) {                                                            \
            if ((rows) == ROWS) { body(ROWS, VECTORS); }                                       \
            else if ((rows) == 2) { body(2, VECTORS); }                                        \
            else { body(1, VECTORS); }                                                         \
        } else {                                                                               \
            if ((rows) == ROWS) { body(ROWS, 1); }                                             \
            else if ((rows) == 2) { body(2, 1); }                                              \
            else { body(1, 1); }                                                               \
        }                                                                                      \
    } while (0)

INLINE int rows_of_tile(size_t left) { return left >= ROWS ? ROWS : left >= 2 ? 2 : 1; }
INLINE int vectors_of_tile(size_t left) { return left >= VECTORS ? VECTORS : 1; }

INLINE void linear_tile(int rows, int vectors, const float *w, size_t inputs, size_t k, const float *x,
                        float *y, const float *bias, const float *residual, roost_activation activation) {
    floats sums[ROWS][VECTORS];
    UNROLL for (int i = 0; i < rows; i++) UNROLL for (int j = 0; j < vectors; j++)
    {
        /* Starts with the bias, or with the partial sums of earlier inputs in y. The residual may be y itself, so
           it is read before y is written. */
        sums[i][j] = bias ? (floats)(bias[i]) : load(y + i * PANEL + j * LANES);
        if (residual) sums[i][j] += load(residual + i * PANEL + j * LANES);
    }
    multiply(rows, vectors, w, inputs, 1, x, PANEL, k, sums);
    UNROLL for (int i = 0; i < rows; i++) UNROLL for (int j = 0; j < vectors; j++)
        store(y + i * PANEL + j * LANES, finish(sums[i][j], activation));
}

/* The number of inputs in a block, chosen so that their part of a panel stays in the L1 cache (384 * 32 * 4 bytes),
   and the number of rows of weights in a block, which stay in the L2 cache for all panels. */
#define DEPTH 384
#define BLOCK 96

static void JOIN(linear_, SUFFIX)(const roost_linear_layer *layer, size_t first, size_t count, const float *x,
                                  size_t tokens, float *y, size_t stride, const float *residual,
                                  roost_activation activation) {
    const size_t inputs = layer->inputs, end = first + count;
    for (size_t p = 0; p < inputs; p += DEPTH) {
        const size_t k = inputs - p < DEPTH ? inputs - p : DEPTH;
        const int begins = p == 0, ends = p + k == inputs;
        for (size_t block = first; block < end; block += BLOCK)
            for (size_t token = 0; token < tokens; token += PANEL) {
                const size_t vectors = vectors_of(tokens, token), panel = token / PANEL;
                const size_t last = block + BLOCK < end ? block + BLOCK : end;
                for (size_t row = block; row < last;) {
                    const int rows = rows_of_tile(last - row);
                    for (size_t j = 0; j < vectors;) {
                        const int width = vectors_of_tile(vectors - j);
                        const size_t offset = panel * stride + row * PANEL + j * LANES;
#define TILE(R, V)                                                                                       \
    linear_tile(R, V, layer->weight + row * inputs + p, inputs, k,                                       \
                x + (panel * inputs + p) * PANEL + j * LANES, y + offset, begins ? layer->bias + row : 0, \
                begins && residual ? residual + offset : 0, ends ? activation : ROOST_IDENTITY)
                        WITH_SIZES(rows, width, TILE);
#undef TILE
                        j += width;
                    }
                    row += rows;
                }
            }
    }
}

#include "roost_panels_few.h"
#include "roost_panels_reaching.h"

INLINE void linear_int8_tile(int rows, int vectors, const int8_t *w, size_t inputs, const uint8_t *x,
                             const float *scale, const float *minimum, float *y, const float *row_scale,
                             const float *row_sum, const float *bias, const float *residual,
                             roost_activation activation) {
    ints sums[ROWS][VECTORS];
    UNROLL for (int i = 0; i < rows; i++) UNROLL for (int j = 0; j < vectors; j++) sums[i][j] = (ints)(0);
    for (size_t p = 0; p < inputs; p += 4) {
        __builtin_prefetch(w + rows * (inputs + p));
        ints b[VECTORS];
        UNROLL for (int j = 0; j < vectors; j++)
            b[j] = *(const loose_ints *)(x + p * PANEL + j * LANES * 4);
        UNROLL for (int i = 0; i < rows; i++) {
            int32_t four;
            memcpy(&four, w + i * inputs + p, 4);
            UNROLL for (int j = 0; j < vectors; j++) sums[i][j] = DOT4(sums[i][j], b[j], (ints)(four));
        }
    }
    UNROLL for (int j = 0; j < vectors; j++) {
        const floats s = load(scale + j * LANES), m = load(minimum + j * LANES);
        UNROLL for (int i = 0; i < rows; i++) {
            floats v = __builtin_convertvector(sums[i][j], floats) * s * row_scale[i];
            v += m * row_sum[i] + bias[i];
            if (residual) v += load(residual + i * PANEL + j * LANES);
            store(y + i * PANEL + j * LANES, activation == ROOST_GELU ? rough_gelu(v) : v);
        }
    }
}

static void JOIN(linear_int8_, SUFFIX)(const roost_linear_int8_layer *layer, size_t first, size_t count,
                                       roost_quantized_panels x, size_t tokens, float *y, size_t stride,
                                       const float *residual, roost_activation activation) {
    const size_t inputs = layer->inputs, end = first + count;
    for (size_t block = first; block < end; block += BLOCK)
        for (size_t token = 0; token < tokens; token += PANEL) {
            const size_t vectors = vectors_of(tokens, token), panel = token / PANEL;
            const size_t last = block + BLOCK < end ? block + BLOCK : end;
            for (size_t row = block; row < last;) {
                const int rows = rows_of_tile(last - row);
                for (size_t j = 0; j < vectors;) {
                    const int width = vectors_of_tile(vectors - j);
                    const size_t lane = j * LANES, offset = panel * stride + row * PANEL + lane;
#define TILE(R, V)                                                                                          \
    linear_int8_tile(R, V, layer->weight + row * inputs, inputs, x.bytes + panel * inputs * PANEL + lane * 4, \
                     x.scale + token + lane, x.minimum + token + lane, y + offset, layer->scale + row,      \
                     layer->sum + row, layer->bias + row, residual ? residual + offset : 0, activation)
                    WITH_SIZES(rows, width, TILE);
#undef TILE
                    j += width;
                }
                row += rows;
            }
        }
}

static void JOIN(quantize_, SUFFIX)(const float *x, size_t n, size_t tokens, roost_quantized_panels into) {
    for (size_t token = 0; token < tokens; token += PANEL) {
        const float *panel = x + token * n;
        uint8_t *bytes = into.bytes + token * n;
        for (size_t j = 0; j < vectors_of(tokens, token); j++) {
            const float *lanes = panel + j * LANES;
            floats minimum = load(lanes), maximum = minimum;
            for (size_t i = 1; i < n; i++) {
                const floats v = load(lanes + i * PANEL);
                minimum = smaller(minimum, v);
                maximum = larger(maximum, v);
            }
            const floats scale = larger((maximum - minimum) / 255.0f, (floats)(1e-30f));
            const floats inverse = 1.0f / scale;
            store(into.scale + token + j * LANES, scale);
            store(into.minimum + token + j * LANES, minimum);
            for (size_t i = 0; i < n; i += 4) {
                ints four = (ints)(0);
                UNROLL for (int k = 0; k < 4; k++) {
                    const floats v = (load(lanes + (i + k) * PANEL) - minimum) * inverse + 0.5f;
                    four |= __builtin_convertvector(v, ints) << (8 * k);
                }
                *(loose_ints *)(bytes + i * PANEL + j * LANES * 4) = four;
            }
        }
    }
}

static void JOIN(layer_norm_, SUFFIX)(float *x, const float *gamma, const float *beta, float epsilon, size_t n,
                                      size_t tokens) {
    for (size_t token = 0; token < tokens; token += PANEL)
        for (size_t j = 0; j < vectors_of(tokens, token); j++) {
            float *lanes = x + token * n + j * LANES;
            floats sum = (floats)(0.0f), squares = (floats)(0.0f);
            for (size_t i = 0; i < n; i++) sum += load(lanes + i * PANEL);
            const floats mean = sum / (float)n;
            for (size_t i = 0; i < n; i++) {
                const floats v = load(lanes + i * PANEL) - mean;
                squares = v * v + squares;
            }
            const floats inverse = 1.0f / __builtin_elementwise_sqrt(squares / (float)n + epsilon);
            for (size_t i = 0; i < n; i++)
                store(lanes + i * PANEL, (load(lanes + i * PANEL) - mean) * inverse * gamma[i] + beta[i]);
        }
}

/* Copies the `n` features that start at `feature` of the `count` tokens that start at `first` from panels of `width`
   features to a matrix (n, stride). Copies entire vectors: numbers beyond the last token are overwritten later or
   not used. */
INLINE void gather(const float *panels, size_t width, size_t feature, size_t n, size_t first, size_t count,
                   float *into, size_t stride) {
    for (size_t done = 0; done < count;) {
        const size_t token = first + done, lane = token % PANEL;
        const size_t run = PANEL - lane < count - done ? PANEL - lane : count - done;
        const float *from = panels + (token / PANEL * width + feature) * PANEL + lane;
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < run; j += LANES) store(into + i * stride + done + j, load(from + i * PANEL + j));
        done += run;
    }
}

static void JOIN(attend_, SUFFIX)(const float *qkv, size_t width, size_t head_size, size_t head, size_t first,
                                  size_t count, float *context, float *scratch) {
    const size_t stride = (count + PANEL - 1) / PANEL * PANEL + PANEL;
    float *keys = scratch;                        /* (head_size, stride) */
    float *values = keys + head_size * stride;    /* (head_size, stride) */
    float *queries = values + head_size * stride; /* (head_size, stride) */
    float *scores = queries + head_size * stride; /* (count, PANEL): for a panel of queries */
    const size_t feature = head * head_size;
    gather(qkv, 3 * width, feature, head_size, first, count, queries, stride);
    gather(qkv, 3 * width, width + feature, head_size, first, count, keys, stride);
    gather(qkv, 3 * width, 2 * width + feature, head_size, first, count, values, stride);
    const float scale = 1.0f / sqrtf((float)head_size);
    for (size_t query = 0; query < count; query += PANEL) {
        const size_t vectors = vectors_of(count, query);
        /* scores (keys, queries) = Kᵀ Q */
        for (size_t key = 0; key < count;) {
            const int rows = rows_of_tile(count - key);
            for (size_t j = 0; j < vectors;) {
                const int across = vectors_of_tile(vectors - j);
#define TILE(R, V)                                                                                       \
    {                                                                                                    \
        floats sums[ROWS][VECTORS];                                                                      \
        UNROLL for (int i = 0; i < R; i++) UNROLL for (int v = 0; v < V; v++) sums[i][v] = (floats)(0.0f); \
        multiply(R, V, keys + key, 1, stride, queries + query + j * LANES, stride, head_size, sums);     \
        UNROLL for (int i = 0; i < R; i++) UNROLL for (int v = 0; v < V; v++)                            \
            store(scores + (key + i) * PANEL + (j + v) * LANES, sums[i][v]);                             \
    }
                WITH_SIZES(rows, across, TILE);
#undef TILE
                j += across;
            }
            key += rows;
        }
        /* Softmax over the keys, except the division by the sum, which is applied to the context. */
        floats inverse[PANEL / LANES];
        for (size_t j = 0; j < vectors; j++) {
            float *lanes = scores + j * LANES;
            floats largest = load(lanes), sum = (floats)(0.0f);
            for (size_t key = 1; key < count; key++) largest = larger(largest, load(lanes + key * PANEL));
            for (size_t key = 0; key < count; key++) {
                const floats e = exponential((load(lanes + key * PANEL) - largest) * scale);
                store(lanes + key * PANEL, e);
                sum += e;
            }
            inverse[j] = 1.0f / sum;
        }
        /* context (head_size, queries) = V P */
        for (size_t row = 0; row < head_size;) {
            const int rows = rows_of_tile(head_size - row);
            for (size_t j = 0; j < vectors;) {
                const int across = vectors_of_tile(vectors - j);
#define TILE(R, V)                                                                                       \
    {                                                                                                    \
        floats sums[ROWS][VECTORS];                                                                      \
        UNROLL for (int i = 0; i < R; i++) UNROLL for (int v = 0; v < V; v++) sums[i][v] = (floats)(0.0f); \
        multiply(R, V, values + row * stride, stride, 1, scores + j * LANES, PANEL, count, sums);        \
        UNROLL for (int i = 0; i < R; i++) UNROLL for (int v = 0; v < V; v++)                            \
            store(queries + (row + i) * stride + query + (j + v) * LANES, sums[i][v] * inverse[j + v]);  \
    }
                WITH_SIZES(rows, across, TILE);
#undef TILE
                j += across;
            }
            row += rows;
        }
    }
    /* Copies the result to the panels without changing the lanes of other sequences. */
    for (size_t done = 0; done < count;) {
        const size_t token = first + done, lane = token % PANEL;
        const size_t run = PANEL - lane < count - done ? PANEL - lane : count - done;
        float *to = context + (token / PANEL * width + feature) * PANEL + lane;
        for (size_t i = 0; i < head_size; i++) {
            const float *from = queries + i * stride + done;
            size_t j = 0;
            for (; j + LANES <= run; j += LANES) store(to + i * PANEL + j, load(from + j));
            for (; j < run; j++) to[i * PANEL + j] = from[j];
        }
        done += run;
    }
}

const roost_panel_kernels JOIN(roost_panels_, SUFFIX) = {
    NAME,
    JOIN(linear_, SUFFIX),
    JOIN(rows_, SUFFIX),
    JOIN(linear_few_, SUFFIX),
    JOIN(linear_int8_, SUFFIX),
    JOIN(quantize_, SUFFIX),
    JOIN(layer_norm_, SUFFIX),
    JOIN(attend_, SUFFIX),
    JOIN(reaching_, SUFFIX),
};
