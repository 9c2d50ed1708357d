/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the parts of the trace that the profiler derived: the overlap layer and flow events between
 * operators. They are read only with `--derived source`. */
#ifndef STROBE_ASCEND_TEXT_STORED_TRACE_H
#define STROBE_ASCEND_TEXT_STORED_TRACE_H

#include "ascend-text-layers.h"

typedef struct StoredTrace {
    Import *import;
    Layers *layers;
    GHashTable *begins; /* a set of Begin: begins of flow events whose end has not come */
    GQueue order;       /* the begins in order of arrival */
} StoredTrace;

void stored_trace_init(StoredTrace *stored, Import *import, Layers *layers);
void stored_trace_clear(StoredTrace *stored);

void stored_trace_overlap(StoredTrace *stored, const TraceEvent *event, Row *row, gint64 begin_ns,
                          gint64 end_ns);
/* Processes a flow event. Returns FALSE if the profiler did not derive it. */
gboolean stored_trace_flow(StoredTrace *stored, const TraceEvent *event, StrobeTrackId track,
                           gint64 time_ns);

#endif
