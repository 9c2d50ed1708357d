/* SPDX-License-Identifier: Apache-2.0 */
/* Computes kernel_detail from device_task, device_pmu, comm_op and step_range. */
#include "kernel-detail.h"

#include <glib.h>
#include <string.h>
#include <strobe/helpers/cell-number.h>
#include <strobe/helpers/fields.h>
#include <strobe/helpers/steps.h>
#include <strobe/kinds.h>

#define ROWS_MAX 2097152u
#define VALUES G_N_ELEMENTS(((struct strobe_kernel_detail *)NULL)->value)

/* Size of the fields before the values of metrics. The values are stored separately, because many
 * rows have no values. */
#define HEAD_BYTES G_STRUCT_OFFSET(struct strobe_kernel_detail, value)

typedef struct Row {
    gint64 begin_ns, end_ns;
    double us;
    StrobeTrackId track;
    StrobeStringId name;
    guint order;
    struct {
        char bytes[HEAD_BYTES];
    } head;
} Row;

typedef struct Metrics {
    guint64 task;
    StrobeStringId names;
    gsize values; /* index of the first value in KernelDetail.values */
    guint n;
} Metrics;

enum { TASK, METRICS, FIRST_VALUE, N_PMU };
enum { IS_KERNEL, EXACT, N_RECORD };

static const StrobeWantedField pmu_wanted[N_PMU] = {
    [TASK] = {"task", STROBE_FIELD_LINK},
    [METRICS] = {"metrics", STROBE_FIELD_STRING},
    [FIRST_VALUE] = {"value_00", STROBE_FIELD_F64},
};
static const StrobeWantedField record_wanted[N_RECORD] = {
    [IS_KERNEL] = {"is_kernel", STROBE_FIELD_BOOL},
    [EXACT] = {"exact_us", STROBE_FIELD_F64},
};

enum { DEVICE_TASK, COMM_OP, DEVICE_PMU, STEP_RANGE, N_KINDS };

static const char *const kind_names[N_KINDS] = {
    [DEVICE_TASK] = "device_task",
    [COMM_OP] = "comm_op",
    [DEVICE_PMU] = "device_pmu",
    [STEP_RANGE] = "step_range",
};

typedef struct KernelDetail {
    const StrobeConsumerHost *host;
    StrobeInstance *self;
    StrobeKindNames kinds;
    StrobeBinder pmus, tasks, ops;
    StrobeStringId counted; /* cache of n_metrics: its last argument and result */
    guint n_counted;
    const StrobeKindView *task_kind, *op_kind;
    StrobeFieldCopies task_copies, op_copies;
    GArray *rows;    /* elements of type Row */
    GArray *metrics; /* elements of type Metrics */
    GArray *values;  /* of double */
    StrobeSteps steps;
    StrobeStringId communication_core;
    /* a record whose fields are all absent; made only once, because making it takes long */
    struct strobe_kernel_detail absent;
    guint64 n_dropped;
} KernelDetail;

static StrobeStatus kernel_detail_open(const StrobeConsumerHost *host, StrobeInstance *self,
                                       void **state)
{
    KernelDetail *pass = g_new0(KernelDetail, 1);
    const char *core = host->metadata(self)->generation == 1 ? "HCCL" : "COMMUNICATION";

    pass->host = host;
    pass->self = self;
    pass->rows = g_array_new(FALSE, FALSE, sizeof(Row));
    pass->metrics = g_array_new(FALSE, FALSE, sizeof(Metrics));
    pass->values = g_array_new(FALSE, FALSE, sizeof(double));
    pass->communication_core = host->intern(self, core, strlen(core));
    strobe_fields_absent(&strobe_kind_kernel_detail, &pass->absent);
    pass->kinds = (StrobeKindNames){.names = kind_names, .n_names = N_KINDS};
    pass->pmus = (StrobeBinder){.wanted = pmu_wanted, .n_wanted = N_PMU};
    pass->tasks = pass->ops = (StrobeBinder){.wanted = record_wanted, .n_wanted = N_RECORD};
    *state = pass;
    return STROBE_OK;
}

static void kernel_detail_close(void *state)
{
    KernelDetail *pass = state;

    g_array_unref(pass->rows);
    g_array_unref(pass->metrics);
    g_array_unref(pass->values);
    strobe_steps_clear(&pass->steps);
    g_free(pass);
}

static const StrobeFieldCopies *copies_for(const StrobeView *record, const StrobeKindView **kind,
                                           StrobeFieldCopies *copies)
{
    if (*kind != record->kind)
        strobe_field_copies_find(copies, record->kind, &strobe_kind_kernel_detail);
    *kind = record->kind;
    return copies;
}

static void add_row(KernelDetail *pass, const StrobeView *record, const StrobeFieldCopies *copies,
                    guint32 exact, gboolean is_communication)
{
    const StrobeTrackView *track = pass->host->track(pass->self, record->track);
    struct strobe_kernel_detail fields;
    Row row = {.begin_ns = record->begin_ns,
               .end_ns = record->end_ns,
               .us = strobe_view_exact_us(record, exact),
               .track = record->track,
               .name = record->name,
               .order = pass->rows->len};

    if (pass->rows->len >= ROWS_MAX) {
        pass->n_dropped++;
        return;
    }
    /* copies the unused bytes between the fields as well, because the row contains them */
    memcpy(&fields, &pass->absent, HEAD_BYTES);
    strobe_field_copies_apply(copies, record, &fields);
    fields.device = track ? track->device : -1;
    fields.is_communication = is_communication != 0;
    if (is_communication)
        fields.core = pass->communication_core;
    memcpy(row.head.bytes, &fields, HEAD_BYTES);
    g_array_append_val(pass->rows, row);
}

static guint count_names(const char *names)
{
    guint n = *names != '\0';

    for (; *names; names++)
        n += *names == ';';
    return n;
}

/* Returns the number of metrics in a list of names. Caches the last result, because successive
 * kernels mostly have the same names. */
static guint n_metrics(KernelDetail *pass, StrobeStringId names)
{
    if (names != pass->counted) {
        pass->counted = names;
        pass->n_counted = MIN(count_names(pass->host->string(pass->self, names).bytes), VALUES);
    }
    return pass->n_counted;
}

static void add_metrics(KernelDetail *pass, const StrobeView *record)
{
    const uint32_t *at = strobe_binder_offsets(&pass->pmus, record->kind);
    Metrics metrics = {.task = strobe_field_u64(record, at[TASK], STROBE_ABSENT_U64),
                       .names = strobe_field_u32(record, at[METRICS], 0),
                       .values = pass->values->len};
    guint32 first = at[FIRST_VALUE];

    if (first == STROBE_FIELD_MISSING || pass->metrics->len >= ROWS_MAX)
        return;
    metrics.n = n_metrics(pass, metrics.names);
    g_array_append_vals(pass->values, (const char *)record->fields + first, metrics.n);
    g_array_append_val(pass->metrics, metrics);
}

static StrobeStatus kernel_detail_batch(void *state, const StrobeView *records, size_t n)
{
    KernelDetail *pass = state;

    for (size_t i = 0; i < n; i++) {
        const StrobeView *record = &records[i];
        const uint32_t *at;

        switch (strobe_kind_place(&pass->kinds, record->kind)) {
        case DEVICE_TASK:
            at = strobe_binder_offsets(&pass->tasks, record->kind);
            if (strobe_field_u8(record, at[IS_KERNEL], 0))
                add_row(pass, record, copies_for(record, &pass->task_kind, &pass->task_copies),
                        at[EXACT], FALSE);
            break;
        case COMM_OP:
            at = strobe_binder_offsets(&pass->ops, record->kind);
            add_row(pass, record, copies_for(record, &pass->op_kind, &pass->op_copies), at[EXACT],
                    TRUE);
            break;
        case DEVICE_PMU:
            add_metrics(pass, record);
            break;
        case STEP_RANGE:
            strobe_steps_add(&pass->steps, record);
            break;
        default:
            break;
        }
    }
    return STROBE_OK;
}

/* ---- emitting rows ---- */

static struct strobe_kernel_detail head_of(const Row *row)
{
    struct strobe_kernel_detail fields;

    memset(&fields, 0, sizeof fields);
    memcpy(&fields, row->head.bytes, HEAD_BYTES);
    return fields;
}

/* Compares rows by device, then by begin. Kernels come before operations. */
static gint compare_rows(gconstpointer a, gconstpointer b)
{
    const Row *x = a, *y = b;
    const struct strobe_kernel_detail x_head = head_of(x), y_head = head_of(y);

    if (x_head.device != y_head.device)
        return x_head.device < y_head.device ? -1 : 1;
    if (x->begin_ns != y->begin_ns)
        return x->begin_ns < y->begin_ns ? -1 : 1;
    if (x_head.is_communication != y_head.is_communication)
        return x_head.is_communication - y_head.is_communication;
    return (x->order > y->order) - (x->order < y->order);
}

static gint compare_metrics(gconstpointer a, gconstpointer b)
{
    const Metrics *x = a, *y = b;

    return (x->task > y->task) - (x->task < y->task);
}

/* Returns the time in ns between the end of the row `before` and the begin of `row`, at least 0.
 * From generation 2 on, the Ascend profiler computes this in us since the epoch as doubles, whose
 * resolution is 0.25 us. */
static double wait_ns(const KernelDetail *pass, const Row *before, const Row *row)
{
    double us;

    if (pass->host->metadata(pass->self)->generation == 1)
        us = strobe_round_decimals(strobe_us_of_ns(row->begin_ns - before->begin_ns) - before->us,
                                   3);
    else
        us = strobe_us_of_ns(row->begin_ns) - strobe_us_of_ns(before->begin_ns) -
             strobe_round_decimals(before->us, 3);
    return us > 0 ? us * 1000.0 : 0;
}

static void put_metrics(const KernelDetail *pass, struct strobe_kernel_detail *fields)
{
    const Metrics key = {.task = fields->task};
    const Metrics *metrics;
    guint at;

    if (fields->is_communication || fields->task == STROBE_ABSENT_U64 ||
        !g_array_binary_search(pass->metrics, &key, compare_metrics, &at))
        return;
    metrics = &g_array_index(pass->metrics, Metrics, at);
    fields->metrics = metrics->names;
    for (guint i = 0; i < metrics->n; i++)
        fields->value[i] = g_array_index(pass->values, double, metrics->values + i);
}

static gboolean emit_row(KernelDetail *pass, const Row *row, const Row *before)
{
    struct strobe_kernel_detail *fields =
        pass->host->emit(pass->self, 0, row->track, row->name, row->begin_ns, row->end_ns);
    const StrobeStep *step =
        strobe_steps_find_closed(&pass->steps, head_of(row).device, row->begin_ns);

    if (!fields)
        return FALSE;
    memcpy(fields, &pass->absent, sizeof *fields);
    memcpy(fields, row->head.bytes, HEAD_BYTES);
    if (step)
        fields->step = step->number;
    if (before && head_of(before).device == fields->device)
        fields->wait = wait_ns(pass, before, row);
    put_metrics(pass, fields);
    return TRUE;
}

static StrobeStatus kernel_detail_end(void *state)
{
    KernelDetail *pass = state;

    g_array_sort(pass->rows, compare_rows);
    g_array_sort(pass->metrics, compare_metrics);
    for (guint i = 0; i < pass->rows->len; i++) {
        const Row *row = &g_array_index(pass->rows, Row, i);

        if (!emit_row(pass, row, i ? row - 1 : NULL))
            return pass->host->fail(pass->self, STROBE_ERROR_MEMORY, __FILE__, __LINE__,
                                    "Cannot emit kernel_detail: the host has no room for it");
    }
    if (pass->n_dropped)
        pass->host->log(pass->self, STROBE_LOG_WARNING,
                        "%" G_GUINT64_FORMAT " kernels beyond the first %u have no row",
                        pass->n_dropped, ROWS_MAX);
    return STROBE_OK;
}

const StrobeConsumerOps kernel_detail_ops = {
    .struct_size = sizeof(StrobeConsumerOps),
    .open = kernel_detail_open,
    .batch = kernel_detail_batch,
    .end = kernel_detail_end,
    .close = kernel_detail_close,
};
