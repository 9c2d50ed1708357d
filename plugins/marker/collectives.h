/* SPDX-License-Identifier: Apache-2.0 */
/* Records the operations of torch.distributed's process groups as ranges in the domain
 * "communication". */
#ifndef STROBE_PLUGINS_MARKER_COLLECTIVES_H
#define STROBE_PLUGINS_MARKER_COLLECTIVES_H

#include <strobe/collector.h>

/* Records operations until collectives_end() is called. Returns NULL, or the reason why operations
 * cannot be recorded; this text is valid until the next call. */
const char *collectives_begin(const StrobeHost *host, StrobeInstance *self);
/* Ends the recording; first waits, for at most 10 ms, for the ends of running operations. */
void collectives_end(void);

/* Set the group of the calling thread's operations; see MarkerPythonTool. */
void collectives_group(const char *name, int64_t peer);
void collectives_usual_group(const char *name);

#endif
