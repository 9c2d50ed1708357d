/* SPDX-License-Identifier: Apache-2.0 */
/* Reads TASK, and the tables that have more columns of a task. */
#ifndef STROBE_ASCEND_DB_TASKS_H
#define STROBE_ASCEND_DB_TASKS_H

#include "row-reader.h"

void tasks_import(Import *import);

/* The columns of a task that the importers of other tables use. */
typedef struct TaskMetadata {
    gint64 begin_ns, end_ns;
    guint64 pid, connection;
    guint32 stream, task_id, context, model;
    gint32 device;
} TaskMetadata;

/* Returns a lookup by globalTaskId for task_metadata_find. Returns NULL if there is no table
 * TASK. */
sqlite3_stmt *task_metadata_new(Import *import);
gboolean task_metadata_find(sqlite3_stmt *lookup, gint64 task, TaskMetadata *metadata);

/* Converts an id of the database, where large ids are negative, to a link id. Returns
 * STROBE_ABSENT_U64 if there is no id. */
guint64 task_link(gint64 id);

#endif
