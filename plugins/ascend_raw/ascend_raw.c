/* SPDX-License-Identifier: Apache-2.0 */
/* Converts a result directory with torch_npu's raw files to records. */
#include "ascend_raw.h"

#include "device-half.h"
#include "framework-files.h"
#include "side-files.h"
#include "reported-metadata.h"

/* Returns the source's score. Raw files without device activities get a lower score if there is a
 * complete trace of the profiler, which contains more information. */
static gint score_of(DeviceSource device, gboolean has_text)
{
    if (device == DEVICE_PROF_DB || device == DEVICE_PROF_TEXT || !has_text)
        return 97;
    return 85;
}

static void ascend_raw_probe(const StrobeSource *source, StrobeSourceProbe *answer)
{
    RawFiles files;

    if (!source->is_folder)
        return;
    answer->format = "Ascend PyTorch Profiler, raw files";
    if (raw_files_open(&files, source)) {
        DeviceSource device = raw_files_find_device(&files, DEVICE_PROF_DB);
        answer->score = score_of(device, raw_files_have_trace(&files));
    }
    raw_files_clear(&files);
}

static void tell_missing(Raw *raw, const char *text)
{
    struct strobe_diagnostic *fields =
        raw_emit(raw, RAW_DIAGNOSTIC, raw_process_track(raw), raw_intern(raw, "ascend_raw"),
                 raw->begin_ns, raw->begin_ns);

    if (!fields)
        return;
    fields->text = raw_intern(raw, text);
    fields->level = STROBE_LOG_WARNING;
    raw->host->log(raw->self, STROBE_LOG_WARNING, "%s", text);
}

static void tell_files(Raw *raw)
{
    for (guint i = 0; i < raw->files.unknown->len; i++)
        raw->host->unknown(raw->self, "FRAMEWORK", g_ptr_array_index(raw->files.unknown, i), 1);
    for (guint i = 0; i < raw->files.others->len; i++)
        raw_damage(raw, g_ptr_array_index(raw->files.others, i),
                   "another collection of the devices than %s: not read", raw->files.prof_name);
}

static void import_framework(Raw *raw)
{
    static void (*const parts[])(Raw *) = {
        operators_import,    queue_marks_import, memory_usage_import,
        python_calls_import, collections_import, parameters_import,
    };

    for (guint i = 0; i < G_N_ELEMENTS(parts) && !raw->is_full; i++)
        parts[i](raw);
}

static void tell_device(Raw *raw, DeviceSource wanted, DeviceSource device, gboolean has_text)
{
    raw->host->metadata_text(raw->self, "device_half", device_source_words[device]);
    raw->host->metadata_int(raw->self, "output_is_free",
                            wanted != DEVICE_OUTPUT_DB && device != DEVICE_OUTPUT_DB);
    if (device != DEVICE_NONE || raw->is_full)
        return;
    tell_missing(
        raw, wanted != DEVICE_NONE && has_text
                 ? "only the host's part: the devices' data is damaged; the profiler's own trace "
                   "has both parts: import ASCEND_PROFILER_OUTPUT/trace_view.json"
             : wanted != DEVICE_NONE ? "only the host's part: the devices' data is damaged"
             : raw->files.prof >= 0 ? "only the host's part: the devices' raw data was not exported"
                                    : "only the host's part: there is no data of devices");
}

static StrobeStatus import_all(Raw *raw, const char *path)
{
    gboolean has_text = raw_files_have_trace(&raw->files);
    DeviceSource wanted = raw_files_find_device(&raw->files, DEVICE_PROF_DB), device = wanted;
    StrobeStatus status;
    gint32 rank = -1;

    side_files_import(raw);
    tell_files(raw);
    import_framework(raw);
    if (!raw->is_full)
        rank = reported_metadata_import(raw->host, raw->self, raw->files.top, path,
                                        (gint64)raw->pid, raw->begin_ns);
    if (raw->is_full)
        return raw->host->fail(raw->self, STROBE_ERROR_IO, __FILE__, __LINE__,
                               "The capture has no room");
    status = device_half_import(raw, rank, &device);
    tell_device(raw, wanted, device, has_text);
    return status;
}

static StrobeStatus ascend_raw_import(const StrobeImporterHost *host, StrobeInstance *self,
                                      const StrobeSource *source)
{
    Raw *raw = g_new0(Raw, 1);
    StrobeStatus status;

    raw->host = host;
    raw->self = self;
    raw->texts = text_cache_new(host, self);
    if (raw_files_open(&raw->files, source))
        status = import_all(raw, source->path);
    else
        status = host->fail(self, STROBE_ERROR_INPUT, __FILE__, __LINE__,
                            "%s has none of the raw files of torch_npu", source->path);
    raw_files_clear(&raw->files);
    text_cache_free(raw->texts);
    g_free(raw);
    return status;
}

const StrobeImporterOps ascend_raw_ops = {
    .struct_size = sizeof(StrobeImporterOps),
    .probe = ascend_raw_probe,
    .import = ascend_raw_import,
};
