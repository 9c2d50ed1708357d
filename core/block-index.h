/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the blocks of a capture by their framing; torn and damaged parts are stepped over. */
#ifndef STROBE_CORE_BLOCK_INDEX_H
#define STROBE_CORE_BLOCK_INDEX_H

#include <glib.h>
#include "capture-format.h"

/* A block whose header is sound. The payload is not checked yet. */
typedef struct StrobeBlockPlace {
    guint64 offset; /* of the payload in the file */
    struct strobe_block_header header;
} StrobeBlockPlace;

/* Called for each block in file order; FALSE stops. */
typedef gboolean (*StrobeBlockFunction)(void *user, const StrobeBlockPlace *place);
/* Called for each damaged stretch [from, to). */
typedef void (*StrobeDamageFunction)(void *user, guint64 from, guint64 to, const char *reason);

/* Walks the whole file. Returns FALSE with an error only if it cannot be read. */
gboolean strobe_block_walk(int fd, guint64 size, StrobeBlockFunction block,
                           StrobeDamageFunction damage, void *user, GError **error);

/* Reads and checks a payload into `buffer` (payload_bytes long). */
gboolean strobe_block_read(int fd, const StrobeBlockPlace *place, void *buffer);

#endif
