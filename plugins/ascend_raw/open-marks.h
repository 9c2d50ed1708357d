/* SPDX-License-Identifier: Apache-2.0 */
/* The latest start of each thread and name. */
#ifndef STROBE_ASCEND_RAW_OPEN_MARKS_H
#define STROBE_ASCEND_RAW_OPEN_MARKS_H

#include <glib.h>

#define OPEN_MARKS_MAX (1u << 20)

typedef struct OpenMarks OpenMarks;

OpenMarks *open_marks_new(void);
void open_marks_free(OpenMarks *marks);

/* FALSE if there are too many. */
gboolean open_marks_put(OpenMarks *marks, guint64 thread, guint32 name, gint64 time);
/* The time that was put last, which is then gone. FALSE if there is none. */
gboolean open_marks_take(OpenMarks *marks, guint64 thread, guint32 name, gint64 *time);

/* How much is looked at in vain where each of them is found once. */
guint64 open_marks_steps(const OpenMarks *marks);

#endif
