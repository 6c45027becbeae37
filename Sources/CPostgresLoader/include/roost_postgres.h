#ifndef ROOST_POSTGRES_H
#define ROOST_POSTGRES_H

/// Loads libpq unless it is loaded. Call this function before any function of the library.
///
/// Returns NULL, or the reason why the library cannot be used. The text is valid until the thread calls one of
/// the functions `roost_…_load` again.
const char *roost_postgres_load(void);

#endif
