#ifndef ROOST_BLAS_H
#define ROOST_BLAS_H

#include <stdbool.h>

/// Loads BLAS unless it is loaded. Returns false if it is not installed. Call this function before any
/// function of the library.
bool roost_blas_load(void);

/// Returns whether BLAS is loaded, for example because the program is linked to it.
bool roost_blas_is_loaded(void);

/// Loads LAPACK unless it is loaded. Returns false if it is not installed. Call this function before any
/// function of the library.
bool roost_lapack_load(void);

/// Returns a symbol of BLAS that only some implementations have, or NULL. BLAS must be loaded.
void *roost_blas_symbol(const char *name);

#endif
