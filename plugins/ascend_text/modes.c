/* SPDX-License-Identifier: Apache-2.0 */
#include "modes.h"

#include <string.h>
#include <strobe/helpers/csv-scanner.h>
#include <strobe/helpers/keyed-hash.h>

#define DEVICES_MAX 1024u
#define NOWHERE G_MAXUINT

enum { DEVICE, MODE, LEAST, GREATEST, MEAN, COLUMNS };

static const char *const fields[COLUMNS] = {"device", ASCEND_FIELD_MODE, ASCEND_FIELD_MIN,
                                            ASCEND_FIELD_MAX, ASCEND_FIELD_AVG};

typedef struct Sum {
    gint64 device;
    guint32 offset; /* offset of a double in the kind's fields */
    double value;
} Sum;

typedef struct Modes {
    Import *import;
    const char *name;
    const AscendFile *file;
    const StrobeKind *kind;
    StrobeCsvScanner *scanner;
    guint at[COLUMNS];
    gsize n_columns;
    GArray *sums; /* elements of type Sum */
    guint64 n_rows;
} Modes;

static void report_damage(const Modes *m, const char *reason)
{
    import_damage(m->import, m->name, "row", strobe_csv_scanner_row(m->scanner), reason);
}

static gboolean take_header(Modes *m)
{
    const StrobeCsvCell *cells;

    for (guint k = 0; k < COLUMNS; k++)
        m->at[k] = NOWHERE;
    if (strobe_csv_scanner_next(m->scanner, &cells, &m->n_columns) != STROBE_CSV_ROW)
        return FALSE;
    for (guint i = 0; i < m->n_columns; i++) {
        const AscendColumn *row = ascend_file_column(m->file, cells[i].bytes, cells[i].length);

        if (!row)
            m->import->host->unknown(m->import->self, m->name, cells[i].bytes, 0);
        for (guint k = 0; row && k < COLUMNS; k++)
            if (!strcmp(fields[k], row->column.field))
                m->at[k] = i;
    }
    for (guint k = MODE; k < COLUMNS; k++)
        if (m->at[k] == NOWHERE)
            return FALSE;
    return TRUE;
}

static const AscendMode *mode_of(const Modes *m, const char *title)
{
    for (guint32 i = 0; i < m->file->n_modes; i++)
        if (!strcmp(m->file->modes[i].title, title))
            return &m->file->modes[i];
    return NULL;
}

static void add_sum(Modes *m, const char *field, const char *text, double unit, gint64 device)
{
    char *end;
    Sum sum = {.device = device, .value = g_ascii_strtod(text, &end) * unit};

    if (end == text || *end) {
        report_damage(m, "expected a number");
        return;
    }
    for (guint32 i = 0; i < m->kind->n_fields; i++)
        if (!strcmp(m->kind->fields[i].name, field) &&
            m->kind->fields[i].type == STROBE_FIELD_F64) {
            sum.offset = strobe_kind_offset(m->kind, i);
            g_array_append_val(m->sums, sum);
        }
}

static void take_row(Modes *m, const StrobeCsvCell *cells)
{
    const AscendMode *mode = mode_of(m, cells[m->at[MODE]].bytes);
    gint64 device = m->import->device;

    if (m->at[DEVICE] != NOWHERE)
        g_ascii_string_to_signed(cells[m->at[DEVICE]].bytes, 10, -1, G_MAXINT32, &device, NULL);
    if (!mode) {
        report_damage(m, "expected a Mode that is known");
        return;
    }
    if (m->sums->len >= DEVICES_MAX * m->kind->n_fields) {
        report_damage(m, "too many rows");
        return;
    }
    add_sum(m, mode->min, cells[m->at[LEAST]].bytes, mode->unit, device);
    add_sum(m, mode->max, cells[m->at[GREATEST]].bytes, mode->unit, device);
    add_sum(m, mode->avg, cells[m->at[MEAN]].bytes, mode->unit, device);
    m->n_rows++;
}

static void emit_device(const Modes *m, gint64 device)
{
    Import *import = m->import;
    gint64 at = import_instant(import);
    char *out = text_import_emit(
        import, m->kind, text_import_counter(import, (gint)device, m->file->kind), 0, at, at);
    gint32 number = (gint32)device;

    for (guint i = 0; out && i < m->sums->len; i++) {
        const Sum *sum = &g_array_index(m->sums, Sum, i);

        if (sum->device == device)
            memcpy(out + sum->offset, &sum->value, sizeof sum->value);
    }
    for (guint32 i = 0; out && i < m->kind->n_fields; i++)
        if (!strcmp(m->kind->fields[i].name, "device"))
            memcpy(out + strobe_kind_offset(m->kind, i), &number, sizeof number);
}

static void emit_devices(const Modes *m)
{
    g_autoptr(GHashTable) done = g_hash_table_new(strobe_hash_of_number, g_int64_equal);

    for (guint i = 0; i < m->sums->len; i++) {
        Sum *sum = &g_array_index(m->sums, Sum, i);

        if (g_hash_table_add(done, &sum->device))
            emit_device(m, sum->device);
    }
}

void modes_import(Import *import, int descriptor, const char *name, const AscendFile *file)
{
    Modes m = {.import = import, .name = name, .file = file, .kind = import_kind(file->kind)};
    const StrobeCsvCell *cells;
    gsize n;
    int status;

    m.scanner = strobe_csv_scanner_new(descriptor);
    m.sums = g_array_new(FALSE, FALSE, sizeof(Sum));
    if (!take_header(&m))
        report_damage(&m, "expected columns Mode, Min, Max and Avg");
    else
        while ((status = strobe_csv_scanner_next(m.scanner, &cells, &n)) &&
               status != STROBE_CSV_IO) {
            if (status == STROBE_CSV_DAMAGED)
                report_damage(&m, strobe_csv_scanner_error(m.scanner));
            else if (n != m.n_columns)
                report_damage(&m, "another number of cells than the header has");
            else
                take_row(&m, cells);
        }
    emit_devices(&m);
    import->host->found(import->self, name, m.n_rows);
    strobe_csv_scanner_free(m.scanner);
    g_array_unref(m.sums);
}
