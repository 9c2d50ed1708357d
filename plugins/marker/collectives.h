/* SPDX-License-Identifier: Apache-2.0 */
/* Ranges of what process groups of torch.distributed do, in the domain "communication". */
#ifndef STROBE_PLUGINS_MARKER_COLLECTIVES_H
#define STROBE_PLUGINS_MARKER_COLLECTIVES_H

#include <strobe/collector.h>

/* Until collectives_end(). NULL, or why there are no such ranges, valid until the next call. */
const char *collectives_begin(const StrobeHost *host, StrobeInstance *self);
/* Waits, for 10 ms at most, for the ends of those that are under way. */
void collectives_end(void);

/* Of the calling thread; see MarkerPythonTool. */
void collectives_group(const char *name, int64_t peer);
void collectives_usual_group(const char *name);

#endif
