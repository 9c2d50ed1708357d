/* SPDX-License-Identifier: Apache-2.0 */
#include "pipeline.h"

#include <string.h>
#include "consumer-threads.h"
#include "error.h"
#include "json-text.h"
#include "memory-shares.h"

#define GENERATION_NEWEST 3

struct StrobePipeline {
    StrobeRegistry *registry;
    GPtrArray *consumers; /* of StrobeConsumer: exporters and consumers of the caller */
    GPtrArray *passes;    /* of StrobeConsumer; a pass comes after the passes that it depends on */
    GHashTable *wanted;   /* StrobeComponent of a pass -> StrobeConfigComponent */
    StrobeProgress progress;
    gpointer progress_user;
    gint generation;      /* 0: the generation of the source */
    StrobeFilter *filter; /* NULL: all records */
    const char *output;   /* path; NULL: there is no output folder */
    int output_folder;
    StrobeReader *reader; /* reader of the current run, NULL: no run */
    StrobeReaderStats stats;
    GPtrArray *damage;
};

StrobePipeline *strobe_pipeline_new(StrobeRegistry *registry)
{
    StrobePipeline *p = g_new0(StrobePipeline, 1);

    p->registry = registry;
    p->consumers = g_ptr_array_new_with_free_func(strobe_consumer_free);
    p->passes = g_ptr_array_new_with_free_func(strobe_consumer_free);
    p->wanted = g_hash_table_new(g_direct_hash, g_direct_equal);
    p->damage = g_ptr_array_new_null_terminated(0, g_free, TRUE);
    return p;
}

void strobe_pipeline_free(StrobePipeline *p)
{
    if (!p)
        return;
    g_ptr_array_unref(p->consumers);
    g_ptr_array_unref(p->passes);
    g_ptr_array_unref(p->damage);
    g_hash_table_unref(p->wanted);
    g_free(p);
}

void strobe_pipeline_on_progress(StrobePipeline *p, StrobeProgress function, void *user)
{
    p->progress = function;
    p->progress_user = user;
}

void strobe_pipeline_set_generation(StrobePipeline *p, gint generation)
{
    p->generation = generation;
}

void strobe_pipeline_set_filter(StrobePipeline *p, StrobeFilter *filter)
{
    p->filter = filter;
}

void strobe_pipeline_set_output(StrobePipeline *p, int folder, const char *path)
{
    p->output = path;
    p->output_folder = folder;
}

/* ---- consumers and passes ---- */

static gboolean has_pass(const StrobePipeline *p, const StrobeComponent *component)
{
    for (guint i = 0; i < p->passes->len; i++)
        if (((StrobeConsumer *)g_ptr_array_index(p->passes, i))->component == component)
            return TRUE;
    return FALSE;
}

static const char *const *wants_of(const StrobeConsumer *consumer)
{
    return (const char *const *)consumer->wants->pdata;
}

/* Adds the passes that make the wanted kinds, and before them the passes that they need. */
static gboolean add_passes(StrobePipeline *p, const char *const *wants, guint depth, GError **error)
{
    for (; *wants; wants++) {
        const StrobeComponent *pass = strobe_registry_find_pass(p->registry, *wants);
        if (!pass || has_pass(p, pass))
            continue;
        if (depth > 32) {
            g_set_error(error, STROBE_ERROR, STROBE_ERROR_PLUGIN,
                        "passes depend on each other in a circle, pass %s among them", pass->name);
            return FALSE;
        }
        StrobeConsumer *consumer =
            strobe_consumer_new(pass, g_hash_table_lookup(p->wanted, pass), error);
        if (!consumer)
            return FALSE;
        if (!add_passes(p, wants_of(consumer), depth + 1, error)) {
            strobe_consumer_free(consumer);
            return FALSE;
        }
        if (has_pass(p, pass)) /* a pass that this pass needs has already added it */
            strobe_consumer_free(consumer);
        else
            g_ptr_array_add(p->passes, consumer);
    }
    return TRUE;
}

gboolean strobe_pipeline_set_pass(StrobePipeline *p, const StrobeConfigComponent *wanted,
                                  GError **error)
{
    const StrobeComponent *pass =
        strobe_registry_find(p->registry, STROBE_COMPONENT_PASS, wanted->name, NULL, error);

    if (!pass) {
        g_prefix_error(error, "%s: ", wanted->origin);
        return FALSE;
    }
    g_hash_table_insert(p->wanted, (gpointer)pass, (gpointer)wanted);
    return TRUE;
}

gboolean strobe_pipeline_add_exporter(StrobePipeline *p, const StrobeConfigComponent *wanted,
                                      GError **error)
{
    const StrobeComponent *component =
        strobe_registry_find(p->registry, STROBE_COMPONENT_EXPORTER, wanted->name, NULL, error);

    if (!component) {
        g_prefix_error(error, "%s: ", wanted->origin);
        return FALSE;
    }
    StrobeConsumer *consumer = strobe_consumer_new(component, wanted, error);
    if (!consumer)
        return FALSE;
    g_ptr_array_add(p->consumers, consumer);
    return add_passes(p, wants_of(consumer), 0, error);
}

gboolean strobe_pipeline_add_consumer(StrobePipeline *p, const StrobeComponent *component,
                                      GError **error)
{
    StrobeConsumer *consumer = strobe_consumer_new(component, NULL, error);

    if (!consumer)
        return FALSE;
    g_ptr_array_add(p->consumers, consumer);
    return add_passes(p, wants_of(consumer), 0, error);
}

/* ---- running ---- */

struct run {
    StrobePipeline *p;
    StrobeReader *reader;
    StrobeMetadata metadata;
    StrobeStorage *storage;
    StrobeGaps *gaps;
    StrobeConsumerThreads *threads;
    guint64 n_read;
};

/* Makes a first query of the gaps, which sorts them, because the threads of consumers must not
 * change them. */
static void order_gaps(struct run *run)
{
    strobe_gaps_touch(run->gaps, 0, 0, 0);
    strobe_gaps_touch(run->gaps, 1, 0, 0);
}

static void update_metadata(struct run *run)
{
    const StrobeReaderStats *stats = strobe_reader_stats(run->reader);

    run->metadata.window_begin_ns = stats->begin_ns;
    run->metadata.window_end_ns = stats->end_ns;
    run->metadata.n_lost = strobe_reader_stats_lost(stats);
    run->metadata.n_stored = strobe_reader_stats_stored(stats);
    run->metadata.complete = stats->sealed && stats->n_damaged == 0;
}

/* Adds the gaps of the batch's loss records. */
static void note_gaps(struct run *run, const StrobeBatch *batch)
{
    for (guint k = 0; k < batch->n_kinds; k++)
        if (strcmp(batch->kinds[k]->name, "loss") == 0)
            for (guint i = 0; i < batch->n; i++)
                if (batch->kind_of[i] == k)
                    strobe_gaps_add_record(run->gaps, &batch->views[i]);
}

/* Weights of reading and of the passes in the progress, as measured with all exporters. The rest of
 * the progress is for the end of the exporters. */
#define READ_SHARE 0.6
#define PASSES_SHARE 0.3

static void report_progress(const struct run *run, double share)
{
    if (run->p->progress)
        run->p->progress(run->p->progress_user, share, run->n_read);
}

static void tell_passes(gpointer user, double share)
{
    report_progress(user, READ_SHARE + PASSES_SHARE * share);
}

static gboolean stream_raw(struct run *run, GError **error)
{
    GError *failure = NULL;
    StrobeBatch *batch;

    for (guint turn = 0;
         (batch = strobe_batch_read(run->reader, run->p->filter, &run->n_read, &failure)); turn++) {
        note_gaps(run, batch);
        strobe_consumer_threads_push(run->threads, batch);
        strobe_batch_unref(batch);
        if (turn % 64 == 0)
            report_progress(run, READ_SHARE * strobe_reader_progress(run->reader));
    }
    if (failure) {
        g_propagate_error(error, failure);
        return FALSE;
    }
    update_metadata(run);
    /* The content of an unreadable part, and its time, are unknown. */
    if (strobe_reader_stats(run->reader)->n_damaged)
        strobe_gaps_add(run->gaps, 0, G_MININT64, G_MAXINT64);
    order_gaps(run);
    return TRUE;
}

static void open_one(struct run *run, StrobeConsumer *consumer)
{
    strobe_consumer_open(consumer, run->reader, &run->metadata, run->storage);
}

static void open_all(struct run *run)
{
    const StrobePipeline *p = run->p;

    for (guint i = 0; i < p->passes->len; i++)
        open_one(run, g_ptr_array_index(p->passes, i));
    for (guint i = 0; i < p->consumers->len; i++)
        open_one(run, g_ptr_array_index(p->consumers, i));
}

static void run_consumers(struct run *run, GError **error)
{
    open_all(run);
    run->threads = strobe_consumer_threads_start(run->p->passes, run->p->consumers);
    gboolean good = stream_raw(run, error);
    strobe_consumer_threads_raw_end(run->threads, good ? &run->metadata : NULL, run->gaps);
    strobe_consumer_threads_join(run->threads, tell_passes, run);
}

/* Sets *error to the first failure, with the number of further failures. FALSE: something
 * failed. */
static gboolean collect_failures(StrobePipeline *p, GError **error)
{
    const GError *first = NULL;
    guint n = 0;

    for (guint i = 0; i < p->passes->len + p->consumers->len; i++) {
        StrobeConsumer *c = i < p->passes->len
                                ? g_ptr_array_index(p->passes, i)
                                : g_ptr_array_index(p->consumers, i - p->passes->len);
        if (c->failure && n++ == 0)
            first = c->failure;
    }
    if (n == 0)
        return TRUE;
    if (error && !*error) {
        *error = g_error_copy(first);
        if (n > 1) {
            g_autofree char *whole =
                g_strdup_printf("%s (and %u more failed)", first->message, n - 1);
            g_free((*error)->message);
            (*error)->message = g_steal_pointer(&whole);
        }
    }
    return FALSE;
}

static gint32 generation_of(const StrobePipeline *p, JsonObject *metadata)
{
    gint64 source = strobe_json_member_int(metadata, "generation", GENERATION_NEWEST);

    if (p->generation)
        return p->generation;
    return source >= 1 && source <= GENERATION_NEWEST ? (gint32)source : GENERATION_NEWEST;
}

static void set_metadata(struct run *run, const StrobeResult *result)
{
    const char *output = run->p->output;
    JsonObject *metadata = strobe_reader_metadata(run->reader);

    run->metadata.struct_size = sizeof run->metadata;
    run->metadata.rank = (gint32)strobe_json_member_int(metadata, "rank", -1);
    if (run->metadata.rank < 0)
        run->metadata.rank = strobe_result_rank(result);
    run->metadata.pid = (guint64)strobe_json_member_int(metadata, "pid", 0);
    run->metadata.host = strobe_json_member_text(metadata, "host");
    run->metadata.command = strobe_json_member_text(metadata, "command");
    run->metadata.strobe_version = strobe_json_member_text(metadata, "strobe_version");
    run->metadata.directory = output ? run->p->output_folder : -1;
    run->metadata.directory_path = output ? output : "";
    run->metadata.generation = generation_of(run->p, metadata);
    run->metadata.level = (gint32)strobe_json_member_int(metadata, "level", -1);
    /* With this metadata, exporters write no links to records outside of a selected part. In a
     * whole result they also write links whose other end is missing. */
    if (run->p->filter && !strobe_filter_is_whole(run->p->filter))
        json_object_set_boolean_member(metadata, "cut", TRUE);
    update_metadata(run);
}

gboolean strobe_pipeline_run(StrobePipeline *p, const StrobeResult *result, GError **error)
{
    struct run run = {.p = p};
    GError *failure = NULL;

    g_ptr_array_set_size(p->damage, 0);
    memset(&p->stats, 0, sizeof p->stats);
    if (!strobe_result_recover(result, NULL, error))
        return FALSE;
    run.reader = strobe_reader_open(result->source, error);
    if (!run.reader)
        return FALSE;
    run.storage = strobe_storage_new(p->output);
    strobe_reader_keep_strings(run.reader);
    set_metadata(&run, result);
    run.gaps = strobe_gaps_new();
    p->reader = run.reader;
    run_consumers(&run, &failure);
    p->reader = NULL;
    strobe_gaps_free(run.gaps);
    p->stats = *strobe_reader_stats(run.reader);
    for (const char *const *text = strobe_reader_damage(run.reader); *text; text++)
        g_ptr_array_add(p->damage, g_strdup(*text));
    strobe_storage_free(run.storage);
    strobe_reader_free(run.reader);
    collect_failures(p, &failure);
    if (failure) {
        g_propagate_error(error, failure);
        return FALSE;
    }
    return TRUE;
}

const StrobeKindView *strobe_pipeline_kind(const StrobePipeline *p, guint32 index)
{
    return p->reader ? strobe_reader_kind(p->reader, index) : NULL;
}

const StrobeDerivedCount *strobe_pipeline_derived(const StrobePipeline *p, guint index)
{
    for (guint i = 0; i < p->passes->len; i++) {
        const StrobeConsumer *pass = g_ptr_array_index(p->passes, i);
        if (index < pass->component->n_kinds)
            return &pass->counts[index];
        index -= pass->component->n_kinds;
    }
    return NULL;
}

const StrobeReaderStats *strobe_pipeline_stats(const StrobePipeline *p)
{
    return &p->stats;
}

const char *const *strobe_pipeline_damage(const StrobePipeline *p)
{
    static const char *const none[] = {NULL};
    return p->damage->len ? (const char *const *)p->damage->pdata : none;
}
