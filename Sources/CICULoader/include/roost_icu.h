#ifndef ROOST_ICU_H
#define ROOST_ICU_H

#include <stdint.h>

/// Finds the words of a text in a script that is written without spaces, such as Chinese, Japanese or Thai, by the
/// dictionaries of ICU, which is loaded when it is first used.
///
/// `text` has `length` UTF-16 units. `ends` receives the offset at which each word ends, ascending, and has room for
/// `length` offsets. Returns their number, or -1 if ICU is not installed or fails. Threads may call this function at the
/// same time.
int32_t roost_word_ends(const uint16_t *text, int32_t length, int32_t *ends);

#endif
