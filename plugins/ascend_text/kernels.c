/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels.h"

#include <string.h>
#include <strobe/helpers/cell-number.h>

typedef struct Place {
    gint64 begin_ns;
    guint64 offset;
    guint32 stream, task;
} Place;

/* Where a column's value goes. */
typedef struct Target {
    const AscendColumn *row; /* NULL: a metric, or not known */
    guint32 offset, type;    /* in struct strobe_device_task; type 0: nowhere */
    gint metric;             /* place among the metrics, -1: none */
    double factor;
} Target;

struct Kernels {
    const StrobeImporterHost *host;
    StrobeInstance *self;
    StrobeCsvScanner *scanner;
    GArray *targets; /* of Target, by column */
    GArray *places;  /* of Place, sorted */
    guint stream_at, task_at, begin_at, duration_at;
    StrobeStringId metrics;
    guint n_metrics;
    gint generation, level;
};

static const AscendFile *find_file(void)
{
    for (guint32 i = 0; i < n_ascend_files; i++)
        if (!strcmp(ascend_files[i].file, "kernel_details.csv"))
            return &ascend_files[i];
    g_assert_not_reached();
}

static void set_target(Target *target, const char *field)
{
    const StrobeKind *kind = &strobe_kind_device_task;

    for (guint32 i = 0; i < kind->n_fields; i++)
        if (!strcmp(kind->fields[i].name, field)) {
            target->offset = strobe_kind_offset(kind, i);
            target->type = kind->fields[i].type;
        }
}

static void take_title(Kernels *k, const StrobeCsvCell *cell, guint at, GString *metrics,
                       gboolean *are_metrics)
{
    const AscendColumn *row = ascend_file_column(find_file(), cell->bytes, cell->length);
    Target target = {.row = row, .metric = -1, .factor = 1};
    char metric[128];

    if (row) {
        k->generation = MAX(k->generation, row->generations == ASCEND_G3    ? 3
                                           : row->generations == ASCEND_G23 ? 2
                                                                            : 1);
        k->level = MAX(k->level, row->levels == ASCEND_L12);
        set_target(&target, row->column.field);
        *are_metrics = strcmp(row->column.field, "context") == 0;
    } else if (*are_metrics && k->n_metrics < 48 &&
               ascend_metric_of_title(cell->bytes, cell->length, metric, sizeof metric)) {
        g_string_append_printf(metrics, "%s%s", k->n_metrics ? ";" : "", metric);
        target.metric = (gint)k->n_metrics++;
        target.factor = ascend_metric_factor(metric);
    } else {
        k->host->unknown(k->self, "kernel_details.csv", cell->bytes, 0);
    }
    if (!strcmp(cell->bytes, "Stream ID"))
        k->stream_at = at;
    else if (!strcmp(cell->bytes, "Task ID"))
        k->task_at = at;
    else if (!strcmp(cell->bytes, "Start Time(us)"))
        k->begin_at = at;
    else if (!strcmp(cell->bytes, "Duration(us)"))
        k->duration_at = at;
    g_array_append_val(k->targets, target);
}

static gboolean take_header(Kernels *k)
{
    g_autoptr(GString) metrics = g_string_new(NULL);
    const StrobeCsvCell *cells;
    gboolean are_metrics = FALSE;
    gsize n;

    if (strobe_csv_scanner_next(k->scanner, &cells, &n) != STROBE_CSV_ROW)
        return FALSE;
    k->stream_at = k->task_at = k->begin_at = k->duration_at = G_MAXUINT;
    for (guint i = 0; i < n; i++)
        take_title(k, &cells[i], i, metrics, &are_metrics);
    k->metrics = k->n_metrics ? k->host->intern(k->self, metrics->str, metrics->len) : 0;
    return k->begin_at != G_MAXUINT && k->duration_at != G_MAXUINT;
}

static gboolean read_u32(const StrobeCsvCell *cell, guint32 *value)
{
    guint64 number;

    if (!g_ascii_string_to_unsigned(cell->bytes, 10, 0, G_MAXUINT32, &number, NULL))
        return FALSE;
    *value = (guint32)number;
    return TRUE;
}

static void report(Kernels *k, const char *reason)
{
    g_autofree char *place = g_strdup_printf("kernel_details.csv, row %" G_GUINT64_FORMAT,
                                             strobe_csv_scanner_row(k->scanner));

    k->host->damage(k->self, place, reason);
}

static void take_place(Kernels *k, const StrobeCsvCell *cells, gsize n)
{
    Place place = {.offset = strobe_csv_scanner_place(k->scanner)};

    if (n != k->targets->len) {
        report(k, "another number of cells than the header has");
        return;
    }
    if (strobe_read_us(cells[k->begin_at].bytes, cells[k->begin_at].length, &place.begin_ns,
                       NULL)) {
        report(k, "Start Time(us) is no time");
        return;
    }
    /* Communication operations have no stream and task here; the trace has all of them. */
    if (k->stream_at == G_MAXUINT || !read_u32(&cells[k->stream_at], &place.stream) ||
        k->task_at == G_MAXUINT || !read_u32(&cells[k->task_at], &place.task))
        return;
    g_array_append_val(k->places, place);
}

static gint compare_places(gconstpointer a, gconstpointer b)
{
    const Place *x = a, *y = b;

    if (x->stream != y->stream)
        return x->stream < y->stream ? -1 : 1;
    if (x->task != y->task)
        return x->task < y->task ? -1 : 1;
    return x->begin_ns < y->begin_ns ? -1 : x->begin_ns > y->begin_ns;
}

Kernels *kernels_new(const StrobeImporterHost *host, StrobeInstance *self, int descriptor)
{
    Kernels *k = g_new0(Kernels, 1);
    const StrobeCsvCell *cells;
    gsize n;
    int status;

    k->host = host;
    k->self = self;
    k->scanner = strobe_csv_scanner_new(descriptor);
    k->targets = g_array_new(FALSE, FALSE, sizeof(Target));
    k->places = g_array_new(FALSE, FALSE, sizeof(Place));
    if (!take_header(k)) {
        kernels_free(k);
        return NULL;
    }
    while ((status = strobe_csv_scanner_next(k->scanner, &cells, &n)) && status != STROBE_CSV_IO) {
        if (status == STROBE_CSV_DAMAGED)
            report(k, strobe_csv_scanner_error(k->scanner));
        else
            take_place(k, cells, n);
    }
    g_array_sort(k->places, compare_places);
    return k;
}

void kernels_free(Kernels *k)
{
    if (!k)
        return;
    strobe_csv_scanner_free(k->scanner);
    g_array_unref(k->targets);
    g_array_unref(k->places);
    g_free(k);
}

/* ---- rows ---- */

static const StrobeCsvCell *read_row(Kernels *k, const Place *place)
{
    const StrobeCsvCell *cells;
    gsize n;

    if (strobe_csv_scanner_go(k->scanner, place->offset) ||
        strobe_csv_scanner_next(k->scanner, &cells, &n) != STROBE_CSV_ROW || n != k->targets->len)
        return NULL;
    return cells;
}

static void take_cell(Kernels *k, const Target *target, const StrobeCsvCell *cell,
                      struct strobe_device_task *fields)
{
    const StrobeColumn *column = &target->row->column;
    void *at = (char *)fields + target->offset;
    StrobeCellValue value;
    StrobeStringId id;

    if (target->type == STROBE_FIELD_STRING) {
        if (column->absent && !strcmp(cell->bytes, column->absent))
            return;
        id = cell->length ? k->host->intern(k->self, cell->bytes, cell->length) : 0;
        memcpy(at, &id, sizeof id);
    } else if (strobe_cell_read(column, cell->bytes, cell->length, &value) ||
               strobe_cell_store(&value, target->type, at)) {
        report(k, column->title);
    }
}

static void take_metric(Kernels *k, const Target *target, const StrobeCsvCell *cell,
                        struct strobe_device_pmu *pmu)
{
    static const StrobeColumn column = {"", "", STROBE_CELL_REPR, "N/A"};
    StrobeCellValue value;

    if (strobe_cell_read(&column, cell->bytes, cell->length, &value))
        report(k, "a metric is no number");
    else if (value.type != STROBE_CELL_ABSENT) {
        pmu->metrics = k->metrics;
        pmu->value[target->metric] = value.real * target->factor;
    }
}

gboolean kernels_fill(Kernels *k, guint32 stream, guint32 task, gint64 begin_ns,
                      struct strobe_device_task *fields, struct strobe_device_pmu *pmu)
{
    const Place key = {.begin_ns = begin_ns, .stream = stream, .task = task};
    const StrobeCsvCell *cells;
    guint at;

    if (!g_array_binary_search(k->places, &key, compare_places, &at))
        return FALSE;
    cells = read_row(k, &g_array_index(k->places, Place, at));
    for (guint i = 0; cells && i < k->targets->len; i++) {
        const Target *target = &g_array_index(k->targets, Target, i);

        if (target->metric >= 0)
            take_metric(k, target, &cells[i], pmu);
        else if (target->row && target->type)
            take_cell(k, target, &cells[i], fields);
    }
    return cells != NULL;
}

gboolean kernels_find(const Kernels *k, guint32 stream, guint32 task, gint64 *begin_ns,
                      gint64 *end_ns)
{
    guint low = 0, high = k->places->len;
    const StrobeCsvCell *cells;

    while (low < high) { /* the first of this stream and task */
        guint middle = (low + high) / 2;
        const Place *place = &g_array_index(k->places, Place, middle);

        if (place->stream < stream || (place->stream == stream && place->task < task))
            low = middle + 1;
        else
            high = middle;
    }
    if (low == k->places->len)
        return FALSE;
    const Place *place = &g_array_index(k->places, Place, low);
    if (place->stream != stream || place->task != task)
        return FALSE;
    cells = read_row((Kernels *)(uintptr_t)k, place);
    *begin_ns = *end_ns = place->begin_ns;
    if (cells &&
        !strobe_read_us(cells[k->duration_at].bytes, cells[k->duration_at].length, end_ns, NULL))
        *end_ns += place->begin_ns;
    return TRUE;
}

guint64 kernels_n_rows(const Kernels *k)
{
    return k->places->len;
}

gint kernels_generation(const Kernels *k)
{
    return k->generation;
}

gint kernels_level(const Kernels *k)
{
    return k->level;
}
