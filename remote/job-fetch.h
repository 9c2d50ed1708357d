/* SPDX-License-Identifier: Apache-2.0 */
/* Copies a JOB directory from the board. It appears here when it is complete: until then it is a
 * hidden folder, and after a lost connection it is named JOB….part, and a later fetch continues
 * it. */
#ifndef STROBE_REMOTE_JOB_FETCH_H
#define STROBE_REMOTE_JOB_FETCH_H

#include "job-list.h"

typedef struct StrobeFetchTotals {
    guint n_files, n_refused;
    guint n_changed; /* refused files that arrived with other content than they have on the board */
    guint64 fetched_bytes;
} StrobeFetchTotals;

/* Fetches `job` (an absolute path on the board) into the folder `output`. `report` gets a message
 * for each file that is refused, and for a part that is kept. Returns the path of the JOB directory
 * here (free it). NULL: the error. */
char *strobe_job_fetch(StrobeRemote *remote, const char *job, const char *output,
                       void (*report)(const char *text), StrobeFetchTotals *totals, GError **error);

/* Fetches one file of `folder` on the board into the folder `output` here. FALSE: the error. */
gboolean strobe_job_fetch_file(StrobeRemote *remote, const char *folder, const StrobeJobFile *file,
                               const char *output, void (*report)(const char *text),
                               StrobeFetchTotals *totals, GError **error);

/* While the program runs, fetches files of a JOB that the recorder has finished (NAME.done exists),
 * and removes them on the board, so that its disk does not fill up. The files stay in the hidden
 * folder until strobe_job_fetch(). FALSE: the error. */
gboolean strobe_job_fetch_finished(StrobeRemote *remote, const char *job, const char *output,
                                   StrobeFetchTotals *totals, GError **error);

/* Does the folder contain a part of the JOB from an earlier fetch? */
gboolean strobe_job_fetch_has_part(const char *output, const char *job);

#endif
