/* SPDX-License-Identifier: Apache-2.0 */
/* CRC-32C (Castagnoli), as the checksum of capture blocks. libc only. */
#ifndef STROBE_CORE_CRC32C_H
#define STROBE_CORE_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* Returns the checksum of `length` bytes, continued from `crc` (0 for the first bytes). */
uint32_t strobe_crc32c(uint32_t crc, const void *bytes, size_t length);

#endif
