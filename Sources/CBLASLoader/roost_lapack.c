#include "../CLAPACK/shim.h"
#include "roost_blas.h"
#include "roost_loader.h"

static struct roost_library library = {.name = "liblapack.so.3"};

bool roost_lapack_load(void) { return roost_library_load(&library); }

FORWARD(
    void, ssyevd_,
    (const char *jobz, const char *uplo, const int *n, float *a, const int *lda, float *w, float *work,
     const int *lwork, int *iwork, const int *liwork, int *info),
    (jobz, uplo, n, a, lda, w, work, lwork, iwork, liwork, info))
