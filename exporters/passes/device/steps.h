/* SPDX-License-Identifier: Apache-2.0 */
/* Steps as a pass knows them: their device times, and the question which one holds a time. */
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
    gboolean has_devices; /* a step has a time of its own on each of several devices */
    gboolean is_sorted;   /* by devices */
} Steps;

void steps_init(Steps *steps);
void steps_clear(Steps *steps);
/* A record of step_range. */
void steps_add(Steps *steps, const StrobeView *record);
/* The same for who does not tell devices apart: a step's range is then that of all of them. */
void steps_add_joined(Steps *steps, const StrobeView *record);
/* The first one, in the order in which they came, that holds the time: up to and with its end, and
 * up to its end. Where devices have times of their own, of those of that device. NULL: none. What
 * is returned stays until a step is added. */
const Step *steps_find_closed(Steps *steps, gint32 device, gint64 at_ns);
const Step *steps_find(Steps *steps, gint32 device, gint64 at_ns);
/* As steps_find, in the doubles of microseconds that the original compares. */
const Step *steps_find_us(Steps *steps, gint32 device, gint64 at_ns);

#endif
