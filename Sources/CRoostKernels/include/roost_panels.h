#ifndef ROOST_PANELS_H
#define ROOST_PANELS_H

/* The passes of a transformer, and a comparison of many vectors, over panels: 32 tokens side by side, so that every pass works on tokens in the
   lanes of a vector and none has to add across one. A panel of n features is (n, 32) row-major; panel p of a
   buffer begins p * n * 32 numbers after its start. Weights are used as PyTorch keeps them, (outputs, inputs)
   row-major: each is broadcast to the lanes, so nothing is packed or copied when a model is opened.

   Each kernel exists several times for wider vector units; `roost_panels_best` chooses once by what the
   processor has. Results differ between them in the last bits only (tests hold them to each other). */

#include <stddef.h>
#include <stdint.h>

#include "roost_bytes.h"

#define ROOST_PANEL_TOKENS 32

/* What is done to a linear layer's output before it is stored. */
typedef enum { ROOST_IDENTITY = 0, ROOST_GELU = 1 } roost_activation;

/* (outputs, inputs) weights and (outputs) biases. */
typedef struct {
    const float *weight;
    const float *bias;
    size_t outputs;
    size_t inputs;
} roost_linear_layer;

/* The same with 8-bit weights: row r of the matrix is about scale[r] * weight[r], and sum[r] is the sum of
   scale[r] * weight[r]. `inputs` is a multiple of 4. */
typedef struct {
    const int8_t *weight;
    const float *scale;
    const float *sum;
    const float *bias;
    size_t outputs;
    size_t inputs;
} roost_linear_int8_layer;

/* Panels of 8-bit activations: byte (n / 4, 32, 4) of panel p is about (x - minimum[t]) / scale[t]. */
typedef struct {
    uint8_t *bytes;
    float *scale;   /* (panels, 32) */
    float *minimum; /* (panels, 32) */
} roost_quantized_panels;

typedef struct {
    const char *name;

    /* y = activation(W x + b + residual) for `tokens` tokens in panels; rows [first, first + count) of the
       outputs only. `stride` is the distance of y's panels; `residual`, laid out as y, may be y itself or
       NULL. */
    void (*linear)(const roost_linear_layer *layer, size_t first, size_t count, const float *x, size_t tokens,
                   float *y, size_t stride, const float *residual, roost_activation activation);

    /* The first eight tokens of a panel of n features as rows (8, n); n a multiple of 16. */
    void (*rows)(const float *x, size_t n, float *rows);

    /* `linear` for up to eight tokens in one panel, x as rows (8, inputs), inputs a multiple of 16: reads the
       weights in their order, as fast as they come from memory. */
    void (*linear_few)(const roost_linear_layer *layer, size_t first, size_t count, const float *x, float *y,
                       const float *residual, roost_activation activation);

    /* `linear` with 8-bit weights and activations, accumulated in 32-bit integers; GELU within 1.1e-3. */
    void (*linear_int8)(const roost_linear_int8_layer *layer, size_t first, size_t count,
                        roost_quantized_panels x, size_t tokens, float *y, size_t stride,
                        const float *residual, roost_activation activation);

    /* Each token's n features as 8-bit numbers between its least and its greatest; n a multiple of 4. */
    void (*quantize)(const float *x, size_t n, size_t tokens, roost_quantized_panels into);

    /* x = layer norm over the n features of each token, in place (Ba, Kiros & Hinton 2016). */
    void (*layer_norm)(float *x, const float *gamma, const float *beta, float epsilon, size_t n, size_t tokens);

    /* Attention of one head over the `count` tokens from `first` on, which lie in panels of 3 * width features
       (queries, keys, values); writes the head's features of panels of `width`. `scratch` holds
       `roost_attention_scratch(head_size, count)` numbers. */
    void (*attend)(const float *qkv, size_t width, size_t head_size, size_t head, size_t first, size_t count,
                   float *context, float *scratch);

    /* Which of a panel's rows may have an inner product of at least thresholds[v] with vector v: all that have
       one, and few others. `found` gets v * 32 + row, and has room for 32 * count. Returns how many. */
    size_t (*reaching)(const roost_byte_vectors *vectors, size_t count, size_t n, const roost_byte_panel *panel,
                       const float *thresholds, uint32_t *found);
} roost_panel_kernels;

/* The kernels for this processor. */
const roost_panel_kernels *roost_panels_best(void);

/* Kernels by name ("avx512vnni", "avx512", "avx2", "portable"); NULL where this processor has them not. */
const roost_panel_kernels *roost_panels_named(const char *name);

/* Rows of weights in 8 bits: each between -127 and 127 times its scale, rounded to the nearest. `sum` gets the
   sums of the rounded rows. */
void roost_quantize_rows(const float *weight, size_t rows, size_t inputs, int8_t *into, float *scale, float *sum);

/* How many numbers of scratch memory attention needs. */
size_t roost_attention_scratch(size_t head_size, size_t count);

#endif
