/* SPDX-License-Identifier: Apache-2.0 */
/* One run of the importer, shared by its parts: what is known of the run, and how records are
 * handed over. */
#ifndef STROBE_ASCEND_TEXT_IMPORT_H
#define STROBE_ASCEND_TEXT_IMPORT_H

#include <ascend.h>
#include <glib.h>
#include <strobe/importer.h>
#include <strobe/kinds.h>

#define TRACE_NAME "trace_view.json"
#define LEVEL_UNKNOWN G_MININT

typedef struct Import {
    const StrobeImporterHost *host;
    StrobeInstance *self;
    gboolean wants_derived;
    gint64 pid;      /* of the process that was profiled, 0: not told */
    gint device;     /* the first one, -1: not told */
    gint rank;       /* -1: not told */
    gint generation; /* by the names of layers and columns, 0: cannot be told */
    gint level;      /* of detail, LEVEL_UNKNOWN: cannot be told */
    gint64 begin_ns; /* of the session, 0: not told */
    gint64 first_ns; /* of the records so far, 0: none */
    gboolean has_trace, has_app_memory, has_comm_ops;
    gboolean is_full;
    GPtrArray *own_kinds;      /* made for this source */
    GStringChunk *names;       /* of them and their fields */
    GHashTable *kind_ids;      /* StrobeKind to its id, by address */
    GHashTable *communicators; /* id by the name of an operation; NULL: not told */
    GHashTable *extended;      /* StrobeKind to the one that stands for it, by address */
} Import;

/* All standard kinds that the importer emits, and the one for unknown events. */
#define ASCEND_TEXT_KINDS 50
extern const StrobeKind *const ascend_text_kinds[ASCEND_TEXT_KINDS];

/* Returns the kind of this name, NULL if the importer has no such kind. */
const StrobeKind *import_kind(const char *name);

void import_init(Import *import, const StrobeImporterHost *host, StrobeInstance *self);
void import_clear(Import *import);

/* Emits, and notes when the capture has no room; NULL then. A kind is declared with its first
 * record. */
void *text_import_emit(Import *import, const StrobeKind *kind, StrobeTrackId track,
                       StrobeStringId name, gint64 begin_ns, gint64 end_ns);
StrobeStringId text_import_intern(Import *import, const char *text);
/* From here on records of the standard kind have these fields behind its own. The new kind. */
const StrobeKind *import_extend(Import *import, const StrobeKind *kind, const StrobeField *fields,
                                guint n);
/* The kind as it is now. */
const StrobeKind *import_extended(const Import *import, const StrobeKind *kind);

/* Are there records of the kind already? */
gboolean import_is_used(const Import *import, const StrobeKind *kind);

/* Returns a name of a field or kind for any title. */
char *import_field_name(const char *title);

/* When something without a time was: at the begin of the session. */
gint64 import_instant(const Import *import);

StrobeTrackId text_import_stream(Import *import, gint device, guint64 stream);
StrobeTrackId text_import_counter(Import *import, gint device, const char *group);
StrobeTrackId import_process(Import *import);

/* Place and reason; the place is "<part>, <what> <number>". */
void import_damage(const Import *import, const char *part, const char *what, guint64 number,
                   const char *reason);

#endif
