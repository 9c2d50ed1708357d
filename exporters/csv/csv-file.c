/* SPDX-License-Identifier: Apache-2.0 */
#include "csv-file.h"

#include <errno.h>
#include <string.h>
#include <strobe/helpers/safe-file.h>

#include "row-sorter.h"

#define RUN_BYTES (32u * 1024 * 1024)

struct CsvFile {
    char *name;
    StrobeSafeFile *file;
    RowSorter *sorter; /* NULL: rows as they come */
    int error;
    guint64 n_rows; /* the header too */
    gboolean in_row;
    GString *row;
};

CsvFile *csv_file_new(int directory, const char *name, gboolean sorted)
{
    CsvFile *file = g_new0(CsvFile, 1);

    file->name = g_strdup(name);
    file->row = g_string_new(NULL);
    file->file = strobe_safe_file_create(directory, name);
    if (!file->file)
        file->error = errno;
    if (sorted)
        file->sorter = row_sorter_new(directory, RUN_BYTES);
    return file;
}

void csv_file_free(CsvFile *file)
{
    row_sorter_free(file->sorter);
    strobe_safe_file_discard(file->file);
    g_string_free(file->row, TRUE);
    g_free(file->name);
    g_free(file);
}

const char *csv_file_name(const CsvFile *file)
{
    return file->name;
}

static gboolean needs_quotes(const char *bytes, gsize length)
{
    for (gsize i = 0; i < length; i++)
        if (bytes[i] == ',' || bytes[i] == '"' || bytes[i] == '\r' || bytes[i] == '\n')
            return TRUE;
    return FALSE;
}

void csv_file_cell(CsvFile *file, const char *bytes, gsize length)
{
    if (file->in_row)
        g_string_append_c(file->row, ',');
    file->in_row = TRUE;
    if (!needs_quotes(bytes, length)) {
        g_string_append_len(file->row, bytes, (gssize)length);
        return;
    }
    g_string_append_c(file->row, '"');
    for (const char *end = bytes + length; bytes < end;) {
        const char *quote = memchr(bytes, '"', (gsize)(end - bytes));
        const char *stop = quote ? quote + 1 : end;

        g_string_append_len(file->row, bytes, stop - bytes);
        if (quote)
            g_string_append_c(file->row, '"');
        bytes = stop;
    }
    g_string_append_c(file->row, '"');
}

int csv_file_end_row(CsvFile *file, gint64 time_ns)
{
    g_string_append_len(file->row, "\r\n", 2);
    if (!file->error && file->sorter && file->n_rows)
        file->error = row_sorter_add(file->sorter, time_ns, file->row->str, file->row->len);
    else if (!file->error)
        file->error = strobe_safe_file_write(file->file, file->row->str, file->row->len);
    file->n_rows++;
    file->in_row = FALSE;
    g_string_truncate(file->row, 0);
    return file->error;
}

int csv_file_finish(CsvFile *file)
{
    StrobeSafeFile *finished = file->file;

    if (file->n_rows < 2)
        return file->error;
    if (!file->error && file->sorter)
        file->error = row_sorter_finish(file->sorter, strobe_safe_file_write, file->file);
    if (file->error)
        return file->error;
    file->file = NULL;
    return strobe_safe_file_finish(finished);
}
