#ifndef ROOST_CLAPACK_SHIM_H
#define ROOST_CLAPACK_SHIM_H

/* Debian's liblapack-dev contains no C header. LAPACK has a Fortran interface: all arguments are passed by reference,
   and integers have 32 bits. https://netlib.org/lapack/explore-html/ */

/* Computes the eigenvalues of a symmetric matrix (in w, ascending) and, if jobz is 'V', its eigenvectors (the columns
   of a), with the divide-and-conquer algorithm. */
void ssyevd_(const char *jobz, const char *uplo, const int *n, float *a, const int *lda, float *w,
             float *work, const int *lwork, int *iwork, const int *liwork, int *info);

#endif
