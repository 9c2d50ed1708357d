/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel-table.h"

#include <string.h>
#include <strobe/helpers/cell-number.h>

#define METRICS_MAX 48u
#define NOWHERE G_MAXUINT

const char *kernel_table_title(const char *title)
{
    static const char *const renamed[][2] = {
        {"Op Name", "Name"},
        {"OP Type", "Type"},
        {"Task Type", "Accelerator Core"},
        {SUMMARY_TITLE, "Start Time(us)"},
        {"Task Duration(us)", "Duration(us)"},
        {"Task Wait Time(us)", "Wait Time(us)"},
    };

    for (guint i = 0; i < G_N_ELEMENTS(renamed); i++)
        if (!strcmp(renamed[i][0], title))
            return renamed[i][1];
    return title;
}

static const AscendFile *find_file(void)
{
    for (guint32 i = 0; i < n_ascend_files; i++)
        if (!strcmp(ascend_files[i].file, KERNELS_NAME))
            return &ascend_files[i];
    g_assert_not_reached();
}

static void bind_column(KernelColumn *column)
{
    static const StrobeKind *const kinds[KERNEL_KINDS] = {
        &strobe_kind_device_task, &strobe_kind_comm_op, &strobe_kind_kernel_detail};

    for (guint k = 0; k < KERNEL_KINDS; k++)
        for (guint32 i = 0; i < kinds[k]->n_fields; i++)
            if (!strcmp(kinds[k]->fields[i].name, column->row->column.field)) {
                column->offset[k] = strobe_kind_offset(kinds[k], i);
                column->type[k] = kinds[k]->fields[i].type;
            }
}

static void remember_place(KernelTable *t, const char *title, guint at)
{
    const struct {
        const char *title;
        guint *at;
    } places[] = {
        {"Stream ID", &t->stream_at},
        {"Task ID", &t->task_at},
        {"Start Time(us)", &t->begin_at},
        {"Duration(us)", &t->duration_at},
        {"Name", &t->name_at},
        {"Accelerator Core", &t->core_at},
        {"Device_id", &t->device_at},
        {"Step Id", &t->step_at},
    };

    for (guint i = 0; i < G_N_ELEMENTS(places); i++)
        if (!strcmp(places[i].title, title))
            *places[i].at = at;
}

/* Updates the generation and the level, if only some generations or levels have this column. */
static void learn_level(Import *import, const AscendColumn *row)
{
    import->generation = MAX(import->generation, row->generations == ASCEND_G3    ? 3
                                                 : row->generations == ASCEND_G23 ? 2
                                                                                  : 1);
    import->level = MAX(import->level, row->levels == ASCEND_L12 ? 1 : 0);
}

static void take_title(KernelTable *t, const StrobeCsvCell *cell, GString *metrics,
                       gboolean *are_metrics)
{
    KernelColumn column = {.metric = -1, .factor = 1};
    const char *title = kernel_table_title(cell->bytes);
    char metric[128];

    column.row = ascend_file_column(find_file(), title, strlen(title));
    if (column.row) {
        learn_level(t->import, column.row);
        bind_column(&column);
        *are_metrics |= strcmp(column.row->column.field, "context") == 0;
    } else if (*are_metrics && t->n_metrics < METRICS_MAX &&
               ascend_metric_of_title(cell->bytes, cell->length, metric, sizeof metric)) {
        g_string_append_printf(metrics, "%s%s", t->n_metrics ? ";" : "", metric);
        column.metric = (gint)t->n_metrics++;
        column.factor = ascend_metric_factor(metric);
    } else {
        t->import->host->unknown(t->import->self, KERNELS_NAME, cell->bytes, 0);
    }
    remember_place(t, title, t->columns->len);
    g_array_append_val(t->columns, column);
}

gboolean kernel_table_begins_metrics(const char *title)
{
    return !strcmp(title, "aicore_time(us)") || !strcmp(title, "aiv_time(us)");
}

gboolean kernel_table_open(KernelTable *t, Import *import, int descriptor)
{
    g_autoptr(GString) metrics = g_string_new(NULL);
    const StrobeCsvCell *cells;
    gboolean are_metrics = FALSE;
    gsize n;

    *t = (KernelTable){.import = import};
    t->stream_at = t->task_at = t->begin_at = t->duration_at = NOWHERE;
    t->name_at = t->core_at = t->device_at = t->step_at = NOWHERE;
    t->scanner = strobe_csv_scanner_new(descriptor);
    t->columns = g_array_new(FALSE, FALSE, sizeof(KernelColumn));
    if (strobe_csv_scanner_next(t->scanner, &cells, &n) != STROBE_CSV_ROW)
        return FALSE;
    for (guint i = 0; i < n; i++) {
        are_metrics |= kernel_table_begins_metrics(cells[i].bytes);
        take_title(t, &cells[i], metrics, &are_metrics);
    }
    if (t->n_metrics)
        t->metrics = import->host->intern(import->self, metrics->str, metrics->len);
    return t->begin_at != NOWHERE && t->duration_at != NOWHERE && t->name_at != NOWHERE;
}

void kernel_table_close(KernelTable *t)
{
    strobe_csv_scanner_free(t->scanner);
    g_array_unref(t->columns);
}

/* ---- rows ---- */

static void report_damage(KernelTable *t, const char *reason)
{
    import_damage(t->import, KERNELS_NAME, "row", strobe_csv_scanner_row(t->scanner), reason);
}

static guint32 read_u32(const StrobeCsvCell *cells, guint at, guint32 otherwise)
{
    guint64 number;

    if (at == NOWHERE ||
        !g_ascii_string_to_unsigned(cells[at].bytes, 10, 0, G_MAXUINT32, &number, NULL))
        return otherwise;
    return (guint32)number;
}

/* Reads a row. If the row has no stream and task, sets both to G_MAXUINT32; the row is then found
 * by begin and name. */
static const char *read_row(KernelTable *t, KernelRow *row)
{
    const StrobeCsvCell *cells = row->cells, *duration = &cells[t->duration_at];
    gint64 ns;
    double rest;

    if (strobe_read_us(cells[t->begin_at].bytes, cells[t->begin_at].length, &row->begin_ns, NULL))
        return "Start Time(us) is not a time";
    if (strobe_read_us(duration->bytes, duration->length, &ns, &rest) || ns < 0 ||
        __builtin_add_overflow(row->begin_ns, ns + (rest >= 0.5), &row->end_ns))
        return "Duration(us) is not a duration";
    row->exact_us = rest != 0 ? g_ascii_strtod(duration->bytes, NULL) : STROBE_ABSENT_F64;
    row->stream = read_u32(cells, t->stream_at, G_MAXUINT32);
    row->task = read_u32(cells, t->task_at, G_MAXUINT32);
    if (row->stream == G_MAXUINT32 || row->task == G_MAXUINT32)
        row->stream = row->task = G_MAXUINT32;
    row->device = (gint)read_u32(cells, t->device_at, (guint32)t->import->device);
    if (t->import->device < 0)
        t->import->device = row->device;
    row->step = STROBE_ABSENT_I64;
    if (t->step_at != NOWHERE)
        g_ascii_string_to_signed(cells[t->step_at].bytes, 10, 0, G_MAXINT64, &row->step, NULL);
    row->is_communication =
        t->core_at != NOWHERE && (!strcmp(cells[t->core_at].bytes, "HCCL") ||
                                  !strcmp(cells[t->core_at].bytes, "COMMUNICATION"));
    return NULL;
}

int kernel_table_next(KernelTable *t, KernelRow *row)
{
    const char *reason;
    gsize n;
    int status = strobe_csv_scanner_next(t->scanner, &row->cells, &n);

    if (status == STROBE_CSV_END)
        return 0;
    if (status != STROBE_CSV_ROW) {
        report_damage(t, status == STROBE_CSV_IO ? "cannot be read"
                                                 : strobe_csv_scanner_error(t->scanner));
        return status == STROBE_CSV_IO ? 0 : -1;
    }
    reason =
        n == t->columns->len ? read_row(t, row) : "another number of cells than the header has";
    if (reason)
        report_damage(t, reason);
    return reason ? -1 : 1;
}

gboolean kernel_table_go(KernelTable *t, guint64 place, KernelRow *row)
{
    gsize n;

    return strobe_csv_scanner_go(t->scanner, place) == 0 &&
           strobe_csv_scanner_next(t->scanner, &row->cells, &n) == STROBE_CSV_ROW &&
           n == t->columns->len && !read_row(t, row);
}

/* ---- cells ---- */

static void take_cell(KernelTable *t, const KernelColumn *column, const StrobeCsvCell *cell,
                      guint32 type, void *at)
{
    const StrobeColumn *form = &column->row->column;
    const Import *import = t->import;
    StrobeCellValue value;
    StrobeStringId id;

    if (type == STROBE_FIELD_STRING) {
        if (form->absent && !strcmp(cell->bytes, form->absent))
            return;
        id = cell->length ? import->host->intern(import->self, cell->bytes, cell->length) : 0;
        memcpy(at, &id, sizeof id);
    } else if (strobe_cell_read(form, cell->bytes, cell->length, &value) ||
               strobe_cell_store(&value, type, at)) {
        report_damage(t, form->title);
    }
}

void kernel_table_fill(KernelTable *t, const KernelRow *row, guint kind, void *fields)
{
    for (guint i = 0; i < t->columns->len; i++) {
        const KernelColumn *column = &g_array_index(t->columns, KernelColumn, i);

        if (column->row && column->type[kind])
            take_cell(t, column, &row->cells[i], column->type[kind],
                      (char *)fields + column->offset[kind]);
    }
}

void kernel_table_metrics(KernelTable *t, const KernelRow *row, StrobeStringId *names,
                          double *values, guint n)
{
    static const StrobeColumn form = {"", "", STROBE_CELL_REPR, "N/A"};
    StrobeCellValue value;

    for (guint i = 0; i < t->columns->len; i++) {
        const KernelColumn *column = &g_array_index(t->columns, KernelColumn, i);
        const StrobeCsvCell *cell = &row->cells[i];

        if (column->metric < 0 || column->metric >= (gint)n)
            continue;
        if (strobe_cell_read(&form, cell->bytes, cell->length, &value)) {
            report_damage(t, "a metric is not a number");
        } else if (value.type != STROBE_CELL_ABSENT) {
            *names = t->metrics;
            values[column->metric] = value.real * column->factor;
        }
    }
}
