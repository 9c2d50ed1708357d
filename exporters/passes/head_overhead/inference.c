/* SPDX-License-Identifier: Apache-2.0 */
#include "inference.h"

#include <math.h>
#include <string.h>

#define NONE G_MININT64

typedef struct Search {
    const HostThread *thread;
    const GArray *steps;
    /* elements of type gint32: indexes of the steps to which inferences of the thread may belong */
    GArray *own;
    GArray *inferences;
    GHashTable *used; /* a set of 1 + index: the cached entries that contain an inference */
    /* index of the first span that begins after the previous inference ends */
    guint at;
} Search;

static const HostSpan *span_at(const Search *s, guint index)
{
    return &g_array_index(s->thread->spans, HostSpan, index);
}

static gboolean holds_span(const HostSpan *outer, const HostSpan *inner)
{
    return outer->begin_ns <= inner->begin_ns && inner->end_ns <= outer->end_ns;
}

/* ---- steps ---- */

/* Returns the indexes of the steps that the thread announced. If it announced none, returns the
 * indexes of all steps. */
static GArray *steps_of(const GArray *steps, guint64 thread)
{
    GArray *own = g_array_new(FALSE, FALSE, sizeof(gint32));

    for (gint32 i = 0; i < (gint32)steps->len; i++)
        if (g_array_index(steps, HeadStep, i).thread == thread)
            g_array_append_val(own, i);
    if (own->len == 0)
        for (gint32 i = 0; i < (gint32)steps->len; i++)
            g_array_append_val(own, i);
    return own;
}

static const HeadStep *own_step(const Search *s, guint index)
{
    return &g_array_index(s->steps, HeadStep, g_array_index(s->own, gint32, index));
}

static gint32 step_at(const Search *s, gint64 at_ns)
{
    guint low = 0, high = s->own->len;

    while (low < high) {
        guint middle = low + (high - low) / 2;
        if (own_step(s, middle)->begin_ns <= at_ns)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0 || own_step(s, low - 1)->end_ns < at_ns)
        return -1;
    return g_array_index(s->own, gint32, low - 1);
}

/* ---- the entry ---- */

static void take_entry(Inference *inference, gint64 entry_ns, EntrySource source)
{
    inference->entry_ns = entry_ns;
    inference->source = source;
}

/* Candidates for the entry, the preferred one first. */
typedef struct Entries {
    const HostSpan *pattern, *cache, *lookup, *frame;
} Entries;

static void look_at(Entries *entries, const HostSpan *span, const HostSpan *inference)
{
    if (span->role == ROLE_ENTRY && !entries->pattern)
        entries->pattern = span;
    else if (span->role == ROLE_CACHE && span != inference && !entries->cache &&
             holds_span(span, inference))
        entries->cache = span;
    else if ((span->role == ROLE_LOOKUP || span->role == ROLE_REGION) && !entries->lookup)
        entries->lookup = span;
    else if (span->role == ROLE_FRAME && !entries->frame && holds_span(span, inference))
        entries->frame = span;
}

static gboolean take_known(Inference *inference, const Entries *entries)
{
    if (entries->pattern)
        take_entry(inference, entries->pattern->begin_ns, ENTRY_PATTERN);
    else if (entries->cache)
        take_entry(inference, entries->cache->begin_ns, ENTRY_CACHE);
    else if (entries->lookup)
        take_entry(inference, entries->lookup->begin_ns,
                   entries->lookup->role == ROLE_LOOKUP ? ENTRY_LOOKUP : ENTRY_REGION);
    else if (entries->frame)
        take_entry(inference, entries->frame->begin_ns, ENTRY_FRAME);
    else
        return FALSE;
    return TRUE;
}

/* Returns whether the cached entry at `place` contains a lookup. If so, the inference begins with
 * this entry. */
static gboolean has_lookup_inside(const Search *s, guint place)
{
    const HostSpan *span = span_at(s, place);

    for (guint i = place + 1; i < s->thread->spans->len; i++) {
        const HostSpan *inner = span_at(s, i);
        if (inner->begin_ns > span->end_ns)
            break;
        if ((inner->role == ROLE_LOOKUP || inner->role == ROLE_REGION) && holds_span(span, inner))
            return TRUE;
    }
    return FALSE;
}

static void find_entry(Search *s, Inference *inference, const Inference *previous, guint place)
{
    const HostSpan *self = span_at(s, place);
    const HeadStep *step =
        inference->step < 0 ? NULL : &g_array_index(s->steps, HeadStep, inference->step);
    gint64 from_ns = MAX(previous ? previous->end_ns : NONE, step ? step->begin_ns : NONE);
    Entries entries = {0};

    for (guint i = s->at; i < s->thread->spans->len; i++) {
        const HostSpan *span = span_at(s, i);
        if (span->begin_ns > self->begin_ns)
            break;
        if (span->begin_ns >= from_ns)
            look_at(&entries, span, self);
    }
    if (take_known(inference, &entries))
        return;
    if (inference->is_cached && has_lookup_inside(s, place)) {
        take_entry(inference, self->begin_ns, ENTRY_CACHE);
        return;
    }
    inference->figures.is_upper_bound = 1;
    if (step && (!previous || previous->begin_ns < step->begin_ns))
        take_entry(inference, step->begin_ns, ENTRY_STEP);
    else if (previous)
        take_entry(inference, previous->end_ns, ENTRY_PREVIOUS);
    else
        take_entry(inference, s->thread->first_ns, ENTRY_THREAD);
}

/* Returns the time of the compiler's lookups between the entry and the inference. Overlapping
 * lookups count once. */
static gint64 lookup_time(const Search *s, const Inference *inference)
{
    gint64 sum = 0, done_ns = inference->entry_ns;

    for (guint i = s->at; i < s->thread->spans->len; i++) {
        const HostSpan *span = span_at(s, i);
        gint64 end_ns = MIN(span->end_ns, inference->begin_ns);
        if (span->begin_ns > inference->begin_ns)
            break;
        if (span->role != ROLE_LOOKUP || span->begin_ns < inference->entry_ns || end_ns <= done_ns)
            continue;
        sum += end_ns - MAX(span->begin_ns, done_ns);
        done_ns = end_ns;
    }
    return sum;
}

/* ---- inside an inference ---- */

typedef struct Inside {
    const HostSpan *run, *execute, *execute_in_run, *graph, *graph_in_run, *replay;
    gboolean is_eager;
} Inside;

static void keep_first(const HostSpan **first, const HostSpan *span)
{
    if (!*first)
        *first = span;
}

/* Processes the next span inside the inference. Spans come in the order of their begins, an outer
 * span before the spans in it. */
static void note_span(Inside *inside, const HostSpan *span)
{
    gboolean is_in_run = inside->run && holds_span(inside->run, span);

    switch (span->role) {
    case ROLE_RUN:
        keep_first(&inside->run, span);
        break;
    case ROLE_EXECUTE:
        keep_first(is_in_run ? &inside->execute_in_run : &inside->execute, span);
        break;
    case ROLE_RUN_GRAPH:
        keep_first(is_in_run ? &inside->graph_in_run : &inside->graph, span);
        break;
    case ROLE_REPLAY:
        keep_first(&inside->replay, span);
        break;
    case ROLE_EAGER:
        inside->is_eager = TRUE;
        break;
    default:
        break;
    }
}

static Inside look_inside(const Search *s, guint place)
{
    const HostSpan *self = span_at(s, place);
    Inside inside = {0};

    for (guint i = place + 1; i < s->thread->spans->len; i++) {
        const HostSpan *span = span_at(s, i);
        if (span->begin_ns > self->end_ns)
            break;
        if (holds_span(self, span))
            note_span(&inside, span);
    }
    return inside;
}

/* Returns the call of GE: ExecuteGraph or, if there is none, RunGraph. A call on the C++ side is
 * preferred to a call elsewhere in the inference. */
static const HostSpan *call_of(const Inside *inside)
{
    const HostSpan *execute = inside->execute_in_run ? inside->execute_in_run : inside->execute;
    const HostSpan *graph = inside->graph_in_run ? inside->graph_in_run : inside->graph;

    return execute ? execute : graph;
}

/* Returns the time that spans with this role cover between two times. Overlapping spans count
 * once. */
static gint64 sum_role_time(const Search *s, guint place, Role role, gint64 from_ns, gint64 to_ns)
{
    gint64 sum = 0, done_ns = from_ns;

    for (guint i = place + 1; i < s->thread->spans->len; i++) {
        const HostSpan *span = span_at(s, i);
        if (span->begin_ns > to_ns)
            break;
        if (span->role != role || span->begin_ns < from_ns || span->end_ns > to_ns ||
            span->end_ns <= done_ns)
            continue;
        sum += span->end_ns - MAX(span->begin_ns, done_ns);
        done_ns = span->end_ns;
    }
    return sum;
}

static void split_python(const Search *s, guint place, struct strobe_head_overhead *f)
{
    guint at = span_at(s, place)->python;
    const PythonTime *time = at ? &g_array_index(s->thread->python, PythonTime, at - 1) : NULL;

    if (!time || !time->is_known)
        return;
    f->python_build = time->ns[PYTHON_BUILD];
    f->python_contiguous = time->ns[PYTHON_CONTIGUOUS];
    f->python_aten = time->ns[PYTHON_ATEN];
    f->python_rest = f->python - f->python_build - f->python_contiguous - f->python_aten;
}

static void split_cpp(const Search *s, guint place, const Inside *inside, gint64 call_ns,
                      struct strobe_head_overhead *f)
{
    gint64 run_ns = inside->run->begin_ns;

    f->cpp_inputs = sum_role_time(s, place, ROLE_INPUTS, run_ns, call_ns);
    f->cpp_outputs = sum_role_time(s, place, ROLE_OUTPUTS, run_ns, call_ns);
    f->cpp_load = sum_role_time(s, place, ROLE_LOAD, run_ns, call_ns);
    f->cpp_rest = f->cpp - f->cpp_inputs - f->cpp_outputs - f->cpp_load;
}

static void split_ge(const Search *s, guint place, const Inference *inference,
                     struct strobe_head_overhead *f)
{
    f->ge_execute = inference->execute_end_ns - inference->execute_ns;
    f->ge_refresh =
        sum_role_time(s, place, ROLE_REFRESH, inference->execute_end_ns, inference->end_ns);
    f->ge_rest = f->ge - f->ge_execute - f->ge_refresh;
}

static void measure_graph(const Search *s, guint place, const Inside *inside, const HostSpan *call,
                          Inference *inference)
{
    struct strobe_head_overhead *f = &inference->figures;

    inference->mode = MODE_GE;
    inference->execute_ns = call->begin_ns;
    inference->execute_end_ns = call->end_ns;
    f->torchair = call->begin_ns - inference->begin_ns;
    f->ge = inference->end_ns - call->begin_ns;
    split_ge(s, place, inference, f);
    if (!inside->run)
        return;
    f->python = inside->run->begin_ns - inference->begin_ns;
    f->cpp = call->begin_ns - inside->run->begin_ns;
    split_python(s, place, f);
    split_cpp(s, place, inside, call->begin_ns, f);
}

static void measure_inference(const Search *s, guint place, Inference *inference)
{
    Inside inside = look_inside(s, place);
    const HostSpan *call = call_of(&inside);

    if (call) {
        measure_graph(s, place, &inside, call, inference);
    } else if (inside.replay) {
        inference->mode = MODE_ACLGRAPH;
        inference->figures.torchair = inside.replay->begin_ns - inference->begin_ns;
    } else if (inside.is_eager) {
        inference->mode = MODE_EAGER;
    }
}

static gboolean does_compile(const Search *s, const Inference *inference)
{
    for (guint i = s->at; i < s->thread->spans->len; i++) {
        const HostSpan *span = span_at(s, i);
        if (span->begin_ns > inference->end_ns)
            break;
        if (span->begin_ns >= inference->entry_ns &&
            (span->role == ROLE_COMPILE || span->role == ROLE_LOAD))
            return TRUE;
    }
    return FALSE;
}

/* ---- all inferences of a thread ---- */

/* Returns a text that describes a contradiction between the figures; NULL: there is none. Figures
 * that contradict each other are emitted unchanged. */
static const char *find_contradiction(const struct strobe_head_overhead *f)
{
    if (f->framework < 0)
        return "the inference begins before its entry";
    if (f->torchair != NONE && f->torchair < 0)
        return "GE is called before the inference begins";
    if (f->cpp != NONE && f->cpp < 0)
        return "GE is called before the C++ side begins";
    if (f->ge != NONE && f->ge < 0)
        return "the inference ends before GE is called";
    if (f->cpp != NONE && f->python + f->cpp != f->torchair)
        return "the times in Python and C++ do not add up to that in TorchAir";
    if (f->ge != NONE && f->framework + f->torchair + f->ge != f->total)
        return "the parts do not add up to the total";
    if ((f->python_rest != NONE && f->python_rest < 0) || (f->cpp_rest != NONE && f->cpp_rest < 0))
        return "causes take longer than the part that contains them";
    return f->ge_rest != NONE && f->ge_rest < 0
               ? "causes take longer than the part that contains them"
               : NULL;
}

static void clear_figures(struct strobe_head_overhead *f)
{
    memset(f, 0, sizeof *f);
    f->step = f->platform = f->torchair = f->python = f->cpp = f->ge = NONE;
    f->ge_to_first_kernel = f->to_first_kernel = NONE;
    f->python_build = f->python_contiguous = f->python_aten = f->python_rest = NONE;
    f->cpp_inputs = f->cpp_outputs = f->cpp_load = f->cpp_rest = NONE;
    f->ge_execute = f->ge_refresh = f->ge_rest = NONE;
    f->framework_share = f->torchair_share = f->python_share = NAN;
    f->cpp_share = f->ge_share = NAN;
}

static Inference begin_inference(const Search *s, guint place)
{
    const HostSpan *span = span_at(s, place);
    Inference inference = {.thread = s->thread,
                           .begin_ns = span->begin_ns,
                           .end_ns = span->end_ns,
                           .entry_ns = span->begin_ns,
                           .execute_ns = NONE,
                           .execute_end_ns = NONE,
                           .until_ns = G_MAXINT64,
                           .linked_ns = G_MAXINT64,
                           .after_ns = G_MAXINT64,
                           .step = step_at(s, span->begin_ns),
                           .is_cached = span->role == ROLE_CACHE};

    clear_figures(&inference.figures);
    if (inference.step >= 0)
        inference.figures.step = g_array_index(s->steps, HeadStep, inference.step).number;
    return inference;
}

/* Adds an inference that begins inside another inference, whose end is `around_end_ns`. */
static void add_nested(Search *s, guint place, gint64 around_end_ns)
{
    Inference inference = begin_inference(s, place);

    inference.figures.is_nested = 1;
    inference.figures.framework = NONE;
    inference.figures.lookup = NONE;
    inference.figures.total = inference.end_ns - inference.begin_ns;
    if (span_at(s, place)->end_ns > around_end_ns)
        inference.error = "begins inside another inference and ends after it";
    g_array_append_val(s->inferences, inference);
}

static void add_outermost(Search *s, guint place, const Inference *previous)
{
    Inference inference = begin_inference(s, place);
    struct strobe_head_overhead *f = &inference.figures;
    gint32 around;

    find_entry(s, &inference, previous, place);
    f->lookup = lookup_time(s, &inference);
    f->framework = inference.begin_ns - inference.entry_ns;
    f->total = f->framework + (inference.end_ns - inference.begin_ns);
    around = step_at(s, inference.entry_ns);
    if (around >= 0)
        f->platform = inference.entry_ns - MAX(g_array_index(s->steps, HeadStep, around).begin_ns,
                                               previous ? previous->end_ns : NONE);
    measure_inference(s, place, &inference);
    f->is_compile = does_compile(s, &inference);
    inference.error = find_contradiction(f);
    g_array_append_val(s->inferences, inference);
}

/* Adds to `used` the cached entries that contain an inference. Such an entry belongs to this
 * inference and is not an inference itself. */
static void find_used_caches(Search *s)
{
    g_autoptr(GArray) open = g_array_new(FALSE, FALSE, sizeof(guint));

    for (guint i = 0; i < s->thread->spans->len; i++) {
        const HostSpan *span = span_at(s, i);
        while (open->len &&
               span_at(s, g_array_index(open, guint, open->len - 1))->end_ns < span->begin_ns)
            g_array_set_size(open, open->len - 1);
        if (span->role == ROLE_CACHE) {
            g_array_append_val(open, i);
            continue;
        }
        if (span->role != ROLE_INFERENCE)
            continue;
        /* If an entry is already in `used`, the entries that contain it are in `used` as well. */
        for (guint k = open->len; k > 0; k--) {
            guint cache = g_array_index(open, guint, k - 1);
            if (holds_span(span_at(s, cache), span) &&
                !g_hash_table_add(s->used, GUINT_TO_POINTER(cache + 1)))
                break;
        }
    }
}

static gboolean is_inference(const HostSpan *span)
{
    return span->role == ROLE_INFERENCE || span->role == ROLE_CACHE;
}

static gboolean has_inference(const HostThread *thread)
{
    for (guint i = 0; i < thread->spans->len; i++)
        if (is_inference(&g_array_index(thread->spans, HostSpan, i)))
            return TRUE;
    return FALSE;
}

void inferences_find(const HostThread *thread, guint64 number, const GArray *steps,
                     GArray *inferences)
{
    Search s = {.thread = thread, .steps = steps, .inferences = inferences};
    guint previous = G_MAXUINT; /* index of the last inference that is not nested */

    if (!has_inference(thread))
        return;
    s.own = steps_of(steps, number);
    s.used = g_hash_table_new(g_direct_hash, g_direct_equal);
    find_used_caches(&s);
    for (guint i = 0; i < thread->spans->len; i++) {
        const HostSpan *span = span_at(&s, i);
        const Inference *before =
            previous == G_MAXUINT ? NULL : &g_array_index(inferences, Inference, previous);

        if (!is_inference(span) ||
            (span->role == ROLE_CACHE && g_hash_table_contains(s.used, GUINT_TO_POINTER(i + 1))))
            continue;
        if (before && span->begin_ns < before->end_ns) {
            add_nested(&s, i, before->end_ns);
            continue;
        }
        while (before && s.at < i && span_at(&s, s.at)->begin_ns < before->end_ns)
            s.at++;
        /* a copy, because the array may move when an inference is added */
        const Inference copy = before ? *before : (Inference){0};
        add_outermost(&s, i, before ? &copy : NULL);
        if (previous != G_MAXUINT)
            g_array_index(inferences, Inference, previous).until_ns = span->begin_ns;
        previous = inferences->len - 1;
    }
    g_array_unref(s.own);
    g_hash_table_unref(s.used);
}

static double compute_percent(gint64 part, gint64 total)
{
    return part == NONE || total <= 0 ? NAN : (double)part / (double)total * 100;
}

void inference_finish(Inference *inference)
{
    struct strobe_head_overhead *f = &inference->figures;
    gint64 kernel_ns =
        inference->linked_ns != G_MAXINT64 ? inference->linked_ns : inference->after_ns;

    if (f->is_nested)
        return;
    if (inference->execute_ns != NONE && kernel_ns != G_MAXINT64) {
        f->ge_to_first_kernel = kernel_ns - inference->execute_ns;
        f->to_first_kernel = f->framework + f->torchair + f->ge_to_first_kernel;
    }
    f->framework_share = compute_percent(f->framework, f->total);
    f->torchair_share = compute_percent(f->torchair, f->total);
    f->python_share = compute_percent(f->python, f->total);
    f->cpp_share = compute_percent(f->cpp, f->total);
    f->ge_share = compute_percent(f->ge, f->total);
}
