/* SPDX-License-Identifier: Apache-2.0 */
#include "item-sorter.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RUN_ITEMS 1024u

/* A sorted stretch of the file while it is merged. */
typedef struct Run {
    guint64 at, until; /* items in the file that are not in the buffer yet */
    SortItem *buffer;
    guint used, next;
} Run;

struct ItemSorter {
    int scratch;
    gsize room; /* items that memory may hold */
    GArray *items;
    GArray *ends; /* of guint64: where each run ends, in items */
    guint64 n;
    Run *runs; /* while merging */
    guint *heap;
    guint n_heap;
    gsize next; /* without runs */
    gboolean is_reading;
};

ItemSorter *item_sorter_new(int scratch, gsize memory_bytes)
{
    ItemSorter *s = g_new0(ItemSorter, 1);

    s->scratch = scratch;
    s->room = MAX(memory_bytes / sizeof(SortItem), 2 * RUN_ITEMS);
    s->items = g_array_new(FALSE, FALSE, sizeof(SortItem));
    s->ends = g_array_new(FALSE, FALSE, sizeof(guint64));
    return s;
}

void item_sorter_free(ItemSorter *s)
{
    if (!s)
        return;
    for (guint i = 0; s->runs && i < s->ends->len; i++)
        g_free(s->runs[i].buffer);
    g_free(s->runs);
    g_free(s->heap);
    g_array_unref(s->items);
    g_array_unref(s->ends);
    if (s->scratch >= 0)
        close(s->scratch);
    g_free(s);
}

static int compare(const void *x, const void *y)
{
    const SortItem *a = x, *b = y;

    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    if (a->time != b->time)
        return a->time < b->time ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

static void sort_items(ItemSorter *s)
{
    if (s->items->len)
        qsort(s->items->data, s->items->len, sizeof(SortItem), compare);
}

static gboolean write_all(int fd, const char *bytes, gsize n)
{
    while (n) {
        gssize done = write(fd, bytes, n);

        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return FALSE;
        bytes += done;
        n -= (gsize)done;
    }
    return TRUE;
}

static gboolean spill(ItemSorter *s)
{
    guint64 end = s->items->len;

    if (s->scratch < 0) {
        errno = ENOSPC;
        return FALSE;
    }
    if (s->ends->len)
        end += g_array_index(s->ends, guint64, s->ends->len - 1);
    sort_items(s);
    if (!write_all(s->scratch, s->items->data, s->items->len * sizeof(SortItem)))
        return FALSE;
    g_array_append_val(s->ends, end);
    g_array_set_size(s->items, 0);
    return TRUE;
}

gboolean item_sorter_add(ItemSorter *s, const SortItem *item)
{
    SortItem added = *item;

    added.order = s->n++;
    if (s->items->len >= s->room && !spill(s))
        return FALSE;
    g_array_append_val(s->items, added);
    return TRUE;
}

/* ---- merging ---- */

static gboolean fill(ItemSorter *s, Run *run)
{
    gsize wanted = (gsize)MIN(RUN_ITEMS, run->until - run->at) * sizeof(SortItem), n = 0;

    while (n < wanted) {
        gssize done = pread(s->scratch, (char *)run->buffer + n, wanted - n,
                            (off_t)(run->at * sizeof(SortItem) + n));

        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0) {
            errno = done ? errno : EIO;
            return FALSE;
        }
        n += (gsize)done;
    }
    run->used = (guint)(wanted / sizeof(SortItem));
    run->next = 0;
    run->at += run->used;
    return TRUE;
}

static const SortItem *head(const ItemSorter *s, guint at)
{
    const Run *run = &s->runs[s->heap[at]];

    return &run->buffer[run->next];
}

static void sink(ItemSorter *s, guint at)
{
    for (;;) {
        guint least = at;

        for (guint child = 2 * at + 1; child <= 2 * at + 2 && child < s->n_heap; child++)
            if (compare(head(s, child), head(s, least)) < 0)
                least = child;
        if (least == at)
            return;
        guint other = s->heap[at];
        s->heap[at] = s->heap[least];
        s->heap[least] = other;
        at = least;
    }
}

static gboolean begin_reading(ItemSorter *s)
{
    s->is_reading = TRUE;
    if (s->ends->len == 0) {
        sort_items(s);
        return TRUE;
    }
    if (s->items->len && !spill(s))
        return FALSE;
    s->runs = g_new0(Run, s->ends->len);
    s->heap = g_new0(guint, s->ends->len);
    for (guint i = 0; i < s->ends->len; i++) {
        s->runs[i].at = i ? g_array_index(s->ends, guint64, i - 1) : 0;
        s->runs[i].until = g_array_index(s->ends, guint64, i);
        s->runs[i].buffer = g_new(SortItem, RUN_ITEMS);
        if (!fill(s, &s->runs[i]))
            return FALSE;
        s->heap[s->n_heap++] = i;
    }
    for (guint i = s->n_heap / 2; i-- > 0;)
        sink(s, i);
    return TRUE;
}

gboolean item_sorter_next(ItemSorter *s, SortItem *item)
{
    if (!s->is_reading && !begin_reading(s))
        return FALSE;
    errno = 0;
    if (s->ends->len == 0) {
        if (s->next == s->items->len)
            return FALSE;
        *item = g_array_index(s->items, SortItem, s->next++);
        return TRUE;
    }
    if (s->n_heap == 0)
        return FALSE;
    Run *run = &s->runs[s->heap[0]];
    *item = run->buffer[run->next++];
    if (run->next == run->used) {
        if (run->at == run->until)
            s->heap[0] = s->heap[--s->n_heap];
        else if (!fill(s, run))
            return FALSE;
    }
    sink(s, 0);
    return TRUE;
}
