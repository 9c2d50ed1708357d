/* SPDX-License-Identifier: Apache-2.0 */
/* An event of memory in the pass, and the block that results from several. */
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

/* The place of an allocation: events of different sources never belong to one block. */
typedef struct MemorySource {
    StrobeStringId component;
    gint32 device;
    gboolean is_ge; /* the device's own allocator, which reports operators but no activity */
} MemorySource;

/* The key that all events of one block share. */
typedef struct MemoryKey {
    MemorySource source;
    guint64 pid;
    guint64 address;     /* or the block's id */
    StrobeStringId name; /* operator, only for GE */
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
    gboolean is_reported; /* the operator is known, or not needed */
    gboolean is_shadowed; /* an event with the same time has the details of this state */
} MemoryEvent;

typedef struct MemoryBlock {
    MemoryKey key;
    gint64 begin_ns, size;
    gint64 release_ns, block_release_ns; /* absent: none */
    MemoryTotals allocation, release;
    guint64 stream;
    guint64 order; /* PTA: order of allocation; GE: order of release */
    StrobeTrackId track;
    StrobeStringId name;
    gboolean is_unsure; /* from the very first totals: an allocation only if its release comes */
} MemoryBlock;

static inline gboolean memory_source_equal(const MemorySource *a, const MemorySource *b)
{
    return a->component == b->component && a->device == b->device;
}

#endif
