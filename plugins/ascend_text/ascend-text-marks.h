/* SPDX-License-Identifier: Apache-2.0 */
/* Converts the program's own marks to records. These are the events of the layer that has the name
 * of the program. */
#ifndef STROBE_ASCEND_TEXT_MARKS_H
#define STROBE_ASCEND_TEXT_MARKS_H

#include "trace-kinds.h"

void marks_take(TraceKinds *kinds, const TraceEvent *event, StrobeTrackId track, gint64 begin_ns,
                gint64 end_ns);

#endif
