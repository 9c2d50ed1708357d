/* SPDX-License-Identifier: Apache-2.0 */
#include "trace-sorter.h"

/*
 * A record: TAG_RECORD, the number of its kind, masks of the words in which it differs from the
 * first record of that kind, these words.
 */
#define TAG_RECORD 0u /* an event's text begins with a separator */

enum { ROW, TRACK, NAME, FLAGS, BEGIN, DURATION = BEGIN + 2, FIELDS = DURATION + 2 };

#define WORDS_MAX (FIELDS + STROBE_KIND_FIELDS_MAX * 2)
#define HEAD 2u /* words: tag, kind */
#define MASKS(n_) (((n_) + 31) / 32)

void trace_sorter_init(TraceSorter *sorter, const StrobeFacts *facts, const HeldStore *store)
{
    *sorter =
        (TraceSorter){.rows = strobe_row_sorter_new_plain(facts->scratch, facts->memory_bytes),
                      .store = store,
                      .firsts = g_ptr_array_new_with_free_func(g_free)};
}

void trace_sorter_clear(TraceSorter *sorter)
{
    strobe_row_sorter_free(sorter->rows);
    if (sorter->firsts)
        g_ptr_array_unref(sorter->firsts);
    *sorter = (TraceSorter){0};
}

static void add(TraceSorter *sorter, gint64 key, const void *bytes, gsize length)
{
    sorter->has_events = TRUE;
    if (!sorter->error)
        sorter->error = strobe_row_sorter_add(sorter->rows, (StrobeRowKey){0, key}, bytes, length);
}

void trace_sorter_add(TraceSorter *sorter, gint64 key, const TraceOut *event)
{
    add(sorter, key, event->bytes, event->used);
}

/* Bits of a double are in its order, negative ones but for their sign. */
gint64 trace_sorter_key_of_time(gint64 time_ns)
{
    double us = (double)((long double)time_ns / 1000.0L);
    gint64 bits;

    memcpy(&bits, &us, sizeof bits);
    return bits < 0 ? G_MININT64 - bits : bits;
}

/* The first record of a kind. */
typedef struct First {
    guint n; /* words */
    guint32 words[];
} First;

static const First *first_of(const TraceSorter *sorter, guint32 kind)
{
    return kind < sorter->firsts->len ? sorter->firsts->pdata[kind] : NULL;
}

static const First *make_first(TraceSorter *sorter, guint32 kind, const guint32 *head,
                               const StrobeView *record)
{
    const gsize n_bytes = held_store_field_bytes(sorter->store, kind);
    First *first = g_malloc(sizeof *first + FIELDS * sizeof *head + n_bytes);

    first->n = FIELDS + (guint)(n_bytes / sizeof *head);
    memcpy(first->words, head, FIELDS * sizeof *head);
    if (n_bytes)
        memcpy(first->words + FIELDS, record->fields, n_bytes);
    if (kind >= sorter->firsts->len)
        g_ptr_array_set_size(sorter->firsts, (gint)kind + 1);
    sorter->firsts->pdata[kind] = first;
    return first;
}

/* Puts the words of a pair that differ from those of the first record; most pairs are equal. */
static inline guint32 *put_pair(guint32 *restrict at, const char *restrict pair,
                                const guint32 *restrict first, guint32 *restrict mask, guint bit)
{
    guint64 now, then;
    guint32 words[2], differs[2];

    memcpy(&now, pair, sizeof now);
    memcpy(&then, first, sizeof then);
    if (now == then)
        return at;
    memcpy(words, pair, sizeof words);
    differs[0] = words[0] != first[0];
    differs[1] = words[1] != first[1];
    *mask |= differs[0] << bit | differs[1] << (bit + 1);
    *at = words[0];
    at += differs[0];
    *at = words[1];
    return at + differs[1];
}

void trace_sorter_add_record(TraceSorter *sorter, gint64 key, guint32 kind, guint32 row,
                             const StrobeView *record)
{
    const guint64 duration = (guint64)record->end_ns - (guint64)record->begin_ns;
    const First *first = first_of(sorter, kind);
    guint32 head[FIELDS] = {
        [ROW] = row, [TRACK] = record->track, [NAME] = record->name, [FLAGS] = record->flags};
    guint32 bytes[HEAD + MASKS(WORDS_MAX) + WORDS_MAX]; /* few of which are used */
    guint32 *masks = bytes + HEAD, *at;
    const char *fields = record->fields;

    bytes[0] = TAG_RECORD;
    bytes[1] = kind;
    memcpy(head + BEGIN, &record->begin_ns, sizeof record->begin_ns);
    memcpy(head + DURATION, &duration, sizeof duration);
    if (G_UNLIKELY(!first))
        first = make_first(sorter, kind, head, record);
    at = masks + MASKS(first->n);
    memset(masks, 0, MASKS(first->n) * sizeof *masks);
    for (guint i = 0; i < FIELDS; i += 2)
        at = put_pair(at, (const char *)(head + i), first->words + i, masks, i);
    for (guint i = FIELDS; i < first->n; i += 2)
        at = put_pair(at, fields + (i - FIELDS) * sizeof *at, first->words + i, &masks[i / 32],
                      i % 32);
    add(sorter, key, bytes, (gsize)((char *)at - (char *)bytes));
}

void trace_sorter_finish(TraceSorter *sorter, StrobeSink sink, void *user)
{
    if (!sorter->error)
        sorter->error = strobe_row_sorter_finish(sorter->rows, sink, user);
}

/* ---- what a row says ---- */

static guint32 word_at(const char *bytes, gsize i)
{
    guint32 word;

    memcpy(&word, bytes + i * sizeof word, sizeof word);
    return word;
}

guint trace_sorter_n_words(const TraceSorter *sorter, const char *bytes)
{
    return *bytes == TAG_RECORD ? first_of(sorter, word_at(bytes, 1))->n : 0;
}

void trace_sorter_read(const TraceSorter *sorter, TraceSorted *sorted, const char *bytes,
                       guint32 *words)
{
    const guint32 kind = word_at(bytes, 1);
    const First *first = first_of(sorter, kind);
    const guint n = first->n;
    gsize at = HEAD + MASKS(n);
    guint64 duration;

    memcpy(words, first->words, n * sizeof *words);
    for (guint i = 0; i < n; i += 32)
        for (guint32 mask = word_at(bytes, HEAD + i / 32); mask; mask &= mask - 1)
            words[i + (guint)__builtin_ctz(mask)] = word_at(bytes, at++);
    *sorted = (TraceSorted){.kind = kind, .row = words[ROW]};
    memcpy(&sorted->view.begin_ns, words + BEGIN, sizeof sorted->view.begin_ns);
    memcpy(&duration, words + DURATION, sizeof duration);
    sorted->view.end_ns = (gint64)((guint64)sorted->view.begin_ns + duration);
    sorted->view.track = words[TRACK];
    sorted->view.name = words[NAME];
    sorted->view.flags = words[FLAGS];
    sorted->view.fields = words + FIELDS;
}
