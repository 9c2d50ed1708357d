/* SPDX-License-Identifier: Apache-2.0 */
/* Converts the events of each phase to records. */
#ifndef STROBE_CHROME_TRACE_EVENTS_H
#define STROBE_CHROME_TRACE_EVENTS_H

#include "trace-rows.h"

/* spans.c: events of phase X. If a span begins before time zero, only the part after zero is
 * recorded. */
void spans_take(Import *import, Row *row, const Event *event, gint64 stated);

/* instants.c: events of the phases s, t and f; of the phase C; allocations; events of all other
 * phases. */
void take_flow(Import *import, Row *row, const Event *event, gint64 begin);
void take_counter(Import *import, Row *row, const Event *event, gint64 begin);
void take_memory(Import *import, Row *row, const Event *event, gint64 begin);
void take_instant(Import *import, Row *row, const Event *event, gint64 begin);

#endif
