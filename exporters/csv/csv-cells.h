/* SPDX-License-Identifier: Apache-2.0 */
/* Cells of CSV rows, one behind the other: separators, quotes where needed. */
#ifndef STROBE_CSV_CSV_CELLS_H
#define STROBE_CSV_CSV_CELLS_H

#include <glib.h>
#include <string.h>

typedef struct CsvCells {
    char *bytes; /* of rows, the one that is being written last */
    gsize used, size;
    guint n; /* cells of the row that is being written */
} CsvCells;

/* So many bytes of a padded text may be read, whatever its length: copied without a loop. */
#define CSV_PADDING 32u

void csv_cells_grow(CsvCells *cells, gsize more);
void csv_cells_clear(CsvCells *cells); /* frees */
/* A cell of bytes that may need quotes. */
void csv_cells_text(CsvCells *cells, const char *bytes, gsize length);
/* The same behind an apostrophe where a spreadsheet would take the text for a formula. */
void csv_cells_escaped(CsvCells *cells, const char *bytes, gsize length);
/* Would a spreadsheet take the text for a formula? */
gboolean csv_is_formula(const char *bytes, gsize length);
/* Text of a cell with quotes, where it needs them; appended. */
void csv_quote(GString *out, const char *bytes, gsize length);

/* Room for `more` bytes; where they go. */
static inline char *csv_cells_reserve(CsvCells *cells, gsize more)
{
    if (G_UNLIKELY(cells->used + more > cells->size))
        csv_cells_grow(cells, more);
    return cells->bytes + cells->used;
}

/* Where a cell of at most `length` bytes goes, behind its separator; csv_cells_end() follows. */
static inline char *csv_cells_begin(CsvCells *cells, gsize length)
{
    char *at = csv_cells_reserve(cells, length + 1);

    *at = ',';
    return at + (cells->n++ != 0);
}

static inline void csv_cells_end(CsvCells *cells, const char *end)
{
    cells->used = (gsize)(end - cells->bytes);
}

/* A cell of bytes that need no quotes. */
static inline void csv_cells_put(CsvCells *cells, const char *bytes, gsize length)
{
    char *at = csv_cells_begin(cells, length);

    memcpy(at, bytes, length);
    csv_cells_end(cells, at + length);
}

/* Padded bytes to where there is room for them and CSV_PADDING. */
static inline void csv_cells_copy_padded(char *at, const char *bytes, gsize length)
{
    memcpy(at, bytes, CSV_PADDING);
    if (length > CSV_PADDING)
        memcpy(at + CSV_PADDING, bytes + CSV_PADDING, length - CSV_PADDING);
}

static inline void csv_cells_end_line(CsvCells *cells)
{
    memcpy(csv_cells_reserve(cells, 2), "\r\n", 2);
    cells->used += 2;
    cells->n = 0;
}

#endif
