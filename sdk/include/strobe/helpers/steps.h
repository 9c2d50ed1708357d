/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The steps of a capture for passes and exporters: takes records of kind step_range and finds the
 * step that contains a time. A StrobeSteps of zeros is empty and ready for use. Only one thread at
 * a time may use a StrobeSteps. libc only. Since 1.0.
 */
#ifndef STROBE_HELPERS_STEPS_H
#define STROBE_HELPERS_STEPS_H

#include <strobe/exporter.h>

#if defined(__cplusplus)
extern "C" {
#endif

#define STROBE_STEPS_MAX 1048576u

typedef struct StrobeStep {
    int64_t begin_ns, end_ns; /* times on the device */
    int64_t host_begin_ns;
    int64_t number;
    int32_t device;
    uint32_t place; /* index in the order in which the steps were added */
} StrobeStep;

typedef struct StrobeSteps {
    StrobeStep *items;
    size_t n, room;
    uint64_t n_dropped; /* steps that were not added: above STROBE_STEPS_MAX, or out of memory */
    int has_devices;    /* a step has a separate time range on each of several devices */
    int is_sorted;      /* the steps are sorted by device */
} StrobeSteps;

/* Frees the steps. */
void strobe_steps_clear(StrobeSteps *steps);

/* Adds a record of kind step_range. */
void strobe_steps_add(StrobeSteps *steps, const StrobeView *record);
/* Like strobe_steps_add, for a pass that does not distinguish devices: a step's range then covers
 * its ranges on all devices. */
void strobe_steps_add_joined(StrobeSteps *steps, const StrobeView *record);

/* Return the first added step that contains the time `at_ns`; NULL: there is none. The result is
 * valid until a step is added. If steps have separate times on several devices, the times on
 * `device` are used. In find and find_us a step does not contain its end; in find_closed it does.
 * find_us compares times as doubles of microseconds, as the Ascend PyTorch Profiler does. */
const StrobeStep *strobe_steps_find(StrobeSteps *steps, int32_t device, int64_t at_ns);
const StrobeStep *strobe_steps_find_closed(StrobeSteps *steps, int32_t device, int64_t at_ns);
const StrobeStep *strobe_steps_find_us(StrobeSteps *steps, int32_t device, int64_t at_ns);

#if defined(__cplusplus)
}
#endif

#endif
