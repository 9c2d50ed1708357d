/* SPDX-License-Identifier: Apache-2.0 */
/* One run of the importer, and what all its parts hand to the host: kinds, tracks, texts, records.
 */
#ifndef STROBE_ASCEND_DB_EMIT_H
#define STROBE_ASCEND_DB_EMIT_H

#include <ascend-db.h>
#include <glib.h>
#include <strobe/importer.h>
#include <strobe/kinds.h>

#include "db-file.h"

#define NO_STRING 4294967295 /* id of the empty text in STRING_IDS */

typedef struct Texts Texts;

typedef struct Import {
    const StrobeImporterHost *host;
    StrobeInstance *self;
    gboolean wants_derived;
    DbFile *file;     /* of the profiler */
    DbFile *analysis; /* NULL: none */
    Texts *texts;
    gint generation, level;
    gint device; /* the first, -1: none */
    gint rank;   /* -1: not known */
    guint64 pid;
    gint64 begin_ns; /* of the session, 0: not known */
    gboolean is_full;
    GPtrArray *own_kinds; /* made for this source */
    GStringChunk *names;  /* of them and their fields */
    GHashTable *kind_ids; /* StrobeKind to its id, by address */
} Import;

#define ASCEND_DB_KINDS 79
extern const StrobeKind *const ascend_db_kinds[ASCEND_DB_KINDS];

/* Returns the standard kind of this name, NULL if the importer has no such kind. */
const StrobeKind *ascend_db_kind(const char *name);

/* Emits, and notes when the capture has no room; NULL then. */
void *import_emit(Import *import, const StrobeKind *kind, StrobeTrackId track, StrobeStringId name,
                  gint64 begin_ns, gint64 end_ns);
StrobeStringId import_intern(Import *import, const char *text);

/* Tracks, the same that the text form gives. `group` NULL: the framework. */
StrobeTrackId import_thread(Import *import, guint64 global_tid, const char *group);
StrobeTrackId import_stream(Import *import, guint64 pid, gint32 device, guint64 stream);
StrobeTrackId import_counter(Import *import, gint32 device, const char *group);

#endif
