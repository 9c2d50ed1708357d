/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pages of a database, written one behind the other: "Database File Format",
 * sqlite.org/fileformat2.html. Page 1, which holds the file's head, is written last. One thread.
 */
#ifndef STROBE_DB_PAGE_FILE_H
#define STROBE_DB_PAGE_FILE_H

#include <glib.h>
#include <strobe/helpers/safe-file.h>
#include <string.h>

#define PAGE_BYTES 4096u
#define PAGE_FILE_HEAD 100u /* bytes of page 1 that are the file's */

typedef struct PageFile PageFile;

/* `file` is lent, and empty. */
PageFile *page_file_new(StrobeSafeFile *file);
void page_file_free(PageFile *pages); /* NULL is fine */

/* Writes a page and returns its number; a failure is kept. */
guint32 page_file_put(PageFile *pages, const guint8 *page);
/* Writes the end of a record that is too long for its page; the first page's number. */
guint32 page_file_put_overflow(PageFile *pages, const guint8 *bytes, gsize n);

/* Writes page 1, whose head is filled in, and all that is buffered. Returns 0 or the errno value of
 * the first failure. */
int page_file_finish(PageFile *pages, guint8 *first, guint32 n_tables);
/* errno of the first failure so far, 0: none. */
int page_file_error(const PageFile *pages);

static inline void page_put_u16(guint8 *at, guint16 value)
{
    value = GUINT16_TO_BE(value);
    memcpy(at, &value, sizeof value);
}

static inline void page_put_u32(guint8 *at, guint32 value)
{
    value = GUINT32_TO_BE(value);
    memcpy(at, &value, sizeof value);
}

#define PAGE_VARINT_MAX 9u

/* A number in seven bits a byte, the first of them highest; of the ninth byte all eight count.
 * Returns the place behind it. */
static inline guint8 *page_put_varint(guint8 *at, guint64 value)
{
    guint n = 1;

    if (G_LIKELY(value < 1u << 7)) {
        *at = (guint8)value;
        return at + 1;
    }
    if (value >> 56) {
        for (guint i = 0; i < 8; i++)
            at[i] = (guint8)((value >> 8 >> (7 * (7 - i)) & 0x7f) | 0x80);
        at[8] = (guint8)value;
        return at + 9;
    }
    while (value >> (7 * n))
        n++;
    for (guint i = 0; i < n; i++)
        at[i] = (guint8)((value >> (7 * (n - 1 - i)) & 0x7f) | (i + 1 < n ? 0x80 : 0));
    return at + n;
}

#endif
