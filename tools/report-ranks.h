/* SPDX-License-Identifier: Apache-2.0 */
/* Computing, communication and idle time of the devices of each rank, for `strobe report`. */
#ifndef STROBE_TOOLS_REPORT_RANKS_H
#define STROBE_TOOLS_REPORT_RANKS_H

#include <glib.h>

#include "registry.h"

/* Reads `results` (StrobeResult), and writes a JSON array into a file without a name. The array has
 * an object for each rank and device. If there are too many, the last object is the sum of those
 * with the shortest stages, and its member "summed" is their number. Returns the descriptor of the
 * file, which the caller closes; -1 with an error. */
int report_ranks_read(StrobeRegistry *registry, const GPtrArray *results, GError **error);

#endif
