/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the kernels that each entry of the framework's task queue launched, by the rules of the
 * Ascend profiler. The search goes from a kernel to the host time of its launch (by a flow event of
 * the source, or by the id that the call and the task share), then to the dequeue that contains
 * this time, and then to the enqueue with the same correlation.
 */
#ifndef STROBE_PASSES_KERNEL_MAP_H
#define STROBE_PASSES_KERNEL_MAP_H

#include <glib.h>
#include <strobe/exporter.h>
#include <strobe/helpers/state-array.h>

typedef struct Kernel {
    guint64 task; /* absent: the kernel is a communication operation */
    guint64 connection;
    gint64 begin_ns, end_ns;
    double us;
    StrobeTrackId track;
    gint32 device;
    guint8 is_aicore;
    guint8 is_target; /* calls can have links to the kernel */
} Kernel;

/* A launch: a kernel with its key. The key is the correlation of the queue entry. If there is no
 * queue, the key is the time of the launch. */
typedef struct Launch {
    guint64 key;
    guint64 thread;     /* thread of the call, if known */
    guint kernel;       /* index in `kernels` */
    gboolean is_direct; /* the key is the time of the launch */
} Launch;

typedef struct KernelMap {
    StrobeStateArray kernels;  /* elements of type Kernel, in order of arrival */
    StrobeStateArray dequeues; /* elements of type QueueSpan, in order of arrival */
    StrobeStateArray calls;    /* elements of type HostCall: calls that launch a kernel */
    /* elements of type Flow, in the order in which their first ends arrived */
    StrobeStateArray flows;
    GHashTable *flow_at; /* id (a text) -> 1 + index in `flows` */
    /* elements of type Launch, sorted by key; made by kernel_map_finish */
    StrobeStateArray launches;
    gboolean has_queue;
    gboolean by_thread; /* set by the caller; TRUE: each thread has its own tree of operators */
} KernelMap;

typedef struct QueueSpan {
    gint64 begin_ns, end_ns;
    guint64 correlation;
    guint64 thread;
} QueueSpan;

typedef struct HostCall {
    guint64 connection;
    gint64 begin_ns, end_ns;
    guint64 thread;
} HostCall;

void kernel_map_init(KernelMap *map, StrobeStorage *storage);
void kernel_map_clear(KernelMap *map);
/* Adds an end of a flow event. `id` must stay valid. */
void kernel_map_flow(KernelMap *map, const char *id, gboolean is_end, StrobeTrackId track,
                     gint64 at_ns);
/* Finds the launches. Must be called after everything has been added. */
void kernel_map_finish(KernelMap *map);
/* Returns the first launch with the key. Sets `n` to the number of launches with the key, which
 * follow each other. */
const Launch *kernel_map_find(const KernelMap *map, guint64 key, guint *n);

/* Returns the first launch whose key is from `begin` to `end` (exclusive). Sets `n` to the number
 * of these launches, which follow each other. */
const Launch *kernel_map_between(const KernelMap *map, guint64 begin, guint64 end, guint *n);

static inline const Kernel *kernel_map_kernel(const KernelMap *map, const Launch *launch)
{
    return &STROBE_STATE_ITEM(&map->kernels, Kernel, launch->kernel);
}

#endif
