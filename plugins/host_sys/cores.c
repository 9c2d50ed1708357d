/* SPDX-License-Identifier: Apache-2.0 */
#include "cores.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <strobe/helpers/sys-file.h>

#define CORES_MAX 1024

enum { USER, NICE, SYSTEM, IDLE, IOWAIT, IRQ, SOFTIRQ, STEAL, N_TIMES };

typedef struct Core {
    uint64_t at; /* ns; 0: the processor was not read yet */
    uint64_t ticks[N_TIMES];
} Core;

struct HostCores {
    HostContext *context;
    StrobeKindId kind;
    StrobeTrackId track;
    int file;
    int has_failed;
    uint64_t at;
    Core cores[CORES_MAX + 1]; /* the last entry is the sum of all processors */
};

HostCores *host_cores_open(HostContext *context)
{
    HostCores *cores = calloc(1, sizeof *cores);

    if (!cores)
        return NULL;
    cores->context = context;
    cores->file = strobe_sys_open(context->proc_root, "stat");
    if (cores->file < 0 ||
        context->host->kind(context->self, &strobe_kind_host_core, &cores->kind)) {
        host_cores_close(cores);
        return NULL;
    }
    cores->track = host_counter_track(context, "CPU Usage");
    return cores;
}

void host_cores_close(HostCores *cores)
{
    if (!cores)
        return;
    strobe_sys_close(&cores->file);
    free(cores);
}

void host_cores_start(HostCores *cores)
{
    cores->at = 0;
    for (uint32_t i = 0; i <= CORES_MAX; i++)
        cores->cores[i].at = 0;
}

static void record_core(HostCores *cores, StrobeWriter *writer, uint32_t index,
                        const uint64_t grown[N_TIMES], uint64_t interval, int has_steal)
{
    const StrobeHost *host = cores->context->host;
    char name[16] = "All";
    uint64_t total = 0;

    for (int i = 0; i < N_TIMES; i++)
        total += grown[i];
    if (total == 0)
        return; /* no tick since the last sample, or the processor sleeps without ticks */
    if (index < CORES_MAX)
        snprintf(name, sizeof name, "CPU %u", index);
    StrobeStringId id = host_name(cores->context, writer, name);
    struct strobe_host_core *record =
        host->reserve(writer, cores->kind, cores->track, id, host->now(), 0);
    if (!record)
        return;
    record->user = host_percent(grown[USER] + grown[NICE], total);
    record->system = host_percent(grown[SYSTEM], total);
    record->iowait = host_percent(grown[IOWAIT], total);
    record->irq = host_percent(grown[IRQ] + grown[SOFTIRQ], total);
    record->steal = has_steal ? host_percent(grown[STEAL], total) : STROBE_ABSENT_F64;
    record->usage = host_percent(total - grown[IDLE] - grown[IOWAIT], total);
    record->interval = interval;
    record->processor = index < CORES_MAX ? index : STROBE_ABSENT_U32;
    host->commit(writer);
}

/* Reads the times "user nice system idle iowait irq softirq steal guest guest_nice". The guest
 * times are also part of user and nice. */
static void take_line(HostCores *cores, StrobeWriter *writer, uint32_t index, const char *at,
                      uint64_t now)
{
    Core *core = &cores->cores[index];
    uint64_t ticks[N_TIMES] = {0}, grown[N_TIMES];
    int n = 0, is_reset = 0;

    while (n < N_TIMES && strobe_sys_number(&at, &ticks[n]) == 0)
        n++;
    if (n <= IDLE)
        return;
    for (int i = 0; i < N_TIMES; i++) {
        /* idle and iowait may decrease a little; other counters only after the processor was
         * offline */
        is_reset |= ticks[i] < core->ticks[i] && i != IDLE && i != IOWAIT;
        grown[i] = host_grown(ticks[i], core->ticks[i]);
    }
    if (core->at && !is_reset)
        record_core(cores, writer, index, grown, now - core->at, n > STEAL);
    core->at = now;
    memcpy(core->ticks, ticks, sizeof core->ticks);
}

void host_cores_sample(HostCores *cores, StrobeWriter *writer)
{
    HostContext *context = cores->context;
    uint64_t now = host_clock(context);
    const char *line = context->text;

    if (cores->at && now - cores->at < HOST_SLOW_NS)
        return;
    errno = 0;
    if (strobe_sys_read_lines(cores->file, context->text, context->text_size) < 0) {
        host_report(context, &cores->has_failed, "stat");
        return;
    }
    cores->at = now;
    for (; line && strncmp(line, "cpu", 3) == 0; line = strobe_sys_next_line(line)) {
        const char *at = line + 3;
        uint64_t index = CORES_MAX;
        if (*at != ' ' && (strobe_sys_number(&at, &index) != 0 || index >= CORES_MAX))
            continue;
        take_line(cores, writer, (uint32_t)index, at, now);
    }
}
