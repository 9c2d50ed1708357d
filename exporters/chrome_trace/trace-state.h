/* SPDX-License-Identifier: Apache-2.0 */
/* State of one export, shared by the files of this folder. */
#ifndef STROBE_CHROME_TRACE_TRACE_STATE_H
#define STROBE_CHROME_TRACE_TRACE_STATE_H

#include <glib.h>
#include <strobe/exporter.h>
#include <strobe/record.h>

#include "equal-spans.h"
#include "cut-flows.h"
#include "chrome-trace-rows.h"
#include "text-cache.h"
#include "trace-out.h"
#include "trace-part.h"

typedef struct ChromeTrace ChromeTrace;
typedef struct TraceKind TraceKind;

/* Applies the effects of a record on shared state (rows, flow events); called in the order of the
 * records. Returns the row of the record's event; NULL: no event is composed. A TraceComposer later
 * writes the event, or writes it at once. */
typedef const TraceRow *(*TracePrepare)(ChromeTrace *trace, const TraceKind *kind,
                                        const StrobeView *record);
typedef void (*TraceComposer)(ChromeTrace *trace, const TraceKind *kind, const StrobeView *record,
                              const TraceRow *row);
/* Prepares and composes a record at once, in the order of the records. For events that the writer
 * itself puts into a part of the file. */
typedef void (*TraceWriter)(ChromeTrace *trace, const TraceKind *kind, const StrobeView *record);

/* A field of a kind that is written as an argument. */
typedef struct TraceField {
    char *key; /* the text "name": with the field's name, escaped, and a blank at the end */
    guint key_length;
    guint32 type;
    guint32 offset;
    gboolean is_json; /* a JSON object whose members become separate arguments */
} TraceField;

/* how a span of a device is written, see device-kinds.h */
typedef struct TraceEvents TraceEvents;
typedef struct TraceCounters TraceCounters; /* see device-counters.c */
typedef struct TraceLaunches TraceLaunches; /* see launch-flows.h */
typedef struct TraceQueue TraceQueue;       /* see queue.h */

#define TRACE_KNOWN_FIELDS 7

/* The parts of the file in which the records of a kind can wait. */
enum {
    TRACE_PART_MAIN,
    TRACE_PART_BACKWARD,
    TRACE_PART_PYTHON,
    TRACE_PART_DEVICES,
    TRACE_PART_LINKS
};

/* Data about a kind, collected at its first record. */
struct TraceKind {
    const StrobeKindView *view;
    /* view_fields, view_n_fields and view_id show whether another view is of the same kind */
    const StrobeFieldView *view_fields;
    guint32 view_n_fields;
    StrobeKindId view_id;
    TraceWriter write; /* NULL: `prepare` and `compose` write the events */
    TracePrepare prepare;
    TraceComposer compose;
    guint8 part;                       /* TRACE_PART_* */
    gsize field_bytes;                 /* size of a record's fields, a multiple of 8 */
    guint32 known[TRACE_KNOWN_FIELDS]; /* offsets of the fields that the kind's functions read */
    /* the fields that are written as arguments without a function of their own */
    TraceField *fields;
    guint n_fields;
    char *name_text; /* the kind's name as a JSON string */
    guint name_length;
    TraceEvents *events;     /* NULL: not a kind of a device */
    TraceCounters *counters; /* NULL: not a kind with a series that readers know */
};

/* Properties of a word that names a level or a type. */
typedef struct TraceWord {
    StrobeStringId id;
    gboolean is_collective, is_upper, is_none;
    const char *prefix; /* prefix of the names of calls at this level; NULL: none */
} TraceWord;

#define TRACE_WORDS 16u
#define TRACE_RECENT 64u

struct ChromeTrace {
    const StrobeConsumerHost *host;
    StrobeInstance *self;
    TraceRows *rows;
    EqualSpans equal;
    TextCache *texts;
    GHashTable *kinds; /* const StrobeKindView * -> TraceKind */
    /* all kinds, including those that a newer kind for the same view has replaced */
    GPtrArray *all_kinds;
    TraceKind *recent[TRACE_RECENT]; /* a hash table; a new kind replaces the one in its slot */
    TraceWord words[TRACE_WORDS];    /* a hash table; a new word replaces the one in its slot */
    TraceQueue *queue;
    TraceLaunches *launches;
    const TraceKind *launch_kind; /* the kind of launches_kind() */
    /* matches the flow events of a part of a result; NULL: the whole result is written */
    FlowMatcher *matcher;
    /* the files are those of the Ascend profiler's first or second generation */
    gboolean is_old;
    /* the capture was imported: the trace has the form that the source's tool writes */
    gboolean is_import;
    gboolean has_steps; /* the source contains steps among its operators */
    gboolean has_flow_points;
    gboolean is_incomplete_reported;
    /* The parts of the file, in order. */
    TraceOut main;      /* events in the order of their arrival, the process's names, flow events */
    TracePart backward; /* flow events from operators to their backward operators */
    TracePart python;   /* calls of Python functions, by thread */
    TracePart gc;       /* garbage collections */
    TracePart devices;  /* events of devices, sorted by layer, in older files by time */
    TracePart flows;    /* flow events from calls to tasks, if the source has no such flow events */
    TracePart links;    /* flow events from operators to kernels */
    TracePart tail;     /* losses */
    TraceOut event;     /* buffer for one event that goes to a part of the file */
};

/* Chooses the functions that write a kind, by its name, shape and fields. (kind-writers.c) */
TraceKind *trace_kind_new(ChromeTrace *trace, const StrobeKindView *view);
void trace_kind_free(gpointer kind);
/* Makes a kind that belongs to the exporter itself. Its records wait in a part of the file until
 * `compose` writes them. */
const TraceKind *trace_kind_own(ChromeTrace *trace, TraceComposer compose);
/* Returns the kind of a record. The first record of a kind makes it. */
const TraceKind *trace_find_kind(ChromeTrace *trace, const StrobeKindView *view);

/* Returns the sort key of a device event. (event-parts.c) */
gint64 trace_device_key(const ChromeTrace *trace, const TraceRow *row, gint64 time_ns);
/* Puts a record into the part of the file where it waits to be composed. */
void trace_hold_record(ChromeTrace *trace, const TraceKind *kind, const StrobeView *record,
                       const TraceRow *row);

/* Defined in framework-events.c. */
void compose_cpu_op(ChromeTrace *trace, const TraceKind *kind, const StrobeView *record,
                    const TraceRow *row);
void compose_step(ChromeTrace *trace, const TraceKind *kind, const StrobeView *record,
                  const TraceRow *row);
void write_gc(ChromeTrace *trace, const TraceKind *kind, const StrobeView *record);
void compose_python_call(ChromeTrace *trace, const TraceKind *kind, const StrobeView *record,
                         const TraceRow *row);
const TraceRow *prepare_cpu_op(ChromeTrace *trace, const TraceKind *kind, const StrobeView *record);
const TraceRow *prepare_step(ChromeTrace *trace, const TraceKind *kind, const StrobeView *record);
const TraceRow *prepare_python_call(ChromeTrace *trace, const TraceKind *kind,
                                    const StrobeView *record);

/* Defined in queue.c. */
void write_task_queue(ChromeTrace *trace, const TraceKind *kind, const StrobeView *record);

/* Defined in flows.c. */
void compose_link(ChromeTrace *trace, const TraceKind *kind, const StrobeView *record,
                  const TraceRow *row);
void compose_kernel_link(ChromeTrace *trace, const TraceKind *kind, const StrobeView *record,
                         const TraceRow *row);
void compose_flow_point(ChromeTrace *trace, const TraceKind *kind, const StrobeView *record,
                        const TraceRow *row);
/* Size of a buffer for the category or the id of a flow event of the device, including the NUL. */
#define TRACE_FLOW_TEXT 64

/* Write an end of a flow event: trace_flow_framework between rows of the framework,
 * trace_flow_device between rows of the device. `name` is a text with its quotes. */
void trace_flow_framework(TraceOut *out, const char *category, const char *name, gboolean is_end,
                          guint64 id, const TraceRow *row, gint64 time_ns);
void trace_flow_device(ChromeTrace *trace, TraceOut *out, const char *category, const char *id,
                       gboolean is_end, const TraceRow *row, gint64 time_ns);

/* Defined in device-events.c: functions for spans of a device and of its host interfaces. */
void compose_device_event(ChromeTrace *trace, const TraceKind *kind, const StrobeView *record,
                          const TraceRow *row);
void compose_overlap(ChromeTrace *trace, const TraceKind *kind, const StrobeView *record,
                     const TraceRow *row);
const TraceRow *prepare_device_event(ChromeTrace *trace, const TraceKind *kind,
                                     const StrobeView *record);
const TraceRow *prepare_overlap(ChromeTrace *trace, const TraceKind *kind,
                                const StrobeView *record);
/* Defined in device-counters.c. */
gboolean trace_counters_bind(ChromeTrace *trace, TraceKind *kind);
void trace_counters_free(TraceCounters *counters);
void write_device_counter(ChromeTrace *trace, const TraceKind *kind, const StrobeView *record);
void compose_device_counter(ChromeTrace *trace, const TraceKind *kind, const StrobeView *record,
                            const TraceRow *row);
/* Writes the samples that were kept until the end. */
void trace_counters_finish(ChromeTrace *trace);
/* Defined in source-event.c: functions for events for which the importer had no kind. */
void compose_source_event(ChromeTrace *trace, const TraceKind *kind, const StrobeView *record,
                          const TraceRow *row);

/* Defined in external-events.c. */
void compose_external_flow(ChromeTrace *trace, const TraceKind *kind, const StrobeView *record,
                           const TraceRow *row);
void compose_counter(ChromeTrace *trace, const TraceKind *kind, const StrobeView *record,
                     const TraceRow *row);

/* Defined in head-overlay.c. */
void write_head_overhead(ChromeTrace *trace, const TraceKind *kind, const StrobeView *record);

/* Defined in other-events.c. */
void compose_marker(ChromeTrace *trace, const TraceKind *kind, const StrobeView *record,
                    const TraceRow *row);
void compose_cpu_usage(ChromeTrace *trace, const TraceKind *kind, const StrobeView *record,
                       const TraceRow *row);
void write_loss(ChromeTrace *trace, const TraceKind *kind, const StrobeView *record);
void compose_generic(ChromeTrace *trace, const TraceKind *kind, const StrobeView *record,
                     const TraceRow *row);
void compose_instant(ChromeTrace *trace, const TraceKind *kind, const StrobeView *record,
                     const TraceRow *row);
void compose_generic_counter(ChromeTrace *trace, const TraceKind *kind, const StrobeView *record,
                             const TraceRow *row);
const TraceRow *prepare_link(ChromeTrace *trace, const TraceKind *kind, const StrobeView *record);
const TraceRow *prepare_kernel_link(ChromeTrace *trace, const TraceKind *kind,
                                    const StrobeView *record);
const TraceRow *prepare_flow_point(ChromeTrace *trace, const TraceKind *kind,
                                   const StrobeView *record);
const TraceRow *prepare_external_flow(ChromeTrace *trace, const TraceKind *kind,
                                      const StrobeView *record);
const TraceRow *prepare_marker(ChromeTrace *trace, const TraceKind *kind, const StrobeView *record);
const TraceRow *prepare_cpu_usage(ChromeTrace *trace, const TraceKind *kind,
                                  const StrobeView *record);
/* The TracePrepare functions of events in the row "Strobe" (prepare_run_event), and of events in
 * the row of their track (prepare_on_track). */
const TraceRow *prepare_run_event(ChromeTrace *trace, const TraceKind *kind,
                                  const StrobeView *record);
const TraceRow *prepare_on_track(ChromeTrace *trace, const TraceKind *kind,
                                 const StrobeView *record);
/* Writes the losses of records that the metadata state, if there are any. Only the first call has
 * an effect; it must come after the raw records. */
void write_incomplete(ChromeTrace *trace);

/* Defined in event-parts.c: functions for parts that are common to events. */
char *put_begin_of_span(ChromeTrace *trace, TraceOut *out, const TraceKind *kind,
                        const StrobeView *record, const TraceRow *row);
/* Writes the duration: `exact_us`, which may have digits below 1 ns, if the source has it, else the
 * difference of the times. */
char *put_duration(const ChromeTrace *trace, char *at, const StrobeView *record, double exact_us);
char *put_flags(char *at, const StrobeView *record, gboolean first);
/* Returns whether the text is a JSON object on one line. The text may contain any bytes.
 * (source-event.c) */
gboolean trace_is_object(StrobeText text);
char *put_field(ChromeTrace *trace, TraceOut *out, char *at, const TraceField *field,
                const StrobeView *record, gboolean *first);

static inline char *put_text(ChromeTrace *trace, TraceOut *out, char *at, guint cache, guint32 id)
{
    const CachedText *text = text_cache_get(trace->texts, cache, id);

    return trace_out_padded(out, at, text->bytes, text->length);
}

/* Writes the record's name; if the record has none, writes the kind's name. */
static inline char *put_name(ChromeTrace *trace, TraceOut *out, char *at, const TraceKind *kind,
                             const StrobeView *record)
{
    if (record->name)
        return put_text(trace, out, at, TEXT_CACHE_PLAIN, record->name);
    return trace_out_padded(out, at, kind->name_text, kind->name_length);
}

/* Copies the row's position to `at`. Usually copies only TRACE_PLACE_USUAL bytes, for which the
 * compiler needs no call. */
static inline void copy_place(char *at, const TraceRow *row)
{
    memcpy(at, row->place, TRACE_PLACE_USUAL);
    if (G_UNLIKELY(row->place_length > TRACE_PLACE_USUAL))
        memcpy(at + TRACE_PLACE_USUAL, row->place + TRACE_PLACE_USUAL,
               TRACE_PLACE_MAX - TRACE_PLACE_USUAL);
}

static inline char *put_where(char *at, const TraceRow *row)
{
    copy_place(at, row);
    return at + TRACE_WHERE_LENGTH(row);
}

/* Writes the time: since the epoch as a text, for example "1736412474000000.001", or relative to
 * the base as a number. */
static inline char *put_time(char *at, const TraceRow *row, gint64 time_ns)
{
    const TraceOrigin *origin = row->origin;

    if (!origin->is_start)
        *at++ = '"';
    at += strobe_format_us_fixed(at, time_ns - origin->base_ns);
    if (!origin->is_start)
        *at++ = '"';
    return at;
}

/* Writes the row's position, then the time. */
static inline char *put_place(char *at, const TraceRow *row, gint64 time_ns)
{
    copy_place(at, row);
    return put_time(at + row->place_length, row, time_ns);
}

#endif
