/* SPDX-License-Identifier: Apache-2.0 */
#include "csv-file.h"

#include <errno.h>
#include <gzip-file.h>
#include <string.h>
#include <strobe/helpers/safe-file.h>

#define BUFFER_BYTES (64u * 1024)
#define FILL "N/A"

typedef struct Column {
    char *title;
    gint shown_with;
    gboolean is_marked;
} Column;

struct CsvFile {
    char *name;
    StrobeSafeFile *file;
    StrobeStorage *storage;
    StrobeExternalSorter *sorter; /* NULL: the file is not held */
    gboolean is_held, has_header;
    int error;
    guint64 n_rows;
    GArray *columns;  /* elements of type Column */
    gboolean *hidden; /* for each column: TRUE if it is omitted; set at the end */
    guint n_hidden;
    CsvCells cells;
};

/* The stored form of a row of a held file. */
typedef struct HeldRow {
    guint32 n_cells;
    char line[];
} HeldRow;

static void clear_column(gpointer column)
{
    g_free(((Column *)column)->title);
}

CsvFile *csv_file_new(const StrobeConsumerHost *host, StrobeInstance *self, const char *name)
{
    CsvFile *file = g_new0(CsvFile, 1);

    file->name = g_strdup(name);
    file->columns = g_array_new(FALSE, TRUE, sizeof(Column));
    g_array_set_clear_func(file->columns, clear_column);
    file->storage = host->storage(self);
    file->file =
        gzip_file_create(host->metadata(self)->directory, name, host->option_bool(self, "gzip"));
    if (!file->file)
        file->error = errno;
    return file;
}

void csv_file_free(CsvFile *file)
{
    strobe_external_sorter_free(file->sorter);
    strobe_safe_file_discard(file->file);
    g_array_unref(file->columns);
    g_free(file->hidden);
    csv_cells_clear(&file->cells);
    g_free(file->name);
    g_free(file);
}

const char *csv_file_name(const CsvFile *file)
{
    return file->name;
}

guint64 csv_file_n_rows(const CsvFile *file)
{
    return file->n_rows;
}

void csv_file_hold(CsvFile *file)
{
    if (file->is_held)
        return;
    file->is_held = TRUE;
    file->sorter = strobe_external_sorter_new(file->storage);
}

guint csv_file_add_column(CsvFile *file, const char *title, gint shown_with)
{
    const Column column = {.title = g_strdup(title), .shown_with = shown_with};

    g_array_append_val(file->columns, column);
    return file->columns->len - 1;
}

void csv_file_mark(CsvFile *file, guint column)
{
    g_array_index(file->columns, Column, column).is_marked = TRUE;
}

/* ---- rows ---- */

static void write_header(CsvFile *file);

CsvCells *csv_file_begin_row(CsvFile *file)
{
    if (G_UNLIKELY(!file->has_header && !file->is_held))
        write_header(file);
    return &file->cells;
}

static void write_bytes(CsvFile *file)
{
    if (!file->error)
        file->error = strobe_safe_file_write(file->file, file->cells.bytes, file->cells.used);
    file->cells.used = 0;
}

static gboolean is_shown(const CsvFile *file, guint at)
{
    gint with = g_array_index(file->columns, Column, at).shown_with;

    return with < 0 || g_array_index(file->columns, Column, with).is_marked;
}

/* Writes the titles of the columns. In a held file, the titles are written at the end, before the
 * rows. */
static void write_header(CsvFile *file)
{
    file->has_header = TRUE;
    for (guint i = 0; i < file->columns->len; i++) {
        const char *title = g_array_index(file->columns, Column, i).title;

        if (!file->is_held || is_shown(file, i))
            csv_cells_text(&file->cells, title, strlen(title));
    }
    csv_cells_end_line(&file->cells);
}

/* ---- held rows ---- */

/* Returns the end of the cell that begins at `at`: the position of the separator or the CR after
 * it. */
static const char *cell_end(const char *at, const char *end)
{
    gboolean is_quoted = FALSE;

    for (; at < end; at++) {
        if (*at == '"')
            is_quoted = !is_quoted;
        else if (!is_quoted && (*at == ',' || *at == '\r'))
            break;
    }
    return at;
}

/* Writes a row without its cells in hidden columns, and with FILL in the shown columns for which it
 * has no cell. */
static void rewrite_row(CsvFile *file, const char *at, const char *end)
{
    for (guint i = 0; i < file->columns->len; i++) {
        const char *stop = at < end ? cell_end(at, end) : NULL;

        if (!file->hidden[i])
            csv_cells_put(&file->cells, stop ? at : FILL, stop ? (gsize)(stop - at) : strlen(FILL));
        at = !stop || *stop == '\r' ? end : stop + 1;
    }
    csv_cells_end_line(&file->cells);
    if (file->cells.used >= BUFFER_BYTES)
        write_bytes(file);
}

static void write_row(CsvFile *file, const HeldRow *row, gsize length)
{
    if (file->n_hidden || row->n_cells != file->columns->len) {
        rewrite_row(file, row->line, row->line + length);
        return;
    }
    if (file->cells.used)
        write_bytes(file);
    if (!file->error)
        file->error = strobe_safe_file_write(file->file, row->line, length);
}

static void hide_columns(CsvFile *file)
{
    file->hidden = g_new0(gboolean, file->columns->len + 1);
    for (guint i = 0; i < file->columns->len; i++) {
        file->hidden[i] = !is_shown(file, i);
        file->n_hidden += file->hidden[i];
    }
}

static void write_held(CsvFile *file)
{
    const HeldRow *row;
    size_t length;

    hide_columns(file);
    write_header(file);
    while (!file->error && (row = strobe_external_sorter_next(file->sorter, &length)))
        write_row(file, row, length - sizeof *row);
    if (!file->error)
        file->error = strobe_external_sorter_error(file->sorter);
    g_clear_pointer(&file->sorter, strobe_external_sorter_free);
}

static int hold_row(CsvFile *file, StrobeSortKey key, guint n_cells)
{
    HeldRow *row =
        strobe_external_sorter_reserve(file->sorter, key, sizeof *row + file->cells.used);

    if (row) {
        row->n_cells = n_cells;
        memcpy(row->line, file->cells.bytes, file->cells.used);
    } else if (!file->error) {
        file->error = strobe_external_sorter_error(file->sorter);
    }
    file->cells.used = 0;
    return file->error;
}

int csv_file_end_row(CsvFile *file, StrobeSortKey key)
{
    const guint n_cells = file->cells.n;

    file->n_rows++;
    csv_cells_end_line(&file->cells);
    if (file->is_held)
        return hold_row(file, key, n_cells);
    if (file->cells.used >= BUFFER_BYTES)
        write_bytes(file);
    return file->error;
}

int csv_file_finish(CsvFile *file)
{
    StrobeSafeFile *finished;

    if (file->error || !file->n_rows)
        return file->error;
    if (file->is_held)
        write_held(file);
    write_bytes(file);
    if (file->error)
        return file->error;
    finished = file->file;
    file->file = NULL;
    return strobe_safe_file_finish(finished);
}
