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

/* The effects of a record on shared state (rows, flow events), in the order of records. Returns
 * the row for which it is composed, possibly later; NULL: none. */
typedef const TraceRow *(*TracePrepare)(ChromeTrace *trace, const TraceKind *kind,
                                        const StrobeView *record);
typedef void (*TraceComposer)(ChromeTrace *trace, const TraceKind *kind, const StrobeView *record,
                              const TraceRow *row);
/* Does both at once, in the order of records, for parts that are held back. */
typedef void (*TraceWriter)(ChromeTrace *trace, const TraceKind *kind, const StrobeView *record);

/* A field that is written as an argument. */
typedef struct TraceField {
    char *key; /* "name":, escaped, followed by a blank */
    guint key_length;
    guint32 type;
    guint32 offset;
    gboolean is_json; /* its value is an object whose members are written here */
} TraceField;

typedef struct TraceEvents TraceEvents;     /* device-kinds.h: how a span of a device is written */
typedef struct TraceCounters TraceCounters; /* device-counters.c */
typedef struct TraceLaunches TraceLaunches; /* launch-flows.h */
typedef struct TraceQueue TraceQueue;       /* queue.h */

#define TRACE_KNOWN_FIELDS 7

/* The part of the file for the records of a kind. */
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
    const StrobeFieldView *view_fields; /* with n and id: to detect the same kind */
    guint32 view_n_fields;
    StrobeKindId view_id;
    TraceWriter write; /* NULL: prepared and composed */
    TracePrepare prepare;
    TraceComposer compose;
    guint8 part;                       /* TRACE_PART_* */
    gsize field_bytes;                 /* size of a record's fields, a multiple of 8 */
    guint32 known[TRACE_KNOWN_FIELDS]; /* offsets that the writer itself uses */
    TraceField *fields;                /* fields that are written in sequence */
    guint n_fields;
    char *name_text; /* the kind's name as a JSON string */
    guint name_length;
    TraceEvents *events;     /* for a device's kind */
    TraceCounters *counters; /* for a kind whose series readers know */
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
    GHashTable *kinds;               /* const StrobeKindView * -> TraceKind */
    GPtrArray *all_kinds;            /* including replaced ones */
    TraceKind *recent[TRACE_RECENT]; /* the last kinds, each in its slot */
    TraceWord words[TRACE_WORDS];    /* the last words */
    TraceQueue *queue;
    TraceLaunches *launches;
    const TraceKind *launch_kind; /* launch-flows.h */
    FlowMatcher *matcher;         /* for a part of a result; NULL: a whole result */
    gboolean is_old;              /* first or second generation */
    gboolean is_import;           /* another tool's recording: written exactly as that tool does */
    gboolean has_steps;           /* the source has them among its operators */
    gboolean has_flow_points;
    gboolean is_incomplete_reported;
    /* The parts of the file, in order. */
    TraceOut main;      /* events in order of arrival, the process's names, flow events */
    TracePart backward; /* flow events from operators to their backward operators */
    TracePart python;   /* calls of Python functions, by thread */
    TracePart gc;       /* collections */
    TracePart devices;  /* the device's half, by layer; in older files by time */
    TracePart flows;    /* flow events from calls to tasks that the source lacks */
    TracePart links;    /* arrows from operators to kernels */
    TracePart tail;     /* losses */
    TraceOut event;     /* an event that is composed separately */
};

/* kind-writers.c: chooses a writer by a kind's name, shape and fields. */
TraceKind *trace_kind_new(ChromeTrace *trace, const StrobeKindView *view);
void trace_kind_free(gpointer kind);
/* A kind of the exporter's own that waits and is composed by this function. */
const TraceKind *trace_kind_own(ChromeTrace *trace, TraceComposer compose);
/* The kind of a record; made at the first record. */
const TraceKind *trace_find_kind(ChromeTrace *trace, const StrobeKindView *view);

/* event-parts.c: the sort key of a device event. */
gint64 trace_device_key(const ChromeTrace *trace, const TraceRow *row, gint64 time_ns);
/* Puts a record into its part of the file until that is written. */
void trace_hold_record(ChromeTrace *trace, const TraceKind *kind, const StrobeView *record,
                       const TraceRow *row);

/* framework-events.c */
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

/* queue.c */
void write_task_queue(ChromeTrace *trace, const TraceKind *kind, const StrobeView *record);

/* flows.c */
void compose_link(ChromeTrace *trace, const TraceKind *kind, const StrobeView *record,
                  const TraceRow *row);
void compose_kernel_link(ChromeTrace *trace, const TraceKind *kind, const StrobeView *record,
                         const TraceRow *row);
void compose_flow_point(ChromeTrace *trace, const TraceKind *kind, const StrobeView *record,
                        const TraceRow *row);
/* Bytes of the category or id of a flow event in the device's half, including the NUL. */
#define TRACE_FLOW_TEXT 64

/* Write an end of a flow event in the framework's half, and in the device's. `text` is the name
 * with its quotes. */
void trace_flow_framework(TraceOut *out, const char *category, const char *name, gboolean is_end,
                          guint64 id, const TraceRow *row, gint64 time_ns);
void trace_flow_device(ChromeTrace *trace, TraceOut *out, const char *category, const char *id,
                       gboolean is_end, const TraceRow *row, gint64 time_ns);

/* device-events.c: spans of a device and of its host interfaces. */
void compose_device_event(ChromeTrace *trace, const TraceKind *kind, const StrobeView *record,
                          const TraceRow *row);
void compose_overlap(ChromeTrace *trace, const TraceKind *kind, const StrobeView *record,
                     const TraceRow *row);
const TraceRow *prepare_device_event(ChromeTrace *trace, const TraceKind *kind,
                                     const StrobeView *record);
const TraceRow *prepare_overlap(ChromeTrace *trace, const TraceKind *kind,
                                const StrobeView *record);
/* device-counters.c */
gboolean trace_counters_bind(ChromeTrace *trace, TraceKind *kind);
void trace_counters_free(TraceCounters *counters);
void write_device_counter(ChromeTrace *trace, const TraceKind *kind, const StrobeView *record);
void compose_device_counter(ChromeTrace *trace, const TraceKind *kind, const StrobeView *record,
                            const TraceRow *row);
/* Writes the held samples. */
void trace_counters_finish(ChromeTrace *trace);
/* source-event.c: an event for which the importer had no kind. */
void compose_source_event(ChromeTrace *trace, const TraceKind *kind, const StrobeView *record,
                          const TraceRow *row);

/* external-events.c */
void compose_external_flow(ChromeTrace *trace, const TraceKind *kind, const StrobeView *record,
                           const TraceRow *row);
void compose_counter(ChromeTrace *trace, const TraceKind *kind, const StrobeView *record,
                     const TraceRow *row);

/* head-overlay.c */
void write_head_overhead(ChromeTrace *trace, const TraceKind *kind, const StrobeView *record);

/* other-events.c */
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
/* For events on the row of their track. */
const TraceRow *prepare_run_event(ChromeTrace *trace, const TraceKind *kind,
                                  const StrobeView *record);
const TraceRow *prepare_on_track(ChromeTrace *trace, const TraceKind *kind,
                                 const StrobeView *record);
/* Writes the losses that the metadata state, if there are any. Call it once, after the raw
 * records. */
void write_incomplete(ChromeTrace *trace);

/* event-parts.c: common parts of events. */
char *put_begin_of_span(ChromeTrace *trace, TraceOut *out, const TraceKind *kind,
                        const StrobeView *record, const TraceRow *row);
/* A duration: the source's with digits below 1 ns, or the difference of the times. */
char *put_duration(const ChromeTrace *trace, char *at, const StrobeView *record, double exact_us);
char *put_flags(char *at, const StrobeView *record, gboolean first);
/* The capture may contain anything: is the text a JSON object on one line? (source-event.c) */
gboolean trace_is_object(StrobeText text);
char *put_field(ChromeTrace *trace, TraceOut *out, char *at, const TraceField *field,
                const StrobeView *record, gboolean *first);

static inline char *put_text(ChromeTrace *trace, TraceOut *out, char *at, guint cache, guint32 id)
{
    const CachedText *text = text_cache_get(trace->texts, cache, id);

    return trace_out_padded(out, at, text->bytes, text->length);
}

/* The record's name, or the kind's if it has none. */
static inline char *put_name(ChromeTrace *trace, TraceOut *out, char *at, const TraceKind *kind,
                             const StrobeView *record)
{
    if (record->name)
        return put_text(trace, out, at, TEXT_CACHE_PLAIN, record->name);
    return trace_out_padded(out, at, kind->name_text, kind->name_length);
}

/* Known lengths are copied without a call; few positions are longer. */
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

/* "1736412474000000.001" since the epoch, or a number relative to the base. */
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

/* The row's position, then the time. */
static inline char *put_place(char *at, const TraceRow *row, gint64 time_ns)
{
    copy_place(at, row);
    return put_time(at + row->place_length, row, time_ns);
}

#endif
