/* SPDX-License-Identifier: Apache-2.0 */
#include "row-report.h"

#include <string.h>

#include "terminal.h"
#include "text-style.h"

#define TEXT_WIDTH_MAX 60

void strobe_rows_print(const StrobeRows *rows)
{
    StrobeGrid *grid = strobe_grid_new();
    guint n = rows->titles->len;

    for (guint i = 0; i < n; i++) {
        gboolean is_number = FALSE;
        for (guint c = i; c < rows->cells->len && !is_number; c += n)
            is_number = g_array_index(rows->cells, StrobeRowsCell, c).is_number;
        strobe_grid_add_column(grid, g_ptr_array_index(rows->titles, i), is_number,
                               is_number ? 0 : TEXT_WIDTH_MAX);
    }
    for (guint i = 0; i < rows->cells->len; i++) {
        const StrobeRowsCell *cell = &g_array_index(rows->cells, StrobeRowsCell, i);
        strobe_grid_add_bytes(grid, cell->text, cell->length);
    }
    strobe_grid_print(grid, stdout);
    strobe_grid_free(grid);
    if (rows->n_incomplete > 0)
        printf("%s(incomplete rows: %u; records were lost in their time, so their numbers may be "
               "wrong; --table loss)%s\n",
               strobe_style(STROBE_STYLE_WARNING), rows->n_incomplete,
               strobe_style(STROBE_STYLE_END));
    if (rows->n_seen > rows->n_rows)
        printf("%s(%u of %" G_GUINT64_FORMAT " rows; --limit shows more)%s\n",
               strobe_style(STROBE_STYLE_NOTE), rows->n_rows, rows->n_seen,
               strobe_style(STROBE_STYLE_END));
}

static void write_cell(StrobeJsonWriter *json, const StrobeRowsCell *cell)
{
    /* A number that is not finite is written as a text, because JSON has no such numbers. */
    gboolean is_finite =
        cell->length > 0 && (g_ascii_isdigit(cell->text[0]) ||
                             (cell->text[0] == '-' && g_ascii_isdigit(cell->text[1])));

    if (cell->is_empty || (cell->is_number && !is_finite))
        strobe_json_null(json);
    else if (cell->is_bool)
        strobe_json_bool(json, cell->text[0] != '0');
    else if (cell->is_number)
        strobe_json_exact(json, cell->text, cell->length);
    else
        strobe_json_text(json, cell->text, cell->length);
}

void strobe_rows_write(StrobeJsonWriter *json, const StrobeRows *rows)
{
    guint n = rows->titles->len;

    strobe_json_begin_array(json);
    for (guint row = 0; row < rows->n_rows; row++) {
        strobe_json_begin_object(json);
        for (guint i = 0; i < n; i++) {
            const char *title = g_ptr_array_index(rows->titles, i);
            strobe_json_key_text(json, title, strlen(title));
            write_cell(json, &g_array_index(rows->cells, StrobeRowsCell, row * n + i));
        }
        strobe_json_end_object(json);
    }
    strobe_json_end_array(json);
}
