/* SPDX-License-Identifier: Apache-2.0 */
/* Tells by a record's kind and name what its time is for. */
#ifndef STROBE_PASSES_CAUSE_NAMES_H
#define STROBE_PASSES_CAUSE_NAMES_H

#include <glib.h>

/* Where the time of a step goes. A moment counts for the first part that holds it. */
typedef enum StepPart {
    PART_GC,
    PART_DATA,
    PART_SYNCHRONIZATION,
    PART_COMPILE,
    PART_OPERATORS,
    PART_PYTHON,
    N_PARTS /* the rest */
} StepPart;

/* The part of a span of this kind; N_PARTS: of none. */
StepPart cause_of_name(const char *kind, const char *name);

#endif
