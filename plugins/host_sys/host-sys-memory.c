/* SPDX-License-Identifier: Apache-2.0 */
/* The item "mem": memory of the process, of its control group and of the machine. */
#include "host-sys-memory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <strobe/helpers/sys-file.h>
#include "cgroup.h"

/* in version 1 a number above this means that there is no limit */
#define NO_LIMIT_V1 (UINT64_C(1) << 62)

/* minimum time between two readings of `status` and `meminfo` */
#define CHANGES_SLOWLY_NS 1000000000u

typedef struct Faults {
    uint64_t minor, major;
} Faults;

typedef struct HostMemory {
    HostContext *context;
    int statm, status, stat, meminfo, smaps, cgroup_usage;
    StrobeKindId kind, usage_kind;
    StrobeTrackId track;
    uint64_t total; /* B; memory of the machine */
    uint64_t cgroup_limit;
    uint64_t pss_interval; /* ns between two readings of PSS; 0: PSS is not read */
    uint64_t slow_at, pss_at;
    uint64_t swap, available, pss; /* values at the last reading */
    Faults last;
    int has_last, has_failed;
} HostMemory;

static uint64_t read_kilobytes(HostContext *context, int descriptor, const char *key)
{
    uint64_t kilobytes;

    if (strobe_sys_read_lines(descriptor, context->text, context->text_size) < 0 ||
        strobe_sys_field(context->text, key, &kilobytes) != 0)
        return STROBE_ABSENT_U64;
    return kilobytes * 1024;
}

/* Returns the smallest limit of the group and its parents. */
static uint64_t read_limit(const HostContext *context, HostCgroup cgroup)
{
    const char *file = cgroup.version == 2 ? "memory.max" : "memory.limit_in_bytes";
    uint64_t least = STROBE_ABSENT_U64, limit;
    const char *at;

    do {
        at = context->text;
        if (strobe_sys_read_path(cgroup.folder, file, context->text, context->text_size) >= 0 &&
            strobe_sys_number(&at, &limit) == 0 && limit < NO_LIMIT_V1 && limit < least)
            least = limit;
    } while (host_cgroup_up(&cgroup) == 0);
    return least;
}

static void find_cgroup(HostMemory *memory)
{
    HostCgroup cgroup;

    memory->cgroup_limit = STROBE_ABSENT_U64;
    memory->cgroup_usage = -1;
    if (host_cgroup_find(memory->context, "memory", "memory.current", "memory.usage_in_bytes",
                         &cgroup) != 0)
        return;
    memory->cgroup_usage = strobe_sys_open(
        cgroup.folder, cgroup.version == 2 ? "memory.current" : "memory.usage_in_bytes");
    memory->cgroup_limit = read_limit(memory->context, cgroup);
}

static int read_faults(const HostMemory *memory, Faults *faults)
{
    char text[1024];

    if (strobe_sys_read(memory->stat, text, sizeof text) < 0)
        return -1;
    const char *at = strrchr(text, ')');
    if (!at || (at++, strobe_sys_skip(&at, 7) != 0) ||
        strobe_sys_number(&at, &faults->minor) != 0 || strobe_sys_skip(&at, 1) != 0 ||
        strobe_sys_number(&at, &faults->major) != 0)
        return -1;
    return 0;
}

/* Reads, at longer intervals, the values that change slowly or are slow to read. For PSS the kernel
 * walks through all mappings. */
static void read_slow(HostMemory *memory)
{
    HostContext *context = memory->context;
    uint64_t now = host_clock(context);

    if (!memory->slow_at || now - memory->slow_at >= CHANGES_SLOWLY_NS) {
        memory->slow_at = now;
        memory->swap = read_kilobytes(context, memory->status, "VmSwap:");
        memory->available = read_kilobytes(context, memory->meminfo, "MemAvailable:");
    }
    if (memory->pss_interval && (!memory->pss_at || now - memory->pss_at >= memory->pss_interval)) {
        memory->pss_at = now;
        memory->pss = read_kilobytes(context, memory->smaps, "Pss:");
    } else {
        memory->pss = STROBE_ABSENT_U64; /* a row has PSS only if it was read for this row */
    }
}

static void add_faults(HostMemory *memory, struct strobe_host_mem *record)
{
    Faults now;
    int has_now = read_faults(memory, &now) == 0;

    record->minor_faults = record->major_faults = STROBE_ABSENT_U64;
    if (has_now && memory->has_last) {
        record->minor_faults = host_grown(now.minor, memory->last.minor);
        record->major_faults = host_grown(now.major, memory->last.major);
    }
    if (has_now)
        memory->last = now;
    memory->has_last = has_now;
}

static uint64_t read_cgroup_usage(const HostMemory *memory)
{
    char text[64];
    const char *at = text;
    uint64_t usage;

    if (strobe_sys_read(memory->cgroup_usage, text, sizeof text) < 0 ||
        strobe_sys_number(&at, &usage) != 0)
        return STROBE_ABSENT_U64;
    return usage;
}

static int read_sizes(const HostMemory *memory, struct strobe_host_mem *record)
{
    char text[256];
    const char *at = text;
    uint64_t size, resident, shared, page = (uint64_t)memory->context->page_size;

    if (strobe_sys_read(memory->statm, text, sizeof text) < 0 ||
        strobe_sys_number(&at, &size) != 0 || strobe_sys_number(&at, &resident) != 0 ||
        strobe_sys_number(&at, &shared) != 0)
        return -1;
    record->virtual_size = size * page;
    record->resident = resident * page;
    record->shared = shared * page;
    record->usage = host_percent(record->resident, memory->total);
    return 0;
}

static void record_usage(HostMemory *memory, StrobeWriter *writer, double usage, uint64_t at)
{
    const StrobeHost *host = memory->context->host;
    StrobeStringId name = host_name(memory->context, writer, "Memory");
    struct strobe_usage *record =
        host->reserve(writer, memory->usage_kind, memory->track, name, at, 0);

    if (!record)
        return;
    record->usage = usage;
    record->read_rate = record->write_rate = record->speed = STROBE_ABSENT_F64;
    record->processor = STROBE_ABSENT_U32;
    host->commit(writer);
}

static void memory_sample(void *state, StrobeWriter *writer)
{
    HostMemory *memory = state;
    const StrobeHost *host = memory->context->host;
    struct strobe_host_mem sample, *record;

    errno = 0;
    if (read_sizes(memory, &sample) != 0) {
        host_report(memory->context, &memory->has_failed, "statm");
        return;
    }
    uint64_t at = host->now();
    read_slow(memory);
    add_faults(memory, &sample);
    sample.swap = memory->swap;
    sample.pss = memory->pss;
    sample.available = memory->available;
    sample.cgroup_usage = read_cgroup_usage(memory);
    sample.cgroup_limit = memory->cgroup_limit;
    StrobeStringId name = host_name(memory->context, writer, "Process Memory");
    record = host->reserve(writer, memory->kind, memory->track, name, at, 0);
    if (record) {
        memcpy(record, &sample, sizeof sample);
        host->commit(writer);
    }
    record_usage(memory, writer, sample.usage, at);
}

static void memory_start(void *state)
{
    HostMemory *memory = state;

    memory->has_last = 0;
    memory->slow_at = memory->pss_at = 0;
}

static void memory_close(void *state)
{
    HostMemory *memory = state;
    int *const descriptors[] = {&memory->statm,   &memory->status, &memory->stat,
                                &memory->meminfo, &memory->smaps,  &memory->cgroup_usage};

    for (size_t i = 0; i < sizeof descriptors / sizeof *descriptors; i++)
        strobe_sys_close(descriptors[i]);
    free(memory);
}

static int open_of_process(const HostContext *context, const char *file)
{
    char name[64];

    snprintf(name, sizeof name, "%d/%s", (int)context->pid, file);
    return strobe_sys_open(context->proc_root, name);
}

/* Opens the files. Fails if the machine's memory size or the process's sizes cannot be read. */
static StrobeStatus open_files(HostMemory *memory)
{
    HostContext *context = memory->context;
    struct strobe_host_mem sample;
    char name[64];

    snprintf(name, sizeof name, "%d/statm", (int)context->pid);
    memory->meminfo = strobe_sys_open(context->proc_root, "meminfo");
    if (memory->meminfo >= 0)
        errno = 0;
    memory->total = read_kilobytes(context, memory->meminfo, "MemTotal:");
    if (memory->total == STROBE_ABSENT_U64 || memory->total == 0)
        return host_unavailable(context, context->proc_root, "meminfo");
    memory->statm = strobe_sys_open(context->proc_root, name);
    if (memory->statm >= 0)
        errno = 0;
    if (read_sizes(memory, &sample) != 0)
        return host_unavailable(context, context->proc_root, name);
    memory->status = open_of_process(context, "status");
    memory->stat = open_of_process(context, "stat");
    memory->smaps = memory->pss_interval ? open_of_process(context, "smaps_rollup") : -1;
    find_cgroup(memory);
    return STROBE_OK;
}

static StrobeStatus memory_open(HostContext *context, void **state)
{
    const StrobeHost *host = context->host;
    HostMemory *memory = calloc(1, sizeof *memory);

    if (!memory)
        return STROBE_ERROR_MEMORY;
    memory->context = context;
    memory->statm = memory->status = memory->stat = memory->smaps = memory->cgroup_usage = -1;
    memory->pss_interval = (uint64_t)host->option_int(context->self, "pss_interval");
    StrobeStatus status = open_files(memory);
    if (status == STROBE_OK)
        status = host->kind(context->self, &strobe_kind_host_mem, &memory->kind);
    if (status == STROBE_OK)
        status = host->kind(context->self, &strobe_kind_usage, &memory->usage_kind);
    if (status != STROBE_OK) {
        memory_close(memory);
        return status;
    }
    memory->track = host_counter_track(context, "Memory Usage");
    *state = memory;
    return STROBE_OK;
}

const HostItem host_item_memory = {.name = "mem",
                                   .open = memory_open,
                                   .start = memory_start,
                                   .sample = memory_sample,
                                   .close = memory_close};
