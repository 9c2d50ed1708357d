/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/helpers/perf-rings.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strobe/helpers/descriptor.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <strobe/helpers/sys-file.h>

#define RING_BYTES_MIN (32u << 10)
#define SETTLING_NS 200000u /* after this time an event of any processor is visible in its ring */
#define SAMPLE_TIME 16      /* offset of the time in a sample */

typedef struct Ring {
    int descriptor;
    struct perf_event_mmap_page *page;
    size_t bytes;
    uint64_t at, end;
    uint64_t time; /* time of the event at `at` */
} Ring;

struct StrobePerfRings {
    const char *proc_root;
    pid_t pid;
    size_t page_size, ring_bytes;
    size_t time_from_end;  /* distance of the time from the end of an event that is not a sample; 0:
                              such events have no time */
    struct pollfd *polled; /* one entry for each ring */
    int *descriptors;
    uint32_t n_descriptors, descriptors_room;
    Ring *rings;
    uint32_t n_rings;
    uint64_t time; /* time of the event in `event` */
    pid_t *tids;
    uint32_t n_tids, tids_room;
    union {
        struct perf_event_header header;
        char bytes[UINT16_MAX + 1];
    } event;
};

int strobe_perf_event_open(const struct perf_event_attr *attributes, pid_t tid, int processor)
{
    return strobe_descriptor_aside(
        (int)syscall(SYS_perf_event_open, attributes, tid, processor, -1, PERF_FLAG_FD_CLOEXEC));
}

uint64_t strobe_perf_settled_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec - SETTLING_NS;
}

/* ---- opening ---- */

int strobe_perf_is_own_thread(const char *proc_root, pid_t pid, uint32_t tid)
{
    char name[64], text[32];

    snprintf(name, sizeof name, "%d/task/%u/comm", (int)pid, tid);
    return strobe_sys_read_path(proc_root, name, text, sizeof text) > 0 &&
           strncmp(text, "strobe-", 7) == 0;
}

static int take_tid(void *user, const char *name)
{
    StrobePerfRings *rings = user;
    uint64_t tid;

    if (strobe_sys_number(&name, &tid) != 0 ||
        strobe_perf_is_own_thread(rings->proc_root, rings->pid, (uint32_t)tid))
        return 0;
    if (rings->n_tids == rings->tids_room) {
        uint32_t room = rings->tids_room ? rings->tids_room * 2 : 64;
        pid_t *more = realloc(rings->tids, room * sizeof *more);
        if (!more)
            return 1;
        rings->tids = more;
        rings->tids_room = room;
    }
    rings->tids[rings->n_tids++] = (pid_t)tid;
    return 0;
}

static int list_threads(StrobePerfRings *rings)
{
    char path[4096];

    snprintf(path, sizeof path, "%s/%d/task", rings->proc_root, (int)rings->pid);
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder >= 0) {
        strobe_sys_each(folder, take_tid, rings);
        close(folder);
    }
    if (rings->n_tids > 0)
        return 0;
    errno = ESRCH;
    return -1;
}

static int make_ring(StrobePerfRings *rings, int descriptor)
{
    void *page;

    while ((page = mmap(NULL, rings->ring_bytes + rings->page_size, PROT_READ | PROT_WRITE,
                        MAP_SHARED, descriptor, 0)) == MAP_FAILED) {
        /* EPERM means that the ring exceeds the limit of locked memory. */
        if (errno != EPERM || rings->ring_bytes <= RING_BYTES_MIN)
            return -1;
        rings->ring_bytes /= 2;
    }
    rings->polled[rings->n_rings] = (struct pollfd){.fd = descriptor, .events = POLLIN};
    rings->rings[rings->n_rings++] =
        (Ring){.descriptor = descriptor, .page = page, .bytes = rings->ring_bytes};
    return 0;
}

static int add_event(StrobePerfRings *rings, const struct perf_event_attr *attributes, pid_t tid,
                     int processor, const Ring *ring)
{
    int descriptor = strobe_perf_event_open(attributes, tid, processor);

    if (descriptor < 0)
        return -1;
    rings->descriptors[rings->n_descriptors++] = descriptor;
    if (ring)
        return ioctl(descriptor, PERF_EVENT_IOC_SET_OUTPUT, ring->descriptor);
    return make_ring(rings, descriptor);
}

/* Opens the events of all threads on one processor, with one ring for all of them. Skips a thread
 * that has ended meanwhile. */
static int open_processor(StrobePerfRings *rings, const struct perf_event_attr *attributes,
                          uint32_t n, int processor)
{
    const Ring *ring = NULL;

    for (uint32_t i = 0; i < rings->n_tids; i++)
        for (uint32_t event = 0; event < n; event++) {
            if (add_event(rings, &attributes[event], rings->tids[i], processor, ring) == 0)
                ring = &rings->rings[rings->n_rings - 1];
            else if (errno != ESRCH)
                return errno == ENODEV ? 0 : -1; /* ENODEV: the processor is switched off */
        }
    return 0;
}

static int open_events(StrobePerfRings *rings, const struct perf_event_attr *attributes, uint32_t n,
                       uint32_t most)
{
    long processors = sysconf(_SC_NPROCESSORS_CONF);
    size_t n_events = (size_t)processors * n * rings->n_tids;

    if (n_events > most) {
        errno = EMFILE;
        return -1;
    }
    rings->descriptors = calloc(n_events, sizeof(int));
    rings->rings = calloc((size_t)processors, sizeof *rings->rings);
    rings->polled = calloc((size_t)processors, sizeof *rings->polled);
    if (!rings->descriptors || !rings->rings || !rings->polled) {
        errno = ENOMEM;
        return -1;
    }
    for (int i = 0; i < processors; i++)
        if (open_processor(rings, attributes, n, i) != 0)
            return -1;
    return 0;
}

StrobePerfRings *strobe_perf_rings_open(const char *proc_root, pid_t pid,
                                        const struct perf_event_attr *attributes, uint32_t n,
                                        size_t ring_bytes, uint32_t most)
{
    StrobePerfRings *rings = calloc(1, sizeof *rings);

    if (!rings)
        return NULL;
    rings->proc_root = proc_root;
    rings->pid = pid;
    rings->page_size = (size_t)sysconf(_SC_PAGESIZE);
    rings->ring_bytes = ring_bytes;
    /* events then end with pid and tid, time, and perhaps the processor */
    if (attributes[0].sample_id_all)
        rings->time_from_end = attributes[0].sample_type & PERF_SAMPLE_CPU ? 16 : 8;
    if (list_threads(rings) == 0 && open_events(rings, attributes, n, most) == 0)
        return rings;
    int reason = errno;
    strobe_perf_rings_close(rings);
    errno = reason;
    return NULL;
}

void strobe_perf_rings_close(StrobePerfRings *rings)
{
    if (!rings)
        return;
    for (uint32_t i = 0; i < rings->n_rings; i++)
        munmap(rings->rings[i].page, rings->rings[i].bytes + rings->page_size);
    for (uint32_t i = 0; i < rings->n_descriptors; i++)
        close(rings->descriptors[i]);
    free(rings->descriptors);
    free(rings->rings);
    free(rings->polled);
    free(rings->tids);
    free(rings);
}

uint32_t strobe_perf_rings_n_threads(const StrobePerfRings *rings)
{
    return rings->n_tids;
}

void strobe_perf_rings_disable(StrobePerfRings *rings)
{
    for (uint32_t i = 0; i < rings->n_descriptors; i++)
        ioctl(rings->descriptors[i], PERF_EVENT_IOC_DISABLE, 0);
}

/* ---- reading ---- */

/* Pauses briefly if poll() returns at once without an event, as it always does for a ring whose
 * threads have ended. */
void strobe_perf_rings_wait(const StrobePerfRings *rings, int timeout_ms)
{
    static const struct timespec pause = {.tv_nsec = 500000};

    if (poll(rings->polled, rings->n_rings, timeout_ms) <= 0)
        return;
    for (uint32_t i = 0; i < rings->n_rings; i++)
        if (rings->polled[i].revents & POLLIN)
            return;
    nanosleep(&pause, NULL);
}

uint64_t strobe_perf_rings_lost(const StrobePerfRings *rings)
{
    uint64_t values[2], n = 0; /* values: number of events, and number of lost events */

    for (uint32_t i = 0; i < rings->n_descriptors; i++)
        if (read(rings->descriptors[i], values, sizeof values) == sizeof values)
            n += values[1];
    return n;
}

static void copy_out(const StrobePerfRings *rings, const Ring *ring, uint64_t at, void *to,
                     size_t size)
{
    const char *data = (const char *)ring->page + rings->page_size;
    size_t from = (size_t)(at & (ring->bytes - 1));
    size_t first = size < ring->bytes - from ? size : ring->bytes - from;

    memcpy(to, data + from, first);
    memcpy((char *)to + first, data, size - first);
}

/* Reads the time of the ring's event at `at`. Returns 0 if there is no event. */
static int look_at_next(const StrobePerfRings *rings, Ring *ring)
{
    struct perf_event_header header;

    if (ring->at + sizeof header > ring->end)
        ring->end = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
    if (ring->at + sizeof header > ring->end)
        return 0;
    copy_out(rings, ring, ring->at, &header, sizeof header);
    if (header.size < sizeof header || ring->at + header.size > ring->end) {
        ring->at = ring->end; /* the size is impossible, so the following events cannot be found */
        return 0;
    }
    uint64_t time_at = header.type == PERF_RECORD_SAMPLE ? SAMPLE_TIME
                       : rings->time_from_end            ? header.size - rings->time_from_end
                                                         : 0;
    ring->time = 0;
    if (time_at >= sizeof header && time_at + 8 <= header.size)
        copy_out(rings, ring, ring->at + time_at, &ring->time, sizeof ring->time);
    return 1;
}

const struct perf_event_header *strobe_perf_rings_next(StrobePerfRings *rings, uint64_t until)
{
    Ring *first = NULL;

    for (uint32_t i = 0; i < rings->n_rings; i++) {
        Ring *ring = &rings->rings[i];
        if (look_at_next(rings, ring) && ring->time <= until &&
            (!first || ring->time < first->time))
            first = ring;
    }
    if (!first)
        return NULL;
    rings->time = first->time;
    copy_out(rings, first, first->at, &rings->event, sizeof rings->event.header);
    copy_out(rings, first, first->at, &rings->event, rings->event.header.size);
    first->at += rings->event.header.size;
    __atomic_store_n(&first->page->data_tail, first->at, __ATOMIC_RELEASE);
    return &rings->event.header;
}

uint64_t strobe_perf_rings_time(const StrobePerfRings *rings)
{
    return rings->time;
}
