/* SPDX-License-Identifier: Apache-2.0 */
#include "packed-blocks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <strobe/helpers/file-part.h>

#define BLOCK STROBE_PACK_BLOCK

struct PackedBlocks {
    int fd;
    size_t n, room, n_plain;
    uint64_t *ends; /* of each block, in the file */
    size_t cached;  /* which block, and 1; 0: none */
    char cache[BLOCK];
    char packed[PACKED_BLOCKS_AT_ONCE * STROBE_PACK_ROOM(BLOCK)];
};

PackedBlocks *strobe_packed_blocks_new(int fd, uint64_t plain_bytes)
{
    PackedBlocks *blocks = malloc(sizeof *blocks);

    if (!blocks)
        return NULL;
    blocks->fd = fd;
    blocks->n_plain = (size_t)(plain_bytes / BLOCK);
    blocks->n = blocks->room = blocks->cached = 0;
    blocks->ends = NULL;
    return blocks;
}

void strobe_packed_blocks_free(PackedBlocks *blocks)
{
    if (!blocks)
        return;
    free(blocks->ends);
    free(blocks);
}

static uint64_t begin_of(const PackedBlocks *blocks, size_t block)
{
    return block ? blocks->ends[block - 1] : 0;
}

static int make_room(PackedBlocks *blocks, size_t n)
{
    size_t room = blocks->room + blocks->room / 2 + 256;
    uint64_t *grown;

    if (blocks->n + n <= blocks->room)
        return 0;
    grown = realloc(blocks->ends, room * sizeof *grown);
    if (!grown)
        return ENOMEM;
    blocks->ends = grown;
    blocks->room = room;
    return 0;
}

static int read_all(int fd, char *bytes, size_t length, uint64_t at)
{
    int64_t n = strobe_file_part_read(fd, at, bytes, length);

    return n < 0 ? errno : (size_t)n < length ? EIO : 0;
}

/* Packs them one behind the other from `begin` on; returns how many bytes they are. */
static size_t pack_all(PackedBlocks *blocks, const char *bytes, size_t n, uint64_t begin)
{
    size_t used = 0;

    for (size_t i = 0; i < n; i++) {
        char *at = blocks->packed + used;
        size_t length = strobe_pack(bytes + i * BLOCK, BLOCK, at);

        if (length >= BLOCK) { /* as it is, which its length says */
            memcpy(at, bytes + i * BLOCK, BLOCK);
            length = BLOCK;
        }
        used += length;
        blocks->ends[blocks->n + i] = begin + used;
    }
    return used;
}

int strobe_packed_blocks_put(PackedBlocks *blocks, const char *bytes, size_t n)
{
    uint64_t begin = begin_of(blocks, blocks->n);
    int error = make_room(blocks, n);

    if (error)
        return error;
    if (blocks->n + n <= blocks->n_plain) {
        for (size_t i = 0; i < n; i++)
            blocks->ends[blocks->n + i] = begin + (i + 1) * BLOCK;
        error = strobe_file_part_write(blocks->fd, begin, bytes, n * BLOCK);
    } else {
        size_t used = pack_all(blocks, bytes, n, begin);

        error = strobe_file_part_write(blocks->fd, begin, blocks->packed, used);
    }
    if (!error)
        blocks->n += n;
    return error;
}

static int read_block(PackedBlocks *blocks, size_t block, char *bytes)
{
    uint64_t begin = begin_of(blocks, block);
    size_t length = (size_t)(blocks->ends[block] - begin);
    int error;

    if (length == BLOCK)
        return read_all(blocks->fd, bytes, BLOCK, begin);
    error = read_all(blocks->fd, blocks->packed, length, begin);
    if (!error && strobe_unpack(blocks->packed, length, bytes, BLOCK))
        error = EIO;
    return error;
}

/* The block of which a part is wanted, and soon its rest. */
static int fill_cache(PackedBlocks *blocks, size_t block)
{
    int error;

    if (blocks->cached == block + 1)
        return 0;
    blocks->cached = 0;
    error = read_block(blocks, block, blocks->cache);
    if (!error)
        blocks->cached = block + 1;
    return error;
}

int strobe_packed_blocks_read(PackedBlocks *blocks, uint64_t offset, char *bytes, size_t length)
{
    while (length) {
        size_t block = (size_t)(offset / BLOCK), from = (size_t)(offset % BLOCK);
        size_t part = length < BLOCK - from ? length : BLOCK - from;
        int error;

        if (block >= blocks->n)
            return EINVAL;
        error = part == BLOCK ? read_block(blocks, block, bytes) : fill_cache(blocks, block);
        if (error)
            return error;
        if (part < BLOCK)
            memcpy(bytes, blocks->cache + from, part);
        offset += part;
        bytes += part;
        length -= part;
    }
    return 0;
}
