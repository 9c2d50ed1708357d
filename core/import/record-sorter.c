/* SPDX-License-Identifier: Apache-2.0 */
#include "record-sorter.h"

#include <errno.h>
#include <string.h>
#include "error.h"
#include "item-order.h"
#include "reserved-memory.h"
#include "memory-limit.h"

#define READ_BYTES_MIN (64u << 10) /* of one run while it is merged */
#define READ_BYTES_MAX (4u << 20)
#define RECORD_WORDS_MAX 128u
#define LIMIT_MIN (64u << 10)
#define LIMIT_MAX (STROBE_ITEM_PLACES / 2 * 8)
#define PLAIN_LIMITS 4u /* of the file: not packed, which takes longer than all the rest */
#define ITEM_BYTES_MIN (3 * 8 + sizeof(guint32)) /* of the smallest record, in all */

/* A sorted stretch of the file while it is merged. */
struct run {
    guint64 at, until; /* in the file: what is not in the buffer yet */
    char *buffer;
    gsize used, taken;
    const guint64 *head; /* NULL: exhausted */
    StrobeRecordKey key; /* of the head */
    guint number;
    gboolean is_in_memory; /* what was not written any more: the last one */
};

struct StrobeRecordSorter {
    char *folder;
    StrobeSafeFile *scratch; /* NULL: not needed yet */
    gsize limit;             /* of bytes that records may take */
    guint64 *words;          /* of the records in memory; at most limit */
    gsize n_words;
    StrobeItemOrder order; /* of the records; its items are at most a seventh of the limit */
    GArray *starts;        /* of guint64, of the runs in the file */
    gboolean is_reading;
    struct run *runs;
    gsize read_bytes; /* of a run's buffer */
    GPtrArray *heap;  /* of struct run, the least head first */
};

static gsize items_bytes(const StrobeRecordSorter *s)
{
    return (s->limit / ITEM_BYTES_MIN + 1) * sizeof(guint32);
}

static gsize words_bytes(const StrobeRecordSorter *s)
{
    return s->limit + RECORD_WORDS_MAX * 8;
}

static void release_memory(StrobeRecordSorter *s)
{
    strobe_memory_release(s->words, words_bytes(s));
    strobe_memory_release(s->order.items, items_bytes(s));
    s->words = NULL;
    s->order.items = NULL;
}

StrobeRecordSorter *strobe_record_sorter_new(const char *folder, gsize memory_bytes,
                                             const guint8 *ends)
{
    StrobeRecordSorter *s = g_new0(StrobeRecordSorter, 1);

    s->folder = g_strdup(folder);
    strobe_item_order_init(&s->order, ends);
    s->starts = g_array_new(FALSE, FALSE, sizeof(guint64));
    s->heap = g_ptr_array_new();
    for (s->limit = CLAMP(memory_bytes, LIMIT_MIN, LIMIT_MAX);; s->limit /= 2) {
        s->order.words = s->words = strobe_memory_reserve(words_bytes(s));
        s->order.items = strobe_memory_reserve(items_bytes(s));
        if ((s->words && s->order.items) || s->limit <= LIMIT_MIN)
            return s;
        release_memory(s);
    }
}

void strobe_record_sorter_free(StrobeRecordSorter *s)
{
    if (!s)
        return;
    for (guint i = 0; s->runs && i < s->starts->len; i++)
        g_free(s->runs[i].buffer);
    g_free(s->runs);
    g_ptr_array_unref(s->heap);
    release_memory(s);
    g_array_unref(s->starts);
    strobe_item_order_clear(&s->order);
    strobe_safe_file_discard(s->scratch);
    g_free(s->folder);
    g_free(s);
}

static gboolean set_io_error(const StrobeRecordSorter *s, const char *what, int number,
                             GError **error)
{
    g_set_error(error, STROBE_ERROR, STROBE_ERROR_IO,
                "Cannot %s records in the folder for temporary files: %s: %s", what,
                strobe_temporary_folder(s->folder), g_strerror(number));
    return FALSE;
}

/* ---- the scratch file ---- */

/* Records in order; those that lie one behind the other go at once. */
static int write_ordered(StrobeRecordSorter *s)
{
    const guint64 *begin = s->words, *end = s->words, *record;
    StrobeRecordKey key;
    int number = 0;

    strobe_item_order_begin(&s->order);
    while (!number && (record = strobe_item_order_next(&s->order, &key))) {
        if (record != end) {
            number =
                strobe_safe_file_write(s->scratch, (const char *)begin, (gsize)(end - begin) * 8);
            begin = record;
        }
        end = record + key.words;
    }
    return number
               ? number
               : strobe_safe_file_write(s->scratch, (const char *)begin, (gsize)(end - begin) * 8);
}

/* Writes what is in memory as one sorted run. */
static gboolean spill(StrobeRecordSorter *s, GError **error)
{
    guint64 start;
    int number;

    if (!s->scratch)
        s->scratch = strobe_temporary_packed_file(s->folder, PLAIN_LIMITS * (guint64)s->limit);
    if (!s->scratch)
        return set_io_error(s, "write", errno, error);
    start = strobe_safe_file_size(s->scratch);
    g_array_append_val(s->starts, start);
    number = write_ordered(s);
    s->n_words = 0;
    strobe_item_order_forget(&s->order);
    return number ? set_io_error(s, "write", number, error) : TRUE;
}

static gboolean has_room(const StrobeRecordSorter *s)
{
    gsize n = strobe_item_order_n(&s->order);
    gsize bytes = s->n_words * 8 + n * sizeof(guint32);

    if (!strobe_item_order_is_near(&s->order))
        bytes += n * STROBE_ITEM_SORT_BYTES;
    return bytes < s->limit && n < s->limit / ITEM_BYTES_MIN;
}

guint64 *strobe_record_sorter_add(StrobeRecordSorter *s, gint64 begin, gint64 end, guint32 words,
                                  GError **error)
{
    const StrobeRecordKey key = {begin, end, words};
    guint64 *at = s->words + s->n_words;

    g_return_val_if_fail(words <= RECORD_WORDS_MAX && !s->is_reading, NULL);
    if (G_UNLIKELY(!s->words || !s->order.items)) {
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_IO, "No memory to sort records in");
        return NULL;
    }
    if (G_UNLIKELY(!has_room(s)))
        return spill(s, error) ? strobe_record_sorter_add(s, begin, end, words, error) : NULL;
    strobe_item_order_add(&s->order, &key, (guint32)s->n_words);
    s->n_words += words;
    return at;
}

/* ---- merging ---- */

/* Reads on behind what is left in the buffer. */
static gboolean fill(StrobeRecordSorter *s, struct run *run, GError **error)
{
    gsize left = run->used - run->taken, n = (gsize)MIN(s->read_bytes - left, run->until - run->at);
    int number;

    memmove(run->buffer, run->buffer + run->taken, left);
    number = strobe_safe_file_read(s->scratch, run->at, run->buffer + left, n);
    if (number)
        return set_io_error(s, "read", number, error);
    run->used = left + n;
    run->taken = 0;
    run->at += n;
    return TRUE;
}

/* To the run's next record; none behind the last. */
static gboolean advance(StrobeRecordSorter *s, struct run *run, GError **error)
{
    if (run->is_in_memory) {
        run->head = strobe_item_order_next(&s->order, &run->key);
        return TRUE;
    }
    if (run->used - run->taken < RECORD_WORDS_MAX * 8 && run->at < run->until &&
        !fill(s, run, error))
        return FALSE;
    run->head = NULL;
    if (run->used == run->taken)
        return TRUE;
    run->head = (const guint64 *)(const void *)(run->buffer + run->taken);
    run->key = strobe_record_key(s->order.ends, run->head);
    run->taken += run->key.words * 8;
    return TRUE;
}

static gboolean is_before(const struct run *a, const struct run *b)
{
    if (strobe_record_is_before(&a->key, &b->key))
        return TRUE;
    return !strobe_record_is_before(&b->key, &a->key) && a->number < b->number;
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

static gboolean begin_run(StrobeRecordSorter *s, struct run *run, GError **error)
{
    if (!advance(s, run, error))
        return FALSE;
    if (run->head)
        g_ptr_array_add(s->heap, run);
    return TRUE;
}

static gboolean begin_merge(StrobeRecordSorter *s, GError **error)
{
    guint n = s->starts->len;

    s->read_bytes = CLAMP(s->limit / 4 / n, READ_BYTES_MIN, READ_BYTES_MAX) & ~(gsize)7;
    s->runs = g_new0(struct run, n + 1);
    for (guint i = 0; i < n; i++) {
        struct run *run = &s->runs[i];

        run->number = i;
        run->at = g_array_index(s->starts, guint64, i);
        run->until = i + 1 < n ? g_array_index(s->starts, guint64, i + 1)
                               : strobe_safe_file_size(s->scratch);
        run->buffer = g_malloc(s->read_bytes);
        if (!begin_run(s, run, error))
            return FALSE;
    }
    s->runs[n].number = n;
    s->runs[n].is_in_memory = TRUE;
    strobe_item_order_begin(&s->order);
    if (!begin_run(s, &s->runs[n], error))
        return FALSE;
    for (guint i = s->heap->len / 2; i-- > 0;)
        sink(s->heap, i);
    return TRUE;
}

static gboolean begin_reading(StrobeRecordSorter *s, GError **error)
{
    s->is_reading = TRUE;
    if (s->starts->len)
        return begin_merge(s, error);
    strobe_item_order_begin(&s->order);
    return TRUE;
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
    const struct run *run;
    StrobeRecordKey key;

    if (!s->is_reading) {
        if (!begin_reading(s, error))
            return NULL;
    } else if (s->heap->len && !step(s, error)) {
        return NULL;
    }
    if (s->starts->len == 0) {
        const guint64 *record = strobe_item_order_next(&s->order, &key);

        *words = record ? key.words : 0;
        return record;
    }
    if (s->heap->len == 0)
        return NULL;
    run = g_ptr_array_index(s->heap, 0);
    *words = run->key.words;
    return run->head;
}
