/* SPDX-License-Identifier: Apache-2.0 */
/* Computing, communication and idle time of the devices of each rank, for `strobe report`. */
#ifndef STROBE_TOOLS_REPORT_RANKS_H
#define STROBE_TOOLS_REPORT_RANKS_H

#include <glib.h>

#include "registry.h"

/* Reads each of the results (StrobeResult). Returns the open file of one JSON array, a row for each
 * rank and device, which the caller closes; -1 with an error. If there are too many rows, the last
 * one, with `summed`, is the sum of those with the shortest stages. */
int report_ranks_read(StrobeRegistry *registry, const GPtrArray *results, GError **error);

#endif
