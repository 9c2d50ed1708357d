/* SPDX-License-Identifier: Apache-2.0 */
/* Stores the latest start of each pair of thread and name. */
#ifndef STROBE_ASCEND_RAW_OPEN_MARKS_H
#define STROBE_ASCEND_RAW_OPEN_MARKS_H

#include <glib.h>

#define OPEN_MARKS_MAX (1u << 20)

typedef struct OpenMarks OpenMarks;

OpenMarks *open_marks_new(void);
void open_marks_free(OpenMarks *marks);

/* Stores the start of a pair, and replaces an earlier start. Returns FALSE if there are too many
 * pairs. */
gboolean open_marks_put(OpenMarks *marks, guint64 thread, guint32 name, gint64 time);
/* Removes the start of the pair and sets `time` to its time. Returns FALSE if the pair has no
 * start. */
gboolean open_marks_take(OpenMarks *marks, guint64 thread, guint32 name, gint64 *time);

/* Returns the number of slots of other pairs that are examined if each entry is looked up once. */
guint64 open_marks_steps(const OpenMarks *marks);

#endif
