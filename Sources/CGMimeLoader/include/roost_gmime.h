#ifndef ROOST_GMIME_H
#define ROOST_GMIME_H

#include <stdbool.h>

/// Loads GMime unless it is loaded. Returns false if it is not installed. Call this function before any
/// function of the library.
bool roost_gmime_load(void);

#endif
