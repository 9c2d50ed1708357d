/* SPDX-License-Identifier: Apache-2.0 */
#include "block-index.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "crc32c.h"
#include "error.h"

#define SCAN_BYTES (64u << 10)

static gssize read_at(int fd, void *out, gsize n, guint64 offset)
{
    gsize done = 0;

    while (done < n) {
        ssize_t got = pread(fd, (char *)out + done, n - done, (off_t)(offset + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -1;
        if (got == 0)
            break;
        done += (gsize)got;
    }
    return (gssize)done;
}

static gboolean header_is_sound(const struct strobe_block_header *header)
{
    struct strobe_block_header copy = *header;

    if (memcmp(header->magic, STROBE_BLOCK_MAGIC, sizeof header->magic) ||
        header->payload_bytes > STROBE_PAYLOAD_MAX)
        return FALSE;
    copy.header_crc = 0;
    return strobe_crc32c(0, &copy, sizeof copy) == header->header_crc;
}

/* A window on the file that false magics are looked for in, so that a file full of them is read
 * once. */
struct magic_scan {
    int fd;
    guint64 start; /* of the bytes in the file */
    gsize n;
    char *bytes; /* SCAN_BYTES */
};

/* Offset of the next magic at or after `from`; `size` when there is none. */
static guint64 find_magic(struct magic_scan *scan, guint64 from, guint64 size)
{
    while (from < size) {
        if (from < scan->start || from + 8 > scan->start + scan->n) {
            gssize n = read_at(scan->fd, scan->bytes, SCAN_BYTES, from);
            if (n < 8)
                return size;
            scan->start = from;
            scan->n = (gsize)n;
        }
        gsize skip = (gsize)(from - scan->start);
        char *hit = memmem(scan->bytes + skip, scan->n - skip, STROBE_BLOCK_MAGIC, 8);
        if (hit)
            return scan->start + (guint64)(hit - scan->bytes);
        from = scan->start + scan->n - 7;
    }
    return size;
}

gboolean strobe_block_walk(int fd, guint64 size, StrobeBlockFunction block,
                           StrobeDamageFunction damage, void *user, GError **error)
{
    g_autofree char *bytes = g_malloc(SCAN_BYTES);
    struct magic_scan scan = {fd, 0, 0, bytes};
    guint64 at = 0;

    while (at < size) {
        StrobeBlockPlace place;
        gssize n = read_at(fd, &place.header, sizeof place.header, at);
        if (n < 0) {
            g_set_error(error, STROBE_ERROR, STROBE_ERROR_IO, "Cannot read: %s", g_strerror(errno));
            return FALSE;
        }
        if (n < (gssize)sizeof place.header) {
            damage(user, at, size, "the file ends inside a block's header");
            return TRUE;
        }
        if (!header_is_sound(&place.header)) {
            guint64 next = find_magic(&scan, at + 1, size);
            damage(user, at, next, "no sound block header");
            at = next;
            continue;
        }
        place.offset = at + sizeof place.header;
        if (place.header.payload_bytes > size - place.offset) {
            damage(user, at, size, "the file ends inside a block");
            return TRUE;
        }
        if (!block(user, &place))
            return TRUE;
        at = place.offset + place.header.payload_bytes;
    }
    return TRUE;
}

gboolean strobe_block_read(int fd, const StrobeBlockPlace *place, void *buffer)
{
    guint32 n = place->header.payload_bytes;
    return read_at(fd, buffer, n, place->offset) == (gssize)n &&
           strobe_crc32c(0, buffer, n) == place->header.payload_crc;
}
