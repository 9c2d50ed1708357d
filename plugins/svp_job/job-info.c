/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the JSON files of a JOB. All content is optional, but a format that is too new is an
 * error. */
#include <string.h>

#include <external-folder.h>
#include <side-json.h>
#include "svp_job.h"

#define FORMAT "SVPR"
#define MAJOR 1
#define MODELS_MAX 4096u

GPtrArray *job_info_names(const GPtrArray *names)
{
    GPtrArray *found = g_ptr_array_new_with_free_func(g_free);
    guint32 device;

    for (guint i = 0; i < names->len; i++)
        if (svp_info_device(g_ptr_array_index(names, i), &device))
            g_ptr_array_add(found, g_strdup(g_ptr_array_index(names, i)));
    return found;
}

static void tell_text(const Job *job, const SideJson *json, const char *path, const char *entry)
{
    const char *text = side_json_text(json, path);

    if (text && *text)
        job->host->metadata_text(job->self, entry, text);
}

static void tell_int(const Job *job, const SideJson *json, const char *path, const char *entry)
{
    gint64 value;

    if (side_json_int(json, path, &value))
        job->host->metadata_int(job->self, entry, value);
}

void job_batch_tell(const Job *job, gint64 model, gint64 batch)
{
    g_autofree char *entry = g_strdup_printf("svp.batch.%" G_GINT64_FORMAT, model);

    if (model >= 0 && batch >= 0 && batch <= G_MAXUINT32)
        job->host->metadata_int(job->self, entry, batch);
}

static void tell_models(const Job *job, const SideJson *json)
{
    gint64 model, batch;

    for (guint i = 0; i < MODELS_MAX; i++) {
        g_autofree char *id = g_strdup_printf("models.%u.model_id", i);
        g_autofree char *number = g_strdup_printf("models.%u.batch_num", i);

        if (!side_json_int(json, id, &model))
            return;
        if (side_json_int(json, number, &batch))
            job_batch_tell(job, model, batch);
    }
}

/* Records how the board's CLOCK_MONOTONIC, the clock of all times, relates to the time of day, if
 * the JOB has this information. Viewers then show the time of day. The metadata has the difference,
 * from which the board's own times can be computed. */
static void tell_clock(const Job *job, const SideJson *json)
{
    gint64 monotonic, real, base;

    if (!side_json_int(json, "sync.0.mono_ns", &monotonic) ||
        !side_json_int(json, "sync.0.real_ns", &real) ||
        __builtin_sub_overflow(real, monotonic, &base) ||
        job->host->time_base(job->self, base) != STROBE_OK)
        return;
    job->host->metadata_int(job->self, "monotonic_offset_ns", base);
}

static gboolean check_version(Job *job, const SideJson *json, const char *name)
{
    const char *format = side_json_text(json, "format");
    gint64 major = MAJOR;

    if (!format || strcmp(format, FORMAT)) {
        job->host->damage(
            job->self, name,
            "not in the form of a recorder: device, models and clock are taken from the "
            "data files");
        return TRUE;
    }
    if (!side_json_int(json, "version.major", &major) || major <= MAJOR)
        return TRUE;
    job->host->fail(job->self, STROBE_ERROR_INPUT, __FILE__, __LINE__,
                    "%s/%s: version %" G_GINT64_FORMAT " of the JOB's format (version.major), this "
                    "Strobe reads version %d",
                    job->path, name, major, MAJOR);
    return FALSE;
}

static void tell_metadata(Job *job, const SideJson *json)
{
    gint64 pid;

    tell_text(job, json, "hostname", "host");
    tell_text(job, json, "process", "command");
    tell_text(job, json, "job", "svp.job");
    tell_text(job, json, "state", "svp.state");
    tell_text(job, json, "soc", "svp.soc");
    tell_int(job, json, "frequency_mhz", "svp.frequency_mhz");
    tell_int(job, json, "counters.lost_captures", "svp.lost_captures");
    tell_int(job, json, "counters.lost_records", "svp.lost_records");
    if (side_json_bool(json, "simulated"))
        job->host->metadata_int(job->self, "svp.simulated", 1);
    if (side_json_int(json, "pid", &pid) && pid > 0) {
        job->pid = (guint64)pid;
        job->host->metadata_int(job->self, "pid", pid);
    }
}

gboolean job_info_import(Job *job, const char *name)
{
    gsize length;
    gboolean is_whole = FALSE, good;
    g_autofree char *bytes = external_folder_read(job->folder, name, SIDE_JSON_BYTES_MAX, &length);
    SideJson *json = bytes ? side_json_new(bytes, length, &is_whole) : NULL;

    if (json && !is_whole)
        job->host->damage(job->self, name,
                          "truncated or not JSON: the part before the error is used");
    else if (!json)
        job->host->damage(job->self, name, "cannot be read: only the data files are used");
    good = !json || check_version(job, json, name);
    if (good && json && side_json_text(json, "format")) {
        tell_metadata(job, json);
        tell_clock(job, json);
        tell_models(job, json);
        job->host->file(job->self, name, bytes, length);
    }
    side_json_free(json);
    return good;
}

void job_models_import(Job *job, int data)
{
    g_autoptr(GPtrArray) names = external_folder_names(data);
    guint n = 0;

    for (guint i = 0; i < names->len && n < MODELS_MAX; i++) {
        const char *name = g_ptr_array_index(names, i);
        gint64 model, batch;
        gsize length;

        if (!g_str_has_suffix(name, ".net.info"))
            continue;
        g_autofree char *bytes = external_folder_read(data, name, SIDE_JSON_BYTES_MAX, &length);
        SideJson *json = bytes ? side_json_new(bytes, length, NULL) : NULL;
        if (json && side_json_int(json, "model_id", &model) &&
            side_json_int(json, "batch_num", &batch))
            job_batch_tell(job, model, batch);
        side_json_free(json);
        n++;
    }
}
