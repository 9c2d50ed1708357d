/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/helpers/external-sorter.h>

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strobe/helpers/record-log.h>

#define FIRST_BYTES ((size_t)64 * 1024) /* initial memory; most sorters need no more */
#define GROWTH 4u
/* Maximum number of runs that are merged at once. Each run needs memory for a block. */
#define RUNS_MAX 64u
#define SHORT ((size_t)32) /* up to this many items are sorted by insertion */

/* A record in memory. `offset` counts from the end of the memory, so that it need not change when
 * the memory grows. */
typedef struct Item {
    StrobeSortKey key;
    size_t length, offset;
} Item;

/* A sorted part of the log, between two marks. Each record in a run begins with its key. */
typedef struct Run {
    size_t from, until;
} Run;

/* The next record of a run that is merged. */
typedef struct Head {
    StrobeSortKey key;
    char *record;
    size_t length;
    StrobeRecordLogReader *reader;
    unsigned run;
} Head;

/* A heap with the least record at its top. */
typedef struct Merge {
    Head heads[RUNS_MAX];
    unsigned n;
} Merge;

struct StrobeExternalSorter {
    StrobeStorage *storage;
    char *memory; /* items are added from the start, bytes of records from the end */
    size_t size, used, n_items;
    bool is_sorted, is_reading;
    size_t next; /* index of the next item to read */
    StrobeRecordLog *log;
    StrobeSortKey last; /* key of the last record in the log */
    Run *runs;
    size_t n_runs, runs_size;
    Merge merge;
    int error;
};

StrobeExternalSorter *strobe_external_sorter_new(StrobeStorage *storage)
{
    StrobeExternalSorter *sorter = calloc(1, sizeof *sorter);

    if (!sorter)
        return NULL;
    sorter->storage = storage;
    sorter->is_sorted = true;
    return sorter;
}

static void clear_merge(Merge *merge)
{
    for (unsigned i = 0; i < merge->n; i++)
        strobe_record_log_reader_free(merge->heads[i].reader);
    merge->n = 0;
}

void strobe_external_sorter_free(StrobeExternalSorter *sorter)
{
    if (!sorter)
        return;
    clear_merge(&sorter->merge);
    strobe_record_log_free(sorter->log);
    free(sorter->runs);
    free(sorter->memory);
    free(sorter);
}

int strobe_external_sorter_error(const StrobeExternalSorter *sorter)
{
    return sorter ? sorter->error : ENOMEM;
}

/* ---- order ---- */

static int compare_keys(StrobeSortKey a, StrobeSortKey b)
{
    if (a.major != b.major)
        return a.major < b.major ? -1 : 1;
    return (a.minor > b.minor) - (a.minor < b.minor);
}

static bool is_before(const Item *a, const Item *b)
{
    return compare_keys(a->key, b->key) < 0;
}

static void sort_by_insertion(Item *items, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        const Item moved = items[i];
        size_t to = i;

        for (; to > 0 && is_before(&moved, &items[to - 1]); to--)
            items[to] = items[to - 1];
        items[to] = moved;
    }
}

/* Merges two sorted parts; `room` is temporary memory for the first part. */
static void merge_parts(Item *items, size_t n_first, size_t n, Item *room)
{
    const Item *first = room, *first_end = room + n_first;
    const Item *second = items + n_first, *second_end = items + n;

    memcpy(room, items, n_first * sizeof *room);
    while (first < first_end)
        *items++ = second < second_end && is_before(second, first) ? *second++ : *first++;
}

/* Sorts the items by merging. Moves few items if they are nearly sorted, as they usually are.
 * Returns 0 or ENOMEM. */
static int sort_items(Item *items, size_t n)
{
    Item *room = malloc(n * sizeof *room);

    if (!room)
        return ENOMEM;
    for (size_t i = 0; i < n; i += SHORT)
        sort_by_insertion(items + i, n - i < SHORT ? n - i : SHORT);
    for (size_t half = SHORT; half < n; half *= 2)
        for (size_t i = 0; i + half < n; i += 2 * half)
            if (is_before(&items[i + half], &items[i + half - 1]))
                merge_parts(items + i, half, n - i < 2 * half ? n - i : 2 * half, room);
    free(room);
    return 0;
}

/* ---- memory ---- */

static Item *items_of(const StrobeExternalSorter *sorter)
{
    return (Item *)(void *)sorter->memory;
}

static char *record_of(const StrobeExternalSorter *sorter, const Item *item)
{
    return sorter->memory + sorter->size - item->offset;
}

static int grow_memory(StrobeExternalSorter *sorter, size_t need)
{
    const size_t most = (size_t)sorter->storage->sorter_bytes;
    size_t size = sorter->size ? sorter->size * GROWTH : FIRST_BYTES;
    char *memory;

    size = size < most ? size : most;
    size = ((size < need ? need : size) + 7) / 8 * 8;
    memory = malloc(size);
    if (!memory)
        return ENOMEM;
    if (sorter->memory) {
        memcpy(memory, sorter->memory, sorter->n_items * sizeof(Item));
        memcpy(memory + size - sorter->used, sorter->memory + sorter->size - sorter->used,
               sorter->used);
    }
    free(sorter->memory);
    sorter->memory = memory;
    sorter->size = size;
    return 0;
}

static int sort_memory(StrobeExternalSorter *sorter)
{
    const bool is_sorted = sorter->is_sorted;

    sorter->is_sorted = true;
    return is_sorted ? 0 : sort_items(items_of(sorter), sorter->n_items);
}

/* ---- runs ---- */

static int add_run(StrobeExternalSorter *sorter, Run run)
{
    const size_t size = sorter->runs_size + sorter->runs_size / 2 + 16;
    Run *runs = sorter->runs;

    if (sorter->n_runs == sorter->runs_size) {
        runs = realloc(sorter->runs, size * sizeof *runs);
        if (!runs)
            return ENOMEM;
        sorter->runs = runs;
        sorter->runs_size = size;
    }
    runs[sorter->n_runs++] = run;
    return 0;
}

static int log_record(StrobeExternalSorter *sorter, StrobeRecordLog *log, StrobeSortKey key,
                      const char *record, size_t length)
{
    char *at = strobe_record_log_reserve(log, sizeof key + length);

    if (!at)
        return strobe_record_log_error(log);
    memcpy(at, &key, sizeof key);
    memcpy(at + sizeof key, record, length);
    sorter->last = key;
    return 0;
}

/* Moves the records in memory to the log: to the last run if they continue it, otherwise as a new
 * run. */
static int spill_items(StrobeExternalSorter *sorter)
{
    const Item *items = items_of(sorter);
    Run run;
    bool continues;
    int error = sort_memory(sorter);

    if (!sorter->log)
        sorter->log = strobe_record_log_new(sorter->storage);
    continues = sorter->n_runs && compare_keys(sorter->last, items[0].key) <= 0;
    run.from = strobe_record_log_mark(sorter->log);
    for (size_t i = 0; i < sorter->n_items && !error; i++)
        error = log_record(sorter, sorter->log, items[i].key, record_of(sorter, &items[i]),
                           items[i].length);
    run.until = strobe_record_log_mark(sorter->log);
    sorter->n_items = sorter->used = 0;
    if (!error)
        error = strobe_record_log_error(sorter->log);
    if (!error && continues)
        sorter->runs[sorter->n_runs - 1].until = run.until;
    return error || continues ? error : add_run(sorter, run);
}

static int make_room(StrobeExternalSorter *sorter, size_t bytes)
{
    const size_t more = sizeof(Item) + bytes;
    size_t need = sorter->n_items * sizeof(Item) + sorter->used + more;
    int error;

    if (need <= sorter->size)
        return 0;
    if (sorter->n_items && need > sorter->storage->sorter_bytes) {
        error = spill_items(sorter);
        if (error)
            return error;
        need = more;
    }
    return need <= sorter->size ? 0 : grow_memory(sorter, need);
}

void *strobe_external_sorter_reserve(StrobeExternalSorter *sorter, StrobeSortKey key, size_t length)
{
    const size_t bytes = (length + 7) / 8 * 8;
    Item *item;

    if (!sorter || sorter->error)
        return NULL;
    sorter->error = make_room(sorter, bytes);
    if (sorter->error)
        return NULL;
    item = items_of(sorter) + sorter->n_items++;
    if (sorter->n_items > 1 && compare_keys(item[-1].key, key) > 0)
        sorter->is_sorted = false;
    sorter->used += bytes;
    *item = (Item){key, length, sorter->used};
    return record_of(sorter, item);
}

int strobe_external_sorter_add(StrobeExternalSorter *sorter, StrobeSortKey key, const void *bytes,
                               size_t length)
{
    void *at = strobe_external_sorter_reserve(sorter, key, length);

    if (at && length)
        memcpy(at, bytes, length);
    return strobe_external_sorter_error(sorter);
}

/* ---- merging ---- */

/* Compares by key, and then by run, because runs are in the order in which their records were
 * added. */
static bool head_is_before(const Head *a, const Head *b)
{
    const int order = compare_keys(a->key, b->key);

    return order ? order < 0 : a->run < b->run;
}

static void sink_head(Merge *merge, unsigned place)
{
    const Head moved = merge->heads[place];
    unsigned child;

    while ((child = 2 * place + 1) < merge->n) {
        if (child + 1 < merge->n && head_is_before(&merge->heads[child + 1], &merge->heads[child]))
            child++;
        if (head_is_before(&moved, &merge->heads[child]))
            break;
        merge->heads[place] = merge->heads[child];
        place = child;
    }
    merge->heads[place] = moved;
}

/* Reads the next record of the run. False: the end of the run, or an error. */
static bool take_record(Head *head)
{
    char *record = strobe_record_log_next(head->reader, &head->length);

    if (!record)
        return false;
    memcpy(&head->key, record, sizeof head->key);
    head->record = record + sizeof head->key;
    head->length -= sizeof head->key;
    return true;
}

static int begin_merge(StrobeExternalSorter *sorter, const Run *runs, size_t n)
{
    Merge *merge = &sorter->merge;

    for (unsigned i = 0; i < n; i++) {
        Head *head = &merge->heads[merge->n++];

        *head = (Head){.run = i};
        head->reader = strobe_record_log_read_part(sorter->log, runs[i].from, runs[i].until);
        if (!take_record(head)) /* this can only be an error, because no run is empty */
            return strobe_record_log_reader_error(head->reader);
    }
    for (unsigned i = merge->n / 2; i-- > 0;)
        sink_head(merge, i);
    return 0;
}

/* Replaces the record at the top by the next record of its run. */
static int step_merge(Merge *merge)
{
    Head *first = &merge->heads[0];

    int error = 0;

    if (!take_record(first)) {
        error = strobe_record_log_reader_error(first->reader);
        strobe_record_log_reader_free(first->reader);
        *first = merge->heads[--merge->n];
    }
    if (merge->n)
        sink_head(merge, 0);
    return error;
}

static int merge_to_log(StrobeExternalSorter *sorter, const Run *runs, size_t n,
                        StrobeRecordLog *log)
{
    Merge *merge = &sorter->merge;
    int error = begin_merge(sorter, runs, n);

    while (!error && merge->n) {
        const Head *first = &merge->heads[0];

        error = log_record(sorter, log, first->key, first->record, first->length);
        if (!error)
            error = step_merge(merge);
    }
    clear_merge(merge);
    return error;
}

/* Merges groups of runs into fewer, longer runs. */
static int merge_groups(StrobeExternalSorter *sorter)
{
    StrobeRecordLog *log = strobe_record_log_new(sorter->storage);
    size_t n_merged = 0;
    int error = log ? 0 : ENOMEM;

    for (size_t i = 0; i < sorter->n_runs && !error; i += RUNS_MAX) {
        const size_t left = sorter->n_runs - i;
        Run run = {.from = strobe_record_log_mark(log)};

        error = merge_to_log(sorter, sorter->runs + i, left < RUNS_MAX ? left : RUNS_MAX, log);
        run.until = strobe_record_log_mark(log);
        sorter->runs[n_merged++] = run;
    }
    sorter->n_runs = n_merged;
    strobe_record_log_free(sorter->log);
    sorter->log = log;
    return error ? error : strobe_record_log_error(log);
}

static int begin_reading(StrobeExternalSorter *sorter)
{
    int error = sorter->n_runs && sorter->n_items ? spill_items(sorter) : sort_memory(sorter);

    while (!error && sorter->n_runs > RUNS_MAX)
        error = merge_groups(sorter);
    if (error || !sorter->n_runs)
        return error;
    free(sorter->memory);
    sorter->memory = NULL;
    return begin_merge(sorter, sorter->runs, sorter->n_runs);
}

static void *next_in_memory(StrobeExternalSorter *sorter, size_t *length)
{
    const Item *item = items_of(sorter) + sorter->next;

    if (sorter->next == sorter->n_items)
        return NULL;
    sorter->next++;
    *length = item->length;
    return record_of(sorter, item);
}

void *strobe_external_sorter_next(StrobeExternalSorter *sorter, size_t *length)
{
    Merge *merge;

    if (!sorter || sorter->error)
        return NULL;
    merge = &sorter->merge;
    if (!sorter->is_reading)
        sorter->error = begin_reading(sorter);
    else if (merge->n)
        sorter->error = step_merge(merge);
    sorter->is_reading = true;
    if (sorter->error)
        return NULL;
    if (!sorter->n_runs)
        return next_in_memory(sorter, length);
    if (!merge->n)
        return NULL;
    *length = merge->heads[0].length;
    return merge->heads[0].record;
}
