/* The prefix of one frame, and parameters one by one, are in the stable part since 1.4. */
#include <zstd.h>
