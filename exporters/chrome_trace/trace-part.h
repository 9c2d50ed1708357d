/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A part of the file that waits in memory or in temporary storage. It consists of records, whose
 * events are composed when the part is written, and of the text of events that are already
 * composed. The events keep their order or are sorted by a key.
 */
#ifndef STROBE_CHROME_TRACE_TRACE_PART_H
#define STROBE_CHROME_TRACE_TRACE_PART_H

#include <strobe/exporter.h>
#include <strobe/helpers/external-sorter.h>
#include <strobe/helpers/record-log.h>

#include "chrome-trace-rows.h"
#include "trace-out.h"

struct TraceKind;

typedef struct TracePart {
    StrobeRecordLog *log;         /* NULL: the part is sorted */
    StrobeExternalSorter *sorter; /* NULL: the events stay in the order of their arrival */
    gboolean has_records, is_written;
    TraceOut text; /* text that is not in the log yet and follows its content */
} TracePart;

void trace_part_init(TracePart *part, StrobeStorage *storage, gboolean is_sorted);
void trace_part_clear(TracePart *part); /* `part` may consist of zeros */

/* `kind` and `row` must stay valid until the part is written. `field_bytes`: size of the record's
 * fields. `key` is used only if the part is sorted. */
void trace_part_add_record(TracePart *part, gint64 key, const struct TraceKind *kind,
                           gsize field_bytes, const TraceRow *row, const StrobeView *record);
void trace_part_add_text(TracePart *part, gint64 key, const TraceOut *event);
/* Returns the buffer to which the caller appends text of a part that keeps the order. */
TraceOut *trace_part_text(TracePart *part);
/* Returns the sort key of a time: the time as a double of microseconds, by which the Ascend
 * profiler sorts. */
gint64 trace_part_key_of_time(gint64 time_ns);

gboolean trace_part_has_events(const TracePart *part);
int trace_part_error(const TracePart *part); /* 0, or errno of the first failure */
/* Writes the event of a record. The record's view does not contain the kind. */
typedef void (*TracePartCompose)(void *user, const struct TraceKind *kind, StrobeView *record,
                                 const TraceRow *row);
/* Writes all events of the part to `out` in order: calls `compose` for the records, and copies the
 * text. Then frees the part's content. Must be called after the last event. */
void trace_part_write(TracePart *part, TraceOut *out, TracePartCompose compose, void *user);

#endif
