/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A part of the file that waits for its turn: records that are composed then, and text of events
 * that were composed when they came. Either in the order in which they come, or of a key.
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
    StrobeExternalSorter *sorter; /* NULL: as they come */
    gboolean has_records, is_written;
    TraceOut text; /* that follows what is in the log */
} TracePart;

void trace_part_init(TracePart *part, StrobeStorage *storage, gboolean is_sorted);
void trace_part_clear(TracePart *part); /* zeros are allowed */

/* `kind`, whose records have fields of so many bytes, and `row` stay until the part is written. The
 * key is one of a sorted part. */
void trace_part_add_record(TracePart *part, gint64 key, const struct TraceKind *kind,
                           gsize field_bytes, const TraceRow *row, const StrobeView *record);
void trace_part_add_text(TracePart *part, gint64 key, const TraceOut *event);
/* Where text of a part is composed that is not sorted. */
TraceOut *trace_part_text(TracePart *part);
/* A key in the order of time as a double of microseconds, which is what the original compares. */
gint64 trace_part_key_of_time(gint64 time_ns);

gboolean trace_part_has_events(const TracePart *part);
int trace_part_error(const TracePart *part); /* 0, or errno of the first failure */
/* Composes a record, whose view does not say its kind. */
typedef void (*TracePartCompose)(void *user, const struct TraceKind *kind, StrobeView *record,
                                 const TraceRow *row);
/* No more is added: has the records composed into `out`, puts the text between them, and frees all.
 */
void trace_part_write(TracePart *part, TraceOut *out, TracePartCompose compose, void *user);

#endif
