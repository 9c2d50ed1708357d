/* SPDX-License-Identifier: Apache-2.0 */
/* The perf events of samples: how they are opened, and what the kernel writes of them. */
#ifndef STROBE_CPU_SAMPLE_EVENT_H
#define STROBE_CPU_SAMPLE_EVENT_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "code-object.h"

typedef struct SampleWish {
    uint32_t frequency;   /* Hz */
    int has_wakeups;      /* a reader is woken for each event, not only looks at times */
    int has_stacks;       /* the callers too, not only the innermost frame */
    int has_kernel;       /* what is done in the kernel too */
    int has_children;     /* processes that the program starts too */
    int has_pools;        /* mappings of data too, among them Strobe's pools */
    uint64_t registers;   /* of the user, copied with the stack instead of its chain; 0: none */
    uint32_t stack_bytes; /* of that copy, a multiple of 8 */
    int is_software_only; /* the clock, also where the processor counts cycles */
} SampleWish;

/* Finds attributes that the kernel accepts for the process: cycles before the clock, with the
 * kernel's part before without. -1 with errno: none. */
int sample_event_choose(struct perf_event_attr *attributes, const SampleWish *wish, pid_t pid);

/* The same for the switches of its threads: a sample as each leaves its processor, with the user's
 * chain, and SWITCH events. */
int sample_event_choose_switches(struct perf_event_attr *attributes, const SampleWish *wish,
                                 pid_t pid);
/* Why these are refused: static text. */
const char *sample_event_switches_reason(int error);

/* Counts it cycles, or time? */
int sample_event_is_cycles(const struct perf_event_attr *attributes);

/* A sample as it lies in the ring. */
typedef struct Sample {
    struct perf_event_header header;
    uint32_t pid, tid;
    uint64_t time; /* CLOCK_MONOTONIC, ns */
    uint32_t processor, reserved;
    uint64_t period; /* ns or cycles */
    uint64_t n_addresses;
    uint64_t addresses[];
} Sample;

/* NULL: it is shorter than it says. */
const Sample *sample_event_read(const struct perf_event_header *event);

/* FORK, EXIT. */
typedef struct TaskEvent {
    struct perf_event_header header;
    uint32_t pid, parent, tid, parent_tid;
} TaskEvent;

typedef struct NameEvent {
    struct perf_event_header header;
    uint32_t pid, tid;
    char name[];
} NameEvent;

typedef struct MapEvent {
    struct perf_event_header header;
    uint32_t pid, tid;
    uint64_t begin, size, offset;
    uint8_t build_id_size, reserved[3];
    uint8_t build_id[20]; /* with PERF_RECORD_MISC_MMAP_BUILD_ID */
    uint32_t protection, flags;
    char path[];
} MapEvent;

CodeMapping sample_event_mapping(const MapEvent *event);

/* Why sampling is refused, and what would help: static text. */
const char *sample_event_reason(int error);
const char *sample_event_hint(int error);

#endif
