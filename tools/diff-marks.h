/* SPDX-License-Identifier: Apache-2.0 */
/* Ranges that the program or the framework marked. A Kineto trace separates them from operators;
 * an Ascend result mixes them, some without a scope. A comparison does not count them as
 * operators. */
#ifndef STROBE_TOOLS_DIFF_MARKS_H
#define STROBE_TOOLS_DIFF_MARKS_H

#include <glib.h>
#include <strobe/exporter.h>

typedef struct StrobeDiffMarks {
    const StrobeConsumerHost *host;
    StrobeInstance *self;
    GHashTable *names; /* StrobeStringId -> 1: it is a mark, 2: it is not */
} StrobeDiffMarks;

void strobe_diff_marks_init(StrobeDiffMarks *marks, const StrobeConsumerHost *host,
                            StrobeInstance *self);
void strobe_diff_marks_clear(StrobeDiffMarks *marks);

/* Whether a record of cpu_op with that name and scope is a mark. */
gboolean strobe_diff_marks_have(StrobeDiffMarks *marks, StrobeStringId name, guint8 scope);

#endif
