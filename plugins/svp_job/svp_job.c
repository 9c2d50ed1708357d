/* SPDX-License-Identifier: Apache-2.0 */
#include "svp_job.h"

#include <errno.h>
#include <strobe/kinds.h>
#include <string.h>
#include <unistd.h>

#include <external-folder.h>

const StrobeKind *const svp_job_kinds[SVP_JOB_KINDS] = {
    &svp_kind_api_call, &strobe_kind_device_task, &strobe_kind_device_pmu, &svp_kind_capture,
    &svp_kind_layer,    &svp_kind_frequency,      &strobe_kind_loss,
};

#define CAUSES                                                                                     \
    "was the model built with --online_model_type=2, and did the program execute it, with the "    \
    "switch on? Loading and unloading alone collect nothing"

static void svp_job_probe(const StrobeSource *source, StrobeSourceProbe *answer)
{
    if (!source->is_folder)
        return;
    g_autoptr(GPtrArray) names = external_folder_names(source->descriptor);
    g_autoptr(GPtrArray) infos = job_info_names(names);
    int data = external_folder_open(source->descriptor, "data");
    gboolean has_files =
        data >= 0 && (job_files_are_in(data) || job_timeline_is_in(source->descriptor) ||
                      job_summary_is_in(source->descriptor));

    answer->format = "JOB of a camera board";
    if (infos->len || svp_is_job_name(source->path))
        answer->score = has_files ? 90 : 0;
    if (infos->len && !has_files)
        answer->reason = "a JOB without data: " CAUSES;
    if (data >= 0)
        close(data);
}

static StrobeStatus refuse_external(const Job *job)
{
    return job->host->fail(
        job->self, STROBE_ERROR_INPUT, __FILE__, __LINE__,
        "%s: data/%s has the vendor's own format (it begins with %s), which is not documented: let "
        "the vendor's tool make timeline and summary in the JOB, or give the path of its msprof "
        "(--format svp_job:msprof=FILE); boards with Strobe's recorder need neither%s%s",
        job->path, job->external, job->head, job->unread ? "; " : "",
        job->unread ? job->unread : "");
}

static void import_models(Job *job)
{
    int data = external_folder_open(job->folder, "data");

    if (data < 0)
        return;
    job_models_import(job, data);
    close(data);
}

static void read_tables(Job *job)
{
    g_clear_pointer(&job->summaries, g_ptr_array_unref);
    job_summaries_read(job);
    job_timeline_import(job);
    job_summaries_lay_out(job);
}

static StrobeStatus import_data(Job *job)
{
    int data = external_folder_open(job->folder, "data");

    if (data < 0)
        return job->host->fail(job->self, STROBE_ERROR_INPUT, __FILE__, __LINE__,
                               "%s: the JOB has no folder data (%s): " CAUSES, job->path,
                               g_strerror(errno));
    job_files_import(job, data);
    close(data);
    if (job->n_captures == 0) {
        read_tables(job);
        if (job->n_vendor == 0 && job->external)
            job_vendor_export(job, read_tables);
    }
    return job->n_captures == 0 && job->n_vendor == 0 && job->external ? refuse_external(job)
                                                                       : STROBE_OK;
}

static StrobeStatus svp_job_import(const StrobeImporterHost *host, StrobeInstance *self,
                                   const StrobeSource *source)
{
    Job job = {.host = host, .self = self, .folder = source->descriptor, .path = source->path};
    g_autoptr(GPtrArray) names = external_folder_names(source->descriptor);
    g_autoptr(GPtrArray) infos = job_info_names(names);
    StrobeStatus status = STROBE_OK;

    if (infos->len > 1)
        return host->fail(
            self, STROBE_ERROR_INPUT, __FILE__, __LINE__,
            "%s: %u files info.json.<n> in one JOB, expected one: of which device is it?",
            source->path, infos->len);
    import_models(&job);
    if (!infos->len)
        host->damage(self, SVP_INFO_PREFIX "<n>", "is missing: only the data files are used");
    else if (!job_info_import(&job, g_ptr_array_index(infos, 0)))
        status = STROBE_ERROR_INPUT;
    if (status == STROBE_OK)
        status = import_data(&job);
    if (job.summaries)
        g_ptr_array_unref(job.summaries);
    g_free(job.external);
    g_free(job.head);
    g_free(job.unread);
    return status;
}

const StrobeImporterOps svp_job_ops = {
    .struct_size = sizeof(StrobeImporterOps),
    .probe = svp_job_probe,
    .import = svp_job_import,
};
