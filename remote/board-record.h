/* SPDX-License-Identifier: Apache-2.0 */
/* A file in the work folder on the board that lists the JOB directories which existed when a
 * `strobe svp collect` began. If the connection of this collect is lost, the file stays, so that
 * the next collect knows which JOB directories the first one has made. */
#ifndef STROBE_REMOTE_BOARD_RECORD_H
#define STROBE_REMOTE_BOARD_RECORD_H

#include "remote-session.h"

/* Writes to the file, and returns, those paths in `found` that no interrupted collect made. `found`
 * has the paths of all existing JOB directories. NULL with an error. */
GPtrArray *strobe_board_record_begin(StrobeRemote *remote, const GPtrArray *found, GError **error);
/* Removes the file. Call this when all JOB directories have been fetched. FALSE with an error. */
gboolean strobe_board_record_end(StrobeRemote *remote, GError **error);

#endif
