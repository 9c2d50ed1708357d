/* SPDX-License-Identifier: Apache-2.0 */
/* plain-capture IN OUT: copies a capture, with all blocks uncompressed, and prints the number of
 * blocks that were compressed. */
#include <fcntl.h>
#include <glib.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "block-cursor.h"
#include "crc32c.h"

static gboolean copy_block(StrobeBlockCursor *cursor, StrobeBlockPlace *place, FILE *out)
{
    struct strobe_block_header *header = &place->header;
    const gsize n = header->payload_bytes;
    g_autofree char *payload = g_malloc(MAX(n, 1));

    if (!strobe_block_cursor_read(cursor, place, payload))
        return FALSE;
    header->payload_crc = strobe_crc32c(0, payload, n);
    header->header_crc = 0;
    header->header_crc = strobe_crc32c(0, header, sizeof *header);
    return fwrite(header, 1, sizeof *header, out) == sizeof *header &&
           fwrite(payload, 1, n, out) == n;
}

int main(int argc, char **argv)
{
    int fd = argc == 3 ? open(argv[1], O_RDONLY | O_CLOEXEC) : -1;
    FILE *out = fd >= 0 ? fopen(argv[2], "wx") : NULL;
    StrobeBlockCursor cursor;
    StrobeBlockPlace place;
    guint n_compressed = 0;
    gboolean ok = out != NULL;

    strobe_block_cursor_begin(&cursor, fd, fd >= 0 ? (guint64)lseek(fd, 0, SEEK_END) : 0, NULL,
                              NULL);
    while (ok && strobe_block_cursor_next(&cursor, &place, NULL)) {
        n_compressed += place.is_compressed != 0;
        ok = copy_block(&cursor, &place, out);
    }
    strobe_block_cursor_end(&cursor);
    ok = ok && fclose(out) == 0;
    printf("%u\n", n_compressed);
    return ok ? 0 : 1;
}
