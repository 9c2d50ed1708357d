/* SPDX-License-Identifier: Apache-2.0 */
/* Processes and threads of a trace. Their names may come after their events. */
#ifndef STROBE_TRACE_IMPORT_ROWS_H
#define STROBE_TRACE_IMPORT_ROWS_H

#include "stack-frames.h"

typedef struct Process {
    char *text; /* the pid as written */
    gint64 pid;
    gboolean is_number;
    gboolean is_host;    /* it seems to be the profiled program */
    gboolean is_device;  /* its id is a device's number, and its threads are streams */
    gboolean is_program; /* certainly a program, even if its id is a device's number */
    char *name;
} Process;

/* A span that has begun. */
typedef struct Begun {
    StrobeStringId name, category, id;
    char *arguments; /* as JSON without the last brace; NULL: none */
    Stacks stacks;
    gint64 begin;
    gsize bytes; /* memory that it takes while it is open */
    char phase;
} Begun;

/* trace-equal-spans.h */
typedef struct EqualSpans {
    gint64 begin, end; /* of the waiting spans */
    guint n;
    gsize used, room;
    guint32 last_bytes; /* of the last entry */
    char *entries;
} EqualSpans;

typedef struct Row {
    Process *process;
    char *text; /* the tid as written */
    guint64 number;
    gboolean is_number;
    gboolean is_device; /* its events are a device's */
    char *name;
    StrobeTrackId track;
    GArray *begun; /* of Begun, the innermost last; NULL: none yet */
    EqualSpans equal;
} Row;

Rows *rows_new(Import *import);
void rows_free(Rows *rows);

/* Returns the row of the event. Rows beyond the first 100,000 share one. */
Row *rows_of_event(Rows *rows, const Event *event);
/* Sets the owner of the row from the type of an event on it. */
void rows_tell_owner(Row *row, guint record_type, gboolean is_device);
/* The row's track. */
StrobeTrackId rows_track(Rows *rows, Row *row);
/* The track of steps. */
StrobeTrackId rows_steps(Rows *rows);
/* Takes an M event. */
void rows_take_metadata(Rows *rows, const Event *event);
/* Gives every track its final name and type, and sets the metadata of the process. */
void rows_finish(Rows *rows);
void rows_for_each(Rows *rows, void (*call)(Import *import, Row *row, gpointer user),
                   gpointer user);

#endif
