/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the attributes of the perf events that sample, and reads the records that the kernel
 * writes for these events. */
#ifndef STROBE_CPU_SAMPLE_EVENT_H
#define STROBE_CPU_SAMPLE_EVENT_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "code-object.h"

typedef struct SampleWish {
    uint32_t frequency; /* Hz */
    /* the kernel wakes the reader for each event; 0: the reader polls */
    int has_wakeups;
    int has_stacks;   /* sample the callers as well, not only the innermost frame */
    int has_kernel;   /* sample kernel code as well */
    int has_children; /* sample processes that the program starts as well */
    /* report data mappings as well: a mapping of one of Strobe's pools shows that the process is
     * recorded */
    int has_pools;
    /* mask of the user-space registers that are copied, with the stack, in place of the user-space
     * call chain; 0: nothing is copied */
    uint64_t registers;
    uint32_t stack_bytes; /* size of the stack copy, a multiple of 8 */
    int is_software_only; /* use the clock even if the processor can count cycles */
} SampleWish;

/* Finds attributes that the kernel accepts for the process. Prefers cycles to the clock, and
 * sampling with kernel code to sampling without. Returns -1 with errno if the kernel accepts no
 * attributes. */
int sample_event_choose(struct perf_event_attr *attributes, const SampleWish *wish, pid_t pid);

/* Does the same as sample_event_choose for context switches: the kernel takes a sample with the
 * user-space chain when a thread leaves its processor, and writes SWITCH events. */
int sample_event_choose_switches(struct perf_event_attr *attributes, const SampleWish *wish,
                                 pid_t pid);
/* Returns the reason why the kernel refuses the events for context switches, as static text. */
const char *sample_event_switches_reason(int error);

/* Returns whether the event counts cycles; otherwise it counts time. */
int sample_event_is_cycles(const struct perf_event_attr *attributes);

/* The layout of a sample in the ring. */
typedef struct Sample {
    struct perf_event_header header;
    uint32_t pid, tid;
    uint64_t time; /* CLOCK_MONOTONIC, ns */
    uint32_t processor, reserved;
    uint64_t period; /* ns or cycles */
    uint64_t n_addresses;
    uint64_t addresses[];
} Sample;

/* Returns the event as a sample; NULL: the event is shorter than the contents that it declares. */
const Sample *sample_event_read(const struct perf_event_header *event);

/* Layout of FORK and EXIT events. */
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
    uint8_t build_id[20]; /* valid with PERF_RECORD_MISC_MMAP_BUILD_ID */
    uint32_t protection, flags;
    char path[];
} MapEvent;

CodeMapping sample_event_mapping(const MapEvent *event);

/* Return the reason why sampling is refused, and a remedy (or NULL), as static texts. */
const char *sample_event_reason(int error);
const char *sample_event_hint(int error);

#endif
