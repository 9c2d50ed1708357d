/* SPDX-License-Identifier: Apache-2.0 */
/* What a scratch file keeps: whole blocks, packed one behind the other, read from any place. */
#ifndef STROBE_HELPERS_PACKED_BLOCKS_H
#define STROBE_HELPERS_PACKED_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

#include "byte-packer.h"

#define PACKED_BLOCKS_AT_ONCE 8u

typedef struct PackedBlocks PackedBlocks;

/* `fd` is an empty file, not owned; about the first `plain_bytes` stay as they are. NULL: no
 * memory. */
PackedBlocks *strobe_packed_blocks_new(int fd, uint64_t plain_bytes);
void strobe_packed_blocks_free(PackedBlocks *blocks);

/* Appends `n` blocks, PACKED_BLOCKS_AT_ONCE at most. Returns 0 or an errno value. */
int strobe_packed_blocks_put(PackedBlocks *blocks, const char *bytes, size_t n);
/* Reads `length` bytes that were put, from `offset` of what was put on. 0 or an errno value. */
int strobe_packed_blocks_read(PackedBlocks *blocks, uint64_t offset, char *bytes, size_t length);

#endif
