/* SPDX-License-Identifier: Apache-2.0 */
#include "profiler-info.h"

#include <errno.h>
#include <string.h>
#include <strobe/helpers/safe-file.h>

gint64 profiler_info_clock_offset(const StrobeConsumerHost *host, StrobeInstance *self)
{
    const gint64 real = g_ascii_strtoll(host->metadata_value(self, "start_realtime_ns"), NULL, 10);
    const gint64 raw = g_ascii_strtoll(host->metadata_value(self, "start_raw_ns"), NULL, 10);

    return real > 0 && raw > 0 ? real - raw : 0;
}

gint64 profiler_info_raw_time(gint64 ns, gint64 clock_offset_ns)
{
    return (gint64)((guint64)ns - (guint64)clock_offset_ns);
}

/* Returns the list of activities for the file. If there is no folder of CANN, the list must not
 * contain devices, because torch_npu's analysis would report an error. */
static const char *find_activities(const StrobeConsumerHost *host, StrobeInstance *self)
{
    return strstr(host->metadata_value(self, "external"), "\"PROF_")
               ? "\"ProfilerActivity.CPU\", \"ProfilerActivity.NPU\""
               : "\"ProfilerActivity.CPU\"";
}

static char *compose_text(const StrobeConsumerHost *host, StrobeInstance *self)
{
    const StrobeMetadata *metadata = host->metadata(self);
    const gint64 offset = profiler_info_clock_offset(host, self);
    g_autofree char *rank =
        metadata->rank < 0 ? g_strdup("") : g_strdup_printf(", \"rank_id\": %d", metadata->rank);

    return g_strdup_printf(
        "{\"config\": {\"common_config\": {\"activities\": [%s]}, "
        "\"experimental_config\": {\"_profiler_level\": \"Level%d\", \"_export_type\": "
        "[\"text\"]}}, "
        "\"start_info\": {\"syscnt_enable\": false, \"freq\": 100, \"start_cnt\": 0, "
        "\"start_monotonic\": %" G_GINT64_FORMAT "}, "
        "\"end_info\": {\"collectionTimeEnd\": %" G_GINT64_FORMAT
        ", \"MonotonicTimeEnd\": %" G_GINT64_FORMAT "}%s}\n",
        find_activities(host, self), CLAMP(metadata->level, 0, 2),
        profiler_info_raw_time(metadata->window_begin_ns, offset), metadata->window_end_ns,
        profiler_info_raw_time(metadata->window_end_ns, offset), rank);
}

int profiler_info_write(const StrobeConsumerHost *host, StrobeInstance *self)
{
    const StrobeMetadata *metadata = host->metadata(self);
    g_autofree char *name = metadata->rank < 0
                                ? g_strdup("profiler_info.json")
                                : g_strdup_printf("profiler_info_%d.json", metadata->rank);
    g_autofree char *text = compose_text(host, self);
    StrobeSafeFile *file = strobe_safe_file_create(metadata->directory, name);

    if (!file)
        return errno;
    strobe_safe_file_puts(file, text);
    return strobe_safe_file_finish(file);
}
