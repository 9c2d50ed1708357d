/* SPDX-License-Identifier: Apache-2.0 */
/* Collects the events of a host thread from which the time before the first kernel is computed. */
#ifndef STROBE_PASSES_HOST_THREAD_H
#define STROBE_PASSES_HOST_THREAD_H

#include <glib.h>

#include "head-marker.h"

/* Maximum number of ATen operators that wait for an enclosing inference. */
#define HOST_THREAD_OPERATORS_MAX 65536u

enum { PYTHON_BUILD, PYTHON_CONTIGUOUS, PYTHON_ATEN, PYTHON_PARTS };

/* The time that ATen operators of an inference take before its C++ side begins. */
typedef struct PythonTime {
    gint64 ns[PYTHON_PARTS];
    gboolean is_known;
} PythonTime;

typedef struct HostSpan {
    gint64 begin_ns, end_ns;
    guint32 role;   /* Role */
    guint32 python; /* for an inference: 1 + index in the array `python`; else 0 */
} HostSpan;

typedef struct HostThread {
    StrobeTrackId track;
    GArray *spans;   /* elements of type HostSpan: spans with a role */
    GArray *python;  /* elements of type PythonTime */
    GArray *waiting; /* elements of type HostSpan: outermost operators */
    /* end of the last operator that was dropped from `waiting`; G_MININT64: none */
    gint64 forgotten_ns;
    gint64 first_ns; /* begin of the first event */
    /* number of events, and number of events that were read again for an inference that encloses
     * them */
    guint64 n_seen, work;
} HostThread;

HostThread *host_thread_new(StrobeTrackId track);
void host_thread_free(gpointer thread);

/* Adds a span of the thread. Inner spans come before the span that contains them. A span with
 * ROLE_NONE only changes first_ns. `can_keep`: the caller has room for one more span. Returns FALSE
 * if the span was dropped because there was no room. */
gboolean host_thread_add(HostThread *thread, gint64 begin_ns, gint64 end_ns, Role role,
                         gboolean can_keep);
/* Sorts the spans by begin; of spans with the same begin, the span that encloses the others comes
 * first. Must be called after the last span. */
void host_thread_sort(HostThread *thread);

#endif
