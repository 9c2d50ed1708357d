/* SPDX-License-Identifier: Apache-2.0 */
#include "export-parts.h"

#include <sys/stat.h>

#include "command.h"

#define PARTS_AT_ONCE 64u

/* The state of an export, which exports time ranges one after the other, the earliest first. */
typedef struct Job {
    StrobeRegistry *registry;
    const StrobeResult *result;
    StrobeAnalysisWish wish; /* parameters of the current range */
    guint64 max_bytes;
    StrobeJsonWriter *json;
    GQueue *waiting; /* of StrobeFilter: the ranges that are not exported yet */
    guint n_parts;
    int code;
} Job;

static guint64 largest_file(const StrobeAnalysis *analysis, const char **name)
{
    g_autofree char *folder = strobe_output_place_path(&analysis->place);
    guint64 largest = 0;

    for (guint i = 0; i < analysis->files->len; i++) {
        const char *file = g_ptr_array_index(analysis->files, i);
        g_autofree char *path = g_build_filename(folder, file, NULL);
        struct stat status;
        if (lstat(path, &status) || (guint64)status.st_size <= largest)
            continue;
        largest = (guint64)status.st_size;
        *name = file;
    }
    return largest;
}

/* Divides the current range, whose largest file has `largest` bytes, and puts the new ranges at the
 * front of the queue. Makes more than 1.5 times as many as equal sizes would need, because the
 * sizes of records differ. FALSE: the range cannot be divided. */
static gboolean divide_stretch(Job *job, guint64 largest)
{
    guint64 n = largest * 3 / 2 / job->max_bytes + 2;
    g_autoptr(GArray) places = strobe_filter_divide(job->wish.filter, (guint)MIN(n, PARTS_AT_ONCE));

    if (places->len == 0)
        return FALSE;
    for (guint i = places->len + 1; i-- > 0;) {
        StrobeFilter *part = strobe_filter_copy(job->wish.filter);
        strobe_filter_narrow(part, i ? g_array_index(places, gint64, i - 1) : G_MININT64,
                             i < places->len ? g_array_index(places, gint64, i) : G_MAXINT64);
        g_queue_push_head(job->waiting, part);
    }
    return TRUE;
}

static void write_json(Job *job, const StrobeAnalysis *analysis)
{
    if (!job->json)
        return;
    strobe_json_begin_object(job->json);
    strobe_analysis_write(analysis, job->result, job->json);
    strobe_json_key(job->json, "kept");
    strobe_json_uint(job->json, strobe_filter_kept(job->wish.filter));
    strobe_json_key(job->json, "left_out");
    strobe_json_uint(job->json, strobe_filter_left_out(job->wish.filter));
    strobe_json_end_object(job->json);
}

static void report_part(Job *job, const StrobeAnalysis *analysis, guint64 largest, const char *file)
{
    guint64 kept = strobe_filter_kept(job->wish.filter);

    strobe_complain("%s: %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " records, files in %s",
                    job->result->directory ? job->result->directory : job->result->capture, kept,
                    kept + strobe_filter_left_out(job->wish.filter), analysis->output);
    if (job->max_bytes && largest > job->max_bytes) {
        strobe_complain("  %s has %" G_GUINT64_FORMAT " bytes: records that begin at the same time "
                        "cannot be divided",
                        file, largest);
        job->code = job->code ? job->code : STROBE_EXIT_FAILED;
    }
}

/* Exports the current range, or divides it if a file is too large. */
static void export_one(Job *job, gboolean is_part)
{
    g_autoptr(StrobeAnalysis) analysis = NULL;
    g_autoptr(GError) error = NULL;
    const char *file = NULL;

    job->wish.part = is_part ? job->n_parts + 1 : 0;
    analysis = strobe_analysis_run(job->registry, job->result, &job->wish, &error);
    if (error) {
        if (is_part && strobe_filter_kept(job->wish.filter) == 0)
            return; /* no record begins in this range */
        strobe_complain("%s: %s", job->result->source, error->message);
        job->code = job->code ? job->code : strobe_command_code(error);
    }
    if (!analysis) {
        write_json(job, NULL);
        return;
    }
    guint64 largest = largest_file(analysis, &file);
    if (job->max_bytes && largest > job->max_bytes && divide_stretch(job, largest)) {
        strobe_output_place_discard(&analysis->place);
        return;
    }
    job->n_parts++;
    report_part(job, analysis, largest, file);
    write_json(job, analysis);
}

/* Prints a warning if an earlier export with other limits left a further part, which would look
 * like a continuation of this export. */
static void warn_of_earlier(const Job *job, gboolean is_divided)
{
    g_autofree char *next =
        strobe_analysis_folder(job->result, job->wish.parent, is_divided ? job->n_parts + 1 : 1);

    if (g_file_test(next, G_FILE_TEST_EXISTS))
        strobe_complain("warning: %s is from an earlier export and not a part of this one", next);
}

gboolean strobe_export_parts(StrobeRegistry *registry, const StrobeResult *result,
                             const StrobeAnalysisWish *wish, guint64 max_bytes,
                             StrobeJsonWriter *json, int *code)
{
    Job job = {.registry = registry,
               .result = result,
               .wish = *wish,
               .max_bytes = max_bytes,
               .json = json,
               .waiting = g_queue_new()};
    StrobeFilter *filter = strobe_filter_copy(wish->filter);
    gboolean is_part = FALSE;

    while (filter) {
        job.wish.filter = filter;
        export_one(&job, is_part);
        strobe_filter_free(filter);
        filter = g_queue_pop_head(job.waiting);
        is_part |= filter != NULL;
    }
    warn_of_earlier(&job, is_part);
    g_queue_free(job.waiting);
    *code = *code ? *code : job.code;
    return job.code == 0;
}
