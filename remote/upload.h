/* SPDX-License-Identifier: Apache-2.0 */
/* Sends files to the work folder on the board. A file that is already there with the same size and
 * checksum is not sent again. */
#ifndef STROBE_REMOTE_UPLOAD_H
#define STROBE_REMOTE_UPLOAD_H

#include "project-files.h"
#include "remote-session.h"

typedef struct StrobeUploadTotals {
    guint n_sent, n_reused;
    guint64 sent_bytes, reused_bytes;
} StrobeUploadTotals;

/* Sends `files` (StrobeProjectFile). Each file appears on the board complete or not at all.
 * `free_bytes` is the free space on the board's disk. FALSE with an error. */
gboolean strobe_upload_files(StrobeRemote *remote, const GPtrArray *files, guint64 free_bytes,
                             StrobeUploadTotals *totals, GError **error);

#endif
