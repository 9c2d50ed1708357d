/* SPDX-License-Identifier: Apache-2.0 */
/* Copies a JOB directory from the board. On this machine the JOB appears when it is complete. Until
 * then it is a hidden folder; if the connection is lost, this is renamed to JOB….part, and a later
 * fetch continues it. */
#ifndef STROBE_REMOTE_JOB_FETCH_H
#define STROBE_REMOTE_JOB_FETCH_H

#include "job-list.h"

typedef struct StrobeFetchTotals {
    guint n_files, n_refused;
    /* number of refused files that arrived with other content than they have on the board */
    guint n_changed;
    guint64 fetched_bytes;
} StrobeFetchTotals;

/* Fetches `job` (an absolute path on the board) into the folder `output`. Calls `report` with a
 * message for each file that is refused, and for a JOB….part that is kept. Returns the path of the
 * JOB directory on this machine (free it). NULL with an error. */
char *strobe_job_fetch(StrobeRemote *remote, const char *job, const char *output,
                       void (*report)(const char *text), StrobeFetchTotals *totals, GError **error);

/* Fetches one file of `folder` on the board into the folder `output` on this machine. FALSE with an
 * error. */
gboolean strobe_job_fetch_file(StrobeRemote *remote, const char *folder, const StrobeJobFile *file,
                               const char *output, void (*report)(const char *text),
                               StrobeFetchTotals *totals, GError **error);

/* Fetches files of a JOB that the recorder has finished (NAME.done exists), and removes them on the
 * board, so that the board's disk does not fill up. The caller may call this repeatedly while the
 * program runs. The files stay in the hidden folder until strobe_job_fetch(). FALSE with an
 * error. */
gboolean strobe_job_fetch_finished(StrobeRemote *remote, const char *job, const char *output,
                                   StrobeFetchTotals *totals, GError **error);

/* Whether the folder `output` contains a part of the JOB from an earlier fetch. */
gboolean strobe_job_fetch_has_part(const char *output, const char *job);

#endif
