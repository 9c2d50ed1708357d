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
} Step;

typedef struct Steps {
    GArray *steps; /* of Step */
    guint64 n_dropped;
} Steps;

void steps_init(Steps *steps);
void steps_clear(Steps *steps);
void steps_add(Steps *steps, const StrobeView *record); /* a record of step_range */
/* The first one, in the order in which they came, that holds the time: up to and with its end, and
 * up to its end. NULL: none. */
const Step *steps_find_closed(const Steps *steps, gint64 at_ns);
const Step *steps_find(const Steps *steps, gint64 at_ns);
/* As steps_find, in the doubles of microseconds that the original compares. */
const Step *steps_find_us(const Steps *steps, gint64 at_ns);

#endif
