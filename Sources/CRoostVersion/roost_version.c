#include "roost_version.h"

#ifndef ROOST_COMMIT
#define ROOST_COMMIT ""
#endif

const char *roost_build_commit(void) { return ROOST_COMMIT; }
