/* SPDX-License-Identifier: Apache-2.0 */
#include "row-sorter.h"

#include <errno.h>
#include <string.h>
#include <strobe/helpers/safe-file.h>

/* Bytes of all runs that are in memory while they are merged, and the least and most of one. */
#define READ_BYTES (16u * 1024 * 1024)
#define READ_SIZE_MIN (4u * 1024)
#define READ_SIZE_MAX (128u * 1024)

/* A row as it lies in memory, its bytes in `text`, and before its bytes in a run. */
typedef struct Row {
    gint64 time_ns;
    guint64 length;
    gsize offset;
} Row;

/* A sorted part of the scratch file that is being read. */
typedef struct Run {
    guint64 at, end; /* of what is not in the buffer yet */
    Row row;         /* the next one */
    gboolean has_row;
    char *buffer;
    gsize begin, fill; /* of the buffer */
} Run;

struct RowSorter {
    int directory;
    gsize run_bytes;
    GString *text;
    GArray *rows; /* Row */
    StrobeSafeFile *scratch;
    GArray *runs;    /* Run */
    gsize read_size; /* of a run's buffer */
    GString *row;    /* bytes of a row that is being copied */
};

RowSorter *row_sorter_new(int directory, gsize run_bytes)
{
    RowSorter *sorter = g_new0(RowSorter, 1);

    sorter->directory = directory;
    sorter->run_bytes = run_bytes;
    sorter->text = g_string_new(NULL);
    sorter->row = g_string_new(NULL);
    sorter->rows = g_array_new(FALSE, FALSE, sizeof(Row));
    sorter->runs = g_array_new(FALSE, TRUE, sizeof(Run));
    return sorter;
}

void row_sorter_free(RowSorter *sorter)
{
    if (!sorter)
        return;
    for (guint i = 0; i < sorter->runs->len; i++)
        g_free(g_array_index(sorter->runs, Run, i).buffer);
    strobe_safe_file_discard(sorter->scratch);
    g_string_free(sorter->text, TRUE);
    g_string_free(sorter->row, TRUE);
    g_array_unref(sorter->rows);
    g_array_unref(sorter->runs);
    g_free(sorter);
}

/* Rows lie in memory as they came, so the offset keeps equal times in order. */
static gint compare(gconstpointer a, gconstpointer b)
{
    const Row *x = a, *y = b;

    if (x->time_ns != y->time_ns)
        return x->time_ns < y->time_ns ? -1 : 1;
    return (x->offset > y->offset) - (x->offset < y->offset);
}

/* Writes what is in memory as one more run. */
static int spill(RowSorter *sorter)
{
    Run run = {0};

    if (!sorter->scratch) {
        sorter->scratch = strobe_safe_file_scratch(sorter->directory);
        if (!sorter->scratch)
            return errno;
    }
    run.at = strobe_safe_file_size(sorter->scratch);
    g_array_sort(sorter->rows, compare);
    for (guint i = 0; i < sorter->rows->len; i++) {
        const Row *row = &g_array_index(sorter->rows, Row, i);
        int error = strobe_safe_file_write(sorter->scratch, (const char *)row, sizeof *row);

        if (!error)
            error = strobe_safe_file_write(sorter->scratch, sorter->text->str + row->offset,
                                           row->length);
        if (error)
            return error;
    }
    run.end = strobe_safe_file_size(sorter->scratch);
    g_array_append_val(sorter->runs, run);
    g_array_set_size(sorter->rows, 0);
    g_string_truncate(sorter->text, 0);
    return 0;
}

int row_sorter_add(RowSorter *sorter, gint64 time_ns, const char *row, gsize length)
{
    const Row added = {time_ns, length, sorter->text->len};

    g_array_append_val(sorter->rows, added);
    g_string_append_len(sorter->text, row, (gssize)length);
    if (sorter->text->len + sorter->rows->len * sizeof(Row) < sorter->run_bytes)
        return 0;
    return spill(sorter);
}

/* Takes `length` bytes from a run. */
static int run_read(RowSorter *sorter, Run *run, char *bytes, gsize length)
{
    while (length) {
        gsize part = MIN(length, run->fill - run->begin);
        int error;

        memcpy(bytes, run->buffer + run->begin, part);
        run->begin += part;
        bytes += part;
        length -= part;
        if (!length)
            break;
        run->begin = 0;
        run->fill = MIN(sorter->read_size, run->end - run->at);
        if (!run->fill)
            return EIO;
        error = strobe_safe_file_read(sorter->scratch, run->at, run->buffer, run->fill);
        if (error)
            return error;
        run->at += run->fill;
    }
    return 0;
}

static int run_next(RowSorter *sorter, Run *run)
{
    run->has_row = run->at < run->end || run->begin < run->fill;
    return run->has_row ? run_read(sorter, run, (char *)&run->row, sizeof run->row) : 0;
}

/* The run whose next row is first; runs are in the order in which their rows came. */
static Run *first_run(RowSorter *sorter)
{
    Run *first = NULL;

    for (guint i = 0; i < sorter->runs->len; i++) {
        Run *run = &g_array_index(sorter->runs, Run, i);

        if (run->has_row && (!first || run->row.time_ns < first->row.time_ns))
            first = run;
    }
    return first;
}

static int merge(RowSorter *sorter, StrobeSink sink, void *user)
{
    Run *run;
    int error = 0;

    sorter->read_size = CLAMP(READ_BYTES / sorter->runs->len, READ_SIZE_MIN, READ_SIZE_MAX);
    for (guint i = 0; i < sorter->runs->len && !error; i++) {
        run = &g_array_index(sorter->runs, Run, i);
        run->buffer = g_malloc(sorter->read_size);
        error = run_next(sorter, run);
    }
    while (!error && (run = first_run(sorter))) {
        g_string_set_size(sorter->row, run->row.length);
        error = run_read(sorter, run, sorter->row->str, run->row.length);
        if (!error)
            error = sink(user, sorter->row->str, run->row.length);
        if (!error)
            error = run_next(sorter, run);
    }
    return error;
}

int row_sorter_finish(RowSorter *sorter, StrobeSink sink, void *user)
{
    int error = 0;

    if (sorter->runs->len) {
        error = sorter->rows->len ? spill(sorter) : 0;
        return error ? error : merge(sorter, sink, user);
    }
    g_array_sort(sorter->rows, compare);
    for (guint i = 0; i < sorter->rows->len && !error; i++) {
        const Row *row = &g_array_index(sorter->rows, Row, i);

        error = sink(user, sorter->text->str + row->offset, row->length);
    }
    return error;
}
