/* SPDX-License-Identifier: Apache-2.0 */
/* Brings a JOB directory here. It appears whole: until then it is a hidden folder, and after a lost
 * connection JOB….part, where a later fetch goes on. */
#ifndef STROBE_REMOTE_JOB_FETCH_H
#define STROBE_REMOTE_JOB_FETCH_H

#include "job-list.h"

typedef struct StrobeFetchTotals {
    guint n_files, n_refused;
    guint n_changed; /* of the refused: files that arrived otherwise than the board has them */
    guint64 fetched_bytes;
} StrobeFetchTotals;

/* Fetches `job` (an absolute path on the board) into the folder `output`. `report` is given each
 * thing that is refused, and where a part is kept. Returns its path (free it), or NULL with the
 * error set. */
char *strobe_job_fetch(StrobeRemote *remote, const char *job, const char *output,
                       void (*report)(const char *text), StrobeFetchTotals *totals, GError **error);

/* Fetches the file `name` of `folder` on the board, of this size, into a folder here. FALSE: the
 * error. */
gboolean strobe_job_fetch_file(StrobeRemote *remote, const char *folder, const StrobeJobFile *file,
                               const char *output, void (*report)(const char *text),
                               StrobeFetchTotals *totals, GError **error);

/* Brings those files of a JOB that the recorder has finished (NAME.done is there) while the program
 * runs, and removes them on the board, so that it does not fill up. They wait in the hidden folder
 * for strobe_job_fetch(). FALSE: the error. */
gboolean strobe_job_fetch_finished(StrobeRemote *remote, const char *job, const char *output,
                                   StrobeFetchTotals *totals, GError **error);

/* Is there a part of the JOB in the folder? */
gboolean strobe_job_fetch_has_part(const char *output, const char *job);

#endif
