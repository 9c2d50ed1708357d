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

/* A field that is written as an argument. */
typedef struct BoardField {
    char *key; /* "name": with its quotes and blank */
    guint key_length;
    guint32 type, offset;
    guint8 form; /* KINETO_* */
} BoardField;

#define BOARD_KNOWN_FIELDS 7

/* Data about a kind, collected at its first record. */
struct BoardKind {
    const StrobeKindView *view;
    const StrobeFieldView *view_fields; /* with n and id: to detect the same kind */
    guint32 view_n_fields;
    StrobeKindId view_id;
    BoardWriter write;
    guint32 known[BOARD_KNOWN_FIELDS]; /* offsets that the writer itself uses */
    BoardField *fields;
    guint n_fields;
    gboolean is_event; /* not metadata before the events */
    guint32 sequence;  /* offset, STROBE_FIELD_MISSING: none */
    guint32 arguments; /* offset of the arguments without a field, as JSON */
    char *name_text;   /* the kind's name as a JSON string */
    guint name_length;
};

/* The position of a track. */
typedef struct BoardRow {
    char *pid, *tid; /* as JSON */
    char *name;      /* of the thread or stream; NULL: none */
    gint32 device;   /* -1: the host */
    gboolean is_used;
    guint place_length;
    char *place; /* "pid": 1, "tid": 2, "ts": */
} BoardRow;

struct Board {
    const StrobeConsumerHost *host;
    StrobeInstance *self;
    TraceOut main; /* events; in memory until they begin, then the file itself */
    TraceOut file; /* the part before them */
    EqualSpans equal;
    TextCache *texts;
    GHashTable *kinds; /* const StrobeKindView * -> BoardKind */
    BoardKind *last_kind;
    BoardRows *rows;
    BoardFlowEvents *flow_events;
    BoardHead *head;
    BoardStepRanges *step_ranges;
    gint64 window_ns;
    gint64 base_ns; /* times are relative to it */
    gint64 first, last;
    guint64 n_links, n_collectives;
    gboolean is_begun; /* whether the array of events has begun */
    gboolean is_import;
    gboolean has_steps; /* the source has steps among its operators, where the reader finds them */
};

/* board-kinds.c */
BoardKind *board_kind_new(Board *board, const StrobeKindView *view);
void board_kind_free(gpointer kind);

/* board-rows.c */
BoardRows *board_rows_new(Board *board);
void board_rows_free(BoardRows *rows);
BoardRow *board_row(Board *board, StrobeTrackId track);
/* The row of a thread of the track's process. */
BoardRow *board_row_of_thread(Board *board, StrobeTrackId track, guint64 thread);
void board_rows_write(Board *board);

/* board-flow-events.c: matches calls and their effects on a device by connection. */
void board_flow_events_free(BoardFlowEvents *flow_events);
void board_flow_event_begin(Board *board, guint64 connection, const BoardRow *row, gint64 time_ns);
void board_flow_event_end(Board *board, guint64 connection, const BoardRow *row, gint64 time_ns);
void board_write_flow_event(Board *board, const char *category, const char *phase, guint64 id,
                            const BoardRow *row, gint64 time_ns);

/* step-ranges.c: ranges with a step's name, such as the marks that Strobe and PyTorch's own
 * profiler put around each step. They are written only if there are no steps. */
BoardStepRanges *board_step_ranges_new(void);
void board_step_ranges_free(BoardStepRanges *ranges); /* NULL is fine */
gboolean board_is_step_name(Board *board, guint32 name);
/* A step is written: from the first step on, no range is. */
void board_step_ranges_drop(BoardStepRanges *ranges);
/* FALSE: the range must be written now. */
gboolean board_step_ranges_hold(BoardStepRanges *ranges, const StrobeView *record);
/* No more records follow: the ranges to be written, of StrobeView. */
const GArray *board_step_ranges_end(BoardStepRanges *ranges);

/* head.c: members of the object other than the events. */
BoardHead *board_head_new(Board *board);
void board_head_free(BoardHead *head);
void write_metadata(Board *board, const BoardKind *kind, const StrobeView *record);
void write_device_info(Board *board, const BoardKind *kind, const StrobeView *record);
void board_begin_events(Board *board); /* if they have not begun */
void board_end_events(Board *board);

/* events.c */
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

/* source-events.c: events for which the importer had no other kind. */
void write_source_span(Board *board, const BoardKind *kind, const StrobeView *record);
void write_source_event(Board *board, const BoardKind *kind, const StrobeView *record);
void write_source_flow(Board *board, const BoardKind *kind, const StrobeView *record);

/* values.c: every put function returns the position after its output. */
char *put_time(const Board *board, char *at, gint64 time_ns);
char *put_string_id(Board *board, char *at, guint32 id);
/* The fields of the kind and the arguments without a field: { ... } */
char *put_arguments(Board *board, char *at, const BoardKind *kind, const StrobeView *record);
/* A source's JSON; as a text if it is invalid. */
char *put_json(Board *board, char *at, guint32 id);
gboolean is_json(StrobeText text);

#endif
