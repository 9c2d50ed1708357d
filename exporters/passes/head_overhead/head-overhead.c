/* SPDX-License-Identifier: Apache-2.0 */
/* Computes head_overhead and its summaries from cpu_op, step, python_call, chrome_trace.span,
 * device_task and kernel_link. */
#include "head-overhead.h"

#include <string.h>
#include <strobe/helpers/fields.h>

#include "ascend-trace.h"
#include "head-report.h"
#include "kineto.h"

#define SPANS_MAX 4194304u   /* maximum number of spans with a role, in all threads */
#define KERNELS_MAX 4194304u /* maximum number of kernels whose begin is stored */
#define STEPS_MAX 1048576u

enum { CPU_OP, PYTHON_CALL, DEVICE_TASK, KERNEL_LINK, STEP, TRACE_SPAN, N_KINDS };

static const char *const kind_names[N_KINDS] = {
    [CPU_OP] = "cpu_op",
    [PYTHON_CALL] = "python_call",
    [DEVICE_TASK] = "device_task",
    [KERNEL_LINK] = "kernel_link",
    [STEP] = "step",
    [TRACE_SPAN] = "chrome_trace.span",
};

enum { CATEGORY, PHASE, UNFINISHED, IS_KERNEL, TASK_TYPE, TO_BEGIN, NUMBER, THREAD, N_WANTED };

static const StrobeWantedField wanted[N_WANTED] = {
    [CATEGORY] = {"category", STROBE_FIELD_STRING},
    [PHASE] = {"phase", STROBE_FIELD_STRING},
    [UNFINISHED] = {"unfinished", STROBE_FIELD_BOOL},
    [IS_KERNEL] = {"is_kernel", STROBE_FIELD_BOOL},
    [TASK_TYPE] = {"task_type", STROBE_FIELD_STRING},
    [TO_BEGIN] = {"to_begin", STROBE_FIELD_I64},
    [NUMBER] = {"number", STROBE_FIELD_I64},
    [THREAD] = {"thread", STROBE_FIELD_U64},
};

typedef struct HeadOverhead {
    const StrobeConsumerHost *host;
    StrobeInstance *self;
    StrobeKindNames kinds;
    /* a binder for each kind, because the records of all kinds arrive mixed */
    StrobeBinder binders[N_KINDS];
    Markers markers;
    /* StrobeTrackId -> HostThread; NULL: the track is not a thread of the host */
    GHashTable *threads;
    GPtrArray *order;         /* the threads, in the order of their first events */
    HostThread *last;         /* a cache: the thread that was looked up last */
    StrobeTrackId last_track; /* track of `last`; 0: there is none */
    GArray *steps;            /* elements of type HeadStep */
    GArray *named_steps;      /* elements of type HeadStep: steps that are announced by operators */
    GArray *kernels;          /* elements of type gint64: begins of kernels */
    GArray *inferences;       /* elements of type Inference */
    /* elements of type Inference *: inferences with a call of GE, sorted by thread and begin of
     * this call */
    GArray *calls;
    guint n_spans;
    guint64 n_dropped;
} HeadOverhead;

static StrobeStatus head_overhead_open(const StrobeConsumerHost *host, StrobeInstance *self,
                                       void **state)
{
    HeadOverhead *pass = g_new0(HeadOverhead, 1);
    StrobeStatus status = markers_init(&pass->markers, host, self);

    if (status != STROBE_OK) {
        g_free(pass);
        return status;
    }
    pass->host = host;
    pass->self = self;
    pass->kinds = (StrobeKindNames){.names = kind_names, .n_names = N_KINDS};
    for (guint i = 0; i < N_KINDS; i++)
        pass->binders[i] = (StrobeBinder){.wanted = wanted, .n_wanted = N_WANTED};
    pass->threads = g_hash_table_new(g_direct_hash, g_direct_equal);
    pass->order = g_ptr_array_new_with_free_func(host_thread_free);
    pass->steps = g_array_new(FALSE, FALSE, sizeof(HeadStep));
    pass->named_steps = g_array_new(FALSE, FALSE, sizeof(HeadStep));
    pass->kernels = g_array_new(FALSE, FALSE, sizeof(gint64));
    pass->inferences = g_array_new(FALSE, FALSE, sizeof(Inference));
    pass->calls = g_array_new(FALSE, FALSE, sizeof(Inference *));
    *state = pass;
    return STROBE_OK;
}

static void head_overhead_close(void *state)
{
    HeadOverhead *pass = state;

    markers_clear(&pass->markers);
    g_hash_table_unref(pass->threads);
    g_ptr_array_unref(pass->order);
    g_array_unref(pass->steps);
    g_array_unref(pass->named_steps);
    g_array_unref(pass->kernels);
    g_array_unref(pass->inferences);
    g_array_unref(pass->calls);
    g_free(pass);
}

/* ---- reading records ---- */

/* Returns whether the track is a thread of the host. In traces of other tools the rows of all
 * layers are threads: the name of the process shows the layer to which a row belongs. */
static gboolean is_host_thread(const StrobeTrackView *track)
{
    const AscendLayer *layer = track ? ascend_layer_by_name(track->group) : NULL;

    return track && track->type == STROBE_TRACK_THREAD && track->device < 0 &&
           (!layer || layer->layer == ASCEND_LAYER_PYTHON);
}

/* Returns the thread of a track; NULL: the track is a row of a device or of another layer. */
static HostThread *thread_of(HeadOverhead *pass, StrobeTrackId id)
{
    gpointer known;

    if (id == pass->last_track)
        return pass->last;
    pass->last_track = id;
    if (g_hash_table_lookup_extended(pass->threads, GUINT_TO_POINTER(id), NULL, &known))
        return pass->last = known;
    const StrobeTrackView *track = pass->host->track(pass->self, id);
    HostThread *thread = NULL;
    if (is_host_thread(track)) {
        thread = host_thread_new(id);
        g_ptr_array_add(pass->order, thread);
    }
    g_hash_table_insert(pass->threads, GUINT_TO_POINTER(id), thread);
    return pass->last = thread;
}

static void add_step(GArray *steps, const StrobeView *record, gint64 number, guint64 thread)
{
    const HeadStep step = {record->begin_ns, record->end_ns, number,
                           thread,           record->track,  record->name};

    if (number != STROBE_ABSENT_I64 && steps->len < STEPS_MAX)
        g_array_append_val(steps, step);
}

static void add_reported_step(HeadOverhead *pass, const StrobeView *record)
{
    const uint32_t *at = strobe_binder_offsets(&pass->binders[STEP], record->kind);

    add_step(pass->steps, record, strobe_field_i64(record, at[NUMBER], STROBE_ABSENT_I64),
             strobe_field_u64(record, at[THREAD], STROBE_ABSENT_U64));
}

static guint64 number_of_thread(HeadOverhead *pass, StrobeTrackId id)
{
    const StrobeTrackView *track = pass->host->track(pass->self, id);

    return track ? track->number : STROBE_ABSENT_U64;
}

static void add_span(HeadOverhead *pass, const StrobeView *record, gboolean is_frame)
{
    HostThread *thread = thread_of(pass, record->track);
    Role role;

    if (!thread)
        return;
    role = markers_role(&pass->markers, record->name, is_frame);
    if (role == ROLE_STEP) {
        add_step(pass->named_steps, record, markers_step(&pass->markers, record->name),
                 number_of_thread(pass, record->track));
        return;
    }
    if (!host_thread_add(thread, record->begin_ns, record->end_ns, role, pass->n_spans < SPANS_MAX))
        pass->n_dropped++;
    else if (role != ROLE_NONE && role < ROLE_BUILD)
        pass->n_spans++;
}

/* Adds an event of a trace for which the importer had no kind, if the framework may have written
 * it: a complete event without a category, or one end of a pair. Skips events that have no end,
 * because they have no duration. */
static void add_trace_span(HeadOverhead *pass, const StrobeView *record)
{
    const uint32_t *at = strobe_binder_offsets(&pass->binders[TRACE_SPAN], record->kind);
    const char phase =
        *pass->host->string(pass->self, strobe_field_u32(record, at[PHASE], 0)).bytes;
    const StrobeText category =
        pass->host->string(pass->self, strobe_field_u32(record, at[CATEGORY], 0));
    const char *kind = kind_names[CPU_OP];

    if (strobe_field_u8(record, at[UNFINISHED], 0) || (phase != 'X' && phase != 'B'))
        return;
    if (category.length)
        kind = phase == 'B' ? kineto_kind_of(category.bytes, category.length) : NULL;
    if (kind && !strcmp(kind, kind_names[CPU_OP]))
        add_span(pass, record, FALSE);
    else if (kind && !strcmp(kind, kind_names[PYTHON_CALL]))
        add_span(pass, record, TRUE);
}

/* Returns whether the task is a kernel of an operator, not a copy or an event. If the source is a
 * trace without a table of kernels, a kernel is a task that has a type of core. */
static gboolean is_kernel(HeadOverhead *pass, const StrobeView *record)
{
    const uint32_t *at = strobe_binder_offsets(&pass->binders[DEVICE_TASK], record->kind);
    const char *type;

    if (strobe_field_u8(record, at[IS_KERNEL], 0))
        return TRUE;
    type = pass->host->string(pass->self, strobe_field_u32(record, at[TASK_TYPE], 0)).bytes;
    return g_str_has_prefix(type, "AI_") || g_str_has_prefix(type, "MIX_");
}

static void add_kernel(HeadOverhead *pass, const StrobeView *record)
{
    if (!is_kernel(pass, record))
        return;
    if (pass->kernels->len < KERNELS_MAX)
        g_array_append_val(pass->kernels, record->begin_ns);
    else
        pass->n_dropped++;
}

/* ---- kernels ---- */

/* Returns the thread's last inference whose call of GE begins at `at_ns` or earlier; NULL: there is
 * none. */
static Inference *call_at(const HeadOverhead *pass, StrobeTrackId track, gint64 at_ns)
{
    guint low = 0, high = pass->calls->len;

    while (low < high) {
        guint middle = low + (high - low) / 2;
        const Inference *call = g_array_index(pass->calls, Inference *, middle);
        if (call->thread->track < track ||
            (call->thread->track == track && call->execute_ns <= at_ns))
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return NULL;
    Inference *call = g_array_index(pass->calls, Inference *, low - 1);
    return call->thread->track == track ? call : NULL;
}

/* Uses the link of an operator to its kernel as the first kernel of a call of GE, if the operator
 * is inside such a call and no earlier kernel is known. */
static void add_link(HeadOverhead *pass, const StrobeView *record)
{
    const uint32_t *at = strobe_binder_offsets(&pass->binders[KERNEL_LINK], record->kind);
    gint64 kernel_ns = strobe_field_i64(record, at[TO_BEGIN], G_MAXINT64);
    Inference *call = call_at(pass, record->track, record->begin_ns);

    if (call && record->begin_ns <= call->execute_end_ns && kernel_ns >= call->execute_ns)
        call->linked_ns = MIN(call->linked_ns, kernel_ns);
}

/* Sets the call's first kernel after the begin of the call of GE and before the next inference of
 * its thread. */
static void find_kernel(const HeadOverhead *pass, Inference *call)
{
    guint low = 0, high = pass->kernels->len;

    while (low < high) {
        guint middle = low + (high - low) / 2;
        if (g_array_index(pass->kernels, gint64, middle) < call->execute_ns)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == pass->kernels->len)
        return;
    gint64 kernel_ns = g_array_index(pass->kernels, gint64, low);
    if (kernel_ns < call->until_ns)
        call->after_ns = kernel_ns;
}

/* ---- the end ---- */

static gint compare_ns(gconstpointer a, gconstpointer b)
{
    gint64 x = *(const gint64 *)a, y = *(const gint64 *)b;

    return (x > y) - (x < y);
}

static gint by_begin(gconstpointer a, gconstpointer b)
{
    const Inference *x = a, *y = b;

    if (x->begin_ns != y->begin_ns)
        return x->begin_ns < y->begin_ns ? -1 : 1;
    return (x->end_ns < y->end_ns) - (x->end_ns > y->end_ns);
}

static gint by_call(gconstpointer a, gconstpointer b)
{
    const Inference *x = *(Inference *const *)a, *y = *(Inference *const *)b;

    if (x->thread->track != y->thread->track)
        return x->thread->track < y->thread->track ? -1 : 1;
    return (x->execute_ns > y->execute_ns) - (x->execute_ns < y->execute_ns);
}

static void find_inferences(HeadOverhead *pass)
{
    GArray *none = pass->steps->len ? NULL : pass->steps;

    if (none) {
        pass->steps = pass->named_steps;
        pass->named_steps = none;
    }
    /* compare_ns can compare steps, because begin_ns is their first member */
    g_array_sort(pass->steps, compare_ns);
    g_array_sort(pass->kernels, compare_ns);
    for (guint i = 0; i < pass->order->len; i++) {
        HostThread *thread = g_ptr_array_index(pass->order, i);
        host_thread_sort(thread);
        inferences_find(thread, number_of_thread(pass, thread->track), pass->steps,
                        pass->inferences);
    }
    g_array_sort(pass->inferences, by_begin);
    for (guint i = 0; i < pass->inferences->len; i++) {
        Inference *inference = &g_array_index(pass->inferences, Inference, i);
        if (inference->execute_ns == G_MININT64)
            continue;
        find_kernel(pass, inference);
        g_array_append_val(pass->calls, inference);
    }
    g_array_sort(pass->calls, by_call);
}

static StrobeStatus head_overhead_batch(void *state, const StrobeView *records, size_t n)
{
    HeadOverhead *pass = state;

    for (size_t i = 0; i < n; i++) {
        const StrobeView *record = &records[i];
        const guint32 kind = strobe_kind_place(&pass->kinds, record->kind);

        if (kind == CPU_OP)
            add_span(pass, record, FALSE);
        else if (kind == PYTHON_CALL)
            add_span(pass, record, TRUE);
        else if (kind == DEVICE_TASK)
            add_kernel(pass, record);
        else if (kind == KERNEL_LINK)
            add_link(pass, record);
        else if (kind == STEP)
            add_reported_step(pass, record);
        else if (kind == TRACE_SPAN)
            add_trace_span(pass, record);
    }
    return STROBE_OK;
}

static StrobeStatus head_overhead_raw_end(void *state)
{
    find_inferences(state);
    return STROBE_OK;
}

static StrobeStatus head_overhead_end(void *state)
{
    HeadOverhead *pass = state;
    HeadReport report = {.host = pass->host,
                         .self = pass->self,
                         .inferences = pass->inferences,
                         .steps = pass->steps,
                         .compiled_too = pass->host->option_bool(pass->self, "compiled_too")};

    for (guint i = 0; i < pass->inferences->len; i++)
        inference_finish(&g_array_index(pass->inferences, Inference, i));
    if (pass->inferences->len && !head_report_emit(&report))
        return pass->host->fail(pass->self, STROBE_ERROR_MEMORY, __FILE__, __LINE__,
                                "Cannot emit head_overhead: the host has no room for it");
    if (pass->n_dropped && pass->inferences->len)
        pass->host->log(pass->self, STROBE_LOG_WARNING,
                        "%" G_GUINT64_FORMAT
                        " marked spans or kernels beyond the first %u are not looked at",
                        pass->n_dropped, SPANS_MAX);
    return STROBE_OK;
}

const StrobeConsumerOps head_overhead_ops = {
    .struct_size = sizeof(StrobeConsumerOps),
    .open = head_overhead_open,
    .batch = head_overhead_batch,
    .end = head_overhead_end,
    .close = head_overhead_close,
    .raw_end = head_overhead_raw_end,
};
