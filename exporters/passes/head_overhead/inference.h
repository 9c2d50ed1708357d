/* SPDX-License-Identifier: Apache-2.0 */
/* The inferences of a thread and where the time before their first kernel goes. */
#ifndef STROBE_PASSES_INFERENCE_H
#define STROBE_PASSES_INFERENCE_H

#include <strobe/kinds.h>

#include "host-thread.h"

typedef struct HeadStep {
    gint64 begin_ns, end_ns, number;
    guint64 thread; /* thread that announced it; STROBE_ABSENT_U64: unknown */
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
    gint64 begin_ns, end_ns; /* of the inference itself */
    gint64 entry_ns;
    gint64 execute_ns, execute_end_ns; /* the call of GE; G_MININT64: none */
    gint64 until_ns;                   /* begin of the next inference of the thread */
    gint64 linked_ns, after_ns; /* begin of the first kernel that it launched, and of the first
                                   after the call; G_MAXINT64: none */
    gint32 step;                /* index in the steps, -1: none */
    HeadMode mode;
    EntrySource source;
    gboolean is_cached; /* only the cached entry is marked */
    const char *error;  /* NULL: none */
    /* The record's fields, except those that need a kernel, a string or other inferences. */
    struct strobe_head_overhead figures;
} Inference;

/* Appends the inferences of a sorted thread, in order of begin; `steps` (of HeadStep) are sorted.
 * `number` is the thread's number: if the thread announced steps itself, only these count. */
void inferences_find(const HostThread *thread, guint64 number, const GArray *steps,
                     GArray *inferences);

/* Computes the figures that need kernels. Call it after the kernels have been looked up. */
void inference_finish(Inference *inference);

#endif
