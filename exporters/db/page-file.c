/* SPDX-License-Identifier: Apache-2.0 */
#include "page-file.h"

#include <errno.h>
#include <sqlite3.h>

/* SQLite locks bytes from 1 GiB on and never uses the page that they lie in. */
#define LOCK_PAGE (0x40000000u / PAGE_BYTES + 1)
#define LAST_PAGE 0xfffffffeu

struct PageFile {
    StrobeSafeFile *file;
    guint64 next; /* page */
    int error;
};

PageFile *page_file_new(StrobeSafeFile *file)
{
    PageFile *pages = g_new0(PageFile, 1);
    guint64 offset;

    pages->file = file;
    pages->next = 2;
    pages->error = strobe_safe_file_reserve(file, PAGE_BYTES, &offset);
    return pages;
}

void page_file_free(PageFile *pages)
{
    g_free(pages);
}

int page_file_error(const PageFile *pages)
{
    return pages->error;
}

static guint64 behind(guint64 number)
{
    return number + 1 == LOCK_PAGE ? number + 2 : number + 1;
}

static void append(PageFile *pages, const guint8 *page)
{
    if (!pages->error)
        pages->error = strobe_safe_file_write(pages->file, (const char *)page, PAGE_BYTES);
}

guint32 page_file_put(PageFile *pages, const guint8 *page)
{
    static const guint8 nothing[PAGE_BYTES];
    guint32 number = (guint32)pages->next;

    if (pages->next > LAST_PAGE && !pages->error)
        pages->error = EFBIG;
    append(pages, page);
    pages->next = behind(pages->next);
    if (G_UNLIKELY(pages->next > (guint64)number + 1))
        append(pages, nothing);
    return number;
}

guint32 page_file_put_overflow(PageFile *pages, const guint8 *bytes, gsize n)
{
    guint32 first = (guint32)pages->next;
    guint8 page[PAGE_BYTES];

    for (gsize done = 0, part; done < n; done += part) {
        part = MIN(n - done, PAGE_BYTES - sizeof(guint32));
        page_put_u32(page, done + part < n ? (guint32)behind(pages->next) : 0);
        memcpy(page + sizeof(guint32), bytes + done, part);
        memset(page + sizeof(guint32) + part, 0, PAGE_BYTES - sizeof(guint32) - part);
        page_file_put(pages, page);
    }
    return first;
}

/* "The Database Header" there, by offset. */
static void put_head(guint8 *at, guint32 n_pages, guint32 n_tables)
{
    memset(at, 0, PAGE_FILE_HEAD);
    memcpy(at, "SQLite format 3", 16);
    page_put_u16(at + 16, PAGE_BYTES);
    at[18] = at[19] = 1; /* written and read without a write-ahead log */
    at[21] = 64;         /* these three are fixed */
    at[22] = at[23] = 32;
    page_put_u32(at + 24, 1); /* changes */
    page_put_u32(at + 28, n_pages);
    page_put_u32(at + 40, n_tables); /* changes of the schema */
    page_put_u32(at + 44, 4);        /* format of the schema */
    page_put_u32(at + 56, 1);        /* UTF-8 */
    page_put_u32(at + 92, 1);        /* the count of pages is that of so many changes */
    page_put_u32(at + 96, SQLITE_VERSION_NUMBER);
}

int page_file_finish(PageFile *pages, guint8 *first, guint32 n_tables)
{
    put_head(first, (guint32)(pages->next - 1), n_tables);
    strobe_safe_file_write_part(pages->file, 0, (const char *)first, PAGE_BYTES);
    if (!pages->error)
        pages->error = strobe_safe_file_flush(pages->file);
    return pages->error;
}
