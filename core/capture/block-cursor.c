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
    cursor->problem = NULL;
    cursor->stored = NULL;
    cursor->stored_bytes = 0;
    cursor->compression = NULL;
}

void strobe_block_cursor_end(StrobeBlockCursor *cursor)
{
    g_clear_pointer(&cursor->scan, g_free);
    g_clear_pointer(&cursor->stored, g_free);
    g_clear_pointer(&cursor->compression, strobe_compression_free);
}

void strobe_block_place_find(const StrobeBlockPlace *place, guint64 *from, guint64 *to)
{
    *from = place->offset + (place->is_compressed ? 0 : *from);
    *to = place->is_compressed ? strobe_block_place_end(place) : place->offset + *to;
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

/* Reads the bytes of a header. Returns their number, which is less than a header's size at the
 * file's end, or -1 on an error. */
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

/* ---- compressed blocks ---- */

/* Copies up to `n` bytes of the file from `offset` to `head`, from the cursor's `window` if they
 * are there. Returns their number, -1 if they cannot be read. */
static gssize read_head(StrobeBlockCursor *cursor, guint64 offset, gsize n, char *head)
{
    if (!lies_in_window(cursor, offset) || !lies_in_window(cursor, offset + n - 1))
        return strobe_file_part_read(cursor->fd, offset, head, n);
    memcpy(head, cursor->window + (offset - cursor->window_at), n);
    return (gssize)n;
}

/* Puts the uncompressed size into the header of a compressed block. Returns a description of an
 * error, or NULL. */
static const char *find_plain_bytes(StrobeBlockCursor *cursor, StrobeBlockPlace *place)
{
    char head[STROBE_COMPRESSED_HEAD_BYTES];
    gssize n = read_head(cursor, place->offset, MIN(place->stored_bytes, sizeof head), head);
    gsize plain = n > 0 ? strobe_compressed_length(head, (gsize)n) : 0;

    if (plain == 0)
        return "a compressed block without its plain size";
    if (MAX(plain, place->stored_bytes) > STROBE_COMPRESSED_MAX)
        return "a compressed block of more than 2 MiB";
    place->header.payload_bytes = (guint32)plain;
    return NULL;
}

/* Completes a place whose header was read and whose payload is inside the file. Returns a
 * description of an error, or NULL. */
static const char *finish_place(StrobeBlockCursor *cursor, StrobeBlockPlace *place)
{
    place->stored_bytes = place->header.payload_bytes;
    place->is_compressed = (place->header.type & STROBE_BLOCK_COMPRESSED) != 0;
    place->header.type &= ~STROBE_BLOCK_COMPRESSED;
    return place->is_compressed ? find_plain_bytes(cursor, place) : NULL;
}

/* Returns memory for the `n` stored bytes of a compressed block. */
static char *stored_room(StrobeBlockCursor *cursor, gsize n)
{
    if (cursor->stored_bytes < n) {
        g_free(cursor->stored);
        cursor->stored = g_malloc(n);
        cursor->stored_bytes = n;
    }
    return cursor->stored;
}

static gboolean unpack_block(StrobeBlockCursor *cursor, const StrobeBlockPlace *place, void *buffer)
{
    if (!cursor->compression)
        cursor->compression = strobe_compression_new();
    return strobe_decompress(cursor->compression, buffer, place->header.payload_bytes,
                             cursor->stored, place->stored_bytes) == 0;
}

/* ---- the walk ---- */

/* Finds the offset of the next magic after the cursor; *found is the file's size if there is none.
 * FALSE if the file cannot be read at *found. The search continues where the last search ended, so
 * that a file full of false magics is read only once. */
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

static gboolean fail_to_unpack(guint64 offset, GError **error)
{
    g_set_error(error, STROBE_ERROR, STROBE_ERROR_INPUT,
                "The block at offset %" G_GUINT64_FORMAT
                " is compressed, and this Strobe was built without libzstd",
                offset);
    return FALSE;
}

/* Checks that the header at the cursor belongs to a complete block. Returns NULL or a description
 * of the error; after an error the walk continues at *to. */
static const char *check_place(StrobeBlockCursor *cursor, StrobeBlockPlace *place, gssize n,
                               guint64 *to)
{
    *to = cursor->size;
    place->is_compressed = FALSE;
    if (n < (gssize)sizeof place->header)
        return "the file ends inside a block's header";
    if (place->header.payload_bytes > cursor->size - place->offset)
        return "the file ends inside a block";
    *to = place->offset + place->header.payload_bytes;
    return finish_place(cursor, place);
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
        if (n == (gssize)sizeof place->header && !header_is_sound(&place->header)) {
            if (!find_magic(cursor, &next))
                return fail_to_read(next, error);
            note_damage(cursor, next, "no sound block header");
            continue;
        }
        const char *problem = check_place(cursor, place, n, &next);
        if (place->is_compressed && !strobe_compression_exists())
            return fail_to_unpack(cursor->at, error);
        if (problem) {
            note_damage(cursor, next, problem);
            continue;
        }
        cursor->at = next;
        return TRUE;
    }
    return FALSE;
}

gboolean strobe_block_cursor_at(StrobeBlockCursor *cursor, guint64 offset, StrobeBlockPlace *place)
{
    place->offset = offset + sizeof place->header;
    return place->offset <= cursor->size &&
           read_header(cursor, offset, &place->header) == (gssize)sizeof place->header &&
           header_is_sound(&place->header) &&
           place->header.payload_bytes <= cursor->size - place->offset &&
           !finish_place(cursor, place);
}

/* Reads the stored bytes of a payload. FALSE if they cannot be read, or their checksum is not that
 * in the header. */
static gboolean read_stored(StrobeBlockCursor *cursor, const StrobeBlockPlace *place, char *bytes)
{
    gsize n = place->stored_bytes, known = 0;

    if (n == 0)
        return place->header.payload_crc == 0;
    if (lies_in_window(cursor, place->offset)) {
        gsize skip = (gsize)(place->offset - cursor->window_at);
        known = MIN(n, cursor->window_n - skip);
        memcpy(bytes, cursor->window + skip, known);
    }
    return strobe_file_part_read(cursor->fd, place->offset + known, bytes + known, n - known) ==
               (gssize)(n - known) &&
           strobe_crc32c(0, bytes, n) == place->header.payload_crc;
}

gboolean strobe_block_cursor_read(StrobeBlockCursor *cursor, const StrobeBlockPlace *place,
                                  void *buffer)
{
    char *stored = place->is_compressed ? stored_room(cursor, place->stored_bytes) : buffer;

    cursor->problem = NULL;
    if (!read_stored(cursor, place, stored))
        cursor->problem = "a block's checksum is wrong";
    else if (place->is_compressed && !unpack_block(cursor, place, buffer))
        cursor->problem = "a compressed block does not unpack";
    return !cursor->problem;
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

    return !place->is_compressed &&
           strobe_file_part_read(fd, place->offset, buffer, n) == (gssize)n &&
           strobe_crc32c(0, buffer, n) == place->header.payload_crc;
}
