#include "roost_crc32c.h"
#include "roost_kernels.h"

#include <string.h>

#if defined(__x86_64__)
#include <nmmintrin.h>
#include <wmmintrin.h>
#elif defined(__aarch64__) && defined(__ARM_FEATURE_CRC32)
#include <arm_acle.h>
#endif

/* The polynomial 0x1EDC6F41, reflected, for half a byte at a time, which keeps the table small. */
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

/* The CRC instruction has a latency of three cycles and a throughput of one per cycle, so three lanes are computed
   in parallel. The remainder of a lane is shifted over the n bytes of the lanes after it by multiplying it with
   x^(8 n - 33) modulo the polynomial; the CRC instruction then reduces the product and contributes the factor x^33.
   See Gopal et al., "Fast CRC Computation for iSCSI Polynomial Using CRC32 Instruction", 2011. */
enum { LANE = 1024 };

__attribute__((target("sse4.2,pclmul"))) static uint64_t shifted(uint64_t sum, uint32_t power) {
    __m128i product = _mm_clmulepi64_si128(_mm_cvtsi64_si128((long long)sum), _mm_cvtsi32_si128((int)power), 0);
    return _mm_crc32_u64(0, (uint64_t)_mm_cvtsi128_si64(product));
}

__attribute__((target("sse4.2,pclmul"))) static uint32_t in_lanes(uint32_t crc, const uint8_t *p, size_t count) {
    uint64_t first = (uint32_t)~crc;
    for (; count >= 3 * LANE; count -= 3 * LANE, p += 3 * LANE) {
        uint64_t second = 0, third = 0;
        for (size_t i = 0; i < LANE; i += 8) {
            uint64_t words[3];
            memcpy(&words[0], p + i, 8);
            memcpy(&words[1], p + LANE + i, 8);
            memcpy(&words[2], p + 2 * LANE + i, 8);
            first = _mm_crc32_u64(first, words[0]);
            second = _mm_crc32_u64(second, words[1]);
            third = _mm_crc32_u64(third, words[2]);
        }
        first = shifted(first, 0xA51B6135) ^ shifted(second, 0x170076FA) ^ third;
    }
    return with_instruction(~(uint32_t)first, p, count);
}

uint32_t roost_crc32c(uint32_t crc, const void *bytes, size_t count) {
    if (!__builtin_cpu_supports("sse4.2") || roost_is_portable()) return roost_crc32c_portable(crc, bytes, count);
    return count >= 3 * LANE && __builtin_cpu_supports("pclmul") ? in_lanes(crc, bytes, count)
                                                                 : with_instruction(crc, bytes, count);
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
