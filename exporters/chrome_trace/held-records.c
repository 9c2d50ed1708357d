/* SPDX-License-Identifier: Apache-2.0 */
#include "held-records.h"

#include <errno.h>
#include <string.h>

/*
 * An entry: number of the kind, masks of the words that differ from those of the record before of
 * that kind in the chunk (or from zeros), those words. Or HELD_TEXT and how many bytes.
 */
#define HELD_TEXT G_MAXUINT32

enum { ROW, TRACK, NAME, FLAGS, BEGIN, DURATION = BEGIN + 2, FIELDS = DURATION + 2 };

#define WORDS_MAX (FIELDS + STROBE_KIND_FIELDS_MAX * 2)
#define MASKS(n_) (((n_) + 31) / 32)
#define ENTRY_MAX ((1 + MASKS(WORDS_MAX) + WORDS_MAX) * sizeof(guint32))

/* The record before of a kind. */
typedef struct Last {
    guint32 chunk; /* that it is of; another one: all is zero */
    guint32 n;     /* words */
    gint64 begin_ns;
    guint32 words[];
} Last;

typedef struct Chunk {
    char *bytes;    /* NULL: in the file */
    guint64 offset; /* there */
    guint32 length;
} Chunk;

struct HeldLog {
    HeldStore *store;
    GArray *chunks;   /* complete ones */
    GPtrArray *lasts; /* by number of the kind */
    guint32 chunk;
    gsize used;
    char bytes[HELD_CHUNK];
};

/* ---- what differs ---- */

static Last *begin_last(GPtrArray *lasts, const HeldStore *store, guint32 kind, guint32 chunk)
{
    Last *last;

    if (kind >= lasts->len)
        g_ptr_array_set_size(lasts, (gint)kind + 1);
    last = lasts->pdata[kind];
    if (!last) {
        const guint32 n = g_array_index(store->kinds, guint32, kind);

        last = lasts->pdata[kind] = g_malloc(sizeof *last + (gsize)n * sizeof *last->words);
        last->n = n;
    }
    last->chunk = chunk;
    last->begin_ns = 0;
    memset(last->words, 0, last->n * sizeof *last->words);
    return last;
}

static inline Last *last_of(GPtrArray *lasts, const HeldStore *store, guint32 kind, guint32 chunk)
{
    Last *last = kind < lasts->len ? lasts->pdata[kind] : NULL;

    return last && last->chunk == chunk ? last : begin_last(lasts, store, kind, chunk);
}

static guint32 get(const char **at)
{
    guint32 word;

    memcpy(&word, *at, sizeof word);
    *at += sizeof word;
    return word;
}

static char *put(char *at, guint32 word)
{
    memcpy(at, &word, sizeof word);
    return at + sizeof word;
}

/* A pair of words, which become those of the record before; most are equal. */
static inline char *put_pair(char *restrict at, guint32 *restrict last, const char *restrict pair,
                             guint32 *restrict mask, guint bit)
{
    guint64 before, now;
    guint32 words[2], differs[2];

    memcpy(&before, last, sizeof before);
    memcpy(&now, pair, sizeof now);
    if (before == now)
        return at;
    memcpy(words, pair, sizeof words);
    differs[0] = words[0] != last[0];
    differs[1] = words[1] != last[1];
    memcpy(last, words, sizeof words);
    memcpy(at, &words[0], sizeof *words);
    at += differs[0] * sizeof *words;
    memcpy(at, &words[1], sizeof *words);
    *mask |= differs[0] << bit | differs[1] << (bit + 1);
    return at + differs[1] * sizeof *words;
}

/* The words of the head, and the fields. */
static char *put_all(char *at, Last *last, const guint32 *head, const char *fields)
{
    char *masks = at;
    guint32 mask = 0;

    at += MASKS(last->n) * sizeof(guint32);
    for (guint i = 0; i < FIELDS; i += 2)
        at = put_pair(at, last->words + i, (const char *)(head + i), &mask, i);
    for (guint i = FIELDS; i < last->n; i += 2) {
        if (i % 32 == 0) {
            masks = put(masks, mask);
            mask = 0;
        }
        at = put_pair(at, last->words + i, fields + (i - FIELDS) * sizeof(guint32), &mask, i % 32);
    }
    put(masks, mask);
    return at;
}

static const char *get_all(const char *at, Last *last)
{
    const char *masks = at;

    at += MASKS(last->n) * sizeof(guint32);
    for (guint i = 0; i < last->n; i += 32)
        for (guint32 mask = get(&masks); mask; mask &= mask - 1)
            last->words[i + (guint)__builtin_ctz(mask)] = get(&at);
    return at;
}

/* ---- logs ---- */

void held_store_init(HeldStore *store, int directory, gsize most)
{
    *store = (HeldStore){
        .directory = directory, .most = most, .kinds = g_array_new(FALSE, FALSE, sizeof(guint32))};
}

void held_store_clear(HeldStore *store)
{
    strobe_safe_file_discard(store->file);
    if (store->kinds)
        g_array_unref(store->kinds);
    *store = (HeldStore){0};
}

guint32 held_store_add_kind(HeldStore *store, guint32 n_bytes)
{
    const guint32 n = FIELDS + (n_bytes + 7) / 8 * 2; /* as fields lie in a record */

    g_array_append_val(store->kinds, n);
    return store->kinds->len - 1;
}

gsize held_store_field_bytes(const HeldStore *store, guint32 kind)
{
    return (g_array_index(store->kinds, guint32, kind) - FIELDS) * sizeof(guint32);
}

HeldLog *held_log_new(HeldStore *store)
{
    HeldLog *log = g_new(HeldLog, 1);

    log->store = store;
    log->chunks = g_array_new(FALSE, FALSE, sizeof(Chunk));
    log->lasts = g_ptr_array_new_with_free_func(g_free);
    log->chunk = 1;
    log->used = 0;
    return log;
}

void held_log_free(HeldLog *log)
{
    if (!log)
        return;
    for (guint i = 0; i < log->chunks->len; i++)
        g_free(g_array_index(log->chunks, Chunk, i).bytes);
    g_array_unref(log->chunks);
    g_ptr_array_unref(log->lasts);
    g_free(log);
}

static void put_into_file(HeldStore *store, Chunk *chunk, const char *bytes)
{
    if (!store->file && !store->error) {
        store->file = strobe_safe_file_plain_scratch(store->directory);
        store->error = store->file ? 0 : errno;
    }
    if (store->error)
        return;
    chunk->offset = strobe_safe_file_size(store->file);
    store->error = strobe_safe_file_write(store->file, bytes, chunk->length);
}

static void end_chunk(HeldLog *log)
{
    HeldStore *store = log->store;
    Chunk chunk = {.length = (guint32)log->used};

    if (!log->used)
        return;
    if (store->used + log->used <= store->most) {
        chunk.bytes = g_memdup2(log->bytes, log->used);
        store->used += log->used;
    } else {
        put_into_file(store, &chunk, log->bytes);
    }
    g_array_append_val(log->chunks, chunk);
    log->chunk++;
    log->used = 0;
}

void held_log_add(HeldLog *log, guint32 kind, guint32 row, const StrobeView *view)
{
    guint32 head[FIELDS] = {
        [ROW] = row, [TRACK] = view->track, [NAME] = view->name, [FLAGS] = view->flags};
    gint64 times[2];
    Last *last;
    char *at;

    if (log->used + ENTRY_MAX > HELD_CHUNK)
        end_chunk(log);
    last = last_of(log->lasts, log->store, kind, log->chunk);
    times[0] = (gint64)((guint64)view->begin_ns - (guint64)last->begin_ns);
    times[1] = (gint64)((guint64)view->end_ns - (guint64)view->begin_ns);
    memcpy(head + BEGIN, times, sizeof times);
    last->begin_ns = view->begin_ns;
    at = put_all(put(log->bytes + log->used, kind), last, head, view->fields);
    log->used = (gsize)(at - log->bytes);
}

void held_log_add_text(HeldLog *log, guint64 n)
{
    char *at;

    if (log->used + ENTRY_MAX > HELD_CHUNK)
        end_chunk(log);
    at = put(log->bytes + log->used, HELD_TEXT);
    memcpy(at, &n, sizeof n);
    log->used = (gsize)(at + sizeof n - log->bytes);
}

guint held_log_n_chunks(HeldLog *log)
{
    end_chunk(log);
    return log->chunks->len;
}

int held_log_read(HeldLog *log, guint i, char *bytes, gsize *length)
{
    const Chunk *chunk = &g_array_index(log->chunks, Chunk, i);
    HeldStore *store = log->store;

    *length = chunk->length;
    if (chunk->bytes)
        memcpy(bytes, chunk->bytes, chunk->length);
    else if (!store->error)
        store->error = strobe_safe_file_read(store->file, chunk->offset, bytes, chunk->length);
    return store->error;
}

/* ---- going through one ---- */

void held_reader_init(HeldReader *reader, const HeldStore *store)
{
    *reader = (HeldReader){.store = store, .lasts = g_ptr_array_new_with_free_func(g_free)};
}

void held_reader_clear(HeldReader *reader)
{
    if (reader->lasts)
        g_ptr_array_unref(reader->lasts);
    *reader = (HeldReader){0};
}

void held_reader_begin(HeldReader *reader, const char *bytes, gsize length)
{
    reader->at = bytes;
    reader->end = bytes + length;
    reader->chunk++;
}

gboolean held_reader_next(HeldReader *reader, HeldEntry *entry)
{
    gint64 times[2];
    Last *last;

    if (reader->at == reader->end)
        return FALSE;
    entry->kind = get(&reader->at);
    entry->n_text = 0;
    if (entry->kind == HELD_TEXT) {
        memcpy(&entry->n_text, reader->at, sizeof entry->n_text);
        reader->at += sizeof entry->n_text;
        return TRUE;
    }
    last = last_of(reader->lasts, reader->store, entry->kind, reader->chunk);
    reader->at = get_all(reader->at, last);
    memcpy(times, last->words + BEGIN, sizeof times);
    last->begin_ns = (gint64)((guint64)last->begin_ns + (guint64)times[0]);
    entry->row = last->words[ROW];
    entry->view = (StrobeView){.fields = last->words + FIELDS,
                               .begin_ns = last->begin_ns,
                               .end_ns = (gint64)((guint64)last->begin_ns + (guint64)times[1]),
                               .track = last->words[TRACK],
                               .name = last->words[NAME],
                               .flags = last->words[FLAGS]};
    return TRUE;
}
