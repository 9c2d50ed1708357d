/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the blocks of a capture by their framing; torn and damaged parts are stepped over. */
#ifndef STROBE_CORE_BLOCK_CURSOR_H
#define STROBE_CORE_BLOCK_CURSOR_H

#include <glib.h>
#include "capture-format.h"

/* A block whose header is sound. The payload is not checked yet. */
typedef struct StrobeBlockPlace {
    guint64 offset; /* of the payload in the file */
    struct strobe_block_header header;
} StrobeBlockPlace;

/* Called for each damaged stretch [from, to). */
typedef void (*StrobeDamageFunction)(void *user, guint64 from, guint64 to, const char *reason);

/* Goes from block to block of the first `size` bytes of a file. Small blocks are read many at a
 * time, of large ones no more than what is asked for. */
typedef struct StrobeBlockCursor {
    int fd;
    guint64 size, at;
    StrobeDamageFunction damage; /* NULL: nobody asks */
    void *user;
    guint64 window_at; /* of the bytes in the window */
    gsize window_n;
    char window[4096];
    guint64 scan_at; /* of the bytes in which a magic was looked for last */
    gsize scan_n;
    char *scan;
} StrobeBlockCursor;

void strobe_block_cursor_begin(StrobeBlockCursor *cursor, int fd, guint64 size,
                               StrobeDamageFunction damage, void *user);
void strobe_block_cursor_end(StrobeBlockCursor *cursor);

/* FALSE at the end, or with an error if the file cannot be read. */
gboolean strobe_block_cursor_next(StrobeBlockCursor *cursor, StrobeBlockPlace *place,
                                  GError **error);
/* The block whose header lies at `offset`, FALSE if no sound one does. The cursor stays. */
gboolean strobe_block_cursor_at(StrobeBlockCursor *cursor, guint64 offset, StrobeBlockPlace *place);
/* Reads and checks a payload into `buffer` (payload_bytes long). */
gboolean strobe_block_cursor_read(StrobeBlockCursor *cursor, const StrobeBlockPlace *place,
                                  void *buffer);

/* Called for each block in file order; FALSE stops. */
typedef gboolean (*StrobeBlockFunction)(void *user, const StrobeBlockPlace *place);

/* Walks the whole file. Returns FALSE with an error only if it cannot be read. */
gboolean strobe_block_walk(int fd, guint64 size, StrobeBlockFunction block,
                           StrobeDamageFunction damage, void *user, GError **error);

/* As strobe_block_cursor_read, without a cursor. */
gboolean strobe_block_read(int fd, const StrobeBlockPlace *place, void *buffer);

#endif
