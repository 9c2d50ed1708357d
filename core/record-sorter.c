/* SPDX-License-Identifier: Apache-2.0 */
#include "record-sorter.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "error.h"

#define RUN_BUFFER (128u << 10)
#define RECORD_WORDS_MAX 128u

/* In memory and in the file: this, then the record's words. */
struct entry {
    gint64 begin, end;
    guint64 words;
};

/* A sorted stretch of the file while it is merged. */
struct run {
    guint64 at, until; /* in the file: what is not in the buffer yet */
    char *buffer;
    gsize used, taken;
    const struct entry *head; /* NULL: exhausted */
    guint number;
};

struct StrobeRecordSorter {
    int scratch;
    gsize limit;
    GByteArray *memory;
    GArray *order; /* of gsize, offsets in memory */
    guint64 written;
    GArray *starts; /* of guint64, of the runs in the file */
    gboolean is_reading;
    guint next; /* in order, when all is in memory */
    struct run *runs;
    GPtrArray *heap; /* of struct run, the least head first */
};

StrobeRecordSorter *strobe_record_sorter_new(int scratch, gsize memory_bytes)
{
    StrobeRecordSorter *s = g_new0(StrobeRecordSorter, 1);

    s->scratch = scratch;
    s->limit = MAX(memory_bytes, 64u << 10);
    s->memory = g_byte_array_new();
    s->order = g_array_new(FALSE, FALSE, sizeof(gsize));
    s->starts = g_array_new(FALSE, FALSE, sizeof(guint64));
    s->heap = g_ptr_array_new();
    return s;
}

void strobe_record_sorter_free(StrobeRecordSorter *s)
{
    if (!s)
        return;
    for (guint i = 0; s->runs && i < s->starts->len; i++)
        g_free(s->runs[i].buffer);
    g_free(s->runs);
    g_ptr_array_unref(s->heap);
    g_byte_array_unref(s->memory);
    g_array_unref(s->order);
    g_array_unref(s->starts);
    if (s->scratch >= 0)
        close(s->scratch);
    g_free(s);
}

static int compare(const struct entry *a, const struct entry *b)
{
    if (a->end != b->end)
        return a->end < b->end ? -1 : 1;
    return a->begin > b->begin ? -1 : a->begin < b->begin;
}

static gint compare_offsets(gconstpointer a, gconstpointer b, gpointer memory)
{
    gsize x = *(const gsize *)a, y = *(const gsize *)b;
    int order = compare((const void *)((char *)memory + x), (const void *)((char *)memory + y));

    return order ? order : x < y ? -1 : x > y;
}

static void sort_memory(StrobeRecordSorter *s)
{
    g_array_sort_with_data(s->order, compare_offsets, s->memory->data);
}

static gsize entry_bytes(const struct entry *entry)
{
    return sizeof *entry + entry->words * 8;
}

static gboolean set_io_error(const char *what, GError **error)
{
    g_set_error(error, STROBE_ERROR, STROBE_ERROR_IO, "Cannot %s the scratch file: %s", what,
                g_strerror(errno));
    return FALSE;
}

static gboolean write_all(int fd, const char *bytes, gsize n, GError **error)
{
    while (n) {
        gssize done = write(fd, bytes, n);

        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return set_io_error("write", error);
        bytes += done;
        n -= (gsize)done;
    }
    return TRUE;
}

/* Writes what is in memory as one sorted run. */
static gboolean spill(StrobeRecordSorter *s, GError **error)
{
    g_autoptr(GByteArray) out = g_byte_array_new();

    if (s->scratch < 0) {
        errno = ENOSPC;
        return set_io_error("write", error);
    }
    sort_memory(s);
    g_array_append_val(s->starts, s->written);
    for (guint i = 0; i < s->order->len; i++) {
        const struct entry *entry =
            (const void *)(s->memory->data + g_array_index(s->order, gsize, i));

        g_byte_array_append(out, (const void *)entry, (guint)entry_bytes(entry));
        if (out->len < RUN_BUFFER && i + 1 < s->order->len)
            continue;
        if (!write_all(s->scratch, (const char *)out->data, out->len, error))
            return FALSE;
        s->written += out->len;
        g_byte_array_set_size(out, 0);
    }
    g_byte_array_set_size(s->memory, 0);
    g_array_set_size(s->order, 0);
    return TRUE;
}

guint64 *strobe_record_sorter_add(StrobeRecordSorter *s, gint64 begin, gint64 end, guint32 words,
                                  GError **error)
{
    gsize at = s->memory->len;
    struct entry entry = {begin, end, words};

    g_return_val_if_fail(words <= RECORD_WORDS_MAX && !s->is_reading, NULL);
    if (at + s->order->len * sizeof(gsize) > s->limit) {
        if (!spill(s, error))
            return NULL;
        at = 0;
    }
    g_byte_array_set_size(s->memory, (guint)(at + entry_bytes(&entry)));
    memcpy(s->memory->data + at, &entry, sizeof entry);
    g_array_append_val(s->order, at);
    return (guint64 *)(void *)(s->memory->data + at + sizeof entry);
}

/* ---- merging ---- */

/* Reads on until the next entry is whole in the buffer. */
static gboolean fill(StrobeRecordSorter *s, struct run *run, GError **error)
{
    gsize left = run->used - run->taken;

    memmove(run->buffer, run->buffer + run->taken, left);
    run->used = left;
    run->taken = 0;
    while (run->used < RUN_BUFFER && run->at < run->until) {
        gsize room = (gsize)MIN(RUN_BUFFER - run->used, run->until - run->at);
        gssize done = pread(s->scratch, run->buffer + run->used, room, (off_t)run->at);

        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return set_io_error("read", error);
        run->used += (gsize)done;
        run->at += (guint64)done;
    }
    return TRUE;
}

static gboolean advance(StrobeRecordSorter *s, struct run *run, GError **error)
{
    const struct entry *entry = (const void *)(run->buffer + run->taken);
    gsize left = run->used - run->taken;

    if (left < sizeof *entry || left < entry_bytes(entry)) {
        if (!fill(s, run, error))
            return FALSE;
        entry = (const void *)run->buffer;
    }
    run->head = run->used - run->taken >= sizeof *entry ? entry : NULL;
    if (run->head)
        run->taken += entry_bytes(entry);
    return TRUE;
}

static gboolean is_before(const struct run *a, const struct run *b)
{
    int order = compare(a->head, b->head);

    return order ? order < 0 : a->number < b->number;
}

static void sink(GPtrArray *heap, guint at)
{
    struct run **runs = (struct run **)heap->pdata;

    for (;;) {
        guint least = at;

        for (guint child = 2 * at + 1; child <= 2 * at + 2 && child < heap->len; child++)
            if (is_before(runs[child], runs[least]))
                least = child;
        if (least == at)
            return;
        struct run *other = runs[at];
        runs[at] = runs[least];
        runs[least] = other;
        at = least;
    }
}

static gboolean begin_merge(StrobeRecordSorter *s, GError **error)
{
    s->runs = g_new0(struct run, s->starts->len);
    for (guint i = 0; i < s->starts->len; i++) {
        struct run *run = &s->runs[i];

        run->number = i;
        run->at = g_array_index(s->starts, guint64, i);
        run->until = i + 1 < s->starts->len ? g_array_index(s->starts, guint64, i + 1) : s->written;
        run->buffer = g_malloc(RUN_BUFFER);
        if (!advance(s, run, error))
            return FALSE;
        if (run->head)
            g_ptr_array_add(s->heap, run);
    }
    for (guint i = s->heap->len / 2; i-- > 0;)
        sink(s->heap, i);
    return TRUE;
}

static gboolean begin_reading(StrobeRecordSorter *s, GError **error)
{
    s->is_reading = TRUE;
    if (s->starts->len == 0) {
        sort_memory(s);
        return TRUE;
    }
    if (s->order->len && !spill(s, error))
        return FALSE;
    g_byte_array_unref(s->memory);
    s->memory = g_byte_array_new();
    return begin_merge(s, error);
}

/* The run whose head was given out last goes on. */
static gboolean step(StrobeRecordSorter *s, GError **error)
{
    struct run *run = g_ptr_array_index(s->heap, 0);

    if (!advance(s, run, error))
        return FALSE;
    if (!run->head)
        g_ptr_array_remove_index_fast(s->heap, 0);
    sink(s->heap, 0);
    return TRUE;
}

const guint64 *strobe_record_sorter_next(StrobeRecordSorter *s, guint32 *words, GError **error)
{
    const struct entry *entry = NULL;

    if (!s->is_reading) {
        if (!begin_reading(s, error))
            return NULL;
    } else if (s->heap->len && !step(s, error)) {
        return NULL;
    }
    if (s->starts->len == 0 && s->next < s->order->len)
        entry = (const void *)(s->memory->data + g_array_index(s->order, gsize, s->next++));
    else if (s->heap->len)
        entry = ((struct run *)g_ptr_array_index(s->heap, 0))->head;
    if (!entry)
        return NULL;
    *words = (guint32)entry->words;
    return (const guint64 *)(const void *)(entry + 1);
}
