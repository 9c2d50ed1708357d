/* SPDX-License-Identifier: Apache-2.0 */
/* Ranges that the program or the framework marked. A Kineto trace has them apart from operators, an
 * Ascend result among them, some without a scope; so they are no operators of a comparison. */
#ifndef STROBE_TOOLS_DIFF_MARKS_H
#define STROBE_TOOLS_DIFF_MARKS_H

#include <glib.h>
#include <strobe/exporter.h>

typedef struct StrobeDiffMarks {
    const StrobeConsumerHost *host;
    StrobeInstance *self;
    GHashTable *names; /* StrobeStringId to whether it is one (1) or not (2) */
} StrobeDiffMarks;

void strobe_diff_marks_init(StrobeDiffMarks *marks, const StrobeConsumerHost *host,
                            StrobeInstance *self);
void strobe_diff_marks_clear(StrobeDiffMarks *marks);

/* Whether a record of cpu_op of that name and scope is one. */
gboolean strobe_diff_marks_have(StrobeDiffMarks *marks, StrobeStringId name, guint8 scope);

#endif
