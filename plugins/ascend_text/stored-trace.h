/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of the trace that the tool derived: the overlap layer and arrows between operators. They
 * are read only on request. */
#ifndef STROBE_ASCEND_TEXT_STORED_TRACE_H
#define STROBE_ASCEND_TEXT_STORED_TRACE_H

#include "ascend-text-layers.h"

typedef struct StoredTrace {
    Import *import;
    Layers *layers;
    GHashTable *begins; /* of arrows without an end: Begin by itself */
    GQueue order;       /* of them, by arrival */
} StoredTrace;

void stored_trace_init(StoredTrace *stored, Import *import, Layers *layers);
void stored_trace_clear(StoredTrace *stored);

void stored_trace_overlap(StoredTrace *stored, const TraceEvent *event, Row *row, gint64 begin_ns,
                          gint64 end_ns);
/* FALSE: the arrow is none of those that are derived. */
gboolean stored_trace_flow(StoredTrace *stored, const TraceEvent *event, StrobeTrackId track,
                           gint64 time_ns);

#endif
