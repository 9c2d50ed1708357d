/* SPDX-License-Identifier: Apache-2.0 */
/* Converts the events of each phase to records. */
#ifndef STROBE_CHROME_TRACE_EVENTS_H
#define STROBE_CHROME_TRACE_EVENTS_H

#include "trace-rows.h"

/* Records an event of phase X. If a span begins before time zero, records only the part after
 * zero. */
void spans_take(Import *import, Row *row, const Event *event, gint64 stated);

/* Record an event: take_flow one of the phases s, t and f; take_counter one of the phase C;
 * take_memory an allocation; take_instant one of any other phase. */
void take_flow(Import *import, Row *row, const Event *event, gint64 begin);
void take_counter(Import *import, Row *row, const Event *event, gint64 begin);
void take_memory(Import *import, Row *row, const Event *event, gint64 begin);
void take_instant(Import *import, Row *row, const Event *event, gint64 begin);

#endif
