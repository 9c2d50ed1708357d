/* SPDX-License-Identifier: Apache-2.0 */
#include "host_sys.h"

#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <strobe/kinds.h>

#include "proc.h"

typedef struct HostSys {
    const StrobeHost *host;
    StrobeInstance *self;
    StrobeProc proc;
    int64_t interval_ns;
    int wants_cpu, wants_mem;
    StrobeKindId cpu_kind, mem_kind;
    StrobeTrackId cpu_track, mem_track;
    uint32_t processors;
    StrobeProcTimes last;
    int has_last;        /* a difference needs two samples */
    uint64_t sampled_ns; /* when the last sample was taken */
    int has_failed;      /* said so in the log */
} HostSys;

static uint64_t monotonic_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Processors that the process may use. */
static uint32_t count_processors(void)
{
    cpu_set_t set;
    if (sched_getaffinity(getpid(), sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
        return (uint32_t)CPU_COUNT(&set);
    long online = sysconf(_SC_NPROCESSORS_ONLN); /* more processors than a cpu_set_t holds */
    return online > 0 ? (uint32_t)online : 1;
}

static int list_has(const char *list, const char *item)
{
    size_t wanted = strlen(item);
    while (*list) {
        size_t length = strcspn(list, "+");
        if (length == wanted && memcmp(list, item, length) == 0)
            return 1;
        list += length + (list[length] == '+');
    }
    return 0;
}

/* The share of one processor that `used` ns are of `interval` ns, in %. */
static double percent(uint64_t used, uint64_t interval)
{
    return (double)used * 100.0 / (double)interval;
}

static void report_failure(HostSys *state, const char *file)
{
    if (!state->has_failed)
        state->host->log(state->self, STROBE_LOG_WARNING,
                         "Cannot sample the process: file=\"%s\", reason=\"%s\"", file,
                         errno ? strerror(errno) : "unknown form");
    state->has_failed = 1;
}

static void emit_cpu(HostSys *state, StrobeWriter *writer, const StrobeProcTimes *now)
{
    const StrobeHost *host = state->host;
    const StrobeProcTimes *last = &state->last;
    uint64_t interval = now->at_ns - last->at_ns;
    StrobeStringId name = host->intern(writer, "CPU Usage", 9);
    struct strobe_host_cpu *record =
        host->reserve(writer, state->cpu_kind, state->cpu_track, name, host->now(), 0);
    if (!record)
        return;
    /* exited threads can make the kernel's split of the total run backwards by a little */
    record->user =
        percent(now->user_ns > last->user_ns ? now->user_ns - last->user_ns : 0, interval);
    record->system =
        percent(now->system_ns > last->system_ns ? now->system_ns - last->system_ns : 0, interval);
    record->usage = record->user + record->system;
    record->processors = state->processors;
    record->threads = now->threads;
    host->commit(writer);
}

static void sample_cpu(HostSys *state, StrobeWriter *writer)
{
    StrobeProcTimes now;
    errno = 0;
    if (strobe_proc_read_times(&state->proc, &now) != 0) {
        report_failure(state, "stat");
        return;
    }
    if (state->has_last && now.at_ns <= state->last.at_ns)
        return; /* no time has passed: no rate */
    if (state->has_last)
        emit_cpu(state, writer, &now);
    state->last = now;
    state->has_last = 1;
}

static void sample_mem(HostSys *state, StrobeWriter *writer)
{
    const StrobeHost *host = state->host;
    StrobeProcMemory memory;
    errno = 0;
    if (strobe_proc_read_memory(&state->proc, &memory) != 0) {
        report_failure(state, "statm");
        return;
    }
    StrobeStringId name = host->intern(writer, "Memory Usage", 12);
    struct strobe_host_mem *record =
        host->reserve(writer, state->mem_kind, state->mem_track, name, host->now(), 0);
    if (!record)
        return;
    record->usage = percent(memory.resident, state->proc.memory_total);
    record->resident = memory.resident;
    record->virtual_size = memory.virtual_size;
    record->shared = memory.shared;
    host->commit(writer);
}

static void host_sys_sample(void *user)
{
    HostSys *state = user;
    StrobeWriter *writer = state->host->writer(state->self);
    if (!writer)
        return;
    if (state->wants_cpu)
        sample_cpu(state, writer);
    if (state->wants_mem)
        sample_mem(state, writer);
    state->sampled_ns = monotonic_ns();
}

static int64_t host_sys_sample_interval(void *user)
{
    const HostSys *state = user;
    return state->interval_ns;
}

static StrobeTrackId make_track(HostSys *state, const char *group)
{
    StrobeTrack track = {.struct_size = sizeof track,
                         .type = STROBE_TRACK_COUNTER,
                         .clock = STROBE_CLOCK_HOST,
                         .device = -1,
                         .name = group,
                         .group = group};
    return state->host->track(state->self, &track);
}

static StrobeStatus declare(HostSys *state)
{
    const StrobeHost *host = state->host;
    StrobeStatus status = host->kind(state->self, &strobe_kind_host_cpu, &state->cpu_kind);
    if (status == STROBE_OK)
        status = host->kind(state->self, &strobe_kind_host_mem, &state->mem_kind);
    if (status != STROBE_OK)
        return status;
    if (state->wants_cpu)
        state->cpu_track = make_track(state, "CPU Usage");
    if (state->wants_mem)
        state->mem_track = make_track(state, "Memory Usage");
    return STROBE_OK;
}

static StrobeStatus open_tree(HostSys *state)
{
    char path[PATH_MAX];
    const char *root = state->host->option_text(state->self, "proc_root");
    const char *unusable = strobe_proc_open(&state->proc, root, getpid(), path, sizeof path);
    if (!unusable)
        return STROBE_OK;
    return state->host->fail(state->self, STROBE_UNAVAILABLE, __FILE__, __LINE__,
                             "Cannot sample the process: path=\"%s\", reason=\"%s\"", unusable,
                             errno ? strerror(errno) : "the file has an unknown form");
}

static StrobeStatus host_sys_open(const StrobeHost *host, StrobeInstance *self, void **state_out)
{
    HostSys *state = calloc(1, sizeof *state);
    if (!state)
        return host->fail(self, STROBE_ERROR_MEMORY, __FILE__, __LINE__,
                          "Cannot sample: no memory");
    const char *items = host->option_text(self, "items");
    state->host = host;
    state->self = self;
    state->interval_ns = host->option_int(self, "interval");
    state->wants_cpu = list_has(items, "cpu");
    state->wants_mem = list_has(items, "mem");
    StrobeStatus status = open_tree(state);
    if (status == STROBE_OK)
        status = declare(state);
    if (status != STROBE_OK) {
        strobe_proc_close(&state->proc);
        free(state);
        return status;
    }
    *state_out = state;
    return STROBE_OK;
}

/* The window's first sample, from which the first difference is taken. */
static StrobeStatus host_sys_start(void *user)
{
    HostSys *state = user;
    state->has_last = 0;
    state->processors = count_processors();
    host_sys_sample(state);
    return STROBE_OK;
}

/* The window's last sample, so that a window shorter than the interval has a row too; not where
 * the sampler has just been, since a rate over so short a time says nothing. */
static StrobeStatus host_sys_stop(void *user)
{
    HostSys *state = user;
    if (monotonic_ns() - state->sampled_ns >= (uint64_t)state->interval_ns / 2)
        host_sys_sample(state);
    return STROBE_OK;
}

static void host_sys_close(void *user)
{
    HostSys *state = user;
    strobe_proc_close(&state->proc);
    free(state);
}

const StrobeCollectorOps strobe_host_sys_ops = {
    .struct_size = sizeof(StrobeCollectorOps),
    .open = host_sys_open,
    .start = host_sys_start,
    .stop = host_sys_stop,
    .close = host_sys_close,
    .sample = host_sys_sample,
    .sample_interval = host_sys_sample_interval,
};
