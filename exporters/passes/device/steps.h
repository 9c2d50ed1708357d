/* SPDX-License-Identifier: Apache-2.0 */
/* Steps for passes: their device times, and a search for the step that contains a time. */
#ifndef STROBE_PASSES_STEPS_H
#define STROBE_PASSES_STEPS_H

#include <glib.h>
#include <strobe/exporter.h>

#define STEPS_MAX 1048576u

typedef struct Step {
    gint64 begin_ns, end_ns; /* on the device */
    gint64 host_begin_ns;
    gint64 number;
    gint32 device;
} Step;

typedef struct Steps {
    GArray *steps; /* of Step */
    guint64 n_dropped;
    gboolean has_devices; /* a step has a separate time range on each of several devices */
    gboolean is_sorted;   /* by devices */
} Steps;

void steps_init(Steps *steps);
void steps_clear(Steps *steps);
/* A record of step_range. */
void steps_add(Steps *steps, const StrobeView *record);
/* The same for a pass that does not distinguish devices: a step's range then covers all of them. */
void steps_add_joined(Steps *steps, const StrobeView *record);
/* The first step, in order of arrival, that contains the time, with its end included or
 * excluded. If devices have separate times, uses those of that device. NULL: none. Valid until a
 * step is added. */
const Step *steps_find_closed(Steps *steps, gint32 device, gint64 at_ns);
const Step *steps_find(Steps *steps, gint32 device, gint64 at_ns);
/* Like steps_find, with doubles of microseconds as in the original. */
const Step *steps_find_us(Steps *steps, gint32 device, gint64 at_ns);

#endif
