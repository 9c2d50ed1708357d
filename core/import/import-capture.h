/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a capture from complete records, without a recorder. Keeps kinds, tracks and strings in
 * memory and sorts the records; writes everything at the end. */
#ifndef STROBE_CORE_IMPORT_CAPTURE_H
#define STROBE_CORE_IMPORT_CAPTURE_H

#include <glib.h>
#include <strobe/record.h>
#include "reader.h"

typedef struct StrobeImportCapture StrobeImportCapture;

/* Makes an empty capture. `folder` is for temporary files, as in strobe_storage_new; `memory_bytes`
 * is the memory limit for records. */
StrobeImportCapture *strobe_import_capture_new(const char *folder, gsize memory_bytes);
/* Like strobe_import_capture_new, for a file next to the capture that `recorded` reads: the file
 * uses the capture's kinds and threads; its other ids follow those of the capture. */
StrobeImportCapture *strobe_import_capture_new_beside(const char *folder, gsize memory_bytes,
                                                      const StrobeReader *recorded);
void strobe_import_capture_free(StrobeImportCapture *capture);

/* Returns the id of the kind; 0 with the reason in `error` (of `size` bytes). The declaration must
 * stay valid until strobe_import_capture_write. */
StrobeKindId strobe_import_capture_kind(StrobeImportCapture *capture, const StrobeKind *kind,
                                        char *error, gsize size);
StrobeTrackId strobe_import_capture_track(StrobeImportCapture *capture, const StrobeTrack *track,
                                          guint64 pid);
/* Changes the description of the track `id`. FALSE: there is no such track. */
gboolean strobe_import_capture_retrack(StrobeImportCapture *capture, StrobeTrackId id,
                                       const StrobeTrack *track, guint64 pid);
/* Sets the offset `base` that is added to all times. FALSE: the times would be out of range. */
gboolean strobe_import_capture_time_base(StrobeImportCapture *capture, gint64 base);
gint64 strobe_import_capture_base(const StrobeImportCapture *capture);
/* Makes the capture accept only records of kinds that have no records yet; it drops all other
 * records. */
void strobe_import_capture_fill_in(StrobeImportCapture *capture);
/* Shifts the times of records that are added from now on, within the valid range. */
void strobe_import_capture_shift(StrobeImportCapture *capture, gint64 ns);
/* Returns the id of a text or of a stack (an array of string ids). If the table is full, returns
 * the id of a text that reports this, or 0 for a stack. */
StrobeStringId strobe_import_capture_intern(StrobeImportCapture *capture, const char *bytes,
                                            gsize length, gboolean is_stack);

/* Adds a record with all fields absent and returns its fields. NULL with the error set if there is
 * no room or no such kind. */
void *strobe_import_capture_add(StrobeImportCapture *capture, StrobeKindId kind,
                                StrobeTrackId track, StrobeStringId name, gint64 begin_ns,
                                gint64 end_ns, GError **error);

guint64 strobe_import_capture_n_records(const StrobeImportCapture *capture, StrobeKindId kind);
const StrobeKind *strobe_import_capture_kind_at(const StrobeImportCapture *capture,
                                                StrobeKindId kind); /* NULL: no kind has this id */
guint strobe_import_capture_n_kinds(const StrobeImportCapture *capture); /* the highest id */
/* Returns the earliest begin of all records, without the base; 0 if there are no records. */
gint64 strobe_import_capture_begin(const StrobeImportCapture *capture);
/* Return the number of strings and tracks that found no room in the tables, and the number of
 * records whose times were out of range, or whose end was before their begin; the latter are stored
 * without a duration. */
guint64 strobe_import_capture_n_refused(const StrobeImportCapture *capture);
guint64 strobe_import_capture_n_bent(const StrobeImportCapture *capture);

/* Says that the file will be removed after it has been read, so that it need not be synced. */
void strobe_import_capture_set_temporary(StrobeImportCapture *capture);

/* Writes the capture with `metadata` (JSON) to `file`, which it owns from now on. Nothing can be
 * added afterwards. */
gboolean strobe_import_capture_write(StrobeImportCapture *capture, int file, const char *metadata,
                                     GError **error);

#endif
