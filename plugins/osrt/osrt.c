/* SPDX-License-Identifier: Apache-2.0 */
/* Records calls of the C library that may wait. The preloaded library or the kernel's trace points
 * report them. */
#include "osrt.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <strobe/kinds.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "gate.h"
#include "perf.h"

static const char *const syscall_names[] = {
#include "syscall-names.h"
};
#define N_SYSCALLS (sizeof syscall_names / sizeof *syscall_names)

/* The state of the collector. It is static, because a call that is in progress when a window ends
 * may return at any later time, and then uses the state. */
static struct {
    OsrtContext context;
    const StrobeHost *host;
    StrobeInstance *self;
    OsrtGate *gate; /* NULL: the kernel's trace points report the calls */
    OsrtPerf *perf; /* NULL: the preloaded library reports the calls */
    StrobeKindId kind;
    /* times of the host's clock and of CLOCK_MONOTONIC at one moment, for the rate of ticks */
    uint64_t ticks, ns;
    OsrtHooks hooks;
} osrt;

/* Removes "__" and "_chk" from the name of a checked variant: for example, "__read_chk", which a
 * compiler calls instead of "read", becomes "read". Returns the length of the result. */
static size_t plain_name(const char **name)
{
    size_t length = strlen(*name);

    if (strncmp(*name, "__", 2) != 0)
        return length;
    *name += 2;
    return length - 2 - strlen("_chk");
}

static void record_call(uint32_t function, uint64_t begin, uint64_t end, int64_t status)
{
    const StrobeHost *host = osrt.host;
    StrobeWriter *writer = host->writer(osrt.self);
    const char *name = "syscall";
    size_t length = strlen("syscall");

    if (!writer)
        return;
    if (function < osrt.gate->n_functions) {
        name = osrt.gate->names[function];
        length = plain_name(&name);
    } else if (function - osrt.gate->n_functions < N_SYSCALLS &&
               syscall_names[function - osrt.gate->n_functions]) {
        name = syscall_names[function - osrt.gate->n_functions];
        length = strlen(name);
    }
    StrobeStringId id = host->intern(writer, name, length);
    struct strobe_os_call *record = host->reserve(writer, osrt.kind, 0, id, begin, end);
    if (!record)
        return;
    record->status = status;
    host->commit(writer);
}

static uint64_t monotonic_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Converts ns to ticks of the host's clock, accurate to a few parts in a thousand. */
static uint64_t ticks_of(uint64_t ns)
{
    uint64_t passed;

    if (ns == 0)
        return 0;
    while ((passed = monotonic_ns() - osrt.ns) < 1000000)
        continue;
    return (uint64_t)((double)ns * (double)(osrt.host->now() - osrt.ticks) / (double)passed);
}

typedef struct Object {
    uintptr_t inside, begin, end;
} Object;

/* Finds the loaded object that contains an address, and the first and last byte of the object. */
static int take_object(struct dl_phdr_info *info, size_t size, void *user)
{
    Object *object = user;
    uintptr_t begin = UINTPTR_MAX, end = 0;

    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        uintptr_t from = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
        if (info->dlpi_phdr[i].p_type != PT_LOAD)
            continue;
        begin = from < begin ? from : begin;
        end = from + info->dlpi_phdr[i].p_memsz > end ? from + info->dlpi_phdr[i].p_memsz : end;
    }
    if (object->inside < begin || object->inside >= end)
        return 0;
    object->begin = begin;
    object->end = end;
    return 1;
}

/* Finds the code of the host and of this plugin. */
static void find_own_code(void)
{
    const uintptr_t inside[2] = {(uintptr_t)(void *)osrt.host->reserve,
                                 (uintptr_t)(void *)record_call};

    for (int i = 0; i < 2; i++) {
        Object object = {.inside = inside[i]};
        dl_iterate_phdr(take_object, &object);
        osrt.hooks.own[i].begin = object.begin;
        osrt.hooks.own[i].end = object.end;
    }
}

static StrobeStatus osrt_start(void *state)
{
    uint64_t threshold = (uint64_t)osrt.host->option_int(osrt.self, "threshold");

    (void)state;
    if (osrt.perf) {
        osrt_perf_start(osrt.perf, threshold);
        return STROBE_OK;
    }
    osrt.hooks.threshold = ticks_of(threshold);
    atomic_store_explicit(&osrt.gate->hooks, &osrt.hooks, memory_order_release);
    return STROBE_OK;
}

static void osrt_sample(void *state)
{
    StrobeWriter *writer = osrt.host->writer(osrt.self);

    (void)state;
    if (osrt.perf && writer)
        osrt_perf_drain(osrt.perf, writer);
}

/* Returns the interval only if trace points are used, because the preloaded library reports each
 * call itself. */
static int64_t osrt_sample_interval(void *state)
{
    (void)state;
    return osrt.perf ? osrt.host->option_int(osrt.self, "interval") : 0;
}

static void stop_recording(void)
{
    if (osrt.perf)
        osrt_perf_stop(osrt.perf, osrt.host->writer(osrt.self));
    else
        atomic_store_explicit(&osrt.gate->hooks, NULL, memory_order_release);
}

static StrobeStatus osrt_stop(void *state)
{
    (void)state;
    stop_recording();
    return STROBE_OK;
}

static void open_gate(OsrtGate *gate)
{
    osrt.gate = gate;
    osrt.ticks = osrt.host->now();
    osrt.ns = monotonic_ns();
    osrt.hooks.now = osrt.host->now;
    osrt.hooks.call = record_call;
    find_own_code();
}

static StrobeStatus open_perf(void)
{
    osrt.perf = osrt_perf_open(&osrt.context, osrt.kind, syscall_names, N_SYSCALLS);
    if (osrt.perf)
        return STROBE_OK;
    return osrt.host->fail(osrt.self, STROBE_UNAVAILABLE, __FILE__, __LINE__,
                           "Cannot record calls: use \"strobe run\", put osrt-preload.so into "
                           "LD_PRELOAD, or get the right to open the kernel's trace points "
                           "(events/raw_syscalls): reason=\"%s\"",
                           strerror(errno));
}

static StrobeStatus osrt_open(const StrobeHost *host, StrobeInstance *self, void **state)
{
    const char *source = host->option_text(self, "source");
    OsrtGate *gate = strcmp(source, "perf") ? dlsym(RTLD_DEFAULT, OSRT_GATE_SYMBOL) : NULL;
    StrobeStatus status = host->kind(self, &strobe_kind_os_call, &osrt.kind);

    osrt.self = self;
    osrt.host = host;
    osrt.perf = NULL;
    osrt.context = (OsrtContext){.host = host,
                                 .self = self,
                                 .proc_root = host->option_text(self, "proc_root"),
                                 .sys_root = host->option_text(self, "sys_root"),
                                 .pid = (pid_t)host->pid(self),
                                 .page_size = sysconf(_SC_PAGESIZE)};
    if (status == STROBE_OK && gate && gate->struct_size >= sizeof *gate)
        open_gate(gate);
    else if (status == STROBE_OK)
        status = open_perf();
    *state = &osrt;
    return status;
}

static void osrt_close(void *state)
{
    (void)state;
    stop_recording();
    if (osrt.perf)
        osrt_perf_close(osrt.perf);
    osrt.perf = NULL;
}

const StrobeCollectorOps strobe_osrt_ops = {
    .struct_size = sizeof(StrobeCollectorOps),
    .open = osrt_open,
    .start = osrt_start,
    .stop = osrt_stop,
    .close = osrt_close,
    .sample = osrt_sample,
    .sample_interval = osrt_sample_interval,
};
