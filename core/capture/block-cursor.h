/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the blocks of a capture by their framing; torn and damaged parts are stepped over. */
#ifndef STROBE_CORE_BLOCK_CURSOR_H
#define STROBE_CORE_BLOCK_CURSOR_H

#include <glib.h>
#include <strobe/helpers/compression.h>
#include "capture-format.h"

/* A block whose header is sound. The payload is not checked yet. Of a compressed block the header
 * has the plain bytes as payload_bytes, and the type without its flag. */
typedef struct StrobeBlockPlace {
    guint64 offset;       /* of the payload in the file */
    guint32 stored_bytes; /* of it there */
    gboolean is_compressed;
    struct strobe_block_header header;
} StrobeBlockPlace;

/* Returns the offset behind a block. */
static inline guint64 strobe_block_place_end(const StrobeBlockPlace *place)
{
    return place->offset + place->stored_bytes;
}

/* The bytes of the file that hold [*from, *to) of a payload; of a compressed one, all. */
void strobe_block_place_find(const StrobeBlockPlace *place, guint64 *from, guint64 *to);

/* Called for each damaged stretch [from, to). */
typedef void (*StrobeDamageFunction)(void *user, guint64 from, guint64 to, const char *reason);

/* Goes from block to block of the first `size` bytes of a file. Small blocks are read many at a
 * time, of large ones no more than what is asked for. */
typedef struct StrobeBlockCursor {
    int fd;
    guint64 size, at;
    StrobeDamageFunction damage; /* NULL: damage is not reported */
    void *user;
    guint64 window_at; /* of the bytes in the window */
    gsize window_n;
    char window[4096];
    guint64 scan_at; /* of the bytes in which a magic was looked for last */
    gsize scan_n;
    char *scan;
    const char *problem; /* of the payload that was read last */
    char *stored;        /* of a compressed payload; NULL until the first */
    gsize stored_bytes;
    StrobeCompression *compression; /* NULL until the first use */
} StrobeBlockCursor;

void strobe_block_cursor_begin(StrobeBlockCursor *cursor, int fd, guint64 size,
                               StrobeDamageFunction damage, void *user);
void strobe_block_cursor_end(StrobeBlockCursor *cursor);

/* FALSE at the end, or with an error if the file cannot be read or this Strobe cannot unpack it. */
gboolean strobe_block_cursor_next(StrobeBlockCursor *cursor, StrobeBlockPlace *place,
                                  GError **error);
/* The block whose header lies at `offset`, FALSE if no sound one does. The cursor stays. */
gboolean strobe_block_cursor_at(StrobeBlockCursor *cursor, guint64 offset, StrobeBlockPlace *place);
/* Reads, checks and unpacks a payload into `buffer` (payload_bytes long). FALSE: `problem` of the
 * cursor says why it cannot be used. */
gboolean strobe_block_cursor_read(StrobeBlockCursor *cursor, const StrobeBlockPlace *place,
                                  void *buffer);

/* Called for each block in file order; FALSE stops. */
typedef gboolean (*StrobeBlockFunction)(void *user, const StrobeBlockPlace *place);

/* Walks the whole file. Returns FALSE with an error only if it cannot be read. */
gboolean strobe_block_walk(int fd, guint64 size, StrobeBlockFunction block,
                           StrobeDamageFunction damage, void *user, GError **error);

/* As strobe_block_cursor_read, without a cursor; of a block that is not compressed. */
gboolean strobe_block_read(int fd, const StrobeBlockPlace *place, void *buffer);

#endif
