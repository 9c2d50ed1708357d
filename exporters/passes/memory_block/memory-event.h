/* SPDX-License-Identifier: Apache-2.0 */
/* An event of memory, and the block that results from several events. */
#ifndef STROBE_PASSES_MEMORY_EVENT_H
#define STROBE_PASSES_MEMORY_EVENT_H

#include "operator-names.h"

enum {
    MEMORY_ALLOCATION = 0,
    MEMORY_RELEASE = 1,
    MEMORY_BLOCK_RELEASE = 2,
    MEMORY_STATE = 3,
    MEMORY_FIRST = 4
};

typedef struct MemoryTotals {
    gint64 allocated, reserved, active;
} MemoryTotals;

/* The allocator and the device of an event. All events of a block have the same source. */
typedef struct MemorySource {
    StrobeStringId component;
    gint32 device;
    /* the device's own allocator (GE), whose events name operators but have no active bytes */
    gboolean is_ge;
} MemorySource;

/* The key of a block, which all events of the block share. */
typedef struct MemoryKey {
    MemorySource source;
    guint64 pid;
    guint64 address;     /* the address of the block; with is_id, the id of the block */
    StrobeStringId name; /* name of the operator for GE; else 0 */
    gboolean is_id;
} MemoryKey;

typedef struct MemoryEvent {
    MemoryKey key;
    gint64 at_ns, size;
    MemoryTotals totals;
    guint64 stream;
    guint32 action;
    StrobeTrackId track;
    StrobeStringId name;
    OperatorAnswer op;
    gboolean is_reported; /* the operator is known, or the block needs none */
    gboolean is_shadowed; /* another event of the same time has the details of this state */
} MemoryEvent;

typedef struct MemoryBlock {
    MemoryKey key;
    gint64 begin_ns, size;
    gint64 release_ns, block_release_ns; /* absent: not released */
    MemoryTotals allocation, release;
    guint64 stream;
    /* position in the output: for PTA the order of allocations, for GE the order of releases */
    guint64 order;
    StrobeTrackId track;
    StrobeStringId name;
    /* derived from the first totals: there is a block only if its release comes */
    gboolean is_unsure;
} MemoryBlock;

static inline gboolean memory_source_equal(const MemorySource *a, const MemorySource *b)
{
    return a->component == b->component && a->device == b->device;
}

#endif
