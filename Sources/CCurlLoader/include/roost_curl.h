#ifndef ROOST_CURL_H
#define ROOST_CURL_H

#include <stdbool.h>

/// Loads libcurl unless it is loaded. Returns false if it is not installed. Call this function before any
/// function of the library.
bool roost_curl_load(void);

#endif
