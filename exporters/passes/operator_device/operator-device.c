/* SPDX-License-Identifier: Apache-2.0 */
/* Computes operator_device, kernel_link and step_range from cpu_op, task_queue, api_call,
 * device_task, comm_op, flow_point and step. */
#include "operator-device.h"

#include <glib.h>
#include <string.h>
#include <strobe/helpers/cell-number.h>
#include <strobe/helpers/fields.h>
#include <strobe/kinds.h>

#include "database-steps.h"
#include "operator-forest.h"
#include "step-kernels.h"
#include "ascend-db.h"

#define OPERATORS_MAX ((guint)G_MAXINT) /* indexes of operators are gint */
#define RECORDS_MAX ((guint)G_MAXINT)
/* If a program has run this many operators and there is no record of a device, the pass assumes
 * that there is no device. */
#define HOST_ONLY_MAX 65536u

enum { SHAPES, TYPES, STACK, N_OPERATOR };
enum { CORRELATION, IS_DEQUEUE, N_QUEUE };
enum { CONNECTION, LEVEL, N_CALL };
enum { TASK, TASK_CONNECTION, TASK_TYPE, CORE, IS_KERNEL, EXACT, N_TASK };
enum { FLOW_ID, IS_END, N_FLOW };

static const StrobeWantedField operator_wanted[N_OPERATOR] = {
    [SHAPES] = {"shapes", STROBE_FIELD_STRING},
    [TYPES] = {"types", STROBE_FIELD_STRING},
    [STACK] = {"stack", STROBE_FIELD_STACK},
};
static const StrobeWantedField queue_wanted[N_QUEUE] = {
    [CORRELATION] = {"correlation", STROBE_FIELD_LINK},
    [IS_DEQUEUE] = {"is_dequeue", STROBE_FIELD_BOOL},
};
static const StrobeWantedField call_wanted[N_CALL] = {
    [CONNECTION] = {"connection", STROBE_FIELD_LINK},
    [LEVEL] = {"level", STROBE_FIELD_STRING},
};
static const StrobeWantedField task_wanted[N_TASK] = {
    [TASK] = {"task", STROBE_FIELD_LINK},
    [TASK_CONNECTION] = {"connection", STROBE_FIELD_LINK},
    [TASK_TYPE] = {"task_type", STROBE_FIELD_STRING},
    [CORE] = {"core", STROBE_FIELD_STRING},
    [IS_KERNEL] = {"is_kernel", STROBE_FIELD_BOOL},
    [EXACT] = {"exact_us", STROBE_FIELD_F64},
};
static const StrobeWantedField flow_wanted[N_FLOW] = {
    [FLOW_ID] = {"id", STROBE_FIELD_STRING},
    [IS_END] = {"is_end", STROBE_FIELD_BOOL},
};

enum { CPU_OP, API_CALL, STEP, TASK_QUEUE, DEVICE_TASK, COMM_OP, FLOW_POINT, N_KINDS };

static const char *const kind_names[N_KINDS] = {
    [CPU_OP] = "cpu_op",         [API_CALL] = "api_call",       [STEP] = "step",
    [TASK_QUEUE] = "task_queue", [DEVICE_TASK] = "device_task", [COMM_OP] = "comm_op",
    [FLOW_POINT] = "flow_point",
};

/* A step that the program announced. The databases' rule finds its device time. */
typedef struct HostStep {
    gint64 begin_ns, end_ns, number;
    StrobeTrackId track;
    StrobeStringId name;
} HostStep;

typedef struct OperatorDevice {
    const StrobeConsumerHost *host;
    StrobeInstance *self;
    StrobeKindNames kinds;
    StrobeBinder operators, queues, calls, tasks, flows;
    KernelMap map;
    Forest forest;
    StrobeStateArray enqueues; /* elements of type QueueSpan */
    GArray *host_steps;        /* elements of type HostStep */
    gboolean is_database;
    gboolean has_device; /* the capture is an import, or has a record of a device */
    gboolean has_groups; /* there are operations of process groups on the host */
    gboolean is_over;    /* records are no longer stored, because there is no device */
    guint64 n_dropped;
} OperatorDevice;

static void bind_fields(StrobeBinder *binder, const StrobeWantedField *wanted, guint32 n)
{
    binder->wanted = wanted;
    binder->n_wanted = n;
}

static StrobeStatus operator_device_open(const StrobeConsumerHost *host, StrobeInstance *self,
                                         void **state)
{
    OperatorDevice *pass = g_new0(OperatorDevice, 1);
    StrobeStorage *storage = host->storage(self);

    pass->host = host;
    pass->self = self;
    pass->kinds = (StrobeKindNames){.names = kind_names, .n_names = N_KINDS};
    pass->is_database = ascend_db_is_source(host, self);
    pass->has_device = *host->metadata_value(self, "source") != '\0';
    bind_fields(&pass->operators, operator_wanted, N_OPERATOR);
    bind_fields(&pass->queues, queue_wanted, N_QUEUE);
    bind_fields(&pass->calls, call_wanted, N_CALL);
    bind_fields(&pass->tasks, task_wanted, N_TASK);
    bind_fields(&pass->flows, flow_wanted, N_FLOW);
    kernel_map_init(&pass->map, storage);
    /* Ascend's own analysis has one tree of operators for all threads. */
    pass->map.by_thread = strstr(host->metadata_value(self, "source"), "\"ascend_") == NULL;
    operator_list_init(&pass->forest.operators, storage);
    pass->forest.steps = g_array_new(FALSE, FALSE, sizeof(ForestStep));
    strobe_state_array_init(&pass->forest.links, storage, sizeof(ForestLink));
    strobe_state_array_init(&pass->enqueues, storage, sizeof(QueueSpan));
    pass->host_steps = g_array_new(FALSE, FALSE, sizeof(HostStep));
    *state = pass;
    return STROBE_OK;
}

static void operator_device_close(void *state)
{
    OperatorDevice *pass = state;

    kernel_map_clear(&pass->map);
    operator_list_clear(&pass->forest.operators);
    g_array_unref(pass->forest.steps);
    strobe_state_array_clear(&pass->forest.links);
    strobe_state_array_clear(&pass->enqueues);
    g_array_unref(pass->host_steps);
    g_free(pass);
}

/* ---- reading records ---- */

static guint64 thread_of(const OperatorDevice *pass, StrobeTrackId track)
{
    const StrobeTrackView *view = pass->host->track(pass->self, track);

    return view ? view->number : 0;
}

static gboolean has_room(OperatorDevice *pass, gsize n)
{
    gboolean has = n < RECORDS_MAX;

    pass->n_dropped += !has;
    return has;
}

static void add_operator(OperatorDevice *pass, const StrobeView *record)
{
    const uint32_t *at = strobe_binder_offsets(&pass->operators, record->kind);
    OperatorList *operators = &pass->forest.operators;
    const Operator op = {.begin_ns = record->begin_ns,
                         .end_ns = record->end_ns,
                         .thread = thread_of(pass, record->track),
                         .order = (guint)operators->operators.n,
                         .track = record->track,
                         .name = record->name,
                         .shapes = strobe_field_u32(record, at[SHAPES], 0),
                         .types = strobe_field_u32(record, at[TYPES], 0),
                         .stack = strobe_field_u32(record, at[STACK], 0)};

    if (!pass->has_device && operators->operators.n >= HOST_ONLY_MAX) {
        pass->is_over = TRUE;
        operator_list_clear(operators);
    } else if (operators->operators.n < OPERATORS_MAX) {
        strobe_state_array_add(&operators->operators, &op);
    } else {
        pass->n_dropped++;
    }
}

static void add_queue(OperatorDevice *pass, const StrobeView *record)
{
    const uint32_t *at = strobe_binder_offsets(&pass->queues, record->kind);
    const QueueSpan span = {record->begin_ns, record->end_ns,
                            strobe_field_u64(record, at[CORRELATION], STROBE_ABSENT_U64),
                            thread_of(pass, record->track)};
    StrobeStateArray *into =
        strobe_field_u8(record, at[IS_DEQUEUE], 0) ? &pass->map.dequeues : &pass->enqueues;

    if (has_room(pass, into->n))
        strobe_state_array_add(into, &span);
}

static gboolean is_text(const OperatorDevice *pass, StrobeStringId id, const char *text)
{
    return strcmp(pass->host->string(pass->self, id).bytes, text) == 0;
}

/* Adds a call. In a database, only calls of the node level have ids by which their tasks are
 * found. */
static void add_call(OperatorDevice *pass, const StrobeView *record)
{
    const uint32_t *at = strobe_binder_offsets(&pass->calls, record->kind);
    const HostCall call = {strobe_field_u64(record, at[CONNECTION], STROBE_ABSENT_U64),
                           record->begin_ns, record->end_ns, thread_of(pass, record->track)};

    if (call.connection == STROBE_ABSENT_U64 ||
        (pass->is_database && !is_text(pass, strobe_field_u32(record, at[LEVEL], 0), "node")))
        return;
    if (has_room(pass, pass->map.calls.n))
        strobe_state_array_add(&pass->map.calls, &call);
}

static void add_task(OperatorDevice *pass, const StrobeView *record, gboolean is_communication)
{
    const uint32_t *at = strobe_binder_offsets(&pass->tasks, record->kind);
    const StrobeTrackView *track = pass->host->track(pass->self, record->track);
    StrobeStringId type = strobe_field_u32(record, at[TASK_TYPE], 0);
    gboolean is_kernel = strobe_field_u8(record, at[IS_KERNEL], 0) != 0;
    Kernel kernel = {.task = strobe_field_u64(record, at[TASK], STROBE_ABSENT_U64),
                     .connection = strobe_field_u64(record, at[TASK_CONNECTION], STROBE_ABSENT_U64),
                     .begin_ns = record->begin_ns,
                     .end_ns = record->end_ns,
                     .us = strobe_view_exact_us(record, at[EXACT]),
                     .track = record->track,
                     .device = track ? track->device : -1};

    if (!type && is_kernel)
        type = strobe_field_u32(record, at[CORE], 0);
    kernel.is_aicore = !is_communication && is_text(pass, type, "AI_CORE");
    kernel.is_target = is_kernel || is_communication || pass->map.by_thread ||
                       (!pass->is_database && (is_text(pass, record->name, "MEMCPY_ASYNC") ||
                                               is_text(pass, record->name, "EVENT_RECORD") ||
                                               is_text(pass, record->name, "EVENT_WAIT")));
    if (has_room(pass, pass->map.kernels.n))
        strobe_state_array_add(&pass->map.kernels, &kernel);
}

static void add_flow(OperatorDevice *pass, const StrobeView *record)
{
    const uint32_t *at = strobe_binder_offsets(&pass->flows, record->kind);

    if (!is_text(pass, record->name, "HostToDevice") || !has_room(pass, pass->map.flows.n))
        return;
    kernel_map_flow(&pass->map,
                    pass->host->string(pass->self, strobe_field_u32(record, at[FLOW_ID], 0)).bytes,
                    strobe_field_u8(record, at[IS_END], 0) != 0, record->track, record->begin_ns);
}

static void add_step(OperatorDevice *pass, const StrobeView *record)
{
    const HostStep step = {
        record->begin_ns, record->end_ns,
        strobe_field_i64(record, strobe_field_offset(record->kind, "number", STROBE_FIELD_I64), -1),
        record->track, record->name};

    if (has_room(pass, pass->host_steps->len))
        g_array_append_val(pass->host_steps, step);
}

static gboolean is_on_host(const OperatorDevice *pass, const StrobeView *record)
{
    const StrobeTrackView *track = pass->host->track(pass->self, record->track);

    return track && track->device < 0;
}

static void add_device_record(OperatorDevice *pass, const StrobeView *record, guint32 kind)
{
    if (kind == COMM_OP && pass->map.by_thread && is_on_host(pass, record)) {
        pass->has_groups = TRUE;
        return;
    }
    if (pass->is_over)
        return;
    pass->has_device = TRUE;
    if (kind == TASK_QUEUE)
        add_queue(pass, record);
    else if (kind == DEVICE_TASK || kind == COMM_OP)
        add_task(pass, record, kind == COMM_OP);
    else if (kind == FLOW_POINT)
        add_flow(pass, record);
}

static StrobeStatus operator_device_batch(void *state, const StrobeView *records, size_t n)
{
    OperatorDevice *pass = state;

    for (size_t i = 0; i < n; i++) {
        const StrobeView *record = &records[i];
        const guint32 kind = strobe_kind_place(&pass->kinds, record->kind);

        if (kind == STEP)
            add_step(pass, record);
        else if (kind == CPU_OP && !pass->is_over)
            add_operator(pass, record);
        else if (kind == API_CALL && !pass->is_over)
            add_call(pass, record);
        else if (kind != CPU_OP && kind != API_CALL)
            add_device_record(pass, record, kind);
    }
    return STROBE_OK;
}

/* ---- emitting records ---- */

#define STEP_PREFIX "ProfilerStep#"

static gint64 step_number(void *user, const Operator *op)
{
    OperatorDevice *pass = user;
    const char *mark = strstr(pass->host->string(pass->self, op->name).bytes, STEP_PREFIX);
    gint64 number = mark ? g_ascii_strtoll(mark + strlen(STEP_PREFIX), NULL, 10) : -1;

    return MAX(number, -1);
}

static double sum_value(DeviceSum sum)
{
    return device_sum_is_real(sum) ? sum : STROBE_ABSENT_F64;
}

static gboolean emit_operator(OperatorDevice *pass, const Operator *op)
{
    struct strobe_operator_device *fields = pass->host->emit(pass->self, OPERATOR_DEVICE, op->track,
                                                             op->name, op->begin_ns, op->end_ns);

    const DeviceSums *sums = operator_list_known_sums(&pass->forest.operators, op);

    if (!fields)
        return FALSE;
    fields->host_total = op->end_ns - op->begin_ns;
    fields->host_self = fields->host_total - op->children_ns;
    fields->device_self = sum_value(sums->self);
    fields->device_total = sum_value(sums->total);
    fields->device_self_aicore = sum_value(sums->self_aicore);
    fields->device_total_aicore = sum_value(sums->total_aicore);
    fields->shapes = op->shapes;
    fields->types = op->types;
    fields->stack = op->stack;
    return TRUE;
}

static gboolean emit_link(OperatorDevice *pass, const ForestLink *link)
{
    const Operator *op = operator_list_at(&pass->forest.operators, link->place);
    const Kernel *kernel = &STROBE_STATE_ITEM(&pass->map.kernels, Kernel, link->kernel);
    struct strobe_kernel_link *fields =
        pass->host->emit(pass->self, KERNEL_LINK, op->track, op->name, op->begin_ns, op->begin_ns);

    if (!fields)
        return FALSE;
    fields->task = kernel->task;
    fields->to_begin = kernel->begin_ns;
    fields->to_track = kernel->track;
    return TRUE;
}

static gboolean emit_step(OperatorDevice *pass, const HostStep *host_step, gint64 begin_ns,
                          gint64 end_ns, gint32 device)
{
    struct strobe_step_range *fields =
        pass->host->emit(pass->self, STEP_RANGE, host_step->track, host_step->name, begin_ns,
                         MAX(end_ns, host_step->end_ns));

    if (!fields)
        return FALSE;
    fields->number = host_step->number;
    fields->host_begin = host_step->begin_ns;
    fields->device = device;
    return TRUE;
}

/* Emits a step by the rule of the text results: the step goes from the first kernel of its first
 * queue entry to the last kernel of its last entry or, if this is later, to its end on the host. */
static gboolean emit_forest_step(OperatorDevice *pass, const ForestStep *step)
{
    const Operator *op = operator_list_at(&pass->forest.operators, step->place);
    const HostStep host_step = {op->begin_ns, op->end_ns, step->number, op->track, op->name};

    if (!step->has_keys)
        return TRUE;
    return emit_step(pass, &host_step, step->has_kernels ? step->begin_ns : op->begin_ns,
                     step->has_kernels ? step->end_ns : G_MININT64, step->device);
}

/* Emits the steps by the rule of the databases: all tasks of the calls inside a step belong to the
 * step. */
static gboolean emit_database_steps(OperatorDevice *pass)
{
    DatabaseSteps *steps = database_steps_new(&pass->map);
    gboolean done = TRUE;

    for (guint i = 0; i < pass->host_steps->len && done; i++) {
        const HostStep *host = &g_array_index(pass->host_steps, HostStep, i);
        DatabaseStep step;

        if (database_steps_find(steps, host->begin_ns, host->end_ns, &step))
            done = emit_step(pass, host, step.begin_ns, step.end_ns,
                             STROBE_STATE_ITEM(&pass->map.kernels, Kernel, step.last).device);
        else
            done = emit_step(pass, host, host->begin_ns, G_MININT64, -1);
    }
    database_steps_free(steps);
    return done;
}

/* Emits a step on each device, if each thread has its own tree. The step goes from the first kernel
 * of the first launch inside it (on any thread) to the last kernel of the last launch or, if this
 * is later, to its end on the host. A step without launches is omitted. */
static gboolean emit_recorded_step(OperatorDevice *pass, const HostStep *host)
{
    StepKernels step = {.next_device = STEP_NO_DEVICE};
    gboolean done = TRUE;

    do {
        gint32 device = step.next_device;
        if (step_kernels_find(&pass->map, &pass->enqueues, host->begin_ns, host->end_ns, device,
                              &step))
            done = emit_step(pass, host, step.begin_ns, step.end_ns, device);
    } while (done && step.next_device != G_MAXINT32);
    return done;
}

static gint compare_links(gconstpointer a, gconstpointer b)
{
    const ForestLink *x = a, *y = b;

    return (x->place > y->place) - (x->place < y->place);
}

/* Emits the steps that operators announce. If there are none, emits the steps that the program
 * announces by calls. */
static gboolean emit_recorded_steps(OperatorDevice *pass)
{
    const Forest *forest = &pass->forest;
    gboolean done = TRUE;

    step_kernels_sort(&pass->enqueues);
    for (guint i = 0; i < forest->steps->len && done; i++) {
        const ForestStep *step = &g_array_index(forest->steps, ForestStep, i);
        const Operator *op = operator_list_at(&forest->operators, step->place);
        const HostStep host_step = {op->begin_ns, op->end_ns, step->number, op->track, op->name};
        done = emit_recorded_step(pass, &host_step);
    }
    for (guint i = 0; !forest->steps->len && i < pass->host_steps->len && done; i++)
        done = emit_recorded_step(pass, &g_array_index(pass->host_steps, HostStep, i));
    return done;
}

static gboolean emit_steps(OperatorDevice *pass)
{
    gboolean done = TRUE;

    if (pass->map.by_thread)
        return emit_recorded_steps(pass);
    if (pass->is_database)
        return emit_database_steps(pass);
    for (guint i = 0; i < pass->forest.steps->len && done; i++)
        done = emit_forest_step(pass, &g_array_index(pass->forest.steps, ForestStep, i));
    return done;
}

/* Emits the steps of a program that communicates on the host, with the times that the program
 * announced. */
static gboolean emit_host_steps(OperatorDevice *pass)
{
    gboolean done = TRUE;

    for (guint i = 0; i < pass->host_steps->len && done; i++) {
        const HostStep *step = &g_array_index(pass->host_steps, HostStep, i);

        done = emit_step(pass, step, step->begin_ns, step->end_ns, -1);
    }
    return done;
}

static gboolean emit_device(OperatorDevice *pass)
{
    Forest *forest = &pass->forest;
    gboolean done = TRUE;

    kernel_map_finish(&pass->map);
    forest_build(forest, &pass->map, &pass->enqueues, step_number, pass,
                 pass->host->metadata(pass->self)->generation == 1);
    strobe_state_array_sort(&forest->links, compare_links);
    for (guint i = 0; i < forest->operators.operators.n && done; i++)
        done = emit_operator(pass, operator_list_at(&forest->operators, i));
    for (gsize i = 0; i < forest->links.n && done; i++)
        done = emit_link(pass, &STROBE_STATE_ITEM(&forest->links, ForestLink, i));
    return done && emit_steps(pass);
}

static StrobeStatus operator_device_end(void *state)
{
    OperatorDevice *pass = state;
    gboolean done = TRUE;

    if (pass->has_device)
        done = emit_device(pass);
    else if (pass->has_groups)
        done = emit_host_steps(pass);
    if (!done)
        return pass->host->fail(pass->self, STROBE_ERROR_MEMORY, __FILE__, __LINE__,
                                "Cannot emit operator_device: the host has no room for it");
    if (pass->n_dropped)
        pass->host->log(pass->self, STROBE_LOG_WARNING,
                        "%" G_GUINT64_FORMAT " records beyond the first %u of their kind take no "
                        "part in device times",
                        pass->n_dropped, RECORDS_MAX);
    return STROBE_OK;
}

const StrobeConsumerOps operator_device_ops = {
    .struct_size = sizeof(StrobeConsumerOps),
    .open = operator_device_open,
    .batch = operator_device_batch,
    .end = operator_device_end,
    .close = operator_device_close,
};
