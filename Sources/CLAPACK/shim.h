#ifndef ROOST_CLAPACK_SHIM_H
#define ROOST_CLAPACK_SHIM_H

/* Debian's liblapack-dev brings the library and its pkg-config file but no C header; LAPACK's interface is
   Fortran's: every argument by reference, 32-bit integers. https://netlib.org/lapack/explore-html/ */

/* Eigenvalues (ascending, in w) and, where jobz is 'V', eigenvectors (columns of a) of a symmetric matrix,
   by divide and conquer. */
void ssyevd_(const char *jobz, const char *uplo, const int *n, float *a, const int *lda, float *w,
             float *work, const int *lwork, int *iwork, const int *liwork, int *info);

#endif
