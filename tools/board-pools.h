/* SPDX-License-Identifier: Apache-2.0 */
/* Fetches or removes the recorder's pools that killed programs left on a board. A pool contains
 * calls that are not in a file yet. */
#ifndef STROBE_TOOLS_BOARD_POOLS_H
#define STROBE_TOOLS_BOARD_POOLS_H

#include "job-fetch.h"

/* Fetches the pools that the unfinished files of calls in `jobs` (paths on this machine) name, adds
 * the calls in these pools to the files, and removes the pools on the board. FALSE with an
 * error. */
gboolean strobe_board_pools_take(StrobeRemote *remote, const GPtrArray *jobs,
                                 void (*report)(const char *text), StrobeFetchTotals *totals,
                                 GError **error);

/* Removes the hidden files of calls in `folder` on the board, and the pools that they name.
 * Programs that executed no model leave them. FALSE with an error. */
gboolean strobe_board_pools_clean(StrobeRemote *remote, const char *folder, GError **error);

#endif
