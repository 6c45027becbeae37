#ifndef ROOST_POSTGRES_H
#define ROOST_POSTGRES_H

#include <stdbool.h>

/// Loads libpq unless it is loaded. Returns false if it is not installed. Call this function before any
/// function of the library.
bool roost_postgres_load(void);

#endif
