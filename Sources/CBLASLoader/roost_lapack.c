#include "roost_blas.h"

#if defined(__linux__)

#include "../CLAPACK/shim.h"
#include "roost_loader.h"

static struct roost_library library = {
    .names = {"liblapack.so.3", "libopenblas.so.0"},
    .probe = "ssyevd_",
};

const char *roost_lapack_load(void) { return roost_library_load(&library); }

void *roost_lapack_symbol(const char *name) { return roost_library_symbol(&library, name); }

FORWARD(
    void, ssyevd_,
    (const char *jobz, const char *uplo, const int *n, float *a, const int *lda, float *w, float *work,
     const int *lwork, int *iwork, const int *liwork, int *info),
    (jobz, uplo, n, a, lda, w, work, lwork, iwork, liwork, info))

#endif
