/* SPDX-License-Identifier: Apache-2.0 */
#include "perf.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strobe/kinds.h>
#include <time.h>
#include <unistd.h>

#include <strobe/helpers/perf-rings.h>
#include <strobe/helpers/sys-file.h>

/* maximum number of descriptors, which count towards the program's own limit */
#define DESCRIPTORS_MAX 48
#define RING_PAGES 64  /* a power of two */
#define CALLS_MAX 8192 /* maximum number of threads that are tracked; a power of two */

enum { ENTER, EXIT, N_POINTS };

/* A thread, and the system call in which the thread is. */
typedef struct Inside {
    uint32_t tid; /* 0: free */
    uint32_t is_own;
    int64_t number; /* number of the system call; -1: the thread is in no call */
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
    StrobePerfRings *rings; /* NULL: it is not started */
    Inside inside[CALLS_MAX];
};

/* The first fields of a sample of a trace point. */
typedef struct Reported {
    struct perf_event_header header;
    uint32_t pid, tid;
    uint64_t time;
    uint32_t raw_size;
    uint16_t point;
    uint8_t common[6];
    int64_t number, status; /* `status` is set only if the call has returned */
} __attribute__((packed)) Reported;
_Static_assert(offsetof(Reported, point) == 28, "layout of a perf sample");

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

static struct perf_event_attr attributes_of(const OsrtPerf *perf, int point)
{
    return (struct perf_event_attr){
        .size = sizeof(struct perf_event_attr),
        .type = PERF_TYPE_TRACEPOINT,
        .config = perf->points[point],
        .sample_period = 1,
        .sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_RAW,
        .inherit = 1,
        .use_clockid = 1,
        .clockid = CLOCK_MONOTONIC,
        .watermark = 1,
        .wakeup_watermark = 1u << 30, /* is never reached, so the kernel wakes no thread up */
    };
}

/* Opens a trace point, to find out whether this process may do so. Returns -1 and sets errno if it
 * may not. */
static int try_points(OsrtPerf *perf)
{
    if (read_point(perf->context, "sys_enter", &perf->points[ENTER]) != 0 ||
        read_point(perf->context, "sys_exit", &perf->points[EXIT]) != 0)
        return -1;
    const struct perf_event_attr attributes = attributes_of(perf, EXIT);
    int descriptor = strobe_perf_event_open(&attributes, 0, 0);
    if (descriptor < 0)
        return -1;
    close(descriptor);
    return 0;
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
    if (try_points(perf) != 0) {
        int reason = errno;
        free(perf);
        errno = reason;
        return NULL;
    }
    return perf;
}

static void close_rings(OsrtPerf *perf)
{
    strobe_perf_rings_close(perf->rings);
    perf->rings = NULL;
}

void osrt_perf_close(OsrtPerf *perf)
{
    close_rings(perf);
    free(perf);
}

StrobeStatus osrt_perf_start(OsrtPerf *perf, uint64_t threshold_ns)
{
    const OsrtContext *context = perf->context;
    const struct perf_event_attr attributes[N_POINTS] = {attributes_of(perf, ENTER),
                                                         attributes_of(perf, EXIT)};

    perf->threshold_ns = threshold_ns;
    memset(perf->inside, 0, sizeof perf->inside);
    perf->rings = strobe_perf_rings_open(context->proc_root, context->pid, attributes, N_POINTS,
                                         RING_PAGES * (size_t)context->page_size, DESCRIPTORS_MAX);
    if (perf->rings)
        return STROBE_OK;
    context->host->log(context->self, STROBE_LOG_WARNING, "System calls are not recorded: %s",
                       strerror(errno));
    return STROBE_UNAVAILABLE;
}

/* ---- reading ---- */

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
            inside->is_own = (uint32_t)strobe_perf_is_own_thread(perf->context->proc_root,
                                                                 perf->context->pid, tid);
            inside->track = perf->context->host->track(perf->context->self, &track);
            return inside;
        }
    }
    return NULL;
}

static void record_call(OsrtPerf *perf, StrobeWriter *writer, const Inside *inside,
                        const Reported *reported)
{
    const StrobeHost *host = perf->context->host;
    const char *name =
        (uint64_t)reported->number < perf->n_names ? perf->names[reported->number] : NULL;
    const char *text = name ? name : "syscall";
    StrobeStringId id = host->intern(writer, text, strlen(text));
    struct strobe_os_call *record =
        host->reserve(writer, perf->kind, inside->track, id, inside->begin, reported->time);

    if (!record)
        return;
    record->status = reported->status;
    host->commit(writer);
}

static void take_event(OsrtPerf *perf, StrobeWriter *writer, const Reported *reported)
{
    Inside *inside;

    if (reported->pid != (uint32_t)perf->context->pid || reported->tid == 0 ||
        !(inside = find_thread(perf, reported->tid)) || inside->is_own)
        return;
    if (reported->point == perf->points[ENTER]) {
        inside->number = reported->number;
        inside->begin = reported->time;
    } else if (inside->number >= 0 && inside->number == reported->number) {
        if (reported->time - inside->begin >= perf->threshold_ns)
            record_call(perf, writer, inside, reported);
        inside->number = -1;
    }
}

/* Reads the events of all rings in order of their times, because a call may begin on one processor
 * and end on another. */
static void drain_until(OsrtPerf *perf, StrobeWriter *writer, uint64_t until)
{
    const struct perf_event_header *event;

    while ((event = strobe_perf_rings_next(perf->rings, until)) != NULL) {
        Reported reported = {.pid = 0};
        uint64_t lost[2];

        if (event->type == PERF_RECORD_SAMPLE) {
            memcpy(&reported, event, event->size < sizeof reported ? event->size : sizeof reported);
            take_event(perf, writer, &reported);
        } else if (event->type == PERF_RECORD_LOST && event->size >= sizeof *event + sizeof lost) {
            memcpy(lost, event + 1, sizeof lost);
            perf->context->host->lost(perf->context->self, STROBE_LOSS_COLLECTOR_DROPPED, lost[1]);
        }
    }
}

void osrt_perf_drain(OsrtPerf *perf, StrobeWriter *writer)
{
    if (perf->rings)
        drain_until(perf, writer, strobe_perf_settled_ns());
}

void osrt_perf_stop(OsrtPerf *perf, StrobeWriter *writer)
{
    if (!perf->rings)
        return;
    strobe_perf_rings_disable(perf->rings);
    if (writer)
        drain_until(perf, writer, UINT64_MAX);
    close_rings(perf);
}
