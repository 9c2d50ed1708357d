/* SPDX-License-Identifier: Apache-2.0 */
/* A note in the work folder on the board of the JOBs that were there when a collect began. It stays
 * if the collect is cut off; then the next one knows which JOBs are that one's. */
#ifndef STROBE_REMOTE_BOARD_RECORD_H
#define STROBE_REMOTE_BOARD_RECORD_H

#include "remote-session.h"

/* `found` are the paths of the JOBs that are there now. Returns those that are no JOB of a collect
 * that was cut off, and notes them. NULL: the error. */
GPtrArray *strobe_board_record_begin(StrobeRemote *remote, const GPtrArray *found, GError **error);
/* All is fetched: removes the note. */
gboolean strobe_board_record_end(StrobeRemote *remote, GError **error);

#endif
