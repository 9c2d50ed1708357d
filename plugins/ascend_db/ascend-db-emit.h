/* SPDX-License-Identifier: Apache-2.0 */
/* The state of one run of the importer, and the functions with which its parts pass kinds, tracks,
 * texts and records to the host. */
#ifndef STROBE_ASCEND_DB_EMIT_H
#define STROBE_ASCEND_DB_EMIT_H

#include <ascend-db.h>
#include <glib.h>
#include <strobe/importer.h>
#include <strobe/kinds.h>

#include "db-file.h"

#define NO_STRING 4294967295 /* id of the empty text, which STRING_IDS does not contain */

typedef struct Texts Texts;

typedef struct Import {
    const StrobeImporterHost *host;
    StrobeInstance *self;
    gboolean wants_derived;
    DbFile *file;     /* the profiler's database */
    DbFile *analysis; /* analysis.db; NULL: there is none */
    Texts *texts;
    gint generation, level;
    gint device; /* the first device; -1: none */
    gint rank;   /* -1: unknown */
    guint64 pid;
    gint64 begin_ns; /* begin of the session; 0: unknown */
    gboolean is_full;
    GPtrArray *own_kinds; /* kinds that were made for this source */
    GStringChunk *names;  /* names of the kinds in own_kinds and of their fields */
    GHashTable *kind_ids; /* address of a StrobeKind -> its id */
} Import;

#define ASCEND_DB_KINDS 79
extern const StrobeKind *const ascend_db_kinds[ASCEND_DB_KINDS];

/* Returns the standard kind with this name; NULL: the importer does not use such a kind. */
const StrobeKind *ascend_db_kind(const char *name);

/* Returns the fields of a new record. Returns NULL if the capture has no room (is_full is then
 * set), or refuses the kind. */
void *import_emit(Import *import, const StrobeKind *kind, StrobeTrackId track, StrobeStringId name,
                  gint64 begin_ns, gint64 end_ns);
StrobeStringId import_intern(Import *import, const char *text);

/* Return tracks with the same properties as the tracks that ascend_text makes. `group` NULL: the
 * track belongs to the framework. */
StrobeTrackId import_thread(Import *import, guint64 global_tid, const char *group);
StrobeTrackId import_stream(Import *import, guint64 pid, gint32 device, guint64 stream);
StrobeTrackId import_counter(Import *import, gint32 device, const char *group);

#endif
