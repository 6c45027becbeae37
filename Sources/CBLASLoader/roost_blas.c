#include "roost_blas.h"

#include <cblas.h>
#include <dlfcn.h>

#include "roost_loader.h"

static struct roost_library library = {.name = "libblas.so.3"};

bool roost_blas_load(void) { return roost_library_load(&library); }

bool roost_blas_is_loaded(void) {
    void *handle = dlopen(library.name, RTLD_LAZY | RTLD_NOLOAD);
    if (handle != NULL) dlclose(handle);
    return handle != NULL;
}

void *roost_blas_symbol(const char *name) { return dlsym(library.handle, name); }

FORWARD(
    void, cblas_sgemm,
    (CBLAS_LAYOUT layout, CBLAS_TRANSPOSE transA, CBLAS_TRANSPOSE transB, const int m, const int n,
     const int k, const float alpha, const float *a, const int lda, const float *b, const int ldb,
     const float beta, float *c, const int ldc),
    (layout, transA, transB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc))
FORWARD(
    void, cblas_sgemv,
    (CBLAS_LAYOUT layout, CBLAS_TRANSPOSE trans, const int m, const int n, const float alpha, const float *a,
     const int lda, const float *x, const int incx, const float beta, float *y, const int incy),
    (layout, trans, m, n, alpha, a, lda, x, incx, beta, y, incy))
