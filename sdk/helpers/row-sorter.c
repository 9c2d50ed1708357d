/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/helpers/row-sorter.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <strobe/helpers/safe-file.h>

#include "row-order.h"

/* Bytes of all runs that are in memory while they are merged, and the least and most of one. */
#define READ_BYTES (16u * 1024 * 1024)
#define READ_SIZE_MIN (4u * 1024)
#define READ_SIZE_MAX (128u * 1024)

#define FIRST_BYTES ((size_t)64 * 1024) /* of what lies in memory; few sorters need more */
#define STEP 8u                         /* so many times as much */
#define PLAIN_RUNS 4u                   /* so much of the scratch file is not packed */
#define WRITE_BYTES 8192u
#define LARGE_PAGE ((uintptr_t)2 << 20)

/* A sorted part of the scratch file. */
typedef struct Run {
    uint64_t at, end;  /* of what is not in the buffer yet */
    StrobeRowHead row; /* the next one */
    char *buffer;
    size_t begin, fill; /* of the buffer */
} Run;

struct StrobeRowSorter {
    int directory; /* -1: the scratch file is `file` */
    int file;      /* -1: it is made, or `scratch` owns it */
    int no_file;   /* errno: why there is none */
    bool is_plain; /* the scratch file is not packed */
    size_t run_bytes;
    char *block; /* rows from its begin, their bytes from its end, the first ones last */
    size_t size, used, n_rows;
    bool is_sorted;    /* rows in memory came in order */
    StrobeRowKey last; /* of the last row that went to the scratch file */
    StrobeSafeFile *scratch;
    Run *runs;
    size_t n_runs, runs_size;
    size_t *heap; /* runs that have a row, the first one on top */
    size_t n_heap;
    size_t read_size; /* of a run's buffer */
    char *row;        /* bytes of a row that reaches over the end of a buffer */
    size_t row_size;
};

StrobeRowSorter *strobe_row_sorter_new(int directory, size_t run_bytes)
{
    StrobeRowSorter *sorter = calloc(1, sizeof *sorter);

    if (!sorter)
        return NULL;
    sorter->directory = directory;
    sorter->file = -1;
    sorter->run_bytes = run_bytes;
    sorter->is_sorted = true;
    return sorter;
}

StrobeRowSorter *strobe_row_sorter_new_plain(int directory, size_t run_bytes)
{
    StrobeRowSorter *sorter = strobe_row_sorter_new(directory, run_bytes);

    if (sorter)
        sorter->is_plain = true;
    return sorter;
}

StrobeRowSorter *strobe_row_sorter_new_in(int file, size_t run_bytes)
{
    int reason = file < 0 ? errno : 0;
    StrobeRowSorter *sorter = strobe_row_sorter_new(-1, run_bytes);

    if (sorter) {
        sorter->file = file;
        sorter->no_file = reason;
    } else if (file >= 0) {
        close(file);
    }
    return sorter;
}

void strobe_row_sorter_free(StrobeRowSorter *sorter)
{
    if (!sorter)
        return;
    for (size_t i = 0; i < sorter->n_runs; i++)
        free(sorter->runs[i].buffer);
    strobe_safe_file_discard(sorter->scratch);
    if (sorter->file >= 0)
        close(sorter->file);
    free(sorter->block);
    free(sorter->runs);
    free(sorter->heap);
    free(sorter->row);
    free(sorter);
}

/* Room for `need` elements. */
static int grow(void **elements, size_t *size, size_t need, size_t element_size)
{
    size_t wanted = *size ? *size : 64;
    void *grown;

    if (need <= *size)
        return 0;
    while (wanted < need)
        wanted += wanted / 2;
    grown = realloc(*elements, wanted * element_size);
    if (!grown)
        return ENOMEM;
    *elements = grown;
    *size = wanted;
    return 0;
}

/* ---- in memory ---- */

static StrobeRow *rows_of(const StrobeRowSorter *sorter)
{
    return (StrobeRow *)(void *)sorter->block;
}

static const char *bytes_of(const StrobeRowSorter *sorter, const StrobeRow *row)
{
    return sorter->block + sorter->size - row->offset;
}

/* Its pages come by hundreds where the system has it so. */
static void use_large_pages(char *block, size_t size)
{
#if defined(MADV_HUGEPAGE)
    const uintptr_t from = ((uintptr_t)block + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE;
    const uintptr_t end = ((uintptr_t)block + size) / LARGE_PAGE * LARGE_PAGE;

    if (end > from)
        madvise((void *)from, end - from, MADV_HUGEPAGE); /* a hint, which may fail */
#endif
}

/* In few, large steps: each copies all of it to fresh pages. What is never used of a block takes no
 * memory, but is counted as if it did where memory is bounded. */
static int grow_block(StrobeRowSorter *sorter, size_t need)
{
    const size_t rows = sorter->n_rows * sizeof(StrobeRow);
    size_t size = sorter->size ? sorter->size : FIRST_BYTES;
    char *block;

    while (size < need && size < sorter->run_bytes)
        size *= STEP;
    if (size > sorter->run_bytes)
        size = sorter->run_bytes;
    if (size < need)
        size = need;
    size = (size + sizeof(StrobeRow) - 1) / sizeof(StrobeRow) * sizeof(StrobeRow);
    block = malloc(size);
    if (!block)
        return ENOMEM;
    use_large_pages(block, size);
    if (sorter->block) {
        memcpy(block, sorter->block, rows);
        memcpy(block + size - sorter->used, sorter->block + sorter->size - sorter->used,
               sorter->used);
    }
    free(sorter->block);
    sorter->block = block;
    sorter->size = size;
    return 0;
}

static void sort_rows(StrobeRowSorter *sorter)
{
    if (!sorter->is_sorted)
        strobe_row_order_sort(rows_of(sorter), sorter->n_rows);
    sorter->is_sorted = true;
}

/* ---- runs ---- */

/* The run that rows in memory go to: the last one where they continue it. */
static Run *run_for_rows(StrobeRowSorter *sorter)
{
    Run *run;

    if (sorter->n_runs && row_order_compare(sorter->last, rows_of(sorter)->head.key) <= 0)
        return &sorter->runs[sorter->n_runs - 1];
    if (grow((void **)&sorter->runs, &sorter->runs_size, sorter->n_runs + 1, sizeof *sorter->runs))
        return NULL;
    run = &sorter->runs[sorter->n_runs++];
    memset(run, 0, sizeof *run);
    run->at = strobe_safe_file_size(sorter->scratch);
    return run;
}

static int open_scratch(StrobeRowSorter *sorter)
{
    const uint64_t plain_bytes = (uint64_t)PLAIN_RUNS * sorter->run_bytes;

    if (sorter->no_file)
        return sorter->no_file;
    if (sorter->file >= 0)
        sorter->scratch = strobe_safe_file_scratch_in(sorter->file, plain_bytes);
    else if (sorter->is_plain)
        sorter->scratch = strobe_safe_file_plain_scratch(sorter->directory);
    else
        sorter->scratch = strobe_safe_file_scratch_behind(sorter->directory, plain_bytes);
    sorter->file = -1;
    return sorter->scratch ? 0 : errno;
}

/* One after another, short ones together. */
static int write_rows(const StrobeRowSorter *sorter)
{
    char piece[WRITE_BYTES];
    size_t used = 0;
    int error = 0;

    for (size_t i = 0; i < sorter->n_rows && !error; i++) {
        const StrobeRow *row = &rows_of(sorter)[i];
        const size_t length = (size_t)row->head.length;

        if (used + sizeof row->head + length > sizeof piece) {
            error = strobe_safe_file_write(sorter->scratch, piece, used);
            used = 0;
        }
        memcpy(piece + used, &row->head, sizeof row->head);
        used += sizeof row->head;
        if (used + length <= sizeof piece) {
            memcpy(piece + used, bytes_of(sorter, row), length);
            used += length;
            continue;
        }
        if (!error)
            error = strobe_safe_file_write(sorter->scratch, piece, used);
        if (!error)
            error = strobe_safe_file_write(sorter->scratch, bytes_of(sorter, row), length);
        used = 0;
    }
    return error ? error : strobe_safe_file_write(sorter->scratch, piece, used);
}

/* Writes what is in memory to the scratch file. */
static int spill(StrobeRowSorter *sorter)
{
    int failure = sorter->scratch ? 0 : open_scratch(sorter);
    Run *run;

    if (failure)
        return failure;
    sort_rows(sorter);
    run = run_for_rows(sorter);
    if (!run)
        return ENOMEM;
    failure = write_rows(sorter);
    if (failure)
        return failure;
    run->end = strobe_safe_file_size(sorter->scratch);
    sorter->last = rows_of(sorter)[sorter->n_rows - 1].head.key;
    sorter->n_rows = 0;
    sorter->used = 0;
    return 0;
}

/* For one more row with so many bytes. What was there goes to the scratch file rather than that the
 * block exceeds a run. */
static int make_room(StrobeRowSorter *sorter, size_t length)
{
    const size_t more = sizeof(StrobeRow) + length;
    size_t need = sorter->n_rows * sizeof(StrobeRow) + sorter->used + more;
    int error;

    if (need <= sorter->size)
        return 0;
    if (sorter->n_rows && need > sorter->run_bytes) {
        error = spill(sorter);
        if (error)
            return error;
        need = more;
    }
    return need <= sorter->size ? 0 : grow_block(sorter, need);
}

int strobe_row_sorter_add(StrobeRowSorter *sorter, StrobeRowKey key, const char *bytes,
                          size_t length)
{
    StrobeRow *row;
    int error = sorter ? make_room(sorter, length) : ENOMEM;

    if (error)
        return error;
    row = rows_of(sorter) + sorter->n_rows++;
    if (sorter->n_rows > 1 && row_order_compare(row[-1].head.key, key) > 0)
        sorter->is_sorted = false;
    sorter->used += length;
    *row = (StrobeRow){{key, length}, sorter->used};
    if (length)
        memcpy(sorter->block + sorter->size - sorter->used, bytes, length);
    if (sorter->used + sorter->n_rows * sizeof *row < sorter->run_bytes)
        return 0;
    return spill(sorter);
}

/* ---- merging ---- */

/* The buffer holds what follows. */
static int run_fill(StrobeRowSorter *sorter, Run *run)
{
    uint64_t left = run->end - run->at;
    int error;

    run->begin = 0;
    run->fill = left < sorter->read_size ? (size_t)left : sorter->read_size;
    if (!run->fill)
        return EIO;
    error = strobe_safe_file_read(sorter->scratch, run->at, run->buffer, run->fill);
    run->at += run->fill;
    return error;
}

/* Takes `length` bytes from a run. */
static int run_read(StrobeRowSorter *sorter, Run *run, char *bytes, size_t length)
{
    while (length) {
        size_t there = run->fill - run->begin;
        size_t part = length < there ? length : there;
        int error;

        memcpy(bytes, run->buffer + run->begin, part);
        run->begin += part;
        bytes += part;
        length -= part;
        if (!length)
            break;
        error = run_fill(sorter, run);
        if (error)
            return error;
    }
    return 0;
}

/* Takes the head of the run's next row, which mostly lies in the buffer. */
static int run_read_head(StrobeRowSorter *sorter, Run *run)
{
    if (run->fill - run->begin < sizeof run->row)
        return run_read(sorter, run, (char *)&run->row, sizeof run->row);
    memcpy(&run->row, run->buffer + run->begin, sizeof run->row);
    run->begin += sizeof run->row;
    return 0;
}

static bool run_has_row(const Run *run)
{
    return run->at < run->end || run->begin < run->fill;
}

/* Is the run's next row before the other's? Runs are in the order in which their rows came. */
static bool is_before(const StrobeRowSorter *sorter, size_t a, size_t b)
{
    int order = row_order_compare(sorter->runs[a].row.key, sorter->runs[b].row.key);

    return order ? order < 0 : a < b;
}

/* Puts the run at this place of the heap where it belongs, below it. */
static void sink_down(StrobeRowSorter *sorter, size_t place)
{
    size_t *heap = sorter->heap;
    size_t run = heap[place], child;

    while ((child = 2 * place + 1) < sorter->n_heap) {
        if (child + 1 < sorter->n_heap && is_before(sorter, heap[child + 1], heap[child]))
            child++;
        if (is_before(sorter, run, heap[child]))
            break;
        heap[place] = heap[child];
        place = child;
    }
    heap[place] = run;
}

static int begin_merge(StrobeRowSorter *sorter)
{
    sorter->read_size = READ_BYTES / sorter->n_runs;
    if (sorter->read_size < READ_SIZE_MIN)
        sorter->read_size = READ_SIZE_MIN;
    if (sorter->read_size > READ_SIZE_MAX)
        sorter->read_size = READ_SIZE_MAX;
    sorter->heap = calloc(sorter->n_runs, sizeof *sorter->heap);
    if (!sorter->heap)
        return ENOMEM;
    for (size_t i = 0; i < sorter->n_runs; i++) {
        Run *run = &sorter->runs[i];
        int error;

        run->buffer = malloc(sorter->read_size);
        if (!run->buffer)
            return ENOMEM;
        error = run_read_head(sorter, run);
        if (error)
            return error;
        sorter->heap[sorter->n_heap++] = i;
    }
    for (size_t i = sorter->n_heap / 2; i-- > 0;)
        sink_down(sorter, i);
    return 0;
}

/* Hands the run's next row on, in place where it lies in the buffer whole. */
static int hand_on(StrobeRowSorter *sorter, Run *run, StrobeSink sink, void *user)
{
    size_t length = (size_t)run->row.length;
    int error;

    if (run->fill - run->begin >= length) {
        run->begin += length;
        return sink(user, run->buffer + run->begin - length, length);
    }
    if (length > run->fill - run->begin + (run->end - run->at))
        return EIO;
    if (grow((void **)&sorter->row, &sorter->row_size, length, 1))
        return ENOMEM;
    error = run_read(sorter, run, sorter->row, length);
    return error ? error : sink(user, sorter->row, length);
}

static int merge(StrobeRowSorter *sorter, StrobeSink sink, void *user)
{
    int error = begin_merge(sorter);

    while (!error && sorter->n_heap) {
        Run *run = &sorter->runs[sorter->heap[0]];

        error = hand_on(sorter, run, sink, user);
        if (error)
            break;
        if (run_has_row(run))
            error = run_read_head(sorter, run);
        else
            sorter->heap[0] = sorter->heap[--sorter->n_heap];
        if (sorter->n_heap)
            sink_down(sorter, 0);
    }
    return error;
}

int strobe_row_sorter_finish(StrobeRowSorter *sorter, StrobeSink sink, void *user)
{
    int error = 0;

    if (!sorter)
        return ENOMEM;
    if (sorter->n_runs) {
        error = sorter->n_rows ? spill(sorter) : 0;
        return error ? error : merge(sorter, sink, user);
    }
    sort_rows(sorter);
    for (size_t i = 0; i < sorter->n_rows && !error; i++)
        error = sink(user, bytes_of(sorter, rows_of(sorter) + i),
                     (size_t)rows_of(sorter)[i].head.length);
    return error;
}
