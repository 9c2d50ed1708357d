/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the processes and threads of a trace. Their names may come after their events. */
#ifndef STROBE_TRACE_IMPORT_ROWS_H
#define STROBE_TRACE_IMPORT_ROWS_H

#include "stack-frames.h"

typedef struct Process {
    char *text; /* the pid as it is written in the file */
    gint64 pid;
    gboolean is_number;
    gboolean is_host; /* the process seems to be the profiled program */
    /* the process's id is a device's number, and the process's threads are streams */
    gboolean is_device;
    gboolean is_program; /* certainly a program, even if its id is a device's number */
    char *name;
} Process;

/* A span that has begun. */
typedef struct Begun {
    StrobeStringId name, category, id;
    char *arguments; /* JSON without the last brace; NULL: there are none */
    Stacks stacks;
    gint64 begin;
    gsize bytes; /* size of the memory that the span uses while it is open */
    char phase;
} Begun;

/* defined in trace-equal-spans.h */
typedef struct EqualSpans {
    gint64 begin, end; /* times of the waiting spans */
    guint n;
    gsize used, room;
    guint32 last_bytes; /* size of the last entry */
    char *entries;
} EqualSpans;

typedef struct Row {
    Process *process;
    char *text; /* the tid as it is written in the file */
    guint64 number;
    gboolean is_number;
    gboolean is_device; /* the row's events belong to a device */
    char *name;
    StrobeTrackId track;
    GArray *begun; /* elements of type Begun, the innermost last; NULL: no span has begun */
    EqualSpans equal;
} Row;

Rows *rows_new(Import *import);
void rows_free(Rows *rows);

/* Returns the row of the event. Events of further rows after the first 100,000 share one Row. */
Row *rows_of_event(Rows *rows, const Event *event);
/* Stores whether the row belongs to the program or to a device, as the record type of one of its
 * events shows. */
void rows_tell_owner(Row *row, guint record_type, gboolean is_device);
/* Returns the row's track. */
StrobeTrackId rows_track(Rows *rows, Row *row);
/* Returns the track of steps. */
StrobeTrackId rows_steps(Rows *rows);
/* Processes an event of phase M, which names a process or a thread. */
void rows_take_metadata(Rows *rows, const Event *event);
/* Gives every track its final name and type, and sets the metadata of the process. */
void rows_finish(Rows *rows);
void rows_for_each(Rows *rows, void (*call)(Import *import, Row *row, gpointer user),
                   gpointer user);

#endif
