/* SPDX-License-Identifier: Apache-2.0 */
/* Computes, from the records, the sums that the finding pass needs. Their memory is bounded. */
#ifndef STROBE_PASSES_MEASURES_H
#define STROBE_PASSES_MEASURES_H

#include <glib.h>
#include <strobe/helpers/fields.h>
#include <strobe/helpers/intervals.h>

#include "busy-times.h"
#include "lock-waits.h"

/* Maximum number of names for each part of a step; findings cannot mention further names. */
#define MEASURES_NAMES_MAX 4096u
#define MEASURES_SMALL_KERNEL_NS 10000

/* The mean of a value that was sampled over intervals, weighted by their lengths. */
typedef struct WeightedMean {
    double sum, weight;
    guint64 count;
} WeightedMean;

/* Time and number of the spans that have one name and belong to one part of a step. */
typedef struct NamedTime {
    StrobeStringId name;
    const char *kind; /* kind of the first record with this name; interned */
    gint64 time_ns;
    guint64 count;
} NamedTime;

enum { PRESSURE_CPU, PRESSURE_MEMORY, PRESSURE_IO, N_PRESSURES };

typedef struct Measures {
    const StrobeConsumerHost *host;
    StrobeInstance *self;
    BusyTimes *times;
    GHashTable *causes;         /* kind and name -> StepPart + 1 */
    GHashTable *names[N_PARTS]; /* name -> NamedTime */
    guint64 n_spans[N_PARTS];
    guint64 n_kernels, n_small_kernels;
    gint64 kernel_ns;
    /* sums over the records of step_trace */
    double device_stage_us, device_free_us, device_communication_us;
    guint64 n_device_steps;
    gint64 peak_reserved, allocated_at_peak; /* B */
    guint64 n_memory;
    WeightedMean pressure[N_PRESSURES], throttled, processor_wait, disk;
    double peak_group_share; /* % of the control group's memory limit */
    guint64 n_host_memory;
    guint64 n_lost;
    StrobeIntervals own_calls; /* calls into collectors */
    gint64 own_calls_gap_ns;   /* calls with smaller gaps between them were merged into one */
    guint64 n_own_calls;
    /* waits in os_call records, and waits in cpu_sample.wait records */
    LockWaits *lock_calls, *lock_stacks;
    StrobeBinder binders[24];
} Measures;

Measures *measures_new(const StrobeConsumerHost *host, StrobeInstance *self);
void measures_free(Measures *measures);
void measures_add(Measures *measures, const StrobeView *record);

/* Returns the mean, 0 if there are no samples. */
double weighted_mean(const WeightedMean *mean);
/* Returns the names of a part that have the most time, for example "aten::item 3 x, 1.20 ms;
 * clFinish 2 x, 0.10 ms". If there is only one name, it has no count. If there are no names, the
 * text is empty. (transfer full) */
char *measures_top_names(const Measures *measures, StepPart part);
/* Returns the kind of the name that has the most time, or `otherwise` if the part has no names. */
const char *measures_top_kind(const Measures *measures, StepPart part, const char *otherwise);

#endif
