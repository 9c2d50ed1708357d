/* SPDX-License-Identifier: Apache-2.0 */
#include "diff-run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strobe/helpers/fields.h>
#include <sys/stat.h>

#include "capture-format.h"
#include "diff-head.h"
#include "error.h"
#include "external.h"
#include "progress-bar.h"
#include "step-name.h"

/* ---- finding the result ---- */

void strobe_diff_run_init(StrobeDiffRun *run, guint number, const char *path)
{
    *run = (StrobeDiffRun){.side = number, .path = path};
    strobe_diff_steps_init(&run->steps);
}

void strobe_diff_run_clear(StrobeDiffRun *run)
{
    strobe_diff_steps_clear(&run->steps);
    g_free(run->format);
    g_free(run->result.directory);
    g_free(run->result.capture);
    g_free(run->result.source);
}

static gboolean take_result(StrobeDiffRun *run, const StrobeResult *result)
{
    run->result = (StrobeResult){.directory = g_strdup(result->directory),
                                 .capture = g_strdup(result->capture),
                                 .source = g_strdup(result->source)};
    return TRUE;
}

static gboolean refuse_many(const StrobeDiffRun *run, guint n, const char *first, GError **error)
{
    g_set_error(error, STROBE_ERROR, STROBE_ERROR_INPUT,
                "\"%s\" holds %u results, expected one: name one of them, such as \"%s\"",
                run->path, n, first);
    return FALSE;
}

static gboolean import_run(StrobeDiffRun *run, const StrobeImportSource *source,
                           const char *scratch, GError **error)
{
    const StrobeImportWish wish = {.parent = scratch,
                                   .is_temporary = TRUE,
                                   .progress = strobe_bar_show,
                                   .progress_user = (gpointer) "importing"};
    g_autoptr(StrobeImport) import = strobe_import_run(source, &wish, error);

    strobe_bar_clear();
    if (!import)
        return FALSE;
    run->format = g_strdup(import->format);
    run->n_damaged = import->n_damage;
    return take_result(run, &import->result);
}

/* Whether the path is a regular file that does not begin like a capture, so that it may be a file
 * of another profiler. */
static gboolean is_external_file(const char *path)
{
    char magic[sizeof STROBE_BLOCK_MAGIC - 1] = {0};
    struct stat status;
    FILE *file = stat(path, &status) == 0 && S_ISREG(status.st_mode) ? fopen(path, "rbe") : NULL;
    gboolean is_ours = !file || (fread(magic, sizeof magic, 1, file) == 1 &&
                                 memcmp(magic, STROBE_BLOCK_MAGIC, sizeof magic) == 0);

    if (file)
        fclose(file);
    return !is_ours;
}

gboolean strobe_diff_run_find(StrobeDiffRun *run, StrobeRegistry *registry,
                              StrobeDiffScratch scratch, gpointer user, GError **error)
{
    g_autoptr(GError) own = NULL, external = NULL;
    g_autoptr(GPtrArray) results = NULL, sources = NULL;
    gboolean is_external = is_external_file(run->path);
    const char *folder;

    results = is_external ? NULL : strobe_result_find(run->path, &own);
    if (results && results->len == 1)
        return take_result(run, g_ptr_array_index(results, 0));
    if (results)
        return refuse_many(run, results->len,
                           ((StrobeResult *)g_ptr_array_index(results, 0))->directory, error);
    sources = strobe_import_find(registry, run->path, NULL, &external);
    if (sources && sources->len > 1)
        return refuse_many(run, sources->len,
                           ((StrobeImportSource *)g_ptr_array_index(sources, 0))->path, error);
    if (sources) {
        folder = scratch(user, error);
        return folder && import_run(run, g_ptr_array_index(sources, 0), folder, error);
    }
    if (own && !g_file_test(run->path, G_FILE_TEST_EXISTS))
        g_propagate_error(error, g_steal_pointer(&own));
    else
        g_propagate_error(error, g_steal_pointer(&external));
    return FALSE;
}

/* ---- reading ---- */

typedef struct Reading {
    StrobeDiffRun *run;
    StrobeDiffBy by;
    StrobeDiffRows *rows;
    const StrobeConsumerHost *host;
    StrobeInstance *self;
    StrobeDiffTree *tree;
    StrobeDiffKernels *kernels;
    StrobeDiffHead head;
    StrobeDiffSteps named; /* steps that were found among operators by name */
} Reading;

/* The run that is being read. It is a global variable, because a consumer receives no user pointer;
 * this command runs one pipeline at a time. */
static Reading *reading;

gboolean strobe_diff_is_of_device(StrobeDiffBy by)
{
    return by == STROBE_DIFF_BY_KERNEL || by == STROBE_DIFF_BY_COMMUNICATION;
}

static gboolean is_of_tree(StrobeDiffBy by)
{
    return by == STROBE_DIFF_BY_OPERATOR || by == STROBE_DIFF_BY_STACK || by == STROBE_DIFF_BY_MARK;
}

static StrobeStatus reading_open(const StrobeConsumerHost *host, StrobeInstance *self, void **state)
{
    reading->host = host;
    reading->self = self;
    if (is_of_tree(reading->by))
        reading->tree =
            strobe_diff_tree_new(host, self, &reading->run->steps,
                                 reading->by == STROBE_DIFF_BY_STACK  ? STROBE_DIFF_STACKS
                                 : reading->by == STROBE_DIFF_BY_MARK ? STROBE_DIFF_MARKS
                                                                      : STROBE_DIFF_OPERATORS);
    if (strobe_diff_is_of_device(reading->by))
        reading->kernels =
            strobe_diff_kernels_new(host, self, &reading->run->steps, reading->run->by_name,
                                    reading->by == STROBE_DIFF_BY_COMMUNICATION);
    *state = reading;
    return STROBE_OK;
}

static void reading_close(void *state)
{
    g_clear_pointer(&((Reading *)state)->tree, strobe_diff_tree_free);
    g_clear_pointer(&((Reading *)state)->kernels, strobe_diff_kernels_free);
}

static StrobeStatus reading_end(void *state)
{
    Reading *r = state;
    StrobeDiffKernelCounts counts;

    if (r->tree)
        strobe_diff_tree_finish(r->tree, r->rows, r->run->side, &r->run->rest);
    if (!r->kernels)
        return STROBE_OK;
    strobe_diff_kernels_finish(r->kernels, r->rows, r->run->side, &r->run->rest, &counts);
    r->run->n_values = counts.n_values;
    r->run->n_linked = counts.n_linked;
    return STROBE_OK;
}

static gint64 number_of(const StrobeView *record, const char *field)
{
    return strobe_field_i64(record, strobe_field_offset(record->kind, field, STROBE_FIELD_I64),
                            STROBE_ABSENT_I64);
}

static StrobeDiffStep step_of(const StrobeView *record, gint64 number)
{
    return (StrobeDiffStep){record->begin_ns, record->end_ns, number};
}

static gboolean is_torn(const StrobeView *record)
{
    return (record->flags & (STROBE_VIEW_UNFINISHED | STROBE_VIEW_STRADDLES)) != 0;
}

/* Adds a step if the record is an operator whose name is that of a step, as in Ascend's traces. */
static void add_named_step(Reading *r, const StrobeView *record)
{
    const char *name = r->host->string(r->self, record->name).bytes;
    gint64 number;

    if (!strobe_step_of_name(name, &number))
        return;
    const StrobeDiffStep step = step_of(record, number);
    strobe_diff_steps_add(&r->named, &step, is_torn(record));
}

static StrobeStatus steps_batch(void *state, const StrobeView *records, size_t n)
{
    Reading *r = state;

    for (size_t i = 0; i < n; i++) {
        if (strcmp(records[i].kind->name, "step") != 0) {
            add_named_step(r, &records[i]);
            continue;
        }
        const StrobeDiffStep step = step_of(&records[i], number_of(&records[i], "number"));
        strobe_diff_steps_add(&r->run->steps, &step, is_torn(&records[i]));
    }
    return STROBE_OK;
}

static StrobeStatus tree_batch(void *state, const StrobeView *records, size_t n)
{
    Reading *r = state;

    for (size_t i = 0; i < n; i++)
        strobe_diff_tree_add(r->tree, &records[i]);
    r->run->n_values += n;
    return STROBE_OK;
}

static void add_value(Reading *r, gint block, const char *name, double ns)
{
    StrobeDiffRun *run = r->run;

    if (block == STROBE_DIFF_OUTSIDE) {
        run->rest.n_outside++;
        run->rest.outside_ns += ns;
        return;
    }
    strobe_diff_rows_add(r->rows, strobe_diff_rows_get(r->rows, &name, 1), run->side,
                         (guint32)block, ns, 1);
}

static StrobeStatus kernel_batch(void *state, const StrobeView *records, size_t n)
{
    Reading *r = state;

    for (size_t i = 0; i < n; i++)
        strobe_diff_kernels_add(r->kernels, &records[i]);
    return STROBE_OK;
}

/* A part of a step: the field `field` of records of the kind `kind`, each of which describes one
 * step. */
typedef struct Part {
    const char *kind, *number, *field, *title;
    guint type;
} Part;

static const Part parts[] = {
    {"step_summary", "number", "operator_self", "operators", STROBE_FIELD_I64},
    {"step_summary", "number", "gc", "garbage collection", STROBE_FIELD_I64},
    {"step_trace", "step", "computing", "computing", STROBE_FIELD_F64},
    {"step_trace", "step", "communication", "communication", STROBE_FIELD_F64},
    {"step_trace", "step", "communication_not_overlapped", "communication not overlapped",
     STROBE_FIELD_F64},
    {"step_trace", "step", "free", "free", STROBE_FIELD_F64},
    {"step_trace", "step", "bubble", "bubble", STROBE_FIELD_F64},
    {"step_trace", "step", "preparing", "preparing", STROBE_FIELD_F64},
};

static void add_part(Reading *r, const StrobeView *record, const Part *part)
{
    guint32 at = strobe_field_offset(record->kind, part->field, part->type);
    gint64 number = number_of(record, part->number);
    gint block = number == STROBE_ABSENT_I64 ? STROBE_DIFF_OUTSIDE
                                             : strobe_diff_steps_of(&r->run->steps, number);
    double ns = part->type == STROBE_FIELD_F64 ? strobe_field_f64(record, at, NAN) * 1000
                                               : (double)strobe_field_i64(record, at, 0);

    if (block != STROBE_DIFF_OUTSIDE && !isnan(ns) && at != STROBE_FIELD_MISSING)
        add_value(r, block, part->title, ns);
}

static StrobeStatus part_batch(void *state, const StrobeView *records, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (gsize p = 0; p < G_N_ELEMENTS(parts); p++)
            if (!strcmp(records[i].kind->name, parts[p].kind))
                add_part(state, &records[i], &parts[p]);
    return STROBE_OK;
}

static StrobeStatus head_batch(void *state, const StrobeView *records, size_t n)
{
    Reading *r = state;

    for (size_t i = 0; i < n; i++)
        strobe_diff_head_add(&r->head, &records[i]);
    return STROBE_OK;
}

/* Adds the durations of the steps to the row STROBE_DIFF_DURATION. */
static void add_durations(Reading *r)
{
    const StrobeDiffSteps *steps = &r->run->steps;

    for (guint i = 0; i < steps->steps->len; i++) {
        const StrobeDiffStep *step = &g_array_index(steps->steps, StrobeDiffStep, i);
        double ns = (double)(step->end_ns - step->begin_ns);

        add_value(r, strobe_diff_steps_at(steps, step->begin_ns), STROBE_DIFF_DURATION, ns);
    }
    r->run->n_values = steps->steps->len;
}

static gboolean read_records(Reading *r, StrobeRegistry *registry, const char *const *wants,
                             StrobeStatus (*batch)(void *, const StrobeView *, size_t),
                             GError **error)
{
    const StrobeConsumerOps ops = {.struct_size = sizeof ops,
                                   .open = reading_open,
                                   .batch = batch,
                                   .end = reading_end,
                                   .close = reading_close};
    const StrobeComponent component = {.struct_size = sizeof component,
                                       .type = STROBE_COMPONENT_EXPORTER,
                                       .name = "diff",
                                       .summary = "Times by call path and step.",
                                       .wants = wants,
                                       .ops = &ops};
    StrobePipeline *pipeline = strobe_pipeline_new(registry);
    const StrobeReaderStats *stats;

    reading = r;
    strobe_pipeline_on_progress(pipeline, strobe_bar_show, (gpointer) "reading");
    gboolean good = strobe_pipeline_add_consumer(pipeline, &component, error) &&
                    strobe_pipeline_run(pipeline, &r->run->result, error);
    strobe_bar_clear();
    stats = good ? strobe_pipeline_stats(pipeline) : NULL;
    if (stats) {
        r->run->n_lost = strobe_reader_stats_lost(stats) -
                         /* records that a flight recorder overwrote do not count as lost */
                         stats->lost[STROBE_LOSS_OVERWRITTEN];
        r->run->is_sealed = stats->sealed && stats->n_damaged == 0;
    }
    strobe_pipeline_free(pipeline);
    return good;
}

gboolean strobe_diff_run_read_steps(StrobeDiffRun *run, StrobeRegistry *registry, GError **error)
{
    static const char *const wants[] = {"step", "cpu_op", NULL};
    Reading r = {.run = run, .by = STROBE_DIFF_BY_STEP};
    gboolean good;

    strobe_diff_steps_init(&r.named);
    good = read_records(&r, registry, wants, steps_batch, error);
    if (run->steps.steps->len == 0) {
        StrobeDiffSteps none = run->steps;
        r.named.n_unfinished += none.n_unfinished;
        run->steps = r.named;
        r.named = none;
    }
    strobe_diff_steps_clear(&r.named);
    return good;
}

gboolean strobe_diff_run_read(StrobeDiffRun *run, StrobeRegistry *registry, StrobeDiffBy by,
                              StrobeDiffRows *rows, GError **error)
{
    static const char *const operators[] = {"cpu_op", NULL}, *const marks[] = {"marker", NULL};
    static const char *const steps[] = {"step_summary", "step_trace", NULL};
    static const char *const heads[] = {"head_overhead", NULL};
    Reading r = {.run = run, .by = by, .rows = rows};
    gboolean good;

    if (is_of_tree(by))
        good = read_records(&r, registry, by == STROBE_DIFF_BY_MARK ? marks : operators, tree_batch,
                            error);
    else if (by == STROBE_DIFF_BY_STEP)
        good = read_records(&r, registry, steps, part_batch, error);
    else if (by == STROBE_DIFF_BY_HEAD)
        good = read_records(&r, registry, heads, head_batch, error);
    else
        good = read_records(&r, registry, strobe_diff_kernels_wants(run->by_name), kernel_batch,
                            error);
    if (!good)
        return FALSE;
    if (by == STROBE_DIFF_BY_HEAD) {
        strobe_diff_head_end_run(&r.head, rows, run->side);
        run->n_values = r.head.n_inferences;
        return TRUE;
    }
    if (by == STROBE_DIFF_BY_STEP)
        add_durations(&r);
    strobe_diff_rows_end_run(rows, run->side, (const guint *)(void *)run->steps.blocks->data,
                             run->steps.blocks->len);
    return TRUE;
}
