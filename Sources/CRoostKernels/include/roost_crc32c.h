#ifndef ROOST_CRC32C_H
#define ROOST_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* Returns the CRC-32C (Castagnoli, RFC 3720 B.4) of earlier bytes, whose checksum is `crc`, followed by `count`
   more bytes. Start with 0. Every change within 32 consecutive bits changes the checksum. */
uint32_t roost_crc32c(uint32_t crc, const void *bytes, size_t count);

/* The portable implementation, with which tests compare the others. */
uint32_t roost_crc32c_portable(uint32_t crc, const void *bytes, size_t count);

#endif
