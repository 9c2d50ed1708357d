/* SPDX-License-Identifier: Apache-2.0 */
#include "head-report.h"

#include <glib.h>
#include <stdlib.h>
#include <string.h>
#include <strobe/helpers/fields.h>
#include <strobe/kinds.h>

#include "part-statistics.h"

#define LARGE_SHARE 50.0 /* minimum share of a cause for a hint, in % */

static StrobeStringId intern_text(const HeadReport *r, const char *text)
{
    return text ? r->host->intern(r->self, text, strlen(text)) : 0;
}

/* ---- inferences ---- */

static const char *const modes[] = {
    [MODE_UNKNOWN] = "unknown",
    [MODE_GE] = "ge",
    [MODE_ACLGRAPH] = "aclgraph",
    [MODE_EAGER] = "eager",
};

static const char *const sources[] = {
    [ENTRY_NONE] = NULL,       [ENTRY_PATTERN] = "pattern",   [ENTRY_CACHE] = "cache",
    [ENTRY_LOOKUP] = "lookup", [ENTRY_REGION] = "region",     [ENTRY_FRAME] = "frame",
    [ENTRY_STEP] = "step",     [ENTRY_PREVIOUS] = "previous", [ENTRY_THREAD] = "thread",
};

static gboolean emit_inference(const HeadReport *r, const Inference *inference, guint graph)
{
    const StrobeTrackView *track = r->host->track(r->self, inference->thread->track);
    const char *marker = inference->is_cached ? "cache" : "inference";
    struct strobe_head_overhead *fields =
        r->host->emit(r->self, HEAD_INFERENCE, inference->thread->track, intern_text(r, marker),
                      inference->entry_ns, inference->end_ns);

    if (!fields)
        return FALSE;
    *fields = inference->figures;
    fields->pid = track ? track->pid : STROBE_ABSENT_U64;
    fields->thread = track ? track->number : STROBE_ABSENT_U64;
    fields->graph = graph;
    fields->marker = intern_text(r, marker);
    fields->mode = fields->is_nested ? 0 : intern_text(r, modes[inference->mode]);
    fields->entry_source = intern_text(r, sources[inference->source]);
    fields->error = intern_text(r, inference->error);
    return TRUE;
}

static gboolean emit_inferences(const HeadReport *r)
{
    /* number of graphs in each step; index 0: inferences outside of steps */
    g_autofree guint *graphs = g_new0(guint, r->steps->len + 1);

    for (guint i = 0; i < r->inferences->len; i++) {
        const Inference *inference = &g_array_index(r->inferences, Inference, i);
        guint graph = inference->figures.is_nested ? 0 : ++graphs[inference->step + 1];
        if (!emit_inference(r, inference, graph))
            return FALSE;
    }
    return TRUE;
}

/* ---- steps ---- */

static void add_known(gint64 *sum, gint64 ns)
{
    if (ns != STROBE_ABSENT_I64)
        *sum = *sum == STROBE_ABSENT_I64 ? ns : *sum + ns;
}

static gboolean emit_step(const HeadReport *r, gint32 place,
                          const struct strobe_head_overhead_step *sums)
{
    const HeadStep *step = &g_array_index(r->steps, HeadStep, place);
    struct strobe_head_overhead_step *fields =
        r->host->emit(r->self, HEAD_STEP, step->track, step->name, step->begin_ns, step->end_ns);

    if (!fields)
        return FALSE;
    *fields = *sums;
    fields->step = step->number;
    return TRUE;
}

static void clear_sums(struct strobe_head_overhead_step *sums)
{
    strobe_fields_absent(&strobe_kind_head_overhead_step, sums);
    sums->graphs = sums->compiled = 0;
}

static gint by_step(gconstpointer a, gconstpointer b)
{
    const Inference *x = *(Inference *const *)a, *y = *(Inference *const *)b;

    return (x->step > y->step) - (x->step < y->step);
}

/* Returns the inferences sorted by step. Steps of several threads overlap, so inferences of a step
 * may be apart if they are sorted by begin. */
static GPtrArray *sort_by_step(const HeadReport *r)
{
    GPtrArray *sorted = g_ptr_array_new();

    for (guint i = 0; i < r->inferences->len; i++) {
        Inference *inference = &g_array_index(r->inferences, Inference, i);
        if (inference->step >= 0 && !inference->figures.is_nested)
            g_ptr_array_add(sorted, inference);
    }
    g_ptr_array_sort(sorted, by_step);
    return sorted;
}

static gboolean emit_steps(const HeadReport *r)
{
    g_autoptr(GPtrArray) sorted = sort_by_step(r);
    struct strobe_head_overhead_step sums = {0};
    gint32 place = -1;

    for (guint i = 0; i < sorted->len; i++) {
        const Inference *inference = g_ptr_array_index(sorted, i);
        const struct strobe_head_overhead *f = &inference->figures;

        if (inference->step != place) {
            if (place >= 0 && !emit_step(r, place, &sums))
                return FALSE;
            clear_sums(&sums);
            place = inference->step;
        }
        sums.graphs++;
        sums.compiled += f->is_compile;
        add_known(&sums.framework, f->framework);
        add_known(&sums.platform, f->platform);
        add_known(&sums.torchair, f->torchair);
        add_known(&sums.python, f->python);
        add_known(&sums.cpp, f->cpp);
        add_known(&sums.ge, f->ge);
        add_known(&sums.total, f->total);
    }
    return place < 0 || emit_step(r, place, &sums);
}

/* ---- statistics ---- */

static gboolean emit_summary(const HeadReport *r, const PartStatistics *statistics)
{
    gint64 at = r->host->metadata(r->self)->window_begin_ns;

    for (Part part = 0; part < PARTS; part++) {
        struct strobe_head_overhead_summary summary = {0}, *fields;
        if (!part_statistics_get(statistics, part, &summary))
            continue;
        fields = r->host->emit(r->self, HEAD_SUMMARY, 0, intern_text(r, part_name(part)), at, at);
        if (!fields)
            return FALSE;
        *fields = summary;
        if (r->host->touches_gap(r->self, 0, G_MININT64, G_MAXINT64))
            r->host->flag(r->self, STROBE_VIEW_INCOMPLETE);
    }
    return TRUE;
}

/* ---- advice ---- */

static gboolean emit_advice(const HeadReport *r, const char *name, const char *part, double mean,
                            double share, const char *text)
{
    gint64 at = r->host->metadata(r->self)->window_begin_ns;
    struct strobe_head_overhead_advice *fields =
        r->host->emit(r->self, HEAD_ADVICE, 0, intern_text(r, name), at, at);

    if (!fields)
        return FALSE;
    fields->part = intern_text(r, part);
    fields->mean = mean;
    fields->share = share;
    fields->text = intern_text(r, text);
    return TRUE;
}

typedef struct Ranked {
    Part part;
    double sum;
    const char *text;
} Ranked;

static gint by_sum(gconstpointer a, gconstpointer b)
{
    const Ranked *x = a, *y = b;

    return (x->sum < y->sum) - (x->sum > y->sum);
}

/* Emits the three parts of the total time, the longest first. Computes shares from sums, not from
 * means, because the means of the parts are over different inferences: for example, an eager
 * inference has a total but no time in GE. */
static gboolean emit_ranking(const HeadReport *r, const PartStatistics *s)
{
    Ranked ranked[] = {
        {PART_FRAMEWORK, 0, "your own script first, then the framework's community"},
        {PART_TORCHAIR, 0, "your own script first, then the vendor's support (TorchAir)"},
        {PART_GE, 0, "your own script first, then the vendor's support (GE)"},
    };
    double total = s->sums[PART_TOTAL];

    for (guint i = 0; i < G_N_ELEMENTS(ranked); i++)
        ranked[i].sum = s->sums[ranked[i].part];
    qsort(ranked, G_N_ELEMENTS(ranked), sizeof ranked[0], by_sum);
    for (guint i = 0; i < G_N_ELEMENTS(ranked); i++) {
        guint n = s->values[ranked[i].part]->len;
        if (n > 0 && !emit_advice(r, "ranking", part_name(ranked[i].part), ranked[i].sum / n,
                                  total > 0 ? ranked[i].sum / total * 100 : STROBE_ABSENT_F64,
                                  ranked[i].text))
            return FALSE;
    }
    return TRUE;
}

/* Emits the hint `text` if `cause` is a large share of `whole`. `cause` and `whole` are sums over
 * `n` inferences. */
static gboolean emit_hint(const HeadReport *r, const char *part, double cause, double whole,
                          guint n, const char *text)
{
    double share = whole > 0 ? cause / whole * 100 : 0;

    return share < LARGE_SHARE || n == 0 || emit_advice(r, "hint", part, cause / n, share, text);
}

static gboolean emit_hints(const HeadReport *r, const PartStatistics *s)
{
    double rest = s->causes_python - s->causes_build - s->causes_contiguous;

    return emit_hint(r, "python", rest > 0 ? s->sums[PART_PYTHON] : 0, s->split_torchair,
                     s->values[PART_PYTHON]->len,
                     "grows with inputs and outputs: pass fewer, larger ones") &&
           emit_hint(r, "python", s->causes_build, s->causes_python, s->n_causes,
                     "makes tensors of scalars or lists: make them beforehand") &&
           emit_hint(r, "python", s->causes_contiguous, s->causes_python, s->n_causes,
                     "copies inputs or makes them contiguous: pass contiguous ones") &&
           emit_hint(r, "framework", s->lookup, s->sums[PART_FRAMEWORK],
                     s->values[PART_FRAMEWORK]->len,
                     "cache lookups: guards are expensive, compile fewer variants");
}

/* ---- all records ---- */

gboolean head_report_emit(HeadReport *r)
{
    PartStatistics statistics;
    gboolean done;

    part_statistics_init(&statistics);
    for (guint i = 0; i < r->inferences->len; i++) {
        const Inference *inference = &g_array_index(r->inferences, Inference, i);
        const struct strobe_head_overhead *f = &inference->figures;
        if (!f->is_nested && !inference->error && (r->compiled_too || !f->is_compile))
            part_statistics_add(&statistics, f);
    }
    done = emit_inferences(r) && emit_steps(r) && emit_summary(r, &statistics) &&
           emit_ranking(r, &statistics) && emit_hints(r, &statistics);
    part_statistics_clear(&statistics);
    return done;
}
