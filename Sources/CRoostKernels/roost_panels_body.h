/* The kernels of roost_panels.h for one instruction set. The file that includes it states:
   NAME     what it is called
   LANES    numbers of a vector
   ROWS     rows of weights that one tile takes
   FEW_ROWS rows that the kernel for up to eight tokens takes
   VECTORS  vectors of tokens that one tile takes; ROWS * VECTORS sums stay in registers
   SUFFIX   what distinguishes the names
   DOT4(sum, x, w)  sum + the products of four bytes in each lane: x unsigned, w signed */

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


/* e^x for x <= 88, to about 2 ulp: 2^n * p(r) with |r| <= ln(2) / 2; e^-70 below that, so that no product with it is subnormal. */
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

/* 0.5 v (1 + erf(v / sqrt 2)), erf within 2e-7 (Abramowitz & Stegun 7.1.26). */
INLINE floats gelu(floats v) {
    const floats z = __builtin_elementwise_abs(v) * 0.70710678118654752f;
    const floats t = 1.0f / (1.0f + 0.3275911f * z);
    floats p = (floats)(1.061405429f);
    p = p * t - 1.453152027f;
    p = p * t + 1.421413741f;
    p = p * t - 0.284496736f;
    p = p * t + 0.254829592f;
    const floats complement = p * t * exponential(-z * z); /* 1 - erf(z) */
    /* 0.5 v (1 + erf): v - 0.5 v c where v is positive, 0.5 v c where it is negative. */
    const floats half = 0.5f * v * complement;
    return larger(v, (floats)(0.0f)) - __builtin_elementwise_abs(half);
}

/* GELU within 1.1e-3, a small part of a step of 8-bit activations: v (1/2 + v P(v^2)) where |v| <= 3.4, P fitted
   so that the largest error is least (linear programming over 3,000 places). */
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

/* Tokens of the panel that begins at token `first`, in vectors. */
INLINE size_t vectors_of(size_t tokens, size_t first) {
    const size_t left = tokens - first < PANEL ? tokens - first : PANEL;
    return (left + LANES - 1) / LANES;
}

/* sums[i][j] += a[i, p] * x[p, j] for p in 0..<k; a is anywhere, x has rows of `across` numbers. */
INLINE void multiply(int rows, int vectors, const float *a, size_t row_stride, size_t k_stride, const float *x,
                     size_t across, size_t k, floats sums[ROWS][VECTORS]) {
    for (size_t p = 0; p < k; p++) {
        /* The rows that the next tile takes follow these: fetched while these are used. */
        __builtin_prefetch(a + rows * row_stride + p * rows);
        floats b[VECTORS];
        UNROLL for (int j = 0; j < vectors; j++) b[j] = load(x + p * across + j * LANES);
        UNROLL for (int i = 0; i < rows; i++) {
            const floats w = (floats)(a[i * row_stride + p * k_stride]);
            UNROLL for (int j = 0; j < vectors; j++) sums[i][j] = w * b[j] + sums[i][j];
        }
    }
}

/* Calls body(rows, vectors) with both known to the compiler. */
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
        /* The first inputs begin with what is added anyway; y may be where the residual lies. */
        sums[i][j] = bias ? (floats)(bias[i]) : load(y + i * PANEL + j * LANES);
        if (residual) sums[i][j] += load(residual + i * PANEL + j * LANES);
    }
    multiply(rows, vectors, w, inputs, 1, x, PANEL, k, sums);
    UNROLL for (int i = 0; i < rows; i++) UNROLL for (int j = 0; j < vectors; j++)
        store(y + i * PANEL + j * LANES, finish(sums[i][j], activation));
}

/* Inputs taken at a time, so that a panel's part of them stays in the nearest cache, and rows of weights that
   stay in the next while all panels pass. */
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
                        const size_t place = panel * stride + row * PANEL + j * LANES;
#define TILE(R, V)                                                                                       \
    linear_tile(R, V, layer->weight + row * inputs + p, inputs, k,                                       \
                x + (panel * inputs + p) * PANEL + j * LANES, y + place, begins ? layer->bias + row : 0, \
                begins && residual ? residual + place : 0, ends ? activation : ROOST_IDENTITY)
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
                    const size_t lane = j * LANES, place = panel * stride + row * PANEL + lane;
#define TILE(R, V)                                                                                          \
    linear_int8_tile(R, V, layer->weight + row * inputs, inputs, x.bytes + panel * inputs * PANEL + lane * 4, \
                     x.scale + token + lane, x.minimum + token + lane, y + place, layer->scale + row,       \
                     layer->sum + row, layer->bias + row, residual ? residual + place : 0, activation)
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
            floats least = load(lanes), greatest = least;
            for (size_t i = 1; i < n; i++) {
                const floats v = load(lanes + i * PANEL);
                least = smaller(least, v);
                greatest = larger(greatest, v);
            }
            const floats scale = larger((greatest - least) / 255.0f, (floats)(1e-30f));
            const floats inverse = 1.0f / scale;
            store(into.scale + token + j * LANES, scale);
            store(into.minimum + token + j * LANES, least);
            for (size_t i = 0; i < n; i += 4) {
                ints four = (ints)(0);
                UNROLL for (int k = 0; k < 4; k++) {
                    const floats v = (load(lanes + (i + k) * PANEL) - least) * inverse + 0.5f;
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

/* Copies `count` tokens from `first` on, of the `n` features from `feature` on, out of panels of `width`
   features into (n, stride). Whole vectors are copied: what lies beyond the tokens is overwritten or unused. */
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
        /* softmax over the keys; the division by the sum waits for the context. */
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
    /* Back into panels; other sequences' lanes stay as they are. */
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
