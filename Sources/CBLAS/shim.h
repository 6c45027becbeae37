#ifndef ROOST_CBLAS_SHIM_H
#define ROOST_CBLAS_SHIM_H
#include <cblas.h>
#endif
