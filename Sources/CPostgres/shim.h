/* The pipeline mode of libpq is available since version 14. */
#include <libpq-fe.h>
