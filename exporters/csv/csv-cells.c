/* SPDX-License-Identifier: Apache-2.0 */
#include "csv-cells.h"

void csv_cells_grow(CsvCells *cells, gsize more)
{
    cells->size = MAX(cells->used + more, cells->size * 2);
    cells->bytes = g_realloc(cells->bytes, cells->size);
}

void csv_cells_clear(CsvCells *cells)
{
    g_free(cells->bytes);
    *cells = (CsvCells){NULL};
}

static gboolean needs_quotes(const char *bytes, gsize length)
{
    for (gsize i = 0; i < length; i++)
        if (bytes[i] == ',' || bytes[i] == '"' || bytes[i] == '\r' || bytes[i] == '\n')
            return TRUE;
    return FALSE;
}

/* Writes the text with quotes, in at most 2 * length + 2 bytes. Returns the end of the output. */
static char *put_quoted(char *at, const char *bytes, gsize length)
{
    *at++ = '"';
    for (const char *end = bytes + length; bytes < end;) {
        const char *quote = memchr(bytes, '"', (gsize)(end - bytes));
        const char *stop = quote ? quote + 1 : end;

        memcpy(at, bytes, (gsize)(stop - bytes));
        at += stop - bytes;
        if (quote)
            *at++ = '"';
        bytes = stop;
    }
    *at++ = '"';
    return at;
}

void csv_cells_text(CsvCells *cells, const char *bytes, gsize length)
{
    if (!needs_quotes(bytes, length)) {
        csv_cells_put(cells, bytes, length);
        return;
    }
    csv_cells_end(cells, put_quoted(csv_cells_begin(cells, 2 * length + 2), bytes, length));
}

gboolean csv_is_formula(const char *bytes, gsize length)
{
    return length && *bytes && strchr("=+-@\t\r", *bytes);
}

void csv_cells_escaped(CsvCells *cells, const char *bytes, gsize length)
{
    g_autofree char *escaped = NULL;

    if (!csv_is_formula(bytes, length)) {
        csv_cells_text(cells, bytes, length);
        return;
    }
    escaped = g_malloc(length + 1);
    *escaped = '\'';
    memcpy(escaped + 1, bytes, length);
    csv_cells_text(cells, escaped, length + 1);
}

void csv_quote(GString *out, const char *bytes, gsize length)
{
    gsize used = out->len;

    if (!needs_quotes(bytes, length)) {
        g_string_append_len(out, bytes, (gssize)length);
        return;
    }
    g_string_set_size(out, used + 2 * length + 2);
    g_string_truncate(out, (gsize)(put_quoted(out->str + used, bytes, length) - out->str));
}
