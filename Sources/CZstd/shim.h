/* ZSTD_CCtx_refPrefix and ZSTD_CCtx_setParameter are part of the stable API since version 1.4. */
#include <zstd.h>
