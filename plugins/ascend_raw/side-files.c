/* SPDX-License-Identifier: Apache-2.0 */
#include "side-files.h"

#include <errno.h>
#include <unistd.h>

#include <external-folder.h>
#include <prof-start.h>
#include <side-json.h>

#define MHZ_DEFAULT 100

/* Passes the file unchanged to the host, and returns its values; NULL: there is no such file. */
static SideJson *take_file(Raw *raw, const GPtrArray *names, const char *prefix)
{
    const char *name = external_folder_find(names, raw->files.top, prefix);
    gsize length;

    if (!name)
        return NULL;
    g_autofree char *bytes =
        external_folder_read(raw->files.top, name, SIDE_JSON_BYTES_MAX, &length);
    if (!bytes) {
        raw_damage(raw, name, "%s", g_strerror(errno));
        return NULL;
    }
    if (raw->host->file(raw->self, name, bytes, length) == STROBE_OK)
        raw->host->found(raw->self, name, 1);
    /* reported-metadata.c reports damage of this file */
    return side_json_new(bytes, length, NULL);
}

/* ---- the clock ---- */

static void find_counter(Raw *raw, const SideJson *info, const SideJson *host_info, int host)
{
    RawClock *clock = &raw->clock;
    double mhz;

    clock->is_counter = side_json_bool(info, "start_info.syscnt_enable");
    side_json_int(info, "start_info.start_cnt", &clock->start_count);
    side_json_int(info, "start_info.start_monotonic", &clock->start_ns);
    raw->begin_ns = clock->start_ns;
    if (host >= 0)
        prof_start_count(host, &clock->start_count, &clock->start_ns);
    if ((!side_json_double(host_info, "CPU.0.Frequency", &mhz) || mhz <= 0) &&
        (!side_json_double(info, "start_info.freq", &mhz) || mhz <= 0))
        mhz = MHZ_DEFAULT;
    raw_clock_set_frequency(clock, mhz);
}

/* Determines the offset from CANN's side files; if this is not possible, from the times that the
 * profiler wrote when it stopped. */
static void find_offset(Raw *raw, const SideJson *info, int host)
{
    gint64 wall, monotonic;

    if (host >= 0 && prof_start_offset(host, &raw->clock.offset, NULL))
        return;
    if (side_json_int(info, "end_info.collectionTimeEnd", &wall) &&
        side_json_int(info, "end_info.MonotonicTimeEnd", &monotonic) && wall > 0 && monotonic >= 0)
        raw->clock.offset = wall - monotonic;
    else
        raw_damage(raw, info ? "profiler_info" : "the result directory",
                   "the time of day is not known: times are since the start of the host");
}

static SideJson *read_json(int folder, const char *name)
{
    gsize length;
    g_autofree char *bytes = external_folder_read(folder, name, SIDE_JSON_BYTES_MAX, &length);

    return bytes ? side_json_new(bytes, length, NULL) : NULL;
}

static void find_clock(Raw *raw, const SideJson *info)
{
    int host = raw->files.prof >= 0 ? external_folder_open(raw->files.prof, "host") : -1;
    SideJson *host_info = host >= 0 ? read_json(host, "info.json") : NULL;

    find_counter(raw, info, host_info, host);
    find_offset(raw, info, host);
    side_json_free(host_info);
    if (host >= 0)
        close(host);
    /* the begin of the session, not the begin of CANN's collection */
    raw->begin_ns = raw->begin_ns > 0 ? raw->begin_ns : raw->clock.start_ns;
    if (__builtin_add_overflow(raw->begin_ns, raw->begin_ns ? raw->clock.offset : 0,
                               &raw->begin_ns) ||
        raw->begin_ns < 0)
        raw->begin_ns = 0;
}

/* ---- all side files ---- */

void side_files_import(Raw *raw)
{
    g_autoptr(GPtrArray) names = external_folder_names(raw->files.top);
    SideJson *info = take_file(raw, names, "profiler_info");
    SideJson *metadata = take_file(raw, names, "profiler_metadata");

    if (!info)
        raw_damage(raw, "profiler_info", "is missing: the raw clock is assumed to count ns");
    find_clock(raw, info);
    side_json_free(info);
    side_json_free(metadata);
}
