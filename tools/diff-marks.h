/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the ranges that the program or the framework marked, which a comparison does not count as
 * operators. In a Kineto trace they are separate from operators. In an Ascend result they are among
 * the operators, some without a scope. */
#ifndef STROBE_TOOLS_DIFF_MARKS_H
#define STROBE_TOOLS_DIFF_MARKS_H

#include <glib.h>
#include <strobe/exporter.h>

typedef struct StrobeDiffMarks {
    const StrobeConsumerHost *host;
    StrobeInstance *self;
    GHashTable *names; /* StrobeStringId of a name -> 1 for a mark, 2 for another name */
} StrobeDiffMarks;

void strobe_diff_marks_init(StrobeDiffMarks *marks, const StrobeConsumerHost *host,
                            StrobeInstance *self);
void strobe_diff_marks_clear(StrobeDiffMarks *marks);

/* Whether a record of the kind cpu_op with this name and scope is a mark. */
gboolean strobe_diff_marks_have(StrobeDiffMarks *marks, StrobeStringId name, guint8 scope);

#endif
