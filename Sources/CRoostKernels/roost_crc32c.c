#include "roost_crc32c.h"

#include <string.h>

#if defined(__x86_64__)
#include <nmmintrin.h>
#elif defined(__aarch64__) && defined(__ARM_FEATURE_CRC32)
#include <arm_acle.h>
#endif

/* The polynomial 0x1EDC6F41, reflected. A nibble at a time: small enough for the table to stand here. */
static const uint32_t nibbles[16] = {
    0x00000000, 0x105EC76F, 0x20BD8EDE, 0x30E349B1, 0x417B1DBC, 0x5125DAD3, 0x61C69362, 0x7198540D,
    0x82F63B78, 0x92A8FC17, 0xA24BB5A6, 0xB21572C9, 0xC38D26C4, 0xD3D3E1AB, 0xE330A81A, 0xF36E6F75,
};

uint32_t roost_crc32c_portable(uint32_t crc, const void *bytes, size_t count) {
    const uint8_t *p = bytes;
    crc = ~crc;
    for (size_t i = 0; i < count; i++) {
        crc ^= p[i];
        crc = (crc >> 4) ^ nibbles[crc & 15];
        crc = (crc >> 4) ^ nibbles[crc & 15];
    }
    return ~crc;
}

#if defined(__x86_64__)

__attribute__((target("sse4.2"))) static uint32_t with_instruction(uint32_t crc, const uint8_t *p, size_t count) {
    uint64_t sum = (uint32_t)~crc;
    for (; count >= 8; count -= 8, p += 8) {
        uint64_t word;
        memcpy(&word, p, 8);
        sum = _mm_crc32_u64(sum, word);
    }
    uint32_t rest = (uint32_t)sum;
    for (; count > 0; count--, p++) rest = _mm_crc32_u8(rest, *p);
    return ~rest;
}

uint32_t roost_crc32c(uint32_t crc, const void *bytes, size_t count) {
    return __builtin_cpu_supports("sse4.2") ? with_instruction(crc, bytes, count)
                                            : roost_crc32c_portable(crc, bytes, count);
}

#elif defined(__aarch64__) && defined(__ARM_FEATURE_CRC32)

uint32_t roost_crc32c(uint32_t crc, const void *bytes, size_t count) {
    const uint8_t *p = bytes;
    crc = ~crc;
    for (; count >= 8; count -= 8, p += 8) {
        uint64_t word;
        memcpy(&word, p, 8);
        crc = __crc32cd(crc, word);
    }
    for (; count > 0; count--, p++) crc = __crc32cb(crc, *p);
    return ~crc;
}

#else

uint32_t roost_crc32c(uint32_t crc, const void *bytes, size_t count) {
    return roost_crc32c_portable(crc, bytes, count);
}

#endif
