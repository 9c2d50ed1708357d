/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the cells of CSV rows one after the other, with separators, and with quotes where a cell
 * needs them. */
#ifndef STROBE_CSV_CSV_CELLS_H
#define STROBE_CSV_CSV_CELLS_H

#include <glib.h>
#include <string.h>

typedef struct CsvCells {
    char *bytes; /* text of the rows; the last row may be incomplete */
    gsize used, size;
    guint n; /* number of cells in the current row */
} CsvCells;

/* Number of bytes that must be readable after the end of a padded text. A padded text can be copied
 * in a block of this size, without a loop for the last bytes. */
#define CSV_PADDING 32u

void csv_cells_grow(CsvCells *cells, gsize more);
void csv_cells_clear(CsvCells *cells); /* frees the text */
/* Adds a cell with these bytes, in quotes if needed. */
void csv_cells_text(CsvCells *cells, const char *bytes, gsize length);
/* Adds a cell like csv_cells_text, but with an apostrophe in front if a spreadsheet would read the
 * text as a formula. */
void csv_cells_escaped(CsvCells *cells, const char *bytes, gsize length);
/* Returns whether a spreadsheet would read the text as a formula. */
gboolean csv_is_formula(const char *bytes, gsize length);
/* Appends the text of a cell to `out`, with quotes if needed. */
void csv_quote(GString *out, const char *bytes, gsize length);

/* Makes room for `more` bytes. Returns the address of the room. */
static inline char *csv_cells_reserve(CsvCells *cells, gsize more)
{
    if (G_UNLIKELY(cells->used + more > cells->size))
        csv_cells_grow(cells, more);
    return cells->bytes + cells->used;
}

/* Writes the separator and begins a cell of at most `length` bytes. The caller writes the cell, and
 * then calls csv_cells_end(). */
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

/* Adds a cell with these bytes, which must not need quotes. */
static inline void csv_cells_put(CsvCells *cells, const char *bytes, gsize length)
{
    char *at = csv_cells_begin(cells, length);

    memcpy(at, bytes, length);
    csv_cells_end(cells, at + length);
}

/* Copies the bytes of a padded text. The buffer at `at` must have room for `length` + CSV_PADDING
 * bytes. */
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
