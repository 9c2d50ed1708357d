/* SPDX-License-Identifier: Apache-2.0 */
/* Output of a pass: the pass's thread writes it, and any number of other threads read it when
 * the pass has ended. */
#ifndef STROBE_CORE_DERIVED_LOG_H
#define STROBE_CORE_DERIVED_LOG_H

#include <glib.h>
#include <strobe/exporter.h>
#include <strobe/helpers/record-log.h>

/* A derived record; its fields follow. */
typedef struct StrobeDerived {
    guint16 kind;  /* index into the pass's kinds */
    guint16 flags; /* STROBE_VIEW_* */
    StrobeTrackId track;
    StrobeStringId name;
    guint32 field_bytes;
    gint64 begin_ns, end_ns;
} StrobeDerived;

typedef struct StrobeDerivedLog StrobeDerivedLog;

StrobeDerivedLog *strobe_derived_log_new(StrobeStorage *storage);
/* Adds or removes a reference; the last removal frees the log. Any thread. */
StrobeDerivedLog *strobe_derived_log_ref(StrobeDerivedLog *log);
void strobe_derived_log_unref(StrobeDerivedLog *log);

/* Adds a copy of the record with zeroed fields after it, and returns the copy, whose fields must be
 * filled before the next call. NULL: the record cannot be kept, for example because the disk is
 * full. */
StrobeDerived *strobe_derived_log_add(StrobeDerivedLog *log, const StrobeDerived *record);
/* Returns the errno value of the first failure; 0: there was none. */
int strobe_derived_log_error(const StrobeDerivedLog *log);
/* Ends the log; call it when all records are added. `is_whole` is FALSE if the pass failed; its
 * records are then not read. */
void strobe_derived_log_end(StrobeDerivedLog *log, gboolean is_whole);

/* Waits for strobe_derived_log_end and returns a reader of all records. NULL: the pass failed. */
StrobeRecordLogReader *strobe_derived_log_read(StrobeDerivedLog *log);
/* Returns the next record. NULL after the last record, or with the error set if a record cannot be
 * read. */
const StrobeDerived *strobe_derived_log_next(StrobeRecordLogReader *reader, GError **error);

#endif
