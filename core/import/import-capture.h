/* SPDX-License-Identifier: Apache-2.0 */
/* A capture that is made of finished records instead of being recorded: kinds, tracks and strings
 * are kept in memory, records sorted; all of it is written at once at the end. */
#ifndef STROBE_CORE_IMPORT_CAPTURE_H
#define STROBE_CORE_IMPORT_CAPTURE_H

#include <glib.h>
#include <strobe/record.h>
#include "reader.h"

typedef struct StrobeImportCapture StrobeImportCapture;

/* `folder` of temporary files, as for strobe_storage_new; `memory_bytes` for records. */
StrobeImportCapture *strobe_import_capture_new(const char *folder, gsize memory_bytes);
/* The same for a file that lies beside the capture that `recorded` reads: its kinds are taken over,
 * and its threads; the ids of all else lie behind those of the capture. */
StrobeImportCapture *strobe_import_capture_new_beside(const char *folder, gsize memory_bytes,
                                                      const StrobeReader *recorded);
void strobe_import_capture_free(StrobeImportCapture *capture);

/* Id of the kind, 0 with the reason in `error` (of `size` bytes). The declaration is lent until the
 * end. */
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
/* From now on takes only records of kinds that have none yet, and drops the others. */
void strobe_import_capture_fill_in(StrobeImportCapture *capture);
/* Records that are added from now on are moved by so much, as far as there is time. */
void strobe_import_capture_shift(StrobeImportCapture *capture, gint64 ns);
/* Ids of bytes and of stacks (an array of string ids). When the table is full, a text that
 * says so, no stack. */
StrobeStringId strobe_import_capture_intern(StrobeImportCapture *capture, const char *bytes,
                                            gsize length, gboolean is_stack);

/* Adds a record with all fields absent; NULL with the error set when there is no room for it, or
 * no such kind. */
void *strobe_import_capture_add(StrobeImportCapture *capture, StrobeKindId kind,
                                StrobeTrackId track, StrobeStringId name, gint64 begin_ns,
                                gint64 end_ns, GError **error);

guint64 strobe_import_capture_n_records(const StrobeImportCapture *capture, StrobeKindId kind);
const StrobeKind *strobe_import_capture_kind_at(const StrobeImportCapture *capture,
                                                StrobeKindId kind);      /* NULL: none of that id */
guint strobe_import_capture_n_kinds(const StrobeImportCapture *capture); /* the highest id */
/* Of all records, without the base; 0 without any. */
gint64 strobe_import_capture_begin(const StrobeImportCapture *capture);
/* Strings and tracks that the tables had no room for, and records whose times were out of range or
 * whose end lay before their begin (stored as of no duration). */
guint64 strobe_import_capture_n_refused(const StrobeImportCapture *capture);
guint64 strobe_import_capture_n_bent(const StrobeImportCapture *capture);

/* The file is removed again when it has been read: it is not waited for until the disk has it. */
void strobe_import_capture_set_temporary(StrobeImportCapture *capture);

/* Writes the file (owned from now on) with `facts` (JSON). Nothing can be added afterwards. */
gboolean strobe_import_capture_write(StrobeImportCapture *capture, int file, const char *metadata,
                                     GError **error);

#endif
