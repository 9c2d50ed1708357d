/* SPDX-License-Identifier: Apache-2.0 */
/* Computes step_summary from step, gc, marker, marker_instant and operator_detail. A record belongs
 * to the step in which it begins. */
#include "step-assignment.h"

#include <glib.h>
#include <strobe/helpers/fields.h>
#include <strobe/kinds.h>
#include <string.h>

#define STEPS_MAX 1048576
#define PENDING_MAX 262144

typedef struct Step {
    gint64 begin_ns, end_ns;
    StrobeTrackId track;
    StrobeStringId name;
    struct strobe_step_summary totals;
} Step;

/* A garbage collection or marker whose step is not known yet, because a step is recorded at its
 * end. */
typedef struct Pending {
    gint64 begin_ns;
    gint64 gc_ns; /* duration of the garbage collection; -1: the record is a marker */
} Pending;

typedef struct StepAssignment {
    const StrobeConsumerHost *host;
    StrobeInstance *self;
    StrobeBinder step_binder, operator_binder;
    GArray *steps; /* elements of type Step; sorted by begin if is_sorted */
    gboolean is_sorted;
    GArray *pending;
    Step outside; /* the records outside of all steps; its number is -1 */
    gboolean any_outside;
    guint64 steps_dropped;
} StepAssignment;

static const StrobeWantedField step_wanted[] = {{"number", STROBE_FIELD_I64}};
static const StrobeWantedField operator_wanted[] = {{"host_self", STROBE_FIELD_I64}};

static StrobeStatus step_assignment_open(const StrobeConsumerHost *host, StrobeInstance *self,
                                         void **state)
{
    StepAssignment *assignment = g_new0(StepAssignment, 1);

    assignment->host = host;
    assignment->self = self;
    assignment->step_binder.wanted = step_wanted;
    assignment->step_binder.n_wanted = G_N_ELEMENTS(step_wanted);
    assignment->operator_binder.wanted = operator_wanted;
    assignment->operator_binder.n_wanted = G_N_ELEMENTS(operator_wanted);
    assignment->steps = g_array_new(FALSE, FALSE, sizeof(Step));
    assignment->pending = g_array_new(FALSE, FALSE, sizeof(Pending));
    assignment->outside.totals.number = -1;
    *state = assignment;
    return STROBE_OK;
}

static gint compare_steps(gconstpointer a, gconstpointer b)
{
    const Step *x = a, *y = b;

    return (x->begin_ns > y->begin_ns) - (x->begin_ns < y->begin_ns);
}

static void sort_steps(StepAssignment *assignment)
{
    if (!assignment->is_sorted)
        g_array_sort(assignment->steps, compare_steps);
    assignment->is_sorted = TRUE;
}

/* Returns the step that contains the time; NULL: there is none. */
static Step *find_step(StepAssignment *assignment, gint64 at)
{
    guint low = 0, high;
    Step *step;

    sort_steps(assignment);
    high = assignment->steps->len;
    while (low < high) {
        guint middle = low + (high - low) / 2;

        if (g_array_index(assignment->steps, Step, middle).begin_ns <= at)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low)
        return NULL;
    step = &g_array_index(assignment->steps, Step, low - 1);
    return at < step->end_ns ? step : NULL;
}

static struct strobe_step_summary *totals_or_outside(StepAssignment *assignment, Step *step)
{
    if (step)
        return &step->totals;
    assignment->any_outside = TRUE;
    return &assignment->outside.totals;
}

static void count_record(struct strobe_step_summary *totals, const Pending *record)
{
    if (record->gc_ns < 0)
        totals->markers++;
    else
        totals->gc += record->gc_ns;
}

/* Counts the pending records whose step is known. With `all`, counts the other pending records as
 * outside of every step. */
static void assign_pending(StepAssignment *assignment, gboolean all)
{
    GArray *pending = assignment->pending;
    guint kept = 0;

    for (guint i = 0; i < pending->len; i++) {
        Pending record = g_array_index(pending, Pending, i);
        Step *step = find_step(assignment, record.begin_ns);

        if (step || all)
            count_record(totals_or_outside(assignment, step), &record);
        else
            g_array_index(pending, Pending, kept++) = record;
    }
    g_array_set_size(pending, kept);
}

static void add_pending(StepAssignment *assignment, const StrobeView *record, gint64 gc_ns)
{
    const Pending pending = {record->begin_ns, gc_ns};

    if (assignment->pending->len >= PENDING_MAX) {
        assign_pending(assignment, FALSE);
        /* If more than half of the records remain, no step was recorded for a long time. */
        if (assignment->pending->len > PENDING_MAX / 2)
            assign_pending(assignment, TRUE);
    }
    g_array_append_val(assignment->pending, pending);
}

static void add_step(StepAssignment *assignment, const StrobeView *record)
{
    const uint32_t *offsets = strobe_binder_offsets(&assignment->step_binder, record->kind);
    Step step = {record->begin_ns, record->end_ns, record->track, record->name, {0}};
    GArray *steps = assignment->steps;

    if (steps->len >= STEPS_MAX) {
        assignment->steps_dropped++;
        return;
    }
    step.totals.number = strobe_field_i64(record, offsets[0], -1);
    step.totals.duration = record->end_ns - record->begin_ns;
    assignment->is_sorted =
        !steps->len || (assignment->is_sorted &&
                        g_array_index(steps, Step, steps->len - 1).begin_ns <= step.begin_ns);
    g_array_append_val(steps, step);
}

static void add_operator(StepAssignment *assignment, const StrobeView *record)
{
    const uint32_t *offsets = strobe_binder_offsets(&assignment->operator_binder, record->kind);
    struct strobe_step_summary *totals =
        totals_or_outside(assignment, find_step(assignment, record->begin_ns));

    totals->operators++;
    totals->operator_self += strobe_field_i64(record, offsets[0], 0);
}

static StrobeStatus step_assignment_batch(void *state, const StrobeView *records, size_t n)
{
    StepAssignment *assignment = state;

    for (size_t i = 0; i < n; i++) {
        const StrobeView *record = &records[i];
        const char *kind = record->kind->name;

        if (!strcmp(kind, "operator_detail"))
            add_operator(assignment, record);
        else if (!strcmp(kind, "marker") || !strcmp(kind, "marker_instant"))
            add_pending(assignment, record, -1);
        else if (!strcmp(kind, "gc"))
            add_pending(assignment, record, MAX(record->end_ns - record->begin_ns, 0));
        else if (!strcmp(kind, "step"))
            add_step(assignment, record);
    }
    return STROBE_OK;
}

/* Returns whether records were lost between two times, on any thread. */
static gboolean touches_gap(const StepAssignment *assignment, gint64 begin_ns, gint64 end_ns)
{
    return assignment->host->touches_gap(assignment->self, 0, begin_ns, end_ns) != 0;
}

/* Returns whether records were lost outside of the steps: between two steps, before the first or
 * after the last one. */
static gboolean is_outside_incomplete(const StepAssignment *assignment)
{
    gint64 behind = G_MININT64; /* latest end of the steps so far */

    for (guint i = 0; i < assignment->steps->len; i++) {
        const Step *step = &g_array_index(assignment->steps, Step, i);

        if (behind < step->begin_ns && touches_gap(assignment, behind, step->begin_ns))
            return TRUE;
        behind = MAX(behind, step->end_ns);
    }
    return touches_gap(assignment, behind, G_MAXINT64);
}

static gboolean emit_step(StepAssignment *assignment, const Step *step, gboolean is_incomplete)
{
    struct strobe_step_summary *fields = assignment->host->emit(
        assignment->self, 0, step->track, step->name, step->begin_ns, step->end_ns);

    if (!fields)
        return FALSE;
    if (is_incomplete)
        assignment->host->flag(assignment->self, STROBE_VIEW_INCOMPLETE);
    *fields = step->totals;
    return TRUE;
}

static gboolean emit_outside(StepAssignment *assignment)
{
    Step *outside = &assignment->outside;

    outside->name = assignment->host->intern(assignment->self, "outside", 7);
    outside->begin_ns = outside->end_ns =
        assignment->host->metadata(assignment->self)->window_begin_ns;
    return emit_step(assignment, outside, is_outside_incomplete(assignment));
}

static StrobeStatus step_assignment_end(void *state)
{
    StepAssignment *assignment = state;
    gboolean done = TRUE;

    assign_pending(assignment, TRUE);
    sort_steps(assignment);
    for (guint i = 0; i < assignment->steps->len && done; i++) {
        const Step *step = &g_array_index(assignment->steps, Step, i);

        done = emit_step(assignment, step, touches_gap(assignment, step->begin_ns, step->end_ns));
    }
    if (done && assignment->any_outside)
        done = emit_outside(assignment);
    if (!done)
        return assignment->host->fail(assignment->self, STROBE_ERROR_MEMORY, __FILE__, __LINE__,
                                      "Cannot emit step_summary: the host has no room for it");
    if (assignment->steps_dropped)
        assignment->host->log(assignment->self, STROBE_LOG_WARNING,
                              "%" G_GUINT64_FORMAT " steps beyond the first %d have no summary",
                              assignment->steps_dropped, STEPS_MAX);
    return STROBE_OK;
}

static void step_assignment_close(void *state)
{
    StepAssignment *assignment = state;

    g_array_unref(assignment->steps);
    g_array_unref(assignment->pending);
    g_free(assignment);
}

const StrobeConsumerOps step_assignment_ops = {
    .struct_size = sizeof(StrobeConsumerOps),
    .open = step_assignment_open,
    .batch = step_assignment_batch,
    .end = step_assignment_end,
    .close = step_assignment_close,
};
