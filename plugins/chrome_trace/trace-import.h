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

/* The field in which an argument is stored. */
typedef struct ArgSlot {
    const KinetoArg *row;
    guint32 key_length;
    guint32 offset, type; /* offset and type of the field */
} ArgSlot;

/* A record type. Its kind is declared with the first record. */
typedef struct RecordType {
    StrobeKind kind;
    StrobeField *fields;
    StrobeKindId id; /* 0: not declared yet */
    ArgSlot *slots;
    guint n_slots;
    gint exact, arguments; /* offsets of exact_us and of the field for other arguments; -1: none */
    guint32 n_bytes;       /* size of the fields */
    void *absent;          /* fields in which each value is absent */
} RecordType;

/* A list in the source, and the string that was made from it. */
#define MEMO_BYTES 106u
#define MEMOS 2048u
typedef struct Memo {
    StrobeStringId id; /* 0: the list does not have the form `form` */
    guint8 form, length;
    char text[MEMO_BYTES];
} Memo;

/* A category, with its record type. */
typedef struct Category {
    char text[32];
    guint32 length, record_type;
    StrobeStringId id;
} Category;

/* maximum number of frames in a stack that the event itself lists */
#define STACK_FRAMES_MAX 4096u

#define CATEGORIES 16u

typedef struct Import {
    const StrobeImporterHost *host;
    StrobeInstance *self;
    char *part; /* name of the file, for messages */
    RecordType record_types[N_RECORD_TYPES];
    Rows *rows;
    OpenSpans *open;
    Metadata *metadata;
    StackFrames *frames;
    FlowEvents *flow_events; /* NULL: there are none yet */
    GString *text;           /* buffer for one string */
    Memo *memos;
    Category categories[CATEGORIES]; /* a hash table; a new category replaces the one in its slot */
    /* added to each time; 0 if the base comes after events in the file, because the host then adds
     * the base */
    gint64 base;
    gint64 first, last; /* earliest and latest time of the events */
    guint64 n_events;
    gboolean has_times;
    gboolean is_full;
    gboolean is_failed;
} Import;

/* Defined in trace-emit.c. */
void import_init(Import *import, const StrobeImporterHost *host, StrobeInstance *self,
                 const char *path);
void import_clear(Import *import);
/* Declares the kind if needed. Returns FALSE if the capture refuses it. */
gboolean import_declare(Import *import, guint record_type);
/* Returns the fields of a new record; NULL: the capture has no room or refuses the kind. */
void *import_emit(Import *import, guint record_type, StrobeTrackId track, StrobeStringId name,
                  gint64 begin, gint64 end);
/* Interns a value's text. Returns 0 for a missing value and for the empty text. */
StrobeStringId import_intern(Import *import, const StrobeJsonValue *value);
StrobeStringId import_intern_text(Import *import, const char *text);
/* Stores the arguments in the fields. An argument that has no field, or does not fit, goes into
 * "arguments". */
void import_fill(Import *import, guint record_type, const Event *event, void *fields);
/* Returns all arguments as JSON without the last brace; NULL: there are none. The caller frees the
 * result. */
char *import_arguments(Import *import, const Event *event);
/* Interns all arguments as a complete JSON object. */
StrobeStringId import_intern_arguments(Import *import, const Event *event);
void import_damage(Import *import, const Event *event, const char *reason);
void *import_field(const RecordType *record_type, const char *name, void *fields);

#endif
