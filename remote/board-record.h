/* SPDX-License-Identifier: Apache-2.0 */
/* A file in the work folder on the board that lists the JOB directories which existed when a
 * `strobe svp collect` began. If the connection of this collect is lost, the file stays, so that
 * the next collect knows which JOB directories the first one has made. */
#ifndef STROBE_REMOTE_BOARD_RECORD_H
#define STROBE_REMOTE_BOARD_RECORD_H

#include "remote-session.h"

/* `found` are the paths of the existing JOB directories. Returns those that were not made by an
 * interrupted collect, and writes them to the file. NULL: the error. */
GPtrArray *strobe_board_record_begin(StrobeRemote *remote, const GPtrArray *found, GError **error);
/* Removes the file after everything was fetched. */
gboolean strobe_board_record_end(StrobeRemote *remote, GError **error);

#endif
