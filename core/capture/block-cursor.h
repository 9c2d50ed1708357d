/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the blocks of a capture by their headers; skips incomplete and damaged parts. */
#ifndef STROBE_CORE_BLOCK_CURSOR_H
#define STROBE_CORE_BLOCK_CURSOR_H

#include <glib.h>
#include <strobe/helpers/compression.h>
#include "capture-format.h"

/* A block with a valid header; the payload is not checked yet. For a compressed block,
 * `payload_bytes` in the header is the uncompressed size, and `type` lacks the flag
 * STROBE_BLOCK_COMPRESSED. */
typedef struct StrobeBlockPlace {
    guint64 offset;       /* offset of the payload in the file */
    guint32 stored_bytes; /* size of the payload in the file */
    gboolean is_compressed;
    struct strobe_block_header header;
} StrobeBlockPlace;

/* Returns the offset after a block. */
static inline guint64 strobe_block_place_end(const StrobeBlockPlace *place)
{
    return place->offset + place->stored_bytes;
}

/* Converts the range [*from, *to) of a payload to the range of the file that contains it; for a
 * compressed payload, to the range of all stored bytes. */
void strobe_block_place_find(const StrobeBlockPlace *place, guint64 *from, guint64 *to);

/* Called for each damaged range [from, to) of the file. */
typedef void (*StrobeDamageFunction)(void *user, guint64 from, guint64 to, const char *reason);

/* Walks from block to block in the first `size` bytes of a file. Reads 4096 bytes at a time, which
 * may hold many small blocks; only strobe_block_cursor_read reads the rest of a large payload. */
typedef struct StrobeBlockCursor {
    int fd;
    guint64 size, at;
    StrobeDamageFunction damage; /* NULL: damage is not reported */
    void *user;
    guint64 window_at; /* offset in the file of the bytes in `window` */
    gsize window_n;
    char window[4096];
    guint64 scan_at; /* offset in the file of the bytes in `scan`, to search for a header's magic */
    gsize scan_n;
    char *scan;
    const char *problem; /* error of the payload that was read last */
    char *stored; /* buffer for a compressed payload; NULL until the first compressed payload */
    gsize stored_bytes;
    StrobeCompression *compression; /* NULL until the first use */
} StrobeBlockCursor;

void strobe_block_cursor_begin(StrobeBlockCursor *cursor, int fd, guint64 size,
                               StrobeDamageFunction damage, void *user);
void strobe_block_cursor_end(StrobeBlockCursor *cursor);

/* Goes to the next block and fills *place. Returns FALSE at the end of the file, and also, with an
 * error, if the file cannot be read or this build cannot decompress the block. */
gboolean strobe_block_cursor_next(StrobeBlockCursor *cursor, StrobeBlockPlace *place,
                                  GError **error);
/* Finds the block whose header is at `offset`, FALSE if there is no valid header. The cursor does
 * not move. */
gboolean strobe_block_cursor_at(StrobeBlockCursor *cursor, guint64 offset, StrobeBlockPlace *place);
/* Reads, checks and decompresses a payload into `buffer` (payload_bytes long). FALSE: the
 * cursor's `problem` has the reason. */
gboolean strobe_block_cursor_read(StrobeBlockCursor *cursor, const StrobeBlockPlace *place,
                                  void *buffer);

/* Called for each block in the order of the file; returns FALSE to stop the walk. */
typedef gboolean (*StrobeBlockFunction)(void *user, const StrobeBlockPlace *place);

/* Walks the whole file. Returns FALSE with an error only if the file cannot be read or this build
 * cannot decompress a block. */
gboolean strobe_block_walk(int fd, guint64 size, StrobeBlockFunction block,
                           StrobeDamageFunction damage, void *user, GError **error);

/* Like strobe_block_cursor_read, without a cursor; only for an uncompressed block. */
gboolean strobe_block_read(int fd, const StrobeBlockPlace *place, void *buffer);

#endif
