/* SPDX-License-Identifier: Apache-2.0 */
#include "ascend-text-kernels.h"

#include <stdlib.h>
#include <string.h>

/* maximum difference of two begins that count as equal, because a table and a trace may round
 * differently */
#define NEAR_NS 1000
#define STEPS_MAX 100000u

typedef struct Place {
    gint64 begin_ns;
    guint64 offset; /* offset of the row in the file; the two highest bits are flags */
    guint32 stream, task;
} Place;

#define USED ((guint64)1 << 63)  /* an event of the trace has used the row */
#define FOUND ((guint64)1 << 62) /* a row of the table that is being read has used the kernel */
#define OFFSET(place_) ((place_)->offset & ~(USED | FOUND))

typedef struct Step {
    /* number of the step; first begin, last begin and last end of its kernels */
    gint64 number, first_ns, last_ns, end_ns;
    gint device;
} Step;

struct Kernels {
    KernelTable table;
    GArray *places; /* elements of type Place, sorted */
    GArray *steps;  /* elements of type Step, in the order of their first rows */
};

static Place *place_at(const Kernels *k, guint i)
{
    return &g_array_index(k->places, Place, i);
}

static void add_step(Kernels *k, const KernelRow *row)
{
    Step step = {row->step, row->begin_ns, row->begin_ns, row->end_ns, row->device};

    if (row->step == STROBE_ABSENT_I64)
        return;
    /* searches from the end, because the rows of a step are close to each other */
    for (guint i = k->steps->len; i-- > 0;) {
        Step *known = &g_array_index(k->steps, Step, i);

        if (known->number != row->step || known->device != row->device)
            continue;
        known->first_ns = MIN(known->first_ns, row->begin_ns);
        known->last_ns = MAX(known->last_ns, row->begin_ns);
        known->end_ns = MAX(known->end_ns, row->end_ns);
        return;
    }
    if (k->steps->len < STEPS_MAX)
        g_array_append_val(k->steps, step);
}

static gint compare_places(gconstpointer a, gconstpointer b)
{
    const Place *x = a, *y = b;

    if (x->stream != y->stream)
        return x->stream < y->stream ? -1 : 1;
    if (x->task != y->task)
        return x->task < y->task ? -1 : 1;
    if (x->begin_ns != y->begin_ns)
        return x->begin_ns < y->begin_ns ? -1 : 1;
    return OFFSET(x) < OFFSET(y) ? -1 : OFFSET(x) > OFFSET(y);
}

Kernels *kernels_new(Import *import, int descriptor)
{
    Kernels *k = g_new0(Kernels, 1);
    KernelRow row;
    int status;

    k->places = g_array_new(FALSE, FALSE, sizeof(Place));
    k->steps = g_array_new(FALSE, FALSE, sizeof(Step));
    if (!kernel_table_open(&k->table, import, descriptor)) {
        kernels_free(k);
        return NULL;
    }
    while ((status = kernel_table_next(&k->table, &row))) {
        const Place place = {row.begin_ns, strobe_csv_scanner_place(k->table.scanner), row.stream,
                             row.task};

        if (status < 0)
            continue;
        g_array_append_val(k->places, place);
        add_step(k, &row);
    }
    g_array_sort(k->places, compare_places);
    return k;
}

void kernels_free(Kernels *k)
{
    if (!k)
        return;
    kernel_table_close(&k->table);
    g_array_unref(k->places);
    g_array_unref(k->steps);
    g_free(k);
}

guint64 kernels_n_rows(const Kernels *k)
{
    return k->places->len;
}

/* ---- by stream, task and begin ---- */

/* Returns the index of the first entry of `places` that is not less than the key. */
static guint lower_bound(const Kernels *k, const Place *key)
{
    guint low = 0, high = k->places->len;

    while (low < high) {
        guint middle = low + (high - low) / 2;

        if (compare_places(place_at(k, middle), key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static gboolean is_usable(Kernels *k, Place *place, const Place *key, gint64 distance,
                          const char *name, KernelRow *row)
{
    if (place->stream != key->stream || place->task != key->task || place->offset & USED ||
        llabs(place->begin_ns - key->begin_ns) > distance ||
        !kernel_table_go(&k->table, OFFSET(place), row))
        return FALSE;
    return !name || !strcmp(row->cells[k->table.name_at].bytes, name);
}

/* Finds an unused row with the stream and task of the key, a begin at most `distance` away and this
 * name (NULL: any name), and marks the row as used. */
static gboolean find_row(Kernels *k, const Place *key, gint64 distance, const char *name,
                         KernelRow *row)
{
    const Place from = {key->begin_ns - distance, 0, key->stream, key->task};

    for (guint i = lower_bound(k, &from); i < k->places->len; i++) {
        Place *place = place_at(k, i);

        if (place->stream != key->stream || place->task != key->task ||
            place->begin_ns > key->begin_ns + distance)
            return FALSE;
        if (is_usable(k, place, key, distance, name, row)) {
            place->offset |= USED;
            return TRUE;
        }
    }
    return FALSE;
}

/* Finds the row of a task. In a table of level 0 there are no streams and task numbers, so the row
 * is found by begin and name. */
static gboolean find_task(Kernels *k, const char *name, gint64 begin_ns, guint32 stream,
                          guint32 task, KernelRow *row)
{
    const Place exact = {.begin_ns = begin_ns, .stream = stream, .task = task};
    const Place unknown = {.begin_ns = begin_ns, .stream = G_MAXUINT32, .task = G_MAXUINT32};

    return find_row(k, &exact, 0, NULL, row) || find_row(k, &exact, NEAR_NS, name, row) ||
           find_row(k, &unknown, 0, name, row) || find_row(k, &unknown, NEAR_NS, name, row);
}

static void clear_pmu(struct strobe_device_pmu *pmu)
{
    *pmu = (struct strobe_device_pmu){.frequency = STROBE_ABSENT_U32};
    for (guint i = 0; i < G_N_ELEMENTS(pmu->value); i++)
        pmu->value[i] = STROBE_ABSENT_F64;
}

static void fill_task(Kernels *k, const KernelRow *row, struct strobe_device_task *task,
                      struct strobe_device_pmu *pmu)
{
    kernel_table_fill(&k->table, row, KERNEL_TASK, task);
    task->is_kernel = 1;
    clear_pmu(pmu);
    pmu->task = task->task;
    kernel_table_metrics(&k->table, row, &pmu->metrics, pmu->value, G_N_ELEMENTS(pmu->value));
}

gboolean kernels_fill(Kernels *k, const char *name, gint64 begin_ns,
                      struct strobe_device_task *task, struct strobe_device_pmu *pmu)
{
    KernelRow row;

    if (!k || !find_task(k, name, begin_ns, task->stream, task->task_id, &row))
        return FALSE;
    fill_task(k, &row, task, pmu);
    return TRUE;
}

gboolean kernels_fill_operation(Kernels *k, const char *name, gint64 begin_ns,
                                struct strobe_comm_op *fields)
{
    KernelRow row;

    if (!k || !find_task(k, name, begin_ns, G_MAXUINT32, G_MAXUINT32, &row))
        return FALSE;
    kernel_table_fill(&k->table, &row, KERNEL_OPERATION, fields);
    return TRUE;
}

void kernels_begin_table(Kernels *k)
{
    for (guint i = 0; i < k->places->len; i++)
        place_at(k, i)->offset &= ~FOUND;
}

/* Several kernels may have the same stream and task. Uses the first of them that was not found
 * since kernels_begin_table; if all were found, uses the last one. */
gboolean kernels_find(Kernels *k, guint32 stream, guint32 task, gint64 *begin_ns, gint64 *end_ns)
{
    const Place key = {.begin_ns = G_MININT64, .stream = stream, .task = task};
    Place *found = NULL;
    KernelRow row;

    for (guint i = lower_bound(k, &key); i < k->places->len; i++) {
        Place *place = place_at(k, i);

        if (place->stream != stream || place->task != task)
            break;
        found = place;
        if (!(place->offset & FOUND))
            break;
    }
    if (!found || !kernel_table_go(&k->table, OFFSET(found), &row))
        return FALSE;
    found->offset |= FOUND;
    *begin_ns = row.begin_ns;
    *end_ns = row.end_ns;
    return TRUE;
}

/* ---- rows as records ---- */

static StrobeStringId name_of(Kernels *k, const KernelRow *row)
{
    return text_import_intern(k->table.import, row->cells[k->table.name_at].bytes);
}

static void emit_operation(Kernels *k, const KernelRow *row)
{
    Import *import = k->table.import;
    const StrobeTrack track = {.struct_size = sizeof track,
                               .type = STROBE_TRACK_STREAM,
                               .device = row->device,
                               .name = "Communication",
                               .group = import->generation == 3 ? "Communication" : "HCCL"};
    struct strobe_comm_op *fields =
        text_import_emit(import, &strobe_kind_comm_op,
                         import->host->track(import->self, &track, (guint64)import->pid),
                         name_of(k, row), row->begin_ns, row->end_ns);

    if (!fields)
        return;
    kernel_table_fill(&k->table, row, KERNEL_OPERATION, fields);
    fields->exact_us = row->exact_us;
}

static void emit_task(Kernels *k, const KernelRow *row)
{
    Import *import = k->table.import;
    StrobeTrackId track =
        text_import_stream(import, row->device, row->stream == G_MAXUINT32 ? 0 : row->stream);
    StrobeStringId name = name_of(k, row);
    struct strobe_device_task *task =
        text_import_emit(import, &strobe_kind_device_task, track, name, row->begin_ns, row->end_ns);
    struct strobe_device_pmu pmu, *fields;

    if (!task)
        return;
    task->task = import->host->link_ids(import->self, 1);
    task->exact_us = row->exact_us;
    fill_task(k, row, task, &pmu);
    task->task_type = task->core; /* the table's column for `core` contains the task type */
    if (!pmu.metrics)
        return;
    fields =
        text_import_emit(import, &strobe_kind_device_pmu, track, name, row->begin_ns, row->end_ns);
    if (fields)
        *fields = pmu;
}

static gint compare_offsets(gconstpointer a, gconstpointer b)
{
    const Place *x = a, *y = b;

    return OFFSET(x) < OFFSET(y) ? -1 : OFFSET(x) > OFFSET(y);
}

/* Emits a step. The table does not contain the step's end, so the end is set to a time after the
 * step's last kernel and before the first kernel of the next step. */
static void emit_step(Kernels *k, const Step *step)
{
    Import *import = k->table.import;
    const StrobeTrack track = {
        .struct_size = sizeof track, .type = STROBE_TRACK_STEPS, .device = -1};
    g_autofree char *name = g_strdup_printf("ProfilerStep#%" G_GINT64_FORMAT, step->number);
    gint64 end = MAX(step->end_ns, step->last_ns) + 1;
    struct strobe_step_range *fields;

    for (guint i = 0; i < k->steps->len; i++) {
        const Step *other = &g_array_index(k->steps, Step, i);

        if (other->device == step->device && other->first_ns > step->last_ns)
            end = MIN(end, other->first_ns);
    }
    fields = text_import_emit(import, &strobe_kind_step_range,
                              import->host->track(import->self, &track, (guint64)import->pid),
                              text_import_intern(import, name), step->first_ns, end);
    if (!fields)
        return;
    fields->number = step->number;
    fields->device = step->device;
}

void kernels_emit_rest(Kernels *k)
{
    const Import *import = k->table.import;
    /* if there are operators, they also announce the steps */
    gboolean has_operators = import_is_used(import, &strobe_kind_cpu_op);
    KernelRow row;

    g_array_sort(k->places, compare_offsets); /* the order of the file */
    for (guint i = 0; i < k->places->len && !import->is_full; i++) {
        const Place *place = place_at(k, i);

        if (place->offset & USED || !kernel_table_go(&k->table, OFFSET(place), &row))
            continue;
        if (row.is_communication)
            emit_operation(k, &row);
        else
            emit_task(k, &row);
    }
    for (guint i = 0; i < k->steps->len && !has_operators; i++)
        emit_step(k, &g_array_index(k->steps, Step, i));
    g_array_sort(k->places, compare_places);
}

static void emit_detail(Kernels *k, const KernelRow *row)
{
    Import *import = k->table.import;
    guint32 stream = row->stream == G_MAXUINT32 ? 0 : row->stream;
    struct strobe_kernel_detail *fields = text_import_emit(
        import, &strobe_kind_kernel_detail, text_import_stream(import, row->device, stream),
        name_of(k, row), row->begin_ns, row->end_ns);

    if (!fields)
        return;
    kernel_table_fill(&k->table, row, KERNEL_DETAIL, fields);
    fields->device = row->device;
    fields->exact_us = row->exact_us;
    fields->is_communication = row->is_communication != 0;
    kernel_table_metrics(&k->table, row, &fields->metrics, fields->value,
                         G_N_ELEMENTS(fields->value));
}

void kernels_emit_details(Kernels *k)
{
    KernelRow row;

    g_array_sort(k->places, compare_offsets);
    for (guint i = 0; i < k->places->len && !k->table.import->is_full; i++)
        if (kernel_table_go(&k->table, OFFSET(place_at(k, i)), &row))
            emit_detail(k, &row);
    g_array_sort(k->places, compare_places);
}
