/* SPDX-License-Identifier: Apache-2.0 */
/* The item "pressure": pressure stall information of the system. */
#include "pressure.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <strobe/helpers/sys-file.h>

#define N_RESOURCES 3

static const char *const resources[N_RESOURCES] = {"cpu", "memory", "io"};

typedef struct Resource {
    int file;
    uint64_t at, some, full; /* totals in us; `full` is absent if the file does not have it */
    int has_failed;
} Resource;

typedef struct HostPressure {
    HostContext *context;
    StrobeKindId kind;
    StrobeTrackId track;
    Resource resources[N_RESOURCES];
} HostPressure;

/* Sets `total` to the total in a line like "some avg10=0.04 avg60=4.32 avg300=9.47
 * total=157853515". */
static int read_total(const char *text, const char *key, uint64_t *total)
{
    const char *line = strobe_sys_after(text, key);
    const char *at = line ? strstr(line, "total=") : NULL;

    if (!at || memchr(line, '\n', (size_t)(at - line)))
        return -1;
    at += strlen("total=");
    return strobe_sys_number(&at, total);
}

static void record_pressure(HostPressure *pressure, StrobeWriter *writer, int index,
                            const Resource *now)
{
    const StrobeHost *host = pressure->context->host;
    const Resource *last = &pressure->resources[index];
    uint64_t interval = now->at - last->at;
    StrobeStringId name = host_name(pressure->context, writer, resources[index]);
    struct strobe_host_pressure *record =
        host->reserve(writer, pressure->kind, pressure->track, name, host->now(), 0);

    if (!record)
        return;
    record->some = host_percent((now->some - last->some) * 1000, interval);
    record->full = now->full == STROBE_ABSENT_U64 || last->full == STROBE_ABSENT_U64
                       ? STROBE_ABSENT_F64
                       : host_percent(host_grown(now->full, last->full) * 1000, interval);
    record->interval = interval;
    host->commit(writer);
}

static void sample_resource(HostPressure *pressure, StrobeWriter *writer, int index)
{
    Resource *last = &pressure->resources[index];
    Resource now = *last;
    char text[256];

    errno = 0;
    if (strobe_sys_read(now.file, text, sizeof text) < 0 ||
        read_total(text, "some ", &now.some) != 0) {
        host_report(pressure->context, &last->has_failed, resources[index]);
        last->at = 0;
        return;
    }
    if (read_total(text, "full ", &now.full) != 0)
        now.full = STROBE_ABSENT_U64;
    now.at = host_clock(pressure->context);
    if (last->at && now.at > last->at && now.some >= last->some)
        record_pressure(pressure, writer, index, &now);
    *last = now;
}

static void pressure_sample(void *state, StrobeWriter *writer)
{
    HostPressure *pressure = state;

    for (int i = 0; i < N_RESOURCES; i++)
        if (pressure->resources[i].file >= 0)
            sample_resource(pressure, writer, i);
}

static void pressure_start(void *state)
{
    HostPressure *pressure = state;

    for (int i = 0; i < N_RESOURCES; i++)
        pressure->resources[i].at = 0;
}

static void pressure_close(void *state)
{
    HostPressure *pressure = state;

    for (int i = 0; i < N_RESOURCES; i++)
        strobe_sys_close(&pressure->resources[i].file);
    free(pressure);
}

/* Opens the files. Reads each file once, because some kernels have the files but cannot read
 * them. */
static int open_resources(HostPressure *pressure)
{
    char name[32], text[256];
    int n = 0;

    for (int i = 0; i < N_RESOURCES; i++) {
        Resource *resource = &pressure->resources[i];
        snprintf(name, sizeof name, "pressure/%s", resources[i]);
        resource->file = strobe_sys_open(pressure->context->proc_root, name);
        if (strobe_sys_read(resource->file, text, sizeof text) < 0)
            strobe_sys_close(&resource->file);
        n += resource->file >= 0;
    }
    return n;
}

static StrobeStatus pressure_open(HostContext *context, void **state)
{
    HostPressure *pressure = calloc(1, sizeof *pressure);

    if (!pressure)
        return STROBE_ERROR_MEMORY;
    pressure->context = context;
    StrobeStatus status =
        open_resources(pressure) == 0
            ? host_unavailable(context, context->proc_root, "pressure")
            : context->host->kind(context->self, &strobe_kind_host_pressure, &pressure->kind);
    if (status != STROBE_OK) {
        pressure_close(pressure);
        return status;
    }
    pressure->track = host_counter_track(context, "Pressure");
    *state = pressure;
    return STROBE_OK;
}

const HostItem host_item_pressure = {.name = "pressure",
                                     .open = pressure_open,
                                     .start = pressure_start,
                                     .sample = pressure_sample,
                                     .close = pressure_close};
