#ifndef ROOST_BYTES_H
#define ROOST_BYTES_H

/* Vectors in 8 bits, to be told quickly which of many have inner products of at least a threshold: what rounding
   can hide is known as a length and counted as if it spoke for every pair, so that none that has such a product is
   passed over. The kernel that compares is `reaching` of roost_panels.h. */

#include <stddef.h>
#include <stdint.h>

/* So many rows stand side by side in a panel: ROOST_PANEL_TOKENS. */
#define ROOST_BYTE_ROWS 32

/* Vector v is scale[v] * bytes[v] and a rest of length error[v]. */
typedef struct {
    int8_t *bytes;    /* (count, n), n a multiple of 4; what is beyond a vector's numbers is 0 */
    int32_t *offset;  /* 128 times the sum of its bytes */
    float *inverse;   /* 1 / scale */
    float *error;
    float *length;    /* of scale * bytes */
} roost_byte_vectors;

/* Up to 32 rows: row r is scale[r] * (bytes - 128) and a rest. */
typedef struct {
    uint8_t *bytes;  /* (n / 4, 32, 4) */
    float *scale;    /* (32); NaN beyond the last row */
    float error;     /* the greatest length of a rest */
    float length;    /* the greatest length of a row */
} roost_byte_panel;

/* Rounds `count` vectors of d numbers each, row-major. n is d made a multiple of 4.
   Returns whether all their numbers are finite, and small enough to be compared. */
int roost_byte_vectors_fill(const float *x, size_t count, size_t d, roost_byte_vectors into);

/* Rounds up to 32 rows of d numbers each, row-major. Returns whether all of their numbers are finite; where not, the panel must
   not be used. */
int roost_byte_panel_fill(const float *rows, size_t count, size_t d, roost_byte_panel *into);

#endif
