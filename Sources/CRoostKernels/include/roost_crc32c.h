#ifndef ROOST_CRC32C_H
#define ROOST_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* CRC-32C (Castagnoli, RFC 3720 B.4) of bytes that follow those of which `crc` is the checksum; 0 to begin.
   Any change of up to 32 neighbouring bits changes it. */
uint32_t roost_crc32c(uint32_t crc, const void *bytes, size_t count);

/* The same by a table, whatever the processor has: the oracle. */
uint32_t roost_crc32c_portable(uint32_t crc, const void *bytes, size_t count);

#endif
