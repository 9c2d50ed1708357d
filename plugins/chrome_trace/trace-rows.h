/* SPDX-License-Identifier: Apache-2.0 */
/* Processes and threads of a trace. Their names may come after their events. */
#ifndef STROBE_TRACE_IMPORT_ROWS_H
#define STROBE_TRACE_IMPORT_ROWS_H

#include "stack-frames.h"

typedef struct Process {
    char *text; /* the pid as in the file */
    gint64 pid;
    gboolean is_number;
    gboolean is_host; /* the process seems to be the profiled program */
    /* the process's id is a device's number, and its threads are streams */
    gboolean is_device;
    gboolean is_program; /* certainly a program, even if its id is a device's number */
    char *name;
} Process;

/* A span that has begun. */
typedef struct Begun {
    StrobeStringId name, category, id;
    char *arguments; /* as JSON without the last brace; NULL: none */
    Stacks stacks;
    gint64 begin;
    gsize bytes; /* memory that the span uses while it is open */
    char phase;
} Begun;

/* trace-equal-spans.h */
typedef struct EqualSpans {
    gint64 begin, end; /* times of the waiting spans */
    guint n;
    gsize used, room;
    guint32 last_bytes; /* size of the last entry */
    char *entries;
} EqualSpans;

typedef struct Row {
    Process *process;
    char *text; /* the tid as in the file */
    guint64 number;
    gboolean is_number;
    gboolean is_device; /* the row's events belong to a device */
    char *name;
    StrobeTrackId track;
    GArray *begun; /* of Begun, the innermost last; NULL: none yet */
    EqualSpans equal;
} Row;

Rows *rows_new(Import *import);
void rows_free(Rows *rows);

/* Returns the row of the event. All rows after the first 100,000 share one Row. */
Row *rows_of_event(Rows *rows, const Event *event);
/* Sets whether the row belongs to the program or to a device, from the type of an event on it. */
void rows_tell_owner(Row *row, guint record_type, gboolean is_device);
/* The row's track. */
StrobeTrackId rows_track(Rows *rows, Row *row);
/* The track of steps. */
StrobeTrackId rows_steps(Rows *rows);
/* Takes an event of phase M, which names a process or a thread. */
void rows_take_metadata(Rows *rows, const Event *event);
/* Gives every track its final name and type, and sets the metadata of the process. */
void rows_finish(Rows *rows);
void rows_for_each(Rows *rows, void (*call)(Import *import, Row *row, gpointer user),
                   gpointer user);

#endif
