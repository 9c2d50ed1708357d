/* SPDX-License-Identifier: Apache-2.0 */
/* A capture that is made from finished records instead of being recorded. It keeps kinds, tracks
 * and strings in memory and sorts the records; everything is written at the end. */
#ifndef STROBE_CORE_IMPORT_CAPTURE_H
#define STROBE_CORE_IMPORT_CAPTURE_H

#include <glib.h>
#include <strobe/record.h>
#include "reader.h"

typedef struct StrobeImportCapture StrobeImportCapture;

/* `folder` of temporary files, as for strobe_storage_new; `memory_bytes` for records. */
StrobeImportCapture *strobe_import_capture_new(const char *folder, gsize memory_bytes);
/* The same for a file next to the capture that `recorded` reads: it uses the capture's kinds and
 * threads; all other ids follow those of the capture. */
StrobeImportCapture *strobe_import_capture_new_beside(const char *folder, gsize memory_bytes,
                                                      const StrobeReader *recorded);
void strobe_import_capture_free(StrobeImportCapture *capture);

/* Id of the kind, 0 with the reason in `error` (of `size` bytes). The declaration must stay
 * valid until the end. */
StrobeKindId strobe_import_capture_kind(StrobeImportCapture *capture, const StrobeKind *kind,
                                        char *error, gsize size);
StrobeTrackId strobe_import_capture_track(StrobeImportCapture *capture, const StrobeTrack *track,
                                          guint64 pid);
/* FALSE: there is no such track. */
gboolean strobe_import_capture_retrack(StrobeImportCapture *capture, StrobeTrackId id,
                                       const StrobeTrack *track, guint64 pid);
/* Times count from `base`. FALSE: they would be out of range. */
gboolean strobe_import_capture_time_base(StrobeImportCapture *capture, gint64 base);
gint64 strobe_import_capture_base(const StrobeImportCapture *capture);
/* From now on accepts only records of kinds without records, and drops the others. */
void strobe_import_capture_fill_in(StrobeImportCapture *capture);
/* Shifts the times of records that are added from now on, within the valid range. */
void strobe_import_capture_shift(StrobeImportCapture *capture, gint64 ns);
/* Ids of bytes and of stacks (an array of string ids). If the table is full: a text that says
 * so, or no stack. */
StrobeStringId strobe_import_capture_intern(StrobeImportCapture *capture, const char *bytes,
                                            gsize length, gboolean is_stack);

/* Adds a record with all fields absent; NULL with the error set if there is no room, or no such
 * kind. */
void *strobe_import_capture_add(StrobeImportCapture *capture, StrobeKindId kind,
                                StrobeTrackId track, StrobeStringId name, gint64 begin_ns,
                                gint64 end_ns, GError **error);

guint64 strobe_import_capture_n_records(const StrobeImportCapture *capture, StrobeKindId kind);
const StrobeKind *strobe_import_capture_kind_at(const StrobeImportCapture *capture,
                                                StrobeKindId kind); /* NULL: no kind with that id */
guint strobe_import_capture_n_kinds(const StrobeImportCapture *capture); /* the highest id */
/* Begin of all records, without the base; 0 without any. */
gint64 strobe_import_capture_begin(const StrobeImportCapture *capture);
/* Number of strings and tracks without room in the tables, and of records with times out of
 * range or an end before their begin (stored without a duration). */
guint64 strobe_import_capture_n_refused(const StrobeImportCapture *capture);
guint64 strobe_import_capture_n_bent(const StrobeImportCapture *capture);

/* The file will be removed after it has been read, so it need not be synced. */
void strobe_import_capture_set_temporary(StrobeImportCapture *capture);

/* Writes the file (owned from now on) with `metadata` (JSON). Nothing can be added afterwards. */
gboolean strobe_import_capture_write(StrobeImportCapture *capture, int file, const char *metadata,
                                     GError **error);

#endif
