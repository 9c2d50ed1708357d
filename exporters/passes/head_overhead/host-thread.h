/* SPDX-License-Identifier: Apache-2.0 */
/* Events of one host thread for the head overhead. */
#ifndef STROBE_PASSES_HOST_THREAD_H
#define STROBE_PASSES_HOST_THREAD_H

#include <glib.h>

#include "head-marker.h"

/* Maximum number of ATen operators that wait for an enclosing inference. */
#define HOST_THREAD_OPERATORS_MAX 65536u

enum { PYTHON_BUILD, PYTHON_CONTIGUOUS, PYTHON_ATEN, PYTHON_PARTS };

/* Time of the ATen operators of an inference before its C++ side. */
typedef struct PythonTime {
    gint64 ns[PYTHON_PARTS];
    gboolean is_known;
} PythonTime;

typedef struct HostSpan {
    gint64 begin_ns, end_ns;
    guint32 role;   /* Role */
    guint32 python; /* of an inference: index in PythonTime + 1, otherwise 0 */
} HostSpan;

typedef struct HostThread {
    StrobeTrackId track;
    GArray *spans;        /* of HostSpan: spans with a role */
    GArray *python;       /* of PythonTime */
    GArray *waiting;      /* of HostSpan: outermost operators */
    gint64 forgotten_ns;  /* end of the last operator that was dropped; G_MININT64: none */
    gint64 first_ns;      /* begin of the first event */
    guint64 n_seen, work; /* number of events, and of events that were read again for an
                           * enclosing inference */
} HostThread;

HostThread *host_thread_new(StrobeTrackId track);
void host_thread_free(gpointer thread);

/* Adds a span of the thread; children come before parents. A span with ROLE_NONE only affects
 * first_ns. FALSE: the span had to be kept, but `can_keep` is FALSE. */
gboolean host_thread_add(HostThread *thread, gint64 begin_ns, gint64 end_ns, Role role,
                         gboolean can_keep);
/* Sorts the spans by begin, enclosing spans first. Call it when all have been added. */
void host_thread_sort(HostThread *thread);

#endif
