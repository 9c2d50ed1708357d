/* SPDX-License-Identifier: Apache-2.0 */
/* State of one export, shared by the files of this folder. */
#ifndef STROBE_TENSORBOARD_TENSORBOARD_H
#define STROBE_TENSORBOARD_TENSORBOARD_H

#include <equal-spans.h>
#include <glib.h>
#include <kineto.h>
#include <strobe/exporter.h>
#include <strobe/helpers/json-writer.h>
#include <text-cache.h>
#include <trace-out.h>

extern const StrobeConsumerOps tensorboard_ops;

typedef struct Board Board;
typedef struct BoardKind BoardKind;
typedef struct BoardRows BoardRows;
typedef struct BoardFlowEvents BoardFlowEvents;
typedef struct BoardHead BoardHead;
typedef struct BoardStepRanges BoardStepRanges;

typedef void (*BoardWriter)(Board *board, const BoardKind *kind, const StrobeView *record);

/* A field of a kind that is written as an argument. */
typedef struct BoardField {
    char *key; /* the argument's name with quotes, a colon and a blank */
    guint key_length;
    guint32 type, offset;
    guint8 form; /* KINETO_* */
} BoardField;

#define BOARD_KNOWN_FIELDS 7

/* Data about a kind, collected at its first record. */
struct BoardKind {
    const StrobeKindView *view;
    /* view_fields, view_n_fields and view_id show whether another view is of the same kind */
    const StrobeFieldView *view_fields;
    guint32 view_n_fields;
    StrobeKindId view_id;
    BoardWriter write;
    guint32 known[BOARD_KNOWN_FIELDS]; /* offsets of the fields that the kind's writer reads */
    BoardField *fields;
    guint n_fields;
    /* TRUE: the records are events. FALSE: they are metadata, which come before the events */
    gboolean is_event;
    guint32 sequence;  /* offset of the sequence number; STROBE_FIELD_MISSING: none */
    guint32 arguments; /* offset of a field whose text is a JSON object with further arguments */
    char *name_text;   /* the kind's name as a JSON string */
    guint name_length;
};

/* The position of a track's events. */
typedef struct BoardRow {
    char *pid, *tid; /* JSON values */
    char *name;      /* name of the thread or stream; NULL: none */
    gint32 device;   /* -1: the host */
    gboolean is_used;
    guint place_length;
    char *place; /* the text "pid": 1, "tid": 2, "ts": with the values of the row */
} BoardRow;

struct Board {
    const StrobeConsumerHost *host;
    StrobeInstance *self;
    /* the events: kept in memory until the array of events begins, then written to the file */
    TraceOut main;
    TraceOut file; /* the part of the file before the events */
    EqualSpans equal;
    TextCache *texts;
    GHashTable *kinds; /* const StrobeKindView * -> BoardKind */
    BoardKind *last_kind;
    BoardRows *rows;
    BoardFlowEvents *flow_events;
    BoardHead *head;
    BoardStepRanges *step_ranges;
    gint64 window_ns;
    gint64 base_ns; /* times in the trace count from this time */
    gint64 first, last;
    guint64 n_links, n_collectives;
    gboolean is_begun; /* the array of events was begun */
    gboolean is_import;
    /* the source contains its steps among the operators, where readers of the trace find them */
    gboolean has_steps;
};

/* Defined in board-kinds.c. */
BoardKind *board_kind_new(Board *board, const StrobeKindView *view);
void board_kind_free(gpointer kind);

/* Defined in board-rows.c. */
BoardRows *board_rows_new(Board *board);
void board_rows_free(BoardRows *rows);
BoardRow *board_row(Board *board, StrobeTrackId track);
/* Returns the row of a thread in the track's process. */
BoardRow *board_row_of_thread(Board *board, StrobeTrackId track, guint64 thread);
void board_rows_write(Board *board);

/* Defined in board-flow-events.c, which matches calls with the work that they launch on a device,
 * by connection. */
void board_flow_events_free(BoardFlowEvents *flow_events);
void board_flow_event_begin(Board *board, guint64 connection, const BoardRow *row, gint64 time_ns);
void board_flow_event_end(Board *board, guint64 connection, const BoardRow *row, gint64 time_ns);
void board_write_flow_event(Board *board, const char *category, const char *phase, guint64 id,
                            const BoardRow *row, gint64 time_ns);

/* Defined in step-ranges.c, which keeps ranges that have a step's name until it is known whether
 * there are steps. Strobe and PyTorch's own profiler put such ranges around each step as marks.
 * They are written only if there are no steps. */
BoardStepRanges *board_step_ranges_new(void);
void board_step_ranges_free(BoardStepRanges *ranges); /* `ranges` may be NULL */
gboolean board_is_step_name(Board *board, guint32 name);
/* Drops the ranges that are kept, and all ranges that come later. Must be called when a step is
 * written. */
void board_step_ranges_drop(BoardStepRanges *ranges);
/* Keeps the range, or drops it if a step was written before. Returns FALSE if the caller must write
 * the range now. */
gboolean board_step_ranges_hold(BoardStepRanges *ranges, const StrobeView *record);
/* Returns the ranges that must be written (StrobeView). Must be called after the last record. */
const GArray *board_step_ranges_end(BoardStepRanges *ranges);

/* Defined in head.c, which writes the members of the object other than the events. */
BoardHead *board_head_new(Board *board);
void board_head_free(BoardHead *head);
void write_metadata(Board *board, const BoardKind *kind, const StrobeView *record);
void write_device_info(Board *board, const BoardKind *kind, const StrobeView *record);
void board_begin_events(Board *board); /* does nothing if the array was begun before */
void board_end_events(Board *board);

/* Defined in events.c. */
void write_operator(Board *board, const BoardKind *kind, const StrobeView *record);
void write_step(Board *board, const BoardKind *kind, const StrobeView *record);
void write_marker(Board *board, const BoardKind *kind, const StrobeView *record);
void write_python_call(Board *board, const BoardKind *kind, const StrobeView *record);
void write_call(Board *board, const BoardKind *kind, const StrobeView *record);
void write_task(Board *board, const BoardKind *kind, const StrobeView *record);
void write_collective(Board *board, const BoardKind *kind, const StrobeView *record);
void write_memory(Board *board, const BoardKind *kind, const StrobeView *record);
void write_counter(Board *board, const BoardKind *kind, const StrobeView *record);
void write_link(Board *board, const BoardKind *kind, const StrobeView *record);
void write_generic(Board *board, const BoardKind *kind, const StrobeView *record);

/* Defined in source-events.c: functions for events for which the importer had no other kind. */
void write_source_span(Board *board, const BoardKind *kind, const StrobeView *record);
void write_source_event(Board *board, const BoardKind *kind, const StrobeView *record);
void write_source_flow(Board *board, const BoardKind *kind, const StrobeView *record);

/* Defined in values.c. Every put function returns the position after its output. */
char *put_time(const Board *board, char *at, gint64 time_ns);
char *put_string_id(Board *board, char *at, guint32 id);
/* Writes an object with the fields of the kind and the arguments that have no field: { ... } */
char *put_arguments(Board *board, char *at, const BoardKind *kind, const StrobeView *record);
/* Writes a text of the source that contains JSON. If the JSON is not valid, writes the text as a
 * JSON string. */
char *put_json(Board *board, char *at, guint32 id);
gboolean is_json(StrobeText text);

#endif
