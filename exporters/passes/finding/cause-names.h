/* SPDX-License-Identifier: Apache-2.0 */
/* Determines from a record's kind and name the cause of its time. */
#ifndef STROBE_PASSES_CAUSE_NAMES_H
#define STROBE_PASSES_CAUSE_NAMES_H

#include <glib.h>

/* Prefix of the names of operators by which the framework marks whole steps. */
#define CAUSE_STEP_MARK "ProfilerStep#"

/* The parts of a step's time. A time that belongs to several parts counts for the first of them. */
typedef enum StepPart {
    PART_GC,
    PART_DATA,
    PART_SYNCHRONIZATION,
    PART_COMPILE,
    PART_OPERATORS,
    PART_PYTHON,
    N_PARTS /* number of parts; as an index: all other time */
} StepPart;

/* Returns the part to which a span of this kind and name belongs; N_PARTS: it belongs to none. */
StepPart cause_of_name(const char *kind, const char *name);

#endif
