/* SPDX-License-Identifier: Apache-2.0 */
#include "perf.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strobe/kinds.h>
#include <strobe/helpers/descriptor.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "../common/sys-file.h"

#define DESCRIPTORS_MAX 48 /* of all threads, processors and both trace points together */
#define RINGS_MAX 24
#define RING_PAGES 64       /* a power of two */
#define CALLS_MAX 8192      /* threads inside a call at once; a power of two */
#define SETTLING_NS 200000u /* until what one processor has told is surely to be seen */
#define EVENT_MAX 512

enum { ENTER, EXIT, N_POINTS };

typedef struct Ring {
    int descriptor;
    struct perf_event_mmap_page *page;
    uint64_t at, end; /* what is being read */
} Ring;

/* A thread that is inside a call, or was. */
typedef struct Inside {
    uint32_t tid; /* 0: free */
    uint32_t is_own;
    int64_t number; /* -1: not inside */
    uint64_t begin;
    StrobeTrackId track;
} Inside;

struct OsrtPerf {
    OsrtContext *context;
    StrobeKindId kind;
    const char *const *names;
    size_t n_names;
    uint32_t points[N_POINTS];
    uint64_t threshold_ns;
    uint32_t n_descriptors, n_rings;
    int descriptors[DESCRIPTORS_MAX];
    Ring rings[RINGS_MAX];
    uint32_t n_tids;
    pid_t tids[DESCRIPTORS_MAX];
    Inside inside[CALLS_MAX];
};

/* One told event, as far as it is read. */
typedef struct Told {
    struct perf_event_header header;
    uint32_t pid, tid;
    uint64_t time;
    uint32_t raw_size;
    uint16_t point;
    uint8_t common[6];
    int64_t number, status; /* `status` of an exit only */
} __attribute__((packed)) Told;
_Static_assert(offsetof(Told, point) == 28, "layout of a perf sample");

static int read_point(const OsrtContext *context, const char *name, uint32_t *id)
{
    static const char *const folders[] = {"kernel/tracing", "kernel/debug/tracing"};
    char path[128], text[32];
    const char *at = text;
    uint64_t value;

    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/events/raw_syscalls/%s/id", folders[i], name);
        if (strobe_sys_read_path(context->sys_root, path, text, sizeof text) > 0 &&
            strobe_sys_number(&at, &value) == 0) {
            *id = (uint32_t)value;
            return 0;
        }
    }
    return -1;
}

static int open_event(const OsrtPerf *perf, int point, pid_t tid, int processor)
{
    struct perf_event_attr attributes = {
        .size = sizeof attributes,
        .type = PERF_TYPE_TRACEPOINT,
        .config = perf->points[point],
        .sample_period = 1,
        .sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_RAW,
        .inherit = 1,
        .use_clockid = 1,
        .clockid = CLOCK_MONOTONIC,
        .watermark = 1,
        .wakeup_watermark = 1u << 30, /* nobody waits for it */
    };

    return strobe_descriptor_aside(
        (int)syscall(SYS_perf_event_open, &attributes, tid, processor, -1, PERF_FLAG_FD_CLOEXEC));
}

OsrtPerf *osrt_perf_open(OsrtContext *context, StrobeKindId kind, const char *const *names,
                         size_t n_names)
{
    OsrtPerf *perf = calloc(1, sizeof *perf);

    if (!perf)
        return NULL;
    perf->context = context;
    perf->kind = kind;
    perf->names = names;
    perf->n_names = n_names;
    int descriptor = -1;
    if (read_point(context, "sys_enter", &perf->points[ENTER]) == 0 &&
        read_point(context, "sys_exit", &perf->points[EXIT]) == 0)
        descriptor = open_event(perf, EXIT, 0, 0);
    if (descriptor < 0) {
        int reason = errno;
        free(perf);
        errno = reason;
        return NULL;
    }
    close(descriptor);
    return perf;
}

static size_t ring_bytes(const OsrtPerf *perf)
{
    return (size_t)perf->context->page_size * RING_PAGES;
}

static void close_all(OsrtPerf *perf)
{
    for (uint32_t i = 0; i < perf->n_rings; i++)
        munmap(perf->rings[i].page, ring_bytes(perf) + (size_t)perf->context->page_size);
    for (uint32_t i = 0; i < perf->n_descriptors; i++)
        close(perf->descriptors[i]);
    perf->n_rings = perf->n_descriptors = 0;
}

void osrt_perf_close(OsrtPerf *perf)
{
    close_all(perf);
    free(perf);
}

/* Strobe names its own threads so. */
static int is_own_thread(const OsrtPerf *perf, uint32_t tid)
{
    char name[64], text[32];

    snprintf(name, sizeof name, "%d/task/%u/comm", (int)perf->context->pid, tid);
    return strobe_sys_read_path(perf->context->proc_root, name, text, sizeof text) > 0 &&
           strncmp(text, "strobe-", 7) == 0;
}

static int take_tid(void *user, const char *name)
{
    OsrtPerf *perf = user;
    uint64_t tid;

    if (strobe_sys_number(&name, &tid) != 0 || is_own_thread(perf, (uint32_t)tid))
        return 0;
    if (perf->n_tids == DESCRIPTORS_MAX)
        return 1;
    perf->tids[perf->n_tids++] = (pid_t)tid;
    return 0;
}

static int list_threads(OsrtPerf *perf)
{
    char path[4096];

    snprintf(path, sizeof path, "%s/%d/task", perf->context->proc_root, (int)perf->context->pid);
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return -1;
    perf->n_tids = 0;
    strobe_sys_each(folder, take_tid, perf);
    close(folder);
    return 0;
}

static int add_event(OsrtPerf *perf, int point, pid_t tid, int processor, int ring)
{
    int descriptor = open_event(perf, point, tid, processor);

    if (descriptor < 0)
        return -1;
    perf->descriptors[perf->n_descriptors++] = descriptor;
    if (ring >= 0)
        return ioctl(descriptor, PERF_EVENT_IOC_SET_OUTPUT, perf->rings[ring].descriptor);
    void *page = mmap(NULL, ring_bytes(perf) + (size_t)perf->context->page_size,
                      PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (page == MAP_FAILED)
        return -1;
    perf->rings[perf->n_rings++] = (Ring){.descriptor = descriptor, .page = page};
    return 0;
}

/* A ring for each processor, which all threads' events go to. */
static int open_processor(OsrtPerf *perf, int processor)
{
    int ring = -1;

    for (uint32_t i = 0; i < perf->n_tids; i++)
        for (int point = 0; point < N_POINTS; point++) {
            if (add_event(perf, point, perf->tids[i], processor, ring) != 0)
                return errno == ESRCH && ring >= 0 ? 0 : -1; /* the thread has ended */
            if (ring < 0)
                ring = (int)perf->n_rings - 1;
        }
    return 0;
}

StrobeStatus osrt_perf_start(OsrtPerf *perf, uint64_t threshold_ns)
{
    const StrobeHost *host = perf->context->host;
    long processors = sysconf(_SC_NPROCESSORS_CONF);

    perf->threshold_ns = threshold_ns;
    memset(perf->inside, 0, sizeof perf->inside);
    if (list_threads(perf) != 0 || perf->n_tids == 0)
        return STROBE_UNAVAILABLE;
    if (processors > RINGS_MAX ||
        perf->n_tids * (uint64_t)processors * N_POINTS > DESCRIPTORS_MAX) {
        host->log(perf->context->self, STROBE_LOG_WARNING,
                  "System calls are not recorded: %u threads on %ld processors need more than %d "
                  "descriptors",
                  perf->n_tids, processors, DESCRIPTORS_MAX);
        return STROBE_UNAVAILABLE;
    }
    for (int i = 0; i < processors; i++)
        if (open_processor(perf, i) != 0 && errno != ENODEV) { /* ENODEV: it is switched off */
            host->log(perf->context->self, STROBE_LOG_WARNING, "System calls are not recorded: %s",
                      strerror(errno));
            close_all(perf);
            return STROBE_UNAVAILABLE;
        }
    return STROBE_OK;
}

/* ---- reading ---- */

static void copy_out(const OsrtPerf *perf, const Ring *ring, uint64_t at, void *to, size_t size)
{
    const char *data = (const char *)ring->page + perf->context->page_size;
    size_t bytes = ring_bytes(perf), from = (size_t)(at & (bytes - 1));
    size_t first = size < bytes - from ? size : bytes - from;

    memcpy(to, data + from, first);
    memcpy((char *)to + first, data, size - first);
}

/* The next sample of a ring, past what is no sample. 0: there is none. */
static int look(OsrtPerf *perf, Ring *ring, Told *told)
{
    uint64_t lost[2];

    while (ring->at + sizeof told->header <= ring->end) {
        memset(told, 0, sizeof *told);
        copy_out(perf, ring, ring->at, told, sizeof told->header);
        size_t size = told->header.size;
        if (size < sizeof told->header || ring->at + size > ring->end)
            ring->at = ring->end; /* it cannot be: what follows has no frame */
        else if (told->header.type == PERF_RECORD_SAMPLE) {
            copy_out(perf, ring, ring->at, told, size < sizeof *told ? size : sizeof *told);
            return 1;
        } else {
            if (told->header.type == PERF_RECORD_LOST &&
                size >= sizeof told->header + sizeof lost) {
                copy_out(perf, ring, ring->at + sizeof told->header, lost, sizeof lost);
                perf->context->host->lost(perf->context->self, STROBE_LOSS_COLLECTOR_DROPPED,
                                          lost[1]);
            }
            ring->at += size;
        }
    }
    return 0;
}

static Inside *find_thread(OsrtPerf *perf, uint32_t tid)
{
    for (uint32_t i = 0; i < CALLS_MAX; i++) {
        Inside *inside = &perf->inside[(tid + i) & (CALLS_MAX - 1)];
        if (inside->tid == tid)
            return inside;
        if (inside->tid == 0) {
            StrobeTrack track = {.struct_size = sizeof track,
                                 .type = STROBE_TRACK_THREAD,
                                 .clock = STROBE_CLOCK_MONOTONIC,
                                 .device = -1,
                                 .id = tid,
                                 .group = "OS Runtime API"};
            inside->tid = tid;
            inside->number = -1;
            inside->is_own = (uint32_t)is_own_thread(perf, tid);
            inside->track = perf->context->host->track(perf->context->self, &track);
            return inside;
        }
    }
    return NULL;
}

static void record_call(OsrtPerf *perf, StrobeWriter *writer, const Inside *inside,
                        const Told *told)
{
    const StrobeHost *host = perf->context->host;
    const char *name = (uint64_t)told->number < perf->n_names ? perf->names[told->number] : NULL;
    const char *text = name ? name : "syscall";
    StrobeStringId id = host->intern(writer, text, strlen(text));
    struct strobe_os_call *record =
        host->reserve(writer, perf->kind, inside->track, id, inside->begin, told->time);

    if (!record)
        return;
    record->status = told->status;
    host->commit(writer);
}

static void take(OsrtPerf *perf, StrobeWriter *writer, const Told *told)
{
    Inside *inside;

    if (told->pid != (uint32_t)perf->context->pid || told->tid == 0 ||
        !(inside = find_thread(perf, told->tid)) || inside->is_own)
        return;
    if (told->point == perf->points[ENTER]) {
        inside->number = told->number;
        inside->begin = told->time;
    } else if (inside->number >= 0 && inside->number == told->number) {
        if (told->time - inside->begin >= perf->threshold_ns)
            record_call(perf, writer, inside, told);
        inside->number = -1;
    }
}

/* All rings in order of time: a call may begin on one processor and end on another. */
static void drain_until(OsrtPerf *perf, StrobeWriter *writer, uint64_t until)
{
    Told next[RINGS_MAX];
    int has_next[RINGS_MAX];

    for (uint32_t i = 0; i < perf->n_rings; i++) {
        Ring *ring = &perf->rings[i];
        ring->at = ring->page->data_tail;
        ring->end = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
        has_next[i] = look(perf, ring, &next[i]);
    }
    for (;;) {
        int first = -1;
        for (uint32_t i = 0; i < perf->n_rings; i++)
            if (has_next[i] && (first < 0 || next[i].time < next[first].time))
                first = (int)i;
        if (first < 0 || next[first].time > until)
            break;
        take(perf, writer, &next[first]);
        perf->rings[first].at += next[first].header.size;
        has_next[first] = look(perf, &perf->rings[first], &next[first]);
    }
    for (uint32_t i = 0; i < perf->n_rings; i++)
        __atomic_store_n(&perf->rings[i].page->data_tail, perf->rings[i].at, __ATOMIC_RELEASE);
}

void osrt_perf_drain(OsrtPerf *perf, StrobeWriter *writer)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    drain_until(perf, writer,
                (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec - SETTLING_NS);
}

void osrt_perf_stop(OsrtPerf *perf, StrobeWriter *writer)
{
    for (uint32_t i = 0; i < perf->n_descriptors; i++)
        ioctl(perf->descriptors[i], PERF_EVENT_IOC_DISABLE, 0);
    if (writer)
        drain_until(perf, writer, UINT64_MAX);
    close_all(perf);
}
