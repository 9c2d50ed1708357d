/* SPDX-License-Identifier: Apache-2.0 */
/* Determines from a record's kind and name the cause of its time. */
#ifndef STROBE_PASSES_CAUSE_NAMES_H
#define STROBE_PASSES_CAUSE_NAMES_H

#include <glib.h>

#define CAUSE_STEP_MARK "ProfilerStep#" /* prefix of the framework's marks for whole steps */

/* The parts of a step's time. Time counts for the first part that contains it. */
typedef enum StepPart {
    PART_GC,
    PART_DATA,
    PART_SYNCHRONIZATION,
    PART_COMPILE,
    PART_OPERATORS,
    PART_PYTHON,
    N_PARTS /* all other time */
} StepPart;

/* The part to which a span of this kind and name belongs; N_PARTS: none. */
StepPart cause_of_name(const char *kind, const char *name);

#endif
