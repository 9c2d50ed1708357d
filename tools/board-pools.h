/* SPDX-License-Identifier: Apache-2.0 */
/* Pools of the recorder that programs left on a board when they were killed. */
#ifndef STROBE_TOOLS_BOARD_POOLS_H
#define STROBE_TOOLS_BOARD_POOLS_H

#include "job-fetch.h"

/* The pools that are there, of StrobeJobFile. NULL: the error. */
GPtrArray *strobe_board_pools_find(StrobeRemote *remote, GError **error);
gboolean strobe_board_pools_have(const GPtrArray *pools, const StrobeJobFile *pool);

/* Fetches a pool, removes it on the board, and puts its calls into that one of the JOBs here
 * (paths) to which it belongs. FALSE: the error. */
gboolean strobe_board_pool_take(StrobeRemote *remote, const StrobeJobFile *pool,
                                const GPtrArray *jobs, void (*report)(const char *text),
                                StrobeFetchTotals *totals, GError **error);

#endif
