#include "roost_blas.h"

#if defined(__linux__)

#include <cblas.h>
#include <stdlib.h>

#include "roost_loader.h"

static struct roost_library library = {
    .names = {"libblas.so.3", "libcblas.so.3", "libopenblas.so.0"},
    .probe = "cblas_sgemm",
};

void roost_blas_choose_kernels(void) {
#if defined(__x86_64__)
    __builtin_cpu_init();
    const char *kernels = NULL;
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl"))
        kernels = "SkylakeX";
    else if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        kernels = "Haswell";
    if (kernels != NULL) setenv("OPENBLAS_CORETYPE", kernels, 0);
#endif
}

const char *roost_blas_load(void) { return roost_library_load(&library); }

void *roost_blas_symbol(const char *name) { return roost_library_symbol(&library, name); }

// All headers of BLAS declare the types under these names.
FORWARD(
    void, cblas_sgemm,
    (enum CBLAS_ORDER layout, enum CBLAS_TRANSPOSE transA, enum CBLAS_TRANSPOSE transB, const int m,
     const int n, const int k, const float alpha, const float *a, const int lda, const float *b,
     const int ldb, const float beta, float *c, const int ldc),
    (layout, transA, transB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc))

#endif
