/* SPDX-License-Identifier: Apache-2.0 */
#include "held-rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Of a chunk: the first, and those behind it, twice as large each. */
#define CHUNK_MIN (16u * 1024)
#define CHUNK_MAX (1024u * 1024)

#define SORT_BLOCK 8u /* rows that are sorted by moving them back */

/* A row that is put in order. */
typedef struct Row {
    StrobeRowKey key;
    const HeldRow *row;
} Row;

struct RowChunk {
    RowChunk *next;
    size_t size, used;
    char bytes[];
};

static void free_chunks(RowChunk *chunk)
{
    while (chunk) {
        RowChunk *next = chunk->next;

        free(chunk);
        chunk = next;
    }
}

static inline bool is_key_behind(StrobeRowKey a, StrobeRowKey b)
{
    return a.major != b.major ? a.major > b.major : a.minor > b.minor;
}

static inline bool is_behind(const Row *a, const Row *b)
{
    return is_key_behind(a->key, b->key);
}

static void sort_block(Row *rows, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        const Row row = rows[i];
        size_t to = i;

        for (; to && is_behind(&rows[to - 1], &row); to--)
            rows[to] = rows[to - 1];
        rows[to] = row;
    }
}

/* Both parts are sorted; of rows with the same key those of the first one come first. */
static void merge_parts(const Row *first, const Row *second, const Row *end, Row *out)
{
    const Row *a = first, *b = second;

    if (a < second && b < end && is_behind(second - 1, b))
        while (a < second && b < end)
            *out++ = is_behind(a, b) ? *b++ : *a++;
    memcpy(out, a, (size_t)(second - a) * sizeof *a);
    memcpy(out + (second - a), b, (size_t)(end - b) * sizeof *b);
}

/* What a row takes in memory: heads are aligned. */
static size_t room_of(size_t length)
{
    const size_t align = _Alignof(HeldRow);

    return sizeof(HeldRow) + (length + align - 1) / align * align;
}

/* Calls for all as they came, until a call returns an errno value. */
static int each_as_it_came(const HeldRows *rows, int (*call)(void *user, const HeldRow *row),
                           void *user)
{
    int error = 0;

    for (const RowChunk *chunk = rows->chunks; rows->n && chunk; chunk = chunk->next) {
        for (size_t at = 0; at < chunk->used && !error;) {
            const HeldRow *row = (const void *)(chunk->bytes + at);

            at += room_of((size_t)row->length);
            error = call(user, row);
        }
        if (chunk == rows->chunk)
            break; /* those behind it are kept for later */
    }
    return error;
}

static int list_row(void *user, const HeldRow *row)
{
    Row **next = user;

    *(*next)++ = (Row){row->key, row};
    return 0;
}

/* Rows of equal keys stay as they came. NULL: out of memory. */
static Row *sort_rows(const HeldRows *rows)
{
    const size_t n = rows->n;
    Row *from = malloc(n * sizeof *from), *to = malloc(n * sizeof *to), *next = from;

    if (!from || !to) {
        free(from);
        free(to);
        return NULL;
    }
    each_as_it_came(rows, list_row, &next);
    for (size_t at = 0; at < n; at += SORT_BLOCK)
        sort_block(from + at, n - at < SORT_BLOCK ? n - at : SORT_BLOCK);
    for (size_t width = SORT_BLOCK; width < n; width *= 2) {
        Row *merged = to;

        for (size_t at = 0; at < n; at += 2 * width) {
            size_t middle = n - at < width ? n : at + width;
            size_t end = n - at < 2 * width ? n : at + 2 * width;

            merge_parts(from + at, from + middle, from + end, to + at);
        }
        to = from;
        from = merged;
    }
    free(to);
    return from;
}

int held_rows_each(const HeldRows *rows, int (*call)(void *user, const HeldRow *row), void *user)
{
    Row *sorted;
    int error = 0;

    if (!rows->is_mixed)
        return each_as_it_came(rows, call, user);
    sorted = sort_rows(rows);
    if (!sorted)
        return ENOMEM;
    for (size_t i = 0; i < rows->n && !error; i++)
        error = call(user, sorted[i].row);
    free(sorted);
    return error;
}

/* Goes on to a chunk with room for so much. */
static int next_chunk(HeldRows *rows, size_t room)
{
    RowChunk **next = rows->chunk ? &rows->chunk->next : &rows->chunks;
    size_t size = CHUNK_MIN;

    for (; *next && (*next)->size < room; next = &(*next)->next)
        (*next)->used = 0;
    if (!*next) {
        if (rows->chunk)
            size = rows->chunk->size < CHUNK_MAX / 2 ? 2 * rows->chunk->size : CHUNK_MAX;
        if (size < room)
            size = room;
        *next = malloc(sizeof **next + size);
        if (!*next)
            return ENOMEM;
        (*next)->next = NULL;
        (*next)->size = size;
    }
    rows->chunk = *next;
    rows->chunk->used = 0;
    return 0;
}

int held_rows_add(HeldRows *rows, StrobeRowKey key, const char *bytes, size_t length)
{
    const size_t room = room_of(length);
    HeldRow *row;
    int error;

    if (!rows->chunk || room > rows->chunk->size - rows->chunk->used) {
        error = next_chunk(rows, room);
        if (error)
            return error;
    }
    row = (void *)(rows->chunk->bytes + rows->chunk->used);
    *row = (HeldRow){key, length};
    if (length)
        memcpy(row + 1, bytes, length);
    if (rows->n && is_key_behind(rows->newest, key))
        rows->is_mixed = true;
    rows->newest = key;
    rows->chunk->used += room;
    rows->used += room;
    rows->n++;
    return 0;
}

size_t held_rows_bytes(const HeldRows *rows)
{
    return rows->used + rows->n * sizeof(Row);
}

void held_rows_forget(HeldRows *rows, size_t bytes)
{
    size_t kept = 0;

    for (RowChunk *chunk = rows->chunks; chunk; chunk = chunk->next) {
        kept += chunk->size;
        if (kept < bytes)
            continue;
        free_chunks(chunk->next);
        chunk->next = NULL;
    }
    rows->chunk = NULL;
    rows->used = rows->n = 0;
    rows->is_mixed = false;
}

void held_rows_clear(HeldRows *rows)
{
    free_chunks(rows->chunks);
    *rows = (HeldRows){0};
}
