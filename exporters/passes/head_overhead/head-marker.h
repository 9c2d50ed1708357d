/* SPDX-License-Identifier: Apache-2.0 */
/* The role of a name on a host thread in the head overhead of a graph. */
#ifndef STROBE_PASSES_MARKER_H
#define STROBE_PASSES_MARKER_H

#include <glib.h>
#include <strobe/exporter.h>

typedef enum Role {
    ROLE_NONE = 1, /* not 0, so that a role can be a value of a hash table */
    ROLE_INFERENCE,
    ROLE_CACHE,     /* the cached entry into a compiled graph */
    ROLE_RUN,       /* entry into C++ */
    ROLE_EXECUTE,   /* the call of GE */
    ROLE_RUN_GRAPH, /* the call of GE where it does not support the fast path */
    ROLE_REPLAY,    /* replay of a captured graph, which does not use GE */
    ROLE_EAGER,
    ROLE_LOOKUP,
    ROLE_REGION,
    ROLE_INPUTS,
    ROLE_OUTPUTS,
    ROLE_LOAD, /* LoadGraph, in a graph's first run */
    ROLE_REFRESH,
    ROLE_COMPILE, /* load, compilation, tuning or capture of a graph */
    ROLE_FRAME,   /* a Python frame of a compiled module */
    ROLE_ENTRY,   /* a name that the option `entry` matches */
    ROLE_STEP,
    /* Operators. */
    ROLE_BUILD,      /* makes a tensor of scalars or a list */
    ROLE_CONTIGUOUS, /* makes a tensor contiguous, or copies it */
    ROLE_ATEN
} Role;

#define MARKERS_RECENT 2048u

typedef struct Markers {
    const StrobeConsumerHost *host;
    StrobeInstance *self;
    char *inference, *cache, *run, *execute; /* folded */
    GRegex *entry;                           /* NULL: none */
    GHashTable *roles;                       /* StrobeStringId to Role */
    struct {
        gsize key; /* 0: none */
        Role role;
    } recent[MARKERS_RECENT]; /* the last names, each in its slot */
} Markers;

/* Reads the pass's options. */
StrobeStatus markers_init(Markers *markers, const StrobeConsumerHost *host, StrobeInstance *self);
void markers_clear(Markers *markers);

/* Role of a name. `is_frame`: it is the name of a Python call. */
Role markers_role(Markers *markers, StrobeStringId name, gboolean is_frame);

/* Step number in a name such as "ProfilerStep#7"; STROBE_ABSENT_I64 for other names. */
gint64 markers_step(const Markers *markers, StrobeStringId name);

/* Copies `text`, with runs of blanks and underscores as one blank and without those at the ends;
 * truncates to `size`. */
void marker_fold(const char *text, char *folded, gsize size);

#endif
