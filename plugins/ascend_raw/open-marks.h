/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps the latest start of each pair of thread and name. */
#ifndef STROBE_ASCEND_RAW_OPEN_MARKS_H
#define STROBE_ASCEND_RAW_OPEN_MARKS_H

#include <glib.h>

#define OPEN_MARKS_MAX (1u << 20)

typedef struct OpenMarks OpenMarks;

OpenMarks *open_marks_new(void);
void open_marks_free(OpenMarks *marks);

/* FALSE if there are too many. */
gboolean open_marks_put(OpenMarks *marks, guint64 thread, guint32 name, gint64 time);
/* Returns the time that was put last, and removes it. FALSE if there is none. */
gboolean open_marks_take(OpenMarks *marks, guint64 thread, guint32 name, gint64 *time);

/* Returns how many wrong slots are examined if each entry is looked up once. */
guint64 open_marks_steps(const OpenMarks *marks);

#endif
