/* SPDX-License-Identifier: Apache-2.0 */
/* Computes step_trace from overlap, device_task, comm_op, cpu_op and step_range. */
#include "step-trace.h"

#include <glib.h>
#include <string.h>
#include <strobe/helpers/fields.h>
#include <strobe/helpers/steps.h>
#include <strobe/kinds.h>

#include "step-row.h"
#include "ascend-db.h"

#define RECEIVE_PREFIX "hcom_receive"

enum { IS_KERNEL, N_TASK };
enum { TYPE, DEVICE, N_OVERLAP };

static const StrobeWantedField task_wanted[N_TASK] = {
    [IS_KERNEL] = {"is_kernel", STROBE_FIELD_BOOL}};
static const StrobeWantedField overlap_wanted[N_OVERLAP] = {
    [TYPE] = {"type", STROBE_FIELD_U32}, [DEVICE] = {"device", STROBE_FIELD_I32}};

enum { OVERLAP, DEVICE_TASK, COMM_OP, CPU_OP, STEP_RANGE, N_KINDS };

static const char *const kind_names[N_KINDS] = {
    [OVERLAP] = "overlap", [DEVICE_TASK] = "device_task", [COMM_OP] = "comm_op",
    [CPU_OP] = "cpu_op",   [STEP_RANGE] = "step_range",
};

static StrobeStatus step_trace_open(const StrobeConsumerHost *host, StrobeInstance *self,
                                    void **state)
{
    StepTrace *pass = g_new0(StepTrace, 1);

    pass->host = host;
    pass->self = self;
    pass->kinds = (StrobeKindNames){.names = kind_names, .n_names = N_KINDS};
    pass->is_database = ascend_db_is_source(host, self);
    pass->tasks.wanted = task_wanted;
    pass->tasks.n_wanted = N_TASK;
    pass->overlaps.wanted = overlap_wanted;
    pass->overlaps.n_wanted = N_OVERLAP;
    pass->spans = g_array_new(FALSE, FALSE, sizeof(StepSpan));
    pass->first_operator_ns = G_MAXINT64;
    *state = pass;
    return STROBE_OK;
}

static void step_trace_close(void *state)
{
    StepTrace *pass = state;

    g_array_unref(pass->spans);
    strobe_steps_clear(&pass->steps);
    g_free(pass);
}

static void add_span(StepTrace *pass, const StrobeView *record, guint type, gint32 device)
{
    const StepSpan span = {record->begin_ns, record->end_ns, device, (guint8)type};

    if (pass->spans->len < STEP_SPANS_MAX)
        g_array_append_val(pass->spans, span);
    else
        pass->n_dropped++;
}

static gint32 device_of(const StepTrace *pass, StrobeTrackId track)
{
    const StrobeTrackView *view = pass->host->track(pass->self, track);

    return view ? view->device : -1;
}

static void add_communication(StepTrace *pass, const StrobeView *record)
{
    gint32 device = device_of(pass, record->track);

    if (pass->is_database)
        add_span(pass, record, STEP_COMMUNICATION, device);
    if (g_str_has_prefix(pass->host->string(pass->self, record->name).bytes, RECEIVE_PREFIX))
        add_span(pass, record, STEP_RECEIVE, device);
}

/* Adds a record. The database form reads kernels and operations; the text form reads the overlap
 * layer. */
static void add_record(StepTrace *pass, const StrobeView *record)
{
    const guint32 kind = strobe_kind_place(&pass->kinds, record->kind);
    const uint32_t *at;

    if (kind == OVERLAP) {
        at = strobe_binder_offsets(&pass->overlaps, record->kind);
        if (!pass->is_database && strobe_field_u32(record, at[TYPE], G_MAXUINT32) <= STEP_FREE)
            add_span(pass, record, strobe_field_u32(record, at[TYPE], 0),
                     (gint32)strobe_field_u32(record, at[DEVICE], G_MAXUINT32));
    } else if (kind == DEVICE_TASK) {
        at = strobe_binder_offsets(&pass->tasks, record->kind);
        if (pass->is_database && strobe_field_u8(record, at[IS_KERNEL], 0))
            add_span(pass, record, STEP_COMPUTING, device_of(pass, record->track));
    } else if (kind == COMM_OP) {
        add_communication(pass, record);
    } else if (kind == CPU_OP) {
        pass->first_operator_ns = MIN(pass->first_operator_ns, record->begin_ns);
    } else if (kind == STEP_RANGE) {
        strobe_steps_add(&pass->steps, record);
    }
}

static StrobeStatus step_trace_batch(void *state, const StrobeView *records, size_t n)
{
    for (size_t i = 0; i < n; i++)
        add_record(state, &records[i]);
    return STROBE_OK;
}

/* Compares spans by device, then by begin, which is the order of the overlap layer in the Ascend
 * profiler's file. */
static gint compare_spans(gconstpointer a, gconstpointer b)
{
    const StepSpan *x = a, *y = b;

    if (x->device != y->device)
        return x->device < y->device ? -1 : 1;
    return (x->begin_ns > y->begin_ns) - (x->begin_ns < y->begin_ns);
}

static gint compare_rows(gconstpointer a, gconstpointer b)
{
    const StepRow *x = *(StepRow *const *)a, *y = *(StepRow *const *)b;

    if (x->device != y->device)
        return x->device < y->device ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

static StepRow *row_of(GPtrArray *rows, gint32 device, const StrobeStep *step)
{
    for (guint i = rows->len; i > 0; i--) {
        StepRow *row = g_ptr_array_index(rows, i - 1);

        if (row->device != device)
            break;
        if (row->step == step)
            return row;
    }
    g_ptr_array_add(rows, step_row_new(device, step));
    return g_ptr_array_index(rows, rows->len - 1);
}

static gboolean emit_row(StepTrace *pass, StepRow *row)
{
    gint64 begin = row->step ? row->step->begin_ns : row->begin_ns;
    gint64 end = row->step ? row->step->end_ns : row->end_ns;
    struct strobe_step_trace *fields = pass->host->emit(pass->self, 0, 0, 0, begin, end);

    if (!fields)
        return FALSE;
    strobe_fields_absent(&strobe_kind_step_trace, fields);
    fields->device = row->device;
    if (row->step)
        fields->step = row->number;
    if (pass->is_database)
        step_row_exact(row, fields);
    else
        step_row_text(row, pass->first_operator_ns, fields);
    if (pass->host->touches_gap(pass->self, 0, begin, end))
        pass->host->flag(pass->self, STROBE_VIEW_INCOMPLETE);
    return TRUE;
}

static GPtrArray *make_rows(StepTrace *pass)
{
    GPtrArray *rows = g_ptr_array_new_with_free_func((GDestroyNotify)(void *)step_row_free);

    g_array_sort(pass->spans, compare_spans);
    for (guint i = 0; i < pass->spans->len; i++) {
        const StepSpan *span = &g_array_index(pass->spans, StepSpan, i);
        const StrobeStep *step =
            pass->is_database ? strobe_steps_find(&pass->steps, span->device, span->begin_ns)
                              : strobe_steps_find_us(&pass->steps, span->device, span->begin_ns);

        if (!step && pass->steps.n)
            continue; /* the span is outside of every step */
        step_row_add(row_of(rows, span->device, step), span, pass->is_database);
    }
    g_ptr_array_sort(rows, compare_rows);
    return rows;
}

static StrobeStatus step_trace_end(void *state)
{
    StepTrace *pass = state;
    g_autoptr(GPtrArray) rows = make_rows(pass);

    for (guint i = 0; i < rows->len; i++)
        if (!emit_row(pass, g_ptr_array_index(rows, i)))
            return pass->host->fail(pass->self, STROBE_ERROR_MEMORY, __FILE__, __LINE__,
                                    "Cannot emit step_trace: the host has no room for it");
    if (pass->n_dropped)
        pass->host->log(pass->self, STROBE_LOG_WARNING,
                        "%" G_GUINT64_FORMAT " spans beyond the first %u are in no step",
                        pass->n_dropped, STEP_SPANS_MAX);
    return STROBE_OK;
}

const StrobeConsumerOps step_trace_ops = {
    .struct_size = sizeof(StrobeConsumerOps),
    .open = step_trace_open,
    .batch = step_trace_batch,
    .end = step_trace_end,
    .close = step_trace_close,
};
