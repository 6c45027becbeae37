#ifndef ROOST_BYTES_H
#define ROOST_BYTES_H

/* Vectors quantized to 8 bits, to find quickly the pairs whose inner product may reach a threshold. The length of
   the rounding error of each vector is measured, and the largest error that it can cause is always counted in
   favor of the pair, so no pair that reaches the threshold is missed. The kernel that compares vectors is
   `reaching` in roost_panels.h. */

#include <stddef.h>
#include <stdint.h>

/* The number of rows in a panel; equal to ROOST_PANEL_TOKENS. */
#define ROOST_BYTE_ROWS 32

/* Vector v is scale[v] * bytes[v] plus a rounding error of length error[v]. */
typedef struct {
    int8_t *bytes;    /* (count, n), n a multiple of 4, padded with zeros */
    int32_t *offset;  /* 128 times the sum of the bytes */
    float *inverse;   /* 1 / scale */
    float *error;
    float *length;    /* the length of scale * bytes */
} roost_byte_vectors;

/* Up to 32 rows: row r is scale[r] * (bytes - 128) plus a rounding error. */
typedef struct {
    uint8_t *bytes;  /* (n / 4, 32, 4) */
    float *scale;    /* (32); NaN beyond the last row */
    float error;     /* the maximum length of a rounding error */
    float length;    /* the maximum length of a row */
} roost_byte_panel;

/* Quantizes `count` row-major vectors of d numbers each; n is d rounded up to a multiple of 4.
   Returns whether all numbers are finite and small enough (squared length below 1e30) to be compared. */
int roost_byte_vectors_fill(const float *x, size_t count, size_t d, roost_byte_vectors into);

/* Quantizes up to 32 row-major rows of d numbers each. Returns whether all numbers are finite; otherwise the panel
   must not be used. */
int roost_byte_panel_fill(const float *rows, size_t count, size_t d, roost_byte_panel *into);

#endif
