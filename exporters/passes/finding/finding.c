/* SPDX-License-Identifier: Apache-2.0 */
/* Computes finding and step_part from spans, samples and steps. */
#include "finding.h"

#include <string.h>
#include <strobe/kinds.h>

#include "finding-rules.h"

enum { KIND_FINDING, KIND_STEP_PART };

typedef struct FindingPass {
    const StrobeConsumerHost *host;
    StrobeInstance *self;
    Measures *measures;
} FindingPass;

static StrobeStatus finding_open(const StrobeConsumerHost *host, StrobeInstance *self, void **state)
{
    FindingPass *pass = g_new0(FindingPass, 1);

    pass->host = host;
    pass->self = self;
    pass->measures = measures_new(host, self);
    *state = pass;
    return STROBE_OK;
}

static void finding_close(void *state)
{
    FindingPass *pass = state;

    measures_free(pass->measures);
    g_free(pass);
}

static StrobeStatus finding_batch(void *state, const StrobeView *records, size_t n)
{
    FindingPass *pass = state;

    for (size_t i = 0; i < n; i++)
        measures_add(pass->measures, &records[i]);
    return STROBE_OK;
}

static StrobeStringId intern_text(const FindingPass *pass, const char *text)
{
    return pass->host->intern(pass->self, text, strlen(text));
}

static gboolean emit_finding(const FindingPass *pass, const Finding *finding,
                             gboolean is_incomplete)
{
    const StrobeMetadata *metadata = pass->host->metadata(pass->self);
    struct strobe_finding fields = {
        .severity = intern_text(pass, finding->severity),
        .share = finding->share,
        .confidence = finding->confidence,
        .count = finding->count,
        .summary = intern_text(pass, finding->summary),
        .evidence = intern_text(pass, finding->evidence),
        .table = intern_text(pass, finding->table),
        .advice = intern_text(pass, finding->advice),
    };
    struct strobe_finding *out =
        pass->host->emit(pass->self, KIND_FINDING, 0, intern_text(pass, finding->id),
                         metadata->window_begin_ns, metadata->window_end_ns);

    if (!out)
        return FALSE;
    *out = fields;
    if (is_incomplete)
        pass->host->flag(pass->self, STROBE_VIEW_INCOMPLETE);
    return TRUE;
}

static gboolean emit_step(const FindingPass *pass, const BusyStep *step)
{
    struct strobe_step_part *out =
        pass->host->emit(pass->self, KIND_STEP_PART, 0, 0, step->begin_ns, step->end_ns);

    if (!out)
        return FALSE;
    *out = (struct strobe_step_part){
        .number = step->number,
        .duration = step->end_ns - step->begin_ns,
        .gc = step->parts[PART_GC],
        .data = step->parts[PART_DATA],
        .synchronization = step->parts[PART_SYNCHRONIZATION],
        .compile = step->parts[PART_COMPILE],
        .operators = step->parts[PART_OPERATORS],
        .python = step->parts[PART_PYTHON],
        .other = step->parts[N_PARTS],
    };
    if (pass->host->touches_gap(pass->self, 0, step->begin_ns, step->end_ns))
        pass->host->flag(pass->self, STROBE_VIEW_INCOMPLETE);
    return TRUE;
}

static StrobeStatus finding_end(void *state)
{
    FindingPass *pass = state;
    const GArray *steps = busy_times_steps(pass->measures->times, pass->host, pass->self);
    gboolean is_incomplete = pass->host->touches_gap(pass->self, 0, G_MININT64, G_MAXINT64) != 0;
    strobe_intervals_merge(&pass->measures->own_calls);
    g_autoptr(GPtrArray) found = finding_rules_apply(pass->measures, steps, is_incomplete);
    gboolean has_room = TRUE;

    for (guint i = 0; i < found->len && has_room; i++)
        has_room = emit_finding(pass, g_ptr_array_index(found, i), is_incomplete);
    for (guint i = 0; i < steps->len && has_room; i++)
        has_room = emit_step(pass, &g_array_index(steps, BusyStep, i));
    if (has_room)
        return STROBE_OK;
    return pass->host->fail(pass->self, STROBE_ERROR_MEMORY, __FILE__, __LINE__,
                            "Cannot emit finding: the host has no room for it");
}

const StrobeConsumerOps finding_ops = {
    .struct_size = sizeof(StrobeConsumerOps),
    .open = finding_open,
    .batch = finding_batch,
    .end = finding_end,
    .close = finding_close,
};
