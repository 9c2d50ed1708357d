/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the role that a span of a host thread has in an inference with a compiled graph, by the
 * name of the span. */
#ifndef STROBE_PASSES_MARKER_H
#define STROBE_PASSES_MARKER_H

#include <glib.h>
#include <strobe/exporter.h>

typedef enum Role {
    ROLE_NONE = 1, /* not 0, because the table `roles` has 0 for a missing name */
    ROLE_INFERENCE,
    ROLE_CACHE,     /* entry into a compiled graph that is in the cache */
    ROLE_RUN,       /* entry into C++ */
    ROLE_EXECUTE,   /* call of GE */
    ROLE_RUN_GRAPH, /* call of GE if the graph does not support the fast path */
    ROLE_REPLAY,    /* replay of a captured graph, which does not use GE */
    ROLE_EAGER,
    ROLE_LOOKUP,
    ROLE_REGION,
    ROLE_INPUTS,
    ROLE_OUTPUTS,
    ROLE_LOAD, /* LoadGraph, in a graph's first run */
    ROLE_REFRESH,
    ROLE_COMPILE, /* load, compilation, tuning or capture of a graph */
    ROLE_FRAME,   /* Python frame of a compiled module */
    ROLE_ENTRY,   /* a name that the option `entry` matches */
    ROLE_STEP,
    /* The roles of operators. */
    ROLE_BUILD,      /* makes a tensor of scalars or a list */
    ROLE_CONTIGUOUS, /* makes a tensor contiguous, or copies it */
    ROLE_ATEN
} Role;

#define MARKERS_RECENT 2048u

typedef struct Markers {
    const StrobeConsumerHost *host;
    StrobeInstance *self;
    char *inference, *cache, *run, *execute; /* texts of the options, converted by marker_fold */
    GRegex *entry;                           /* NULL: the option `entry` is not set */
    GHashTable *roles;                       /* StrobeStringId -> Role */
    struct {
        gsize key; /* 0: empty slot */
        Role role;
    } recent[MARKERS_RECENT]; /* a hash table; a new name replaces the one in its slot */
} Markers;

/* Reads the pass's options. */
StrobeStatus markers_init(Markers *markers, const StrobeConsumerHost *host, StrobeInstance *self);
void markers_clear(Markers *markers);

/* Returns the role of a name. `is_frame`: the name belongs to a Python call. */
Role markers_role(Markers *markers, StrobeStringId name, gboolean is_frame);

/* Returns the number of the step in a name like "ProfilerStep#7"; STROBE_ABSENT_I64 for other
 * names. */
gint64 markers_step(const Markers *markers, StrobeStringId name);

/* Copies `text` to `folded`, which has `size` bytes. Replaces successive blanks and underscores by
 * one blank, and removes blanks and underscores at both ends. */
void marker_fold(const char *text, char *folded, gsize size);

#endif
