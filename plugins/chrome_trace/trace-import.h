/* SPDX-License-Identifier: Apache-2.0 */
/* State of one import, shared by the files of this folder. */
#ifndef STROBE_CHROME_TRACE_IMPORT_H
#define STROBE_CHROME_TRACE_IMPORT_H

#include "trace-import-kinds.h"

typedef struct Rows Rows;
typedef struct OpenSpans OpenSpans;
typedef struct Metadata Metadata;
typedef struct StackFrames StackFrames;
typedef struct FlowEvents FlowEvents;

/* The place for an argument. */
typedef struct ArgSlot {
    const KinetoArg *row;
    guint32 key_length;
    guint32 offset, type; /* of the field */
} ArgSlot;

/* A type of events, its kind declared when the first one comes. */
typedef struct RecordType {
    StrobeKind kind;
    StrobeField *fields;
    StrobeKindId id; /* 0: not declared yet */
    ArgSlot *slots;
    guint n_slots;
    gint exact, arguments; /* offsets of exact_us and of the other arguments, -1: it has none */
    guint32 n_bytes;       /* of the fields */
    void *absent;          /* fields of which none has a value */
} RecordType;

/* A list as it stands in the source, and what was made of it. */
#define MEMO_BYTES 106u
#define MEMOS 2048u
typedef struct Memo {
    StrobeStringId id; /* 0: none */
    guint8 form, length;
    char text[MEMO_BYTES];
} Memo;

/* A category, and what it means. */
typedef struct Category {
    char text[32];
    guint32 length, record_type;
    StrobeStringId id;
} Category;

#define STACK_FRAMES_MAX 4096u /* of a stack that is told in one piece */

#define CATEGORIES 16u

typedef struct Import {
    const StrobeImporterHost *host;
    StrobeInstance *self;
    char *part; /* name of the file, for the lists */
    RecordType record_types[N_RECORD_TYPES];
    Rows *rows;
    OpenSpans *open;
    Metadata *metadata;
    StackFrames *frames;
    FlowEvents *flow_events; /* NULL: none yet */
    GString *text;           /* of one string that is made */
    Memo *memos;
    Category categories[CATEGORIES]; /* in a slot, the one that came last */
    gint64 base; /* told before the events: added to each time; what comes later, the host adds */
    gint64 first, last; /* times of the events */
    guint64 n_events;
    gboolean has_times;
    gboolean is_full;
    gboolean is_failed;
} Import;

/* trace-emit.c */
void import_init(Import *import, const StrobeImporterHost *host, StrobeInstance *self,
                 const char *path);
void import_clear(Import *import);
/* FALSE: the capture does not take the kind. */
gboolean import_declare(Import *import, guint record_type);
/* Fields of a new record; NULL: the capture has no room, or does not take the kind. */
void *import_emit(Import *import, guint record_type, StrobeTrackId track, StrobeStringId name,
                  gint64 begin, gint64 end);
/* 0 for nothing and for "". */
StrobeStringId import_intern(Import *import, const StrobeJsonValue *value);
StrobeStringId import_intern_text(Import *import, const char *text);
/* Puts the arguments into the fields; what no field is for, or does not fit, goes into
 * "arguments". */
void import_fill(Import *import, guint record_type, const Event *event, void *fields);
/* All arguments as JSON whose last brace is missing; NULL for none. */
char *import_arguments(Import *import, const Event *event);
/* The same, whole and interned. */
StrobeStringId import_intern_arguments(Import *import, const Event *event);
void import_damage(Import *import, const Event *event, const char *reason);
void *import_field(const RecordType *record_type, const char *name, void *fields);

#endif
