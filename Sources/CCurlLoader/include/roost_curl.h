#ifndef ROOST_CURL_H
#define ROOST_CURL_H

/// Loads libcurl unless it is loaded. Call this function before any function of the library.
///
/// Returns NULL, or the reason why the library cannot be used. The text is valid until the thread calls one of
/// the functions `roost_…_load` again.
const char *roost_curl_load(void);

#endif
