#ifndef ROOST_CODES_H
#define ROOST_CODES_H

#include <stddef.h>
#include <stdint.h>

/* Inner products of vectors in 4 bits with a query in 8 bits, used to score neighbors in a proximity graph.

   A row has `length` bytes, a multiple of 64, which encode 2 * length numbers: the low half of byte j is number j,
   the high half is number length + j. A half with the value u encodes 2u - 15, an odd number from -15 to 15. A
   query has 2 * length signed bytes. */

/* Sets products[i] to the inner product of row rows[i] with the query, for i < count. `sum` is the sum of the
   query's bytes. The 32-bit sums are exact up to a length of 140,000. Rows are prefetched. The first call selects
   the implementation for the processor. */
void roost_code_products(const int8_t *query, int32_t sum, size_t length, const uint8_t *codes,
                         const uint32_t *rows, size_t count, int32_t *products);

/* The portable implementation, with which tests compare the others. */
void roost_code_products_portable(const int8_t *query, int32_t sum, size_t length, const uint8_t *codes,
                                  const uint32_t *rows, size_t count, int32_t *products);

/* Copies the neighbors whose byte of `reached` is not `search` to `rows`, sets these bytes, prefetches the rows' codes
   and returns their number. `rows` must have room for `count` rows. */
size_t roost_unreached(const uint32_t *neighbors, size_t count, uint8_t *reached, uint8_t search, const uint8_t *codes,
                       size_t length, uint32_t *rows);

/* Requests the memory of a neighbor list and its length before they are read. */
void roost_prefetch_list(const uint32_t *neighbors, size_t count);
static inline void roost_prefetch(const void *address) { __builtin_prefetch(address); }

/* Decodes a row of `length` bytes into a query. Returns the sum of the query's bytes. */
int32_t roost_code_query(const uint8_t *row, size_t length, int8_t *query);

/* Applies the orthonormal fast Walsh-Hadamard transform to each of `count` blocks of 128 numbers, in place. */
void roost_hadamard(float *x, size_t count);

#endif
