/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the kernels that each entry of the framework's task queue launched, by the rules of the
 * Ascend profiler. From a kernel it goes to the host time of its launch (by the source's flow
 * event, or by the shared id of call and task), from there to the dequeue around that time, and
 * from the dequeue to the enqueue with the same correlation.
 */
#ifndef STROBE_PASSES_KERNEL_MAP_H
#define STROBE_PASSES_KERNEL_MAP_H

#include <glib.h>
#include <strobe/exporter.h>

typedef struct Kernel {
    guint64 task; /* absent: a communication operation */
    guint64 connection;
    gint64 begin_ns, end_ns;
    double us;
    StrobeTrackId track;
    gint32 device;
    guint8 is_aicore;
    guint8 is_target; /* a call links to it */
} Kernel;

/* A kernel with its key: the correlation of a queue entry or, without a queue, the time of the
 * launch. */
typedef struct Launch {
    guint64 key;
    guint64 thread;     /* of the call, if known */
    guint kernel;       /* place in kernels */
    gboolean is_direct; /* the key is the time of the launch */
} Launch;

typedef struct KernelMap {
    GArray *kernels;     /* of Kernel, in order of arrival */
    GArray *dequeues;    /* of QueueSpan, in order of arrival */
    GArray *calls;       /* of HostCall: calls that launch something */
    GArray *flows;       /* of Flow, in order of the first end */
    GHashTable *flow_at; /* text of the id -> index in flows + 1 */
    GArray *launches;    /* of Launch, by key; once finished */
    gboolean has_queue;
    gboolean by_thread; /* set by the caller: each thread has its own tree */
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

void kernel_map_init(KernelMap *map);
void kernel_map_clear(KernelMap *map);
/* Adds one end of a flow event; `id` must stay valid. */
void kernel_map_flow(KernelMap *map, const char *id, gboolean is_end, StrobeTrackId track,
                     gint64 at_ns);
/* Call it when everything has been added. */
void kernel_map_finish(KernelMap *map);
/* The launches of a key: returns the first, and their number in `n`. */
const Launch *kernel_map_find(const KernelMap *map, guint64 key, guint *n);

/* The launches of all keys from `begin` to `end` (exclusive). */
const Launch *kernel_map_between(const KernelMap *map, guint64 begin, guint64 end, guint *n);

static inline const Kernel *kernel_map_kernel(const KernelMap *map, const Launch *launch)
{
    return &g_array_index(map->kernels, Kernel, launch->kernel);
}

#endif
