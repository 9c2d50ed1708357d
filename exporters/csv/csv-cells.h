/* SPDX-License-Identifier: Apache-2.0 */
/* Cells of CSV rows in sequence: separators, and quotes if needed. */
#ifndef STROBE_CSV_CSV_CELLS_H
#define STROBE_CSV_CSV_CELLS_H

#include <glib.h>
#include <string.h>

typedef struct CsvCells {
    char *bytes; /* of rows; the last one is being written */
    gsize used, size;
    guint n; /* number of cells in the current row */
} CsvCells;

/* This many bytes of a padded text may be read for any length, so it is copied without a loop. */
#define CSV_PADDING 32u

void csv_cells_grow(CsvCells *cells, gsize more);
void csv_cells_clear(CsvCells *cells); /* frees */
/* A cell of bytes that may need quotes. */
void csv_cells_text(CsvCells *cells, const char *bytes, gsize length);
/* The same, with an apostrophe in front if a spreadsheet would read the text as a formula. */
void csv_cells_escaped(CsvCells *cells, const char *bytes, gsize length);
/* Whether a spreadsheet would read the text as a formula. */
gboolean csv_is_formula(const char *bytes, gsize length);
/* Appends the text of a cell, with quotes if needed. */
void csv_quote(GString *out, const char *bytes, gsize length);

/* Reserves `more` bytes and returns their address. */
static inline char *csv_cells_reserve(CsvCells *cells, gsize more)
{
    if (G_UNLIKELY(cells->used + more > cells->size))
        csv_cells_grow(cells, more);
    return cells->bytes + cells->used;
}

/* Begins a cell of at most `length` bytes after its separator; csv_cells_end() must follow. */
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

/* Copies padded bytes to a buffer with room for them and CSV_PADDING. */
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
