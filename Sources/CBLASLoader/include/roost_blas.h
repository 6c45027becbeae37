#ifndef ROOST_BLAS_H
#define ROOST_BLAS_H

/// Loads BLAS unless it is loaded. Call this function before any function of the library.
///
/// Returns NULL, or the reason why the library cannot be used. The text is valid until the thread calls one of
/// the functions `roost_…_load` again.
const char *roost_blas_load(void);

/// Returns a symbol of BLAS that only some implementations have, or NULL. BLAS must be loaded.
void *roost_blas_symbol(const char *name);

/// Sets `OPENBLAS_CORETYPE`, unless it is set, to the kernels for the features of this processor. OpenBLAS reads it when
/// it is loaded. Other threads must not use the environment at the same time.
void roost_blas_choose_kernels(void);

/// Loads LAPACK in the same way.
const char *roost_lapack_load(void);

/// Returns a symbol of the library with LAPACK, which can contain another BLAS, or NULL. LAPACK must be
/// loaded.
void *roost_lapack_symbol(const char *name);

#endif
