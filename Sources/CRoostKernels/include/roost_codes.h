#ifndef ROOST_CODES_H
#define ROOST_CODES_H

#include <stddef.h>
#include <stdint.h>

/* Products of vectors in 4 bits with vectors in 8, for graphs whose neighbours are scored by them.

   A row is `length` bytes, a multiple of 64, of 2 * length numbers: the low half of byte j is number j, the high
   half number length + j; each half u stands for 2u - 15, an odd number from -15 to 15. A query is 2 * length
   signed bytes. */

/* products[i] = the sum over all numbers of row rows[i] times the query's, for i < count. Exact in 32 bits up to
   lengths of 140,000. `sum` is the sum of the query's bytes. Rows are fetched ahead of their turn. Chosen for the
   processor when it is first called. */
void roost_code_products(const int8_t *query, int32_t sum, size_t length, const uint8_t *codes,
                         const uint32_t *rows, size_t count, int32_t *products);

/* The same, as it is on every processor: the oracle. */
void roost_code_products_portable(const int8_t *query, int32_t sum, size_t length, const uint8_t *codes,
                                  const uint32_t *rows, size_t count, int32_t *products);

/* A row of `length` bytes as a query. Returns the sum of the query's bytes. */
int32_t roost_code_query(const uint8_t *row, size_t length, int8_t *query);

/* The fast Walsh-Hadamard transform of blocks of 128 numbers, scaled so that lengths stay: x is count * 128 long. */
void roost_hadamard(float *x, size_t count);

#endif
