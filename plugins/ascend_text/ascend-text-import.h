/* SPDX-License-Identifier: Apache-2.0 */
/* The state of one run of the importer, and the functions with which its parts pass kinds, tracks,
 * texts and records to the host. */
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
    gint64 pid;  /* pid of the profiled process; 0: unknown */
    gint device; /* the first device; -1: unknown */
    gint rank;   /* -1: unknown */
    /* generation of the formats, determined by the names of layers and columns; 0: unknown */
    gint generation;
    gint level;      /* the profiler's level of detail, or LEVEL_UNKNOWN */
    gint64 begin_ns; /* begin of the session; 0: unknown */
    gint64 first_ns; /* the earliest begin of the records so far; 0: none */
    gboolean has_trace, has_app_memory, has_comm_ops;
    gboolean is_full;
    GPtrArray *own_kinds; /* kinds that were made for this source */
    GStringChunk *names;  /* names of the kinds in own_kinds and of their fields */
    GHashTable *kind_ids; /* address of a StrobeKind -> its id */
    /* name of an operation -> its communicator; NULL: unknown */
    GHashTable *communicators;
    /* address of a StrobeKind -> the extended kind that replaces it */
    GHashTable *extended;
} Import;

/* Number of kinds: the standard kinds that the importer emits, and the kind for unknown events. */
#define ASCEND_TEXT_KINDS 50
extern const StrobeKind *const ascend_text_kinds[ASCEND_TEXT_KINDS];

/* Returns the kind with this name; NULL: the importer does not use such a kind. */
const StrobeKind *import_kind(const char *name);

void import_init(Import *import, const StrobeImporterHost *host, StrobeInstance *self);
void import_clear(Import *import);

/* Returns the fields of a new record. Returns NULL if the capture has no room (is_full is then
 * set), or if the record's times are invalid. A kind is declared with its first record. */
void *text_import_emit(Import *import, const StrobeKind *kind, StrobeTrackId track,
                       StrobeStringId name, gint64 begin_ns, gint64 end_ns);
StrobeStringId text_import_intern(Import *import, const char *text);
/* Extends a standard kind: from now on its records have the fields `fields` after the standard
 * fields. Returns the extended kind. */
const StrobeKind *import_extend(Import *import, const StrobeKind *kind, const StrobeField *fields,
                                guint n);
/* Returns the extended kind, or the kind itself if it is not extended. */
const StrobeKind *import_extended(const Import *import, const StrobeKind *kind);

/* Returns whether records of the kind have been emitted. */
gboolean import_is_used(const Import *import, const StrobeKind *kind);

/* Returns a valid name for a field or kind, made from a title. */
char *import_field_name(const char *title);

/* Returns the time for records without a time: the begin of the session or, if it is unknown, the
 * begin of the first record. */
gint64 import_instant(const Import *import);

StrobeTrackId text_import_stream(Import *import, gint device, guint64 stream);
StrobeTrackId text_import_counter(Import *import, gint device, const char *group);
StrobeTrackId import_process(Import *import);

/* Reports damage at the place "<part>, <what> <number>". */
void import_damage(const Import *import, const char *part, const char *what, guint64 number,
                   const char *reason);

#endif
