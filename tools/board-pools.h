/* SPDX-License-Identifier: Apache-2.0 */
/* Pools of the recorder that programs left on a board when they were killed: calls that are in no
 * file yet. */
#ifndef STROBE_TOOLS_BOARD_POOLS_H
#define STROBE_TOOLS_BOARD_POOLS_H

#include "job-fetch.h"

/* Fetches the pools that the JOBs here (paths) name, removes them on the board, and puts their
 * calls into the JOBs. FALSE: the error. */
gboolean strobe_board_pools_take(StrobeRemote *remote, const GPtrArray *jobs,
                                 void (*report)(const char *text), StrobeFetchTotals *totals,
                                 GError **error);

/* Removes what programs left in the folder that executed no model: hidden files, and their pools.
 */
gboolean strobe_board_pools_clean(StrobeRemote *remote, const char *folder, GError **error);

#endif
