/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a CSV file that formats/ does not describe. */
#include <string.h>
#include <strobe/helpers/cell-number.h>
#include <strobe/helpers/csv-scanner.h>

#include "tables.h"

typedef struct Generic {
    Import *import;
    const char *name;
    StrobeKind *kind;
    StrobeCsvScanner *scanner;
    gint begin_at; /* index of the column with the row's time; -1: there is none */
    guint64 n_rows;
} Generic;

static gboolean is_taken(const StrobeField *fields, guint n, const char *name)
{
    for (guint i = 0; i < n; i++)
        if (!strcmp(fields[i].name, name))
            return TRUE;
    return FALSE;
}

static const char *new_name(Generic *g, const StrobeField *fields, guint n, const char *title)
{
    g_autofree char *name = import_field_name(title);
    GString *full = g_string_new(name);
    const char *kept;

    for (guint copy = 1; is_taken(fields, n, full->str); copy++)
        g_string_printf(full, "%s.%u", name, copy);
    kept = g_string_chunk_insert(g->import->names, full->str);
    g_string_free(full, TRUE);
    return kept;
}

/* Returns whether the column's title is that of a time. The first such column contains the time of
 * the row. */
static gboolean is_time(const char *title)
{
    return g_str_has_prefix(title, "Timestamp") || g_str_has_prefix(title, "Start Time") ||
           g_str_has_suffix(title, "_start(us)");
}

static void make_kind(Generic *g, const StrobeCsvCell *cells, gsize n)
{
    g_autofree char *stem = g_strndup(g->name, strcspn(g->name, "."));
    g_autofree char *name = import_field_name(stem);
    g_autofree char *full = g_strconcat("ascend_text.", name, NULL);
    guint n_fields = (guint)MIN(n, STROBE_KIND_FIELDS_MAX);
    StrobeField *fields = g_new0(StrobeField, n_fields + 1);

    for (guint i = 0; i < n_fields; i++) {
        fields[i] =
            (StrobeField){.name = new_name(g, fields, i, cells[i].bytes),
                          .type = STROBE_FIELD_STRING,
                          .unit = "",
                          .summary = g_string_chunk_insert(g->import->names, cells[i].bytes)};
        if (g->begin_at < 0 && is_time(cells[i].bytes))
            g->begin_at = (gint)i;
    }
    if (n > n_fields)
        import_damage(g->import, g->name, "row", 1, "only the first 64 columns are read");
    g->kind = g_new0(StrobeKind, 1);
    *g->kind = (StrobeKind){.struct_size = sizeof *g->kind,
                            .shape = STROBE_SHAPE_INSTANT,
                            .name = g_string_chunk_insert(g->import->names, full),
                            .summary = g_string_chunk_insert(g->import->names, g->name),
                            .fields = fields,
                            .n_fields = n_fields};
    g_ptr_array_add(g->import->own_kinds, g->kind);
}

static void take_row(Generic *g, const StrobeCsvCell *cells, gsize n)
{
    gint64 begin = import_instant(g->import);
    StrobeStringId *fields;

    if (n < g->kind->n_fields)
        import_damage(g->import, g->name, "row", strobe_csv_scanner_row(g->scanner),
                      "fewer cells than the header has");
    if (g->begin_at >= 0 && (gsize)g->begin_at < n)
        strobe_read_us(cells[g->begin_at].bytes, cells[g->begin_at].length, &begin, NULL);
    fields = text_import_emit(g->import, g->kind, import_process(g->import), 0, begin, begin);
    for (guint i = 0; fields && i < g->kind->n_fields && i < n; i++)
        if (cells[i].length)
            fields[i] = g->import->host->intern(g->import->self, cells[i].bytes, cells[i].length);
    g->n_rows++;
}

void table_import_generic(Import *import, int descriptor, const char *name)
{
    Generic g = {.import = import, .name = name, .begin_at = -1};
    const StrobeCsvCell *cells;
    gsize n;
    int status;

    g.scanner = strobe_csv_scanner_new(descriptor);
    if (strobe_csv_scanner_next(g.scanner, &cells, &n) == STROBE_CSV_ROW) {
        make_kind(&g, cells, n);
        while (!import->is_full && (status = strobe_csv_scanner_next(g.scanner, &cells, &n)) &&
               status != STROBE_CSV_IO) {
            if (status == STROBE_CSV_ROW)
                take_row(&g, cells, n);
            else
                import_damage(import, name, "row", strobe_csv_scanner_row(g.scanner),
                              strobe_csv_scanner_error(g.scanner));
        }
    }
    import->host->found(import->self, name, g.n_rows);
    import->host->unknown(import->self, "files", name, g.n_rows);
    strobe_csv_scanner_free(g.scanner);
}
