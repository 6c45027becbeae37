#include "roost_blas.h"

#if defined(__linux__)

#include <cblas.h>

#include "roost_loader.h"

static struct roost_library library = {
    .names = {"libblas.so.3", "libcblas.so.3", "libopenblas.so.0"},
    .probe = "cblas_sgemm",
};

const char *roost_blas_load(void) { return roost_library_load(&library); }

void *roost_blas_symbol(const char *name) { return roost_library_symbol(&library, name); }

// All headers of BLAS declare the types under these names.
FORWARD(
    void, cblas_sgemm,
    (enum CBLAS_ORDER layout, enum CBLAS_TRANSPOSE transA, enum CBLAS_TRANSPOSE transB, const int m,
     const int n, const int k, const float alpha, const float *a, const int lda, const float *b,
     const int ldb, const float beta, float *c, const int ldc),
    (layout, transA, transB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc))
FORWARD(
    void, cblas_sgemv,
    (enum CBLAS_ORDER layout, enum CBLAS_TRANSPOSE trans, const int m, const int n, const float alpha,
     const float *a, const int lda, const float *x, const int incx, const float beta, float *y,
     const int incy),
    (layout, trans, m, n, alpha, a, lda, x, incx, beta, y, incy))

#endif
