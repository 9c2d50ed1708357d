/* SPDX-License-Identifier: Apache-2.0 */
#include "csv-file.h"

#include <errno.h>
#include <gzip-file.h>
#include <string.h>
#include <strobe/helpers/safe-file.h>

#include "row-log.h"

#define BUFFER_BYTES (64u * 1024)
#define FILL "N/A"
#define ROW_MAX (1u << 30) /* of what may be read back */
#define EARLY_BYTES (128u * 1024)

typedef struct Column {
    char *title;
    gint shown_with;
    gboolean is_marked;
} Column;

struct CsvFile {
    char *name;
    const StrobeFacts *facts;
    gboolean gzip, is_held;
    StrobeSafeFile *file;
    StrobeRowSorter *sorter; /* NULL: rows as they come */
    RowLog *log;       /* of a held file whose rows came in order so far; NULL: they did not */
    StrobeRowKey last; /* of the last row, where there is a log */
    gsize held;        /* bytes of rows in the sorter */
    gsize early;       /* how many there are when it is looked whether they can be written */
    guint n_columns;   /* of the header that was written early; 0: none was */
    guint64 header;    /* its length */
    gsize row_at;      /* where the row that is being written begins */
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

static void open_file(CsvFile *file)
{
    file->file = gzip_file_create(file->facts->directory, file->name, file->gzip);
    if (!file->file && !file->error)
        file->error = errno;
}

CsvFile *csv_file_new(const StrobeFacts *facts, const char *name, gboolean gzip)
{
    CsvFile *file = g_new0(CsvFile, 1);

    file->name = g_strdup(name);
    file->columns = g_array_new(FALSE, TRUE, sizeof(Column));
    g_array_set_clear_func(file->columns, clear_column);
    file->facts = facts;
    file->gzip = gzip;
    open_file(file);
    return file;
}

void csv_file_free(CsvFile *file)
{
    strobe_row_sorter_free(file->sorter);
    row_log_free(file->log);
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

static StrobeRowSorter *new_sorter(CsvFile *file)
{
    StrobeRowSorter *sorter =
        strobe_row_sorter_new(file->facts->scratch, file->facts->memory_bytes / 2);

    if (!sorter && !file->error)
        file->error = ENOMEM;
    return sorter;
}

void csv_file_hold(CsvFile *file)
{
    if (file->is_held || file->error)
        return;
    file->is_held = TRUE;
    file->sorter = new_sorter(file);
    file->early = EARLY_BYTES;
    if (!file->gzip) /* what is compressed cannot be read back */
        file->log = row_log_new(file->facts->scratch);
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
    file->row_at = file->cells.used;
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
    file->header = file->cells.used;
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
    StrobeRowSorter *sorter = file->sorter;

    g_free(file->hidden);
    file->hidden = g_new0(gboolean, file->columns->len + 1);
    for (guint i = 0; i < file->columns->len; i++) {
        file->hidden[i] = !is_shown(file, i);
        file->n_hidden += file->hidden[i];
    }
    write_header(file);
    if (!file->error)
        file->error = strobe_row_sorter_finish(sorter, take_row, file);
    strobe_row_sorter_free(sorter);
    file->sorter = NULL;
}

/* ---- rows that come in order ----
 *
 * A held file whose rows came in order is written as it stands when there are some, and what
 * follows goes straight behind: nothing is put aside and read again. Where a column is hidden, it
 * is looked again when there are more, until rows fill a part of the memory. Where a later row
 * comes out of order, what was written is read back and held; where a column was added, at the
 * end. */

static gboolean has_hidden(const CsvFile *file)
{
    for (guint i = 0; i < file->columns->len; i++)
        if (!is_shown(file, i))
            return TRUE;
    return FALSE;
}

static void forget_order(CsvFile *file)
{
    row_log_free(file->log);
    file->log = NULL;
}

static void write_early(CsvFile *file)
{
    if (has_hidden(file)) {
        if (file->held >= file->facts->memory_bytes / 4)
            forget_order(file);
        file->early = 2 * file->held;
        return;
    }
    file->n_columns = file->columns->len;
    write_held(file);
    write_bytes(file);
}

typedef struct ReadBack {
    CsvFile *file;
    guint64 at;
    GString *row;
} ReadBack;

/* A row as it was held, though with the cells that it was filled up with. */
static int read_back(void *user, const LoggedRow *logged)
{
    ReadBack *back = user;
    CsvFile *file = back->file;
    const guint n = MAX(logged->n_cells, file->n_columns);
    const gsize length = logged->length + (n - logged->n_cells) * (strlen(FILL) + 1);
    const RowHead head = (RowHead)n;
    int error;

    g_string_set_size(back->row, sizeof head + length);
    memcpy(back->row->str, &head, sizeof head);
    error = strobe_safe_file_read(file->file, back->at, back->row->str + sizeof head, length);
    back->at += length;
    return error ? error
                 : strobe_row_sorter_add(file->sorter, logged->key, back->row->str, back->row->len);
}

/* Reads back what was written early and begins the file anew. */
static void hold_again(CsvFile *file)
{
    ReadBack back = {file, file->header, g_string_new(NULL)};

    write_bytes(file);
    file->sorter = new_sorter(file);
    if (!file->error)
        file->error = row_log_each(file->log, read_back, &back);
    g_string_free(back.row, TRUE);
    strobe_safe_file_discard(file->file);
    open_file(file);
    file->has_header = FALSE;
    file->n_columns = 0;
    forget_order(file);
}

/* The row that was begun is none that goes on where the file stands. */
static void leave_order(CsvFile *file)
{
    g_autofree char *row = NULL;
    const gsize length = file->cells.used - file->row_at;

    if (file->n_columns) {
        row = g_memdup2(file->cells.bytes + file->row_at, length);
        file->cells.used = file->row_at;
        hold_again(file);
        memcpy(csv_cells_reserve(&file->cells, sizeof(RowHead) + length) + sizeof(RowHead), row,
               length);
        file->cells.used = sizeof(RowHead) + length;
    }
    forget_order(file);
}

static gboolean is_in_order(StrobeRowKey before, StrobeRowKey key)
{
    if (key.major != before.major)
        return key.major > before.major;
    return key.minor >= before.minor;
}

/* Of the row that was begun, with the end of its line. */
static gsize row_length(const CsvFile *file)
{
    return file->cells.used - file->row_at - (file->sorter ? sizeof(RowHead) : 0) + 2;
}

/* A row of a file that is in order so far. */
static void follow_order(CsvFile *file, StrobeRowKey key)
{
    LoggedRow row = {.key = key};

    if ((file->n_rows > 1 && !is_in_order(file->last, key)) || row_length(file) > ROW_MAX) {
        leave_order(file);
        return;
    }
    while (file->n_columns && file->cells.n < file->n_columns)
        csv_cells_put(&file->cells, FILL, strlen(FILL));
    row.n_cells = file->cells.n;
    row.length = (guint32)row_length(file);
    file->last = key;
    if (!file->error)
        file->error = row_log_add(file->log, &row);
}

static int hold_row(CsvFile *file, StrobeRowKey key)
{
    const RowHead head = (RowHead)file->cells.n;

    csv_cells_end_line(&file->cells);
    memcpy(file->cells.bytes, &head, sizeof head);
    if (!file->error)
        file->error = strobe_row_sorter_add(file->sorter, key, file->cells.bytes, file->cells.used);
    file->held += file->cells.used + sizeof key;
    file->cells.used = 0;
    if (file->log && file->held >= MIN(file->early, file->facts->memory_bytes / 4))
        write_early(file);
    return file->error;
}

int csv_file_end_row(CsvFile *file, StrobeRowKey key)
{
    file->n_rows++;
    if (file->log)
        follow_order(file, key);
    if (file->sorter)
        return hold_row(file, key);
    csv_cells_end_line(&file->cells);
    if (file->cells.used >= BUFFER_BYTES)
        write_bytes(file);
    return file->error;
}

/* Held rows are put in order and written. */
static int write_rest(CsvFile *file)
{
    if (!file->n_rows)
        return file->error;
    if (file->n_columns && file->n_columns != file->columns->len)
        hold_again(file);
    if (!file->error && file->sorter)
        write_held(file);
    write_bytes(file);
    return file->error;
}

int csv_file_finish(CsvFile *file)
{
    StrobeSafeFile *finished;
    int error = write_rest(file);

    if (error || !file->n_rows)
        return error;
    finished = file->file;
    file->file = NULL;
    return strobe_safe_file_finish(finished);
}
