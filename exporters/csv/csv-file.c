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
    const StrobeFacts *facts;
    StrobeSafeFile *file;
    StrobeRowSorter *sorter; /* NULL: rows as they come */
    int error;
    guint64 n_rows;
    GArray *columns; /* of Column */
    guint n_hidden;  /* columns that are left out; known at the end */
    gboolean *hidden;
    gboolean has_header;
    CsvCells cells;
};

/* Before the bytes of a held row. */
typedef guint16 RowHead;

static void clear_column(gpointer column)
{
    g_free(((Column *)column)->title);
}

CsvFile *csv_file_new(const StrobeFacts *facts, const char *name, gboolean gzip)
{
    CsvFile *file = g_new0(CsvFile, 1);

    file->name = g_strdup(name);
    file->columns = g_array_new(FALSE, TRUE, sizeof(Column));
    g_array_set_clear_func(file->columns, clear_column);
    file->facts = facts;
    file->file = gzip_file_create(facts->directory, name, gzip);
    if (!file->file)
        file->error = errno;
    return file;
}

void csv_file_free(CsvFile *file)
{
    strobe_row_sorter_free(file->sorter);
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
    if (file->sorter || file->error)
        return;
    file->sorter = strobe_row_sorter_new(file->facts->scratch, file->facts->memory_bytes / 2);
    if (!file->sorter)
        file->error = ENOMEM;
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
    if (G_UNLIKELY(!file->has_header && !file->sorter))
        write_header(file);
    if (file->sorter) {
        memset(csv_cells_reserve(&file->cells, sizeof(RowHead)), 0, sizeof(RowHead));
        file->cells.used += sizeof(RowHead);
    }
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

/* Of a held file this is written at its end. */
static void write_header(CsvFile *file)
{
    file->has_header = TRUE;
    for (guint i = 0; i < file->columns->len; i++) {
        const char *title = g_array_index(file->columns, Column, i).title;

        if (!file->sorter || is_shown(file, i))
            csv_cells_text(&file->cells, title, strlen(title));
    }
    csv_cells_end_line(&file->cells);
}

int csv_file_end_row(CsvFile *file, StrobeRowKey key)
{
    file->n_rows++;
    if (file->sorter) {
        const RowHead head = (RowHead)file->cells.n;

        csv_cells_end_line(&file->cells);
        memcpy(file->cells.bytes, &head, sizeof head);
        if (!file->error)
            file->error =
                strobe_row_sorter_add(file->sorter, key, file->cells.bytes, file->cells.used);
        file->cells.used = 0;
        return file->error;
    }
    csv_cells_end_line(&file->cells);
    if (file->cells.used >= BUFFER_BYTES)
        write_bytes(file);
    return file->error;
}

/* ---- held rows ---- */

/* End of the cell that begins at `at`: the separator or the CR behind it. */
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

/* Leaves hidden cells out and adds missing ones. */
static int rewrite_row(CsvFile *file, const char *at, const char *end)
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
    return file->error;
}

static int take_row(void *user, const char *bytes, size_t length)
{
    CsvFile *file = user;
    RowHead n_cells;

    memcpy(&n_cells, bytes, sizeof n_cells);
    bytes += sizeof n_cells;
    length -= sizeof n_cells;
    if (file->n_hidden || n_cells != (RowHead)file->columns->len)
        return rewrite_row(file, bytes, bytes + length);
    if (file->cells.used)
        write_bytes(file);
    return file->error ? file->error : strobe_safe_file_write(file->file, bytes, length);
}

static void write_held(CsvFile *file)
{
    file->hidden = g_new0(gboolean, file->columns->len + 1);
    for (guint i = 0; i < file->columns->len; i++) {
        file->hidden[i] = !is_shown(file, i);
        file->n_hidden += file->hidden[i];
    }
    write_header(file);
    if (!file->error)
        file->error = strobe_row_sorter_finish(file->sorter, take_row, file);
}

int csv_file_finish(CsvFile *file)
{
    StrobeSafeFile *finished = file->file;

    if (!file->n_rows)
        return file->error;
    if (!file->error && file->sorter)
        write_held(file);
    write_bytes(file);
    if (file->error)
        return file->error;
    file->file = NULL;
    return strobe_safe_file_finish(finished);
}
