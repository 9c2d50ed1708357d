/* SPDX-License-Identifier: Apache-2.0 */
#include "block-cursor.h"

#include <string.h>
#include <strobe/helpers/file-part.h>
#include "crc32c.h"
#include "error.h"

#define SCAN_BYTES (64u << 10)

static gboolean header_is_sound(const struct strobe_block_header *header)
{
    struct strobe_block_header copy = *header;

    if (memcmp(header->magic, STROBE_BLOCK_MAGIC, sizeof header->magic) ||
        header->payload_bytes > STROBE_PAYLOAD_MAX)
        return FALSE;
    copy.header_crc = 0;
    return strobe_crc32c(0, &copy, sizeof copy) == header->header_crc;
}

void strobe_block_cursor_begin(StrobeBlockCursor *cursor, int fd, guint64 size,
                               StrobeDamageFunction damage, void *user)
{
    cursor->fd = fd;
    cursor->size = size;
    cursor->at = 0;
    cursor->damage = damage;
    cursor->user = user;
    cursor->window_at = cursor->scan_at = 0;
    cursor->window_n = cursor->scan_n = 0;
    cursor->scan = NULL;
}

void strobe_block_cursor_end(StrobeBlockCursor *cursor)
{
    g_clear_pointer(&cursor->scan, g_free);
}

static void note_damage(StrobeBlockCursor *cursor, guint64 to, const char *reason)
{
    if (cursor->damage)
        cursor->damage(cursor->user, cursor->at, to, reason);
    cursor->at = to;
}

static gboolean lies_in_window(const StrobeBlockCursor *cursor, guint64 offset)
{
    return offset >= cursor->window_at && offset - cursor->window_at < cursor->window_n;
}

/* Bytes of a header, -1 if they cannot be read; fewer than asked for at the file's end. */
static gssize read_header(StrobeBlockCursor *cursor, guint64 offset,
                          struct strobe_block_header *header)
{
    if (!lies_in_window(cursor, offset) || !lies_in_window(cursor, offset + sizeof *header - 1)) {
        gssize n = strobe_file_part_read(cursor->fd, offset, cursor->window,
                                         MIN(sizeof cursor->window, cursor->size - offset));
        cursor->window_at = offset;
        cursor->window_n = n < 0 ? 0 : (gsize)n;
        if (n < (gssize)sizeof *header)
            return n;
    }
    memcpy(header, cursor->window + (offset - cursor->window_at), sizeof *header);
    return sizeof *header;
}

/* Offset of the next magic behind the cursor; the size when there is none. FALSE if the file cannot
 * be read at *found. A file full of false magics is read once. */
static gboolean find_magic(StrobeBlockCursor *cursor, guint64 *found)
{
    guint64 from = cursor->at + 1;

    if (!cursor->scan)
        cursor->scan = g_malloc(SCAN_BYTES);
    while (from < cursor->size) {
        if (from < cursor->scan_at || from + 8 > cursor->scan_at + cursor->scan_n) {
            gssize n = strobe_file_part_read(cursor->fd, from, cursor->scan, SCAN_BYTES);
            *found = from;
            if (n < 0)
                return FALSE;
            if (n < 8)
                break;
            cursor->scan_at = from;
            cursor->scan_n = (gsize)n;
        }
        gsize skip = (gsize)(from - cursor->scan_at);
        char *hit = memmem(cursor->scan + skip, cursor->scan_n - skip, STROBE_BLOCK_MAGIC, 8);
        if (hit) {
            *found = MIN(cursor->scan_at + (guint64)(hit - cursor->scan), cursor->size);
            return TRUE;
        }
        from = cursor->scan_at + cursor->scan_n - 7;
    }
    *found = cursor->size;
    return TRUE;
}

static gboolean fail_to_read(guint64 offset, GError **error)
{
    g_set_error(error, STROBE_ERROR, STROBE_ERROR_IO,
                "Cannot read at offset %" G_GUINT64_FORMAT ": %s", offset, g_strerror(errno));
    return FALSE;
}

gboolean strobe_block_cursor_next(StrobeBlockCursor *cursor, StrobeBlockPlace *place,
                                  GError **error)
{
    guint64 next;

    while (cursor->at < cursor->size) {
        gssize n = read_header(cursor, cursor->at, &place->header);
        if (n < 0)
            return fail_to_read(cursor->at, error);
        place->offset = cursor->at + sizeof place->header;
        if (n < (gssize)sizeof place->header) {
            note_damage(cursor, cursor->size, "the file ends inside a block's header");
        } else if (!header_is_sound(&place->header)) {
            if (!find_magic(cursor, &next))
                return fail_to_read(next, error);
            note_damage(cursor, next, "no sound block header");
        } else if (place->header.payload_bytes > cursor->size - place->offset) {
            note_damage(cursor, cursor->size, "the file ends inside a block");
        } else {
            cursor->at = place->offset + place->header.payload_bytes;
            return TRUE;
        }
    }
    return FALSE;
}

gboolean strobe_block_cursor_at(StrobeBlockCursor *cursor, guint64 offset, StrobeBlockPlace *place)
{
    place->offset = offset + sizeof place->header;
    return place->offset <= cursor->size &&
           read_header(cursor, offset, &place->header) == (gssize)sizeof place->header &&
           header_is_sound(&place->header) &&
           place->header.payload_bytes <= cursor->size - place->offset;
}

gboolean strobe_block_cursor_read(StrobeBlockCursor *cursor, const StrobeBlockPlace *place,
                                  void *buffer)
{
    gsize n = place->header.payload_bytes, known = 0;

    if (n == 0)
        return place->header.payload_crc == 0;
    if (lies_in_window(cursor, place->offset)) {
        gsize skip = (gsize)(place->offset - cursor->window_at);
        known = MIN(n, cursor->window_n - skip);
        memcpy(buffer, cursor->window + skip, known);
    }
    return strobe_file_part_read(cursor->fd, place->offset + known, (char *)buffer + known,
                                 n - known) == (gssize)(n - known) &&
           strobe_crc32c(0, buffer, n) == place->header.payload_crc;
}

gboolean strobe_block_walk(int fd, guint64 size, StrobeBlockFunction block,
                           StrobeDamageFunction damage, void *user, GError **error)
{
    StrobeBlockCursor cursor;
    StrobeBlockPlace place;
    GError *failure = NULL;

    strobe_block_cursor_begin(&cursor, fd, size, damage, user);
    while (strobe_block_cursor_next(&cursor, &place, &failure) && block(user, &place))
        ;
    strobe_block_cursor_end(&cursor);
    if (failure)
        g_propagate_error(error, failure);
    return !failure;
}

gboolean strobe_block_read(int fd, const StrobeBlockPlace *place, void *buffer)
{
    guint32 n = place->header.payload_bytes;
    return strobe_file_part_read(fd, place->offset, buffer, n) == (gssize)n &&
           strobe_crc32c(0, buffer, n) == place->header.payload_crc;
}
