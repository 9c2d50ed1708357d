/* SPDX-License-Identifier: Apache-2.0 */
#include "sample-event.h"

#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <strobe/helpers/perf-rings.h>
#include <strobe/helpers/sys-file.h>

#define COPY_OF_STACK ((uint64_t)PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER)

static struct perf_event_attr make_attributes(const SampleWish *wish)
{
    return (struct perf_event_attr){
        .size = sizeof(struct perf_event_attr),
        .type = PERF_TYPE_HARDWARE,
        .config = PERF_COUNT_HW_CPU_CYCLES,
        .freq = 1,
        .sample_freq = wish->frequency,
        .sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD |
                       PERF_SAMPLE_CALLCHAIN | (wish->registers ? COPY_OF_STACK : 0),
        .sample_regs_user = wish->registers,
        .sample_stack_user = wish->registers ? wish->stack_bytes : 0,
        .exclude_callchain_user = wish->registers != 0,
        .sample_max_stack = wish->has_stacks ? 0 : 1, /* 0: as many frames as the kernel allows */
        .sample_id_all = 1,
        .exclude_kernel = !wish->has_kernel,
        .exclude_hv = 1,
        .inherit = 1,
        .inherit_thread = !wish->has_children,
        .mmap = 1,
        .mmap2 = 1,
        .mmap_data = wish->has_pools & 1,
        .comm = 1,
        .comm_exec = 1,
        .task = 1,
        .use_clockid = 1,
        .clockid = CLOCK_MONOTONIC,
        .watermark = 1,
        .wakeup_watermark =
            wish->has_wakeups ? 1 : 1u << 30, /* larger than the ring, so no reader is woken */
    };
}

static int try_event(const struct perf_event_attr *attributes, pid_t pid)
{
    int descriptor = strobe_perf_event_open(attributes, pid, -1);

    if (descriptor < 0)
        return -1;
    close(descriptor);
    return 0;
}

/* Opens the event with the newest features that the kernel accepts: Linux before 6.0 cannot report
 * the number of lost samples, and before 5.12 it cannot report build-ids. */
static int try_versions(struct perf_event_attr *attributes, pid_t pid)
{
    static const struct {
        uint32_t has_build_id, read_format;
    } versions[] = {{1, PERF_FORMAT_LOST}, {1, 0}, {0, 0}};

    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
        attributes->build_id = versions[i].has_build_id & 1;
        attributes->read_format = versions[i].read_format;
        if (try_event(attributes, pid) == 0)
            return 0;
        if (errno != EINVAL && errno != E2BIG)
            return -1;
    }
    return -1;
}

static int try_with_kernel(struct perf_event_attr *attributes, const SampleWish *wish, pid_t pid)
{
    attributes->exclude_kernel = !wish->has_kernel;
    if (try_versions(attributes, pid) == 0)
        return 0;
    if (!wish->has_kernel || (errno != EACCES && errno != EPERM))
        return -1;
    attributes->exclude_kernel = 1;
    return try_versions(attributes, pid);
}

int sample_event_choose(struct perf_event_attr *attributes, const SampleWish *wish, pid_t pid)
{
    *attributes = make_attributes(wish);
    if (!wish->is_software_only && try_with_kernel(attributes, wish, pid) == 0)
        return 0;
    attributes->type = PERF_TYPE_SOFTWARE;
    attributes->config = PERF_COUNT_SW_CPU_CLOCK;
    return try_with_kernel(attributes, wish, pid);
}

/* Does not exclude the kernel from the event, because a context switch happens in the kernel.
 * Excludes kernel frames from the chain instead. */
int sample_event_choose_switches(struct perf_event_attr *attributes, const SampleWish *wish,
                                 pid_t pid)
{
    *attributes = make_attributes(wish);
    attributes->type = PERF_TYPE_SOFTWARE;
    attributes->config = PERF_COUNT_SW_CONTEXT_SWITCHES;
    attributes->freq = 0;
    attributes->sample_period = 1;
    attributes->exclude_kernel = 0;
    attributes->exclude_callchain_kernel = 1;
    attributes->mmap = attributes->mmap2 = attributes->mmap_data = 0;
    attributes->comm = attributes->comm_exec = attributes->task = 0;
    attributes->context_switch = 1;
    attributes->read_format = PERF_FORMAT_LOST;
    if (try_event(attributes, pid) == 0)
        return 0;
    attributes->read_format = 0;
    return errno == EINVAL ? try_event(attributes, pid) : -1;
}

const char *sample_event_switches_reason(int error)
{
    if (error == EACCES || error == EPERM)
        return "the kernel shows switches to privileged users only (kernel.perf_event_paranoid is "
               "2 "
               "or more); as root: sysctl kernel.perf_event_paranoid=1, or give strobe-writer "
               "CAP_PERFMON";
    return sample_event_reason(error);
}

int sample_event_is_cycles(const struct perf_event_attr *attributes)
{
    return attributes->type == PERF_TYPE_HARDWARE;
}

const Sample *sample_event_read(const struct perf_event_header *event)
{
    const Sample *sample = (const Sample *)(const void *)event;

    if (event->size < sizeof *sample ||
        sample->n_addresses > (event->size - sizeof *sample) / sizeof *sample->addresses)
        return NULL;
    return sample;
}

CodeMapping sample_event_mapping(const MapEvent *event)
{
    CodeMapping mapping = {.begin = event->begin,
                           .end = event->begin + event->size,
                           .offset = event->offset,
                           .path = event->path};

    if (event->header.misc & PERF_RECORD_MISC_MMAP_BUILD_ID &&
        event->build_id_size <= sizeof event->build_id) {
        mapping.build_id.size = event->build_id_size;
        memcpy(mapping.build_id.bytes, event->build_id, event->build_id_size);
    }
    return mapping;
}

/* Returns whether kernel.perf_event_paranoid is 3 or more, which forbids sampling to unprivileged
 * users. */
static int is_forbidden(void)
{
    char text[16];

    return strobe_sys_read_path("/proc", "sys/kernel/perf_event_paranoid", text, sizeof text) > 0 &&
           text[0] >= '3' && text[0] <= '9';
}

const char *sample_event_reason(int error)
{
    switch (error) {
    case EACCES:
    case EPERM:
        return is_forbidden() ? "kernel.perf_event_paranoid is 3 or more, so perf_event_open is "
                                "for privileged users"
                              : "perf_event_open is not permitted (a filter of system calls, as "
                                "containers have, or a program of another user)";
    case ENOSYS:
        return "there is no perf_event_open (a kernel without it, or a filter of system calls)";
    case EMFILE:
        return "there are too many threads and processors for the limit of open files";
    case EINVAL:
        return "the kernel refuses the event (a frequency above "
               "kernel.perf_event_max_sample_rate, or an old kernel)";
    case EOPNOTSUPP:
        return "the processor or its kernel has no such event, or copies no registers and stacks";
    default:
        return strerror(error);
    }
}

const char *sample_event_hint(int error)
{
    if (error == EMFILE)
        return "raise it: ulimit -n";
    if (error != EACCES && error != EPERM && error != ENOSYS)
        return NULL;
    if (error != ENOSYS && is_forbidden())
        return "as root: sysctl kernel.perf_event_paranoid=2, or give strobe-writer CAP_PERFMON";
    return "in a container: --cap-add PERFMON, or a seccomp profile that allows perf_event_open";
}
