/* SPDX-License-Identifier: Apache-2.0 */
#include "record-sorter.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include "error.h"
#include "item-order.h"
#include "resources.h"

#define READ_BYTES_MIN (64u << 10) /* of one run while it is merged */
#define READ_BYTES_MAX (4u << 20)
#define RECORD_WORDS_MAX 128u
#define LIMIT_MIN (64u << 10)
#define PLAIN_LIMITS 4u /* of the file: not packed, which takes longer than all the rest */
#define ITEM_BYTES_MIN (3 * 8 + sizeof(StrobeSortItem)) /* of the smallest record, in all */

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
    StrobeRecordKeyOf key_of;
    gconstpointer user;
    gsize limit;
    guint64 *words; /* of the records in memory; at most limit */
    gsize n_words;
    StrobeItemOrder order; /* of the records; its items are at most half of the limit */
    GArray *starts;        /* of guint64, of the runs in the file */
    gboolean is_reading;
    struct run *runs;
    gsize read_bytes; /* of a run's buffer */
    GPtrArray *heap;  /* of struct run, the least head first */
};

/* Address space for all that may come; pages, large where that works, as they are used. NULL if it
 * is not to be had. */
static void *reserve(gsize bytes)
{
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (at == MAP_FAILED)
        return NULL;
    madvise(at, bytes, MADV_HUGEPAGE);
    return at;
}

static void release(void *at, gsize bytes)
{
    if (at)
        munmap(at, bytes);
}

static gsize items_bytes(const StrobeRecordSorter *s)
{
    return s->limit / ITEM_BYTES_MIN * sizeof(StrobeSortItem) + sizeof(StrobeSortItem);
}

static void release_memory(StrobeRecordSorter *s)
{
    release(s->words, s->limit + RECORD_WORDS_MAX * 8);
    release(s->order.items, items_bytes(s));
    s->words = NULL;
    s->order.items = NULL;
}

StrobeRecordSorter *strobe_record_sorter_new(const char *folder, gsize memory_bytes,
                                             StrobeRecordKeyOf key_of, gconstpointer user)
{
    StrobeRecordSorter *s = g_new0(StrobeRecordSorter, 1);

    s->folder = g_strdup(folder);
    s->key_of = key_of;
    s->user = user;
    strobe_item_order_init(&s->order);
    s->starts = g_array_new(FALSE, FALSE, sizeof(guint64));
    s->heap = g_ptr_array_new();
    for (s->limit = MAX(memory_bytes, LIMIT_MIN);; s->limit /= 2) {
        s->words = reserve(s->limit + RECORD_WORDS_MAX * 8);
        s->order.items = reserve(items_bytes(s));
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
                strobe_resources_folder(s->folder), g_strerror(number));
    return FALSE;
}

/* ---- in memory ---- */

static const guint64 *words_of(const StrobeRecordSorter *s, const StrobeSortItem *item, guint32 *n)
{
    *n = (guint32)(item->place % 256);
    return s->words + item->place / 256;
}

/* ---- the scratch file ---- */

/* Writes what is in memory as one sorted run. */
static gboolean spill(StrobeRecordSorter *s, GError **error)
{
    const StrobeSortItem *item;
    guint64 start;
    int number = 0;

    if (!s->scratch)
        s->scratch = strobe_resources_packed_scratch(s->folder, PLAIN_LIMITS * (guint64)s->limit);
    if (!s->scratch)
        return set_io_error(s, "write", errno, error);
    start = strobe_safe_file_size(s->scratch);
    g_array_append_val(s->starts, start);
    strobe_item_order_begin(&s->order);
    while (!number && (item = strobe_item_order_next(&s->order))) {
        guint32 n;
        const guint64 *words = words_of(s, item, &n);

        number = strobe_safe_file_write(s->scratch, (const char *)words, n * 8);
    }
    s->n_words = 0;
    strobe_item_order_forget(&s->order);
    return number ? set_io_error(s, "write", number, error) : TRUE;
}

/* Sorting all of it takes as much again for the items. */
static gboolean has_room(const StrobeRecordSorter *s)
{
    gsize n = strobe_item_order_n(&s->order);
    gsize bytes = s->n_words * 8 + n * sizeof(StrobeSortItem);

    if (!strobe_item_order_is_near(&s->order))
        bytes += n * sizeof(StrobeSortItem);
    return bytes < s->limit && n < s->limit / ITEM_BYTES_MIN;
}

guint64 *strobe_record_sorter_add(StrobeRecordSorter *s, gint64 begin, gint64 end, guint32 words,
                                  GError **error)
{
    const StrobeSortItem item = {end, begin, s->n_words * 256 + words};
    guint64 *at = s->words + s->n_words;

    g_return_val_if_fail(words <= RECORD_WORDS_MAX && !s->is_reading, NULL);
    if (G_UNLIKELY(!s->words || !s->order.items)) {
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_IO, "No memory to sort records in");
        return NULL;
    }
    if (G_UNLIKELY(!has_room(s)))
        return spill(s, error) ? strobe_record_sorter_add(s, begin, end, words, error) : NULL;
    strobe_item_order_add(&s->order, &item);
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

static void advance_in_memory(StrobeRecordSorter *s, struct run *run)
{
    const StrobeSortItem *item = strobe_item_order_next(&s->order);

    run->head = NULL;
    if (!item)
        return;
    run->key.begin = item->begin;
    run->key.end = item->end;
    run->head = words_of(s, item, &run->key.words);
}

/* To the run's next record; none behind the last. */
static gboolean advance(StrobeRecordSorter *s, struct run *run, GError **error)
{
    if (run->is_in_memory) {
        advance_in_memory(s, run);
        return TRUE;
    }
    if (run->used - run->taken < RECORD_WORDS_MAX * 8 && run->at < run->until &&
        !fill(s, run, error))
        return FALSE;
    run->head = NULL;
    if (run->used == run->taken)
        return TRUE;
    run->head = (const guint64 *)(const void *)(run->buffer + run->taken);
    run->key = s->key_of(s->user, run->head);
    run->taken += run->key.words * 8;
    return TRUE;
}

static gboolean is_before(const struct run *a, const struct run *b)
{
    const StrobeRecordKey *x = &a->key, *y = &b->key;

    if (x->end != y->end)
        return x->end < y->end;
    return x->begin != y->begin ? x->begin > y->begin : a->number < b->number;
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
    const StrobeSortItem *item;
    const struct run *run;

    if (!s->is_reading) {
        if (!begin_reading(s, error))
            return NULL;
    } else if (s->heap->len && !step(s, error)) {
        return NULL;
    }
    if (s->starts->len == 0)
        return (item = strobe_item_order_next(&s->order)) ? words_of(s, item, words) : NULL;
    if (s->heap->len == 0)
        return NULL;
    run = g_ptr_array_index(s->heap, 0);
    *words = run->key.words;
    return run->head;
}
