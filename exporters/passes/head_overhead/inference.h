/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the inferences of a thread, and divides the time before their first kernel into parts. */
#ifndef STROBE_PASSES_INFERENCE_H
#define STROBE_PASSES_INFERENCE_H

#include <strobe/kinds.h>

#include "host-thread.h"

typedef struct HeadStep {
    gint64 begin_ns, end_ns, number;
    guint64 thread; /* thread that announced the step; STROBE_ABSENT_U64: unknown */
    StrobeTrackId track;
    StrobeStringId name;
} HeadStep;

/* Values of the record's text fields `mode` and `entry`. */
typedef enum HeadMode { MODE_UNKNOWN, MODE_GE, MODE_ACLGRAPH, MODE_EAGER } HeadMode;
typedef enum EntrySource {
    ENTRY_NONE,
    ENTRY_PATTERN,
    ENTRY_CACHE,
    ENTRY_LOOKUP,
    ENTRY_REGION,
    ENTRY_FRAME,
    ENTRY_STEP,
    ENTRY_PREVIOUS,
    ENTRY_THREAD
} EntrySource;

typedef struct Inference {
    const HostThread *thread;
    gint64 begin_ns, end_ns; /* of the mark of the inference itself */
    gint64 entry_ns;
    /* begin and end of the call of GE; G_MININT64: there is none */
    gint64 execute_ns, execute_end_ns;
    gint64 until_ns; /* begin of the next inference of the thread */
    /* begin of the first kernel that a link names, and of the first kernel after the call;
     * G_MAXINT64: none */
    gint64 linked_ns, after_ns;
    gint32 step; /* index of the step; -1: none */
    HeadMode mode;
    EntrySource source;
    gboolean is_cached; /* there is no mark for the inference itself, only for the cached entry */
    const char *error;  /* NULL: no error */
    /* The fields of the record, except the fields that depend on a kernel, a string or other
     * inferences. */
    struct strobe_head_overhead figures;
} Inference;

/* Appends the inferences of a sorted thread in the order of their begins. `steps` (of HeadStep)
 * must be sorted. If some of them are of the thread `number` (HeadStep.thread), only these are
 * used. */
void inferences_find(const HostThread *thread, guint64 number, const GArray *steps,
                     GArray *inferences);

/* Computes the figures that depend on kernels. Must be called after the kernels have been found. */
void inference_finish(Inference *inference);

#endif
