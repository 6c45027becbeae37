/* The comparison of 8-bit vectors with the rows of a panel. Included by roost_panels_body.h for each instruction
   set. */

/* Writes vector * 32 + row for each pair that may reach the limit of its vector to `found`, and returns the number
   of pairs. The first pair of the tile has the number `base`. */
INLINE size_t reaching_tile(int vectors, int across, const int8_t *w, size_t n, const uint8_t *x, const float *scale,
                            const int32_t *offset, const float *limits, uint32_t base, uint32_t *found) {
    ints sums[ROWS][VECTORS];
    UNROLL for (int i = 0; i < vectors; i++) UNROLL for (int j = 0; j < across; j++) sums[i][j] = (ints)(0);
    for (size_t p = 0; p < n; p += 4) {
        __builtin_prefetch(w + vectors * (n + p));
        ints b[VECTORS];
        UNROLL for (int j = 0; j < across; j++) b[j] = *(const loose_ints *)(x + p * PANEL + j * LANES * 4);
        UNROLL for (int i = 0; i < vectors; i++) {
            int32_t four;
            memcpy(&four, w + i * n + p, 4);
            UNROLL for (int j = 0; j < across; j++) sums[i][j] = DOT4(sums[i][j], b[j], (ints)(four));
        }
    }
    size_t count = 0;
    UNROLL for (int i = 0; i < vectors; i++) UNROLL for (int j = 0; j < across; j++) {
        const floats v = __builtin_convertvector(sums[i][j] - offset[i], floats) * load(scale + j * LANES);
        const ints reach = v >= (floats)(limits[i]);
        if (__builtin_reduce_or(reach))
            for (int lane = 0; lane < LANES; lane++)
                if (reach[lane]) found[count++] = base + (uint32_t)(i * PANEL + j * LANES + lane);
    }
    return count;
}

static size_t JOIN(reaching_, SUFFIX)(const roost_byte_vectors *vectors, size_t count, size_t n,
                                      const roost_byte_panel *panel, const float *thresholds, uint32_t *found) {
    size_t total = 0;
    for (size_t v = 0; v < count;) {
        const int rows = rows_of_tile(count - v);
        float limits[ROWS];
        for (int i = 0; i < rows; i++)
            limits[i] = (thresholds[v + i] - vectors->error[v + i] * panel->length -
                         vectors->length[v + i] * panel->error) * vectors->inverse[v + i];
#define TILE(R, V)                                                                                       \
    total += reaching_tile(R, V, vectors->bytes + v * n, n, panel->bytes + j * LANES * 4,                \
                           panel->scale + j * LANES, vectors->offset + v, limits,                        \
                           (uint32_t)(v * PANEL + j * LANES), found + total)
        for (size_t j = 0; j < PANEL / LANES; j += VECTORS) WITH_SIZES(rows, VECTORS, TILE);
#undef TILE
        v += rows;
    }
    return total;
}
