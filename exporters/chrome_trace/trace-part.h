/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A part of the file that is written later: records that are composed then, and text of events
 * that were already composed. It keeps their order, or sorts by a key.
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
    StrobeRecordLog *log;         /* NULL: sorted */
    StrobeExternalSorter *sorter; /* NULL: in order of arrival */
    gboolean has_records, is_written;
    TraceOut text; /* text that follows the log's content */
} TracePart;

void trace_part_init(TracePart *part, StrobeStorage *storage, gboolean is_sorted);
void trace_part_clear(TracePart *part); /* zeros are allowed */

/* `kind`, whose records have that many bytes of fields, and `row` must stay valid until the part
 * is written. The key is for a sorted part. */
void trace_part_add_record(TracePart *part, gint64 key, const struct TraceKind *kind,
                           gsize field_bytes, const TraceRow *row, const StrobeView *record);
void trace_part_add_text(TracePart *part, gint64 key, const TraceOut *event);
/* Buffer for the text of an unsorted part. */
TraceOut *trace_part_text(TracePart *part);
/* A key in the order of the time as a double of microseconds, by which the Ascend profiler
 * sorts. */
gint64 trace_part_key_of_time(gint64 time_ns);

gboolean trace_part_has_events(const TracePart *part);
int trace_part_error(const TracePart *part); /* 0, or errno of the first failure */
/* Composes a record; its view does not contain the kind. */
typedef void (*TracePartCompose)(void *user, const struct TraceKind *kind, StrobeView *record,
                                 const TraceRow *row);
/* Nothing more is added: composes the records into `out`, inserts the text between them, and
 * frees everything. */
void trace_part_write(TracePart *part, TraceOut *out, TracePartCompose compose, void *user);

#endif
