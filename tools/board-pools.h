/* SPDX-License-Identifier: Apache-2.0 */
/* Takes over the recorder's pools that killed programs left on a board. A pool contains calls that
 * are not in a file yet. */
#ifndef STROBE_TOOLS_BOARD_POOLS_H
#define STROBE_TOOLS_BOARD_POOLS_H

#include "job-fetch.h"

/* Fetches the pools that the JOBs here (paths) name, removes them on the board, and puts their
 * calls into the JOBs. FALSE: the error. */
gboolean strobe_board_pools_take(StrobeRemote *remote, const GPtrArray *jobs,
                                 void (*report)(const char *text), StrobeFetchTotals *totals,
                                 GError **error);

/* Removes the hidden files, and their pools, that programs without an executed model left in the
 * folder. */
gboolean strobe_board_pools_clean(StrobeRemote *remote, const char *folder, GError **error);

#endif
