/* SPDX-License-Identifier: Apache-2.0 */
/* State of one export, shared by the files of this folder. */
#ifndef STROBE_CHROME_TRACE_TRACE_STATE_H
#define STROBE_CHROME_TRACE_TRACE_STATE_H

#include <glib.h>
#include <strobe/exporter.h>
#include <strobe/record.h>

#include "equal-spans.h"
#include "flow-matcher.h"
#include "chrome-trace-rows.h"
#include "text-cache.h"
#include "trace-out.h"
#include "trace-part.h"

typedef struct ChromeTrace ChromeTrace;
typedef struct TraceKind TraceKind;

/* What a record does to what others see as well (rows, arrows), in the order in which records come.
 * Returns the row that it is composed for, maybe later; NULL: none. */
typedef const TraceRow *(*TracePrepare)(ChromeTrace *trace, const TraceKind *kind,
                                        const StrobeView *record);
typedef void (*TraceComposer)(ChromeTrace *trace, const TraceKind *kind, const StrobeView *record,
                              const TraceRow *row);
/* Both at once, in order, into parts that are held back. */
typedef void (*TraceWriter)(ChromeTrace *trace, const TraceKind *kind, const StrobeView *record);

/* A field that is written as an argument. */
typedef struct TraceField {
    char *key; /* "name":, escaped, with its blank */
    guint key_length;
    guint32 type;
    guint32 offset;
    gboolean is_json; /* an object whose members stand here */
} TraceField;

typedef struct TraceEvents TraceEvents;     /* device-kinds.h: how a span of a device is written */
typedef struct TraceCounters TraceCounters; /* device-counters.c */
typedef struct TraceLaunches TraceLaunches; /* chrome-trace-launches.h */
typedef struct TraceQueue TraceQueue;       /* queue.h */

#define TRACE_KNOWN_FIELDS 7

/* The part of the file that records of a kind are composed for. */
enum {
    TRACE_PART_MAIN,
    TRACE_PART_BACKWARD,
    TRACE_PART_PYTHON,
    TRACE_PART_DEVICES,
    TRACE_PART_LINKS
};

/* What was found out about a kind when its first record came. */
struct TraceKind {
    const StrobeKindView *view;
    const StrobeFieldView *view_fields; /* with n and id: is it the same kind still? */
    guint32 view_n_fields;
    StrobeKindId view_id;
    TraceWriter write; /* NULL: prepared and composed */
    TracePrepare prepare;
    TraceComposer compose;
    guint8 part;                       /* TRACE_PART_* */
    gsize field_bytes;                 /* of a record, in full eights */
    guint32 known[TRACE_KNOWN_FIELDS]; /* offsets that the writer uses itself */
    TraceField *fields;                /* the ones that are written one after another */
    guint n_fields;
    char *name_text; /* the kind's name as a JSON string */
    guint name_length;
    TraceEvents *events;     /* of a device's kind */
    TraceCounters *counters; /* of a kind that readers know the series of */
};

/* What a word says that levels and types are told apart by. */
typedef struct TraceWord {
    StrobeStringId id;
    gboolean is_collective, is_upper, is_none;
    const char *prefix; /* before the names of calls of this level; NULL: none */
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
    GPtrArray *all_kinds;            /* those that were replaced too */
    TraceKind *recent[TRACE_RECENT]; /* kinds that came last, each in its slot */
    TraceWord words[TRACE_WORDS];    /* that were looked at last */
    TraceQueue *queue;
    TraceLaunches *launches;
    const TraceKind *launch_kind; /* chrome-trace-launches.h */
    FlowMatcher *matcher;         /* of a part of a result; NULL: a whole */
    gboolean is_old;              /* of the first or the second generation */
    gboolean is_import; /* what another tool recorded: drawn as that tool does, and no more */
    gboolean has_steps; /* the source has them among its operators */
    gboolean has_flow_points;
    gboolean is_incomplete_reported;
    /* The file's parts, in their order. */
    TraceOut main;      /* events as they come, the process's names, flows */
    TracePart backward; /* arrows from operators to their backward operators */
    TracePart python;   /* calls of Python functions, by thread */
    TracePart gc;       /* collections */
    TracePart devices;  /* the half of the device, by layer; in older files by time */
    TracePart flows;    /* arrows from calls to tasks that no source has drawn */
    TracePart links;    /* arrows from operators to kernels */
    TracePart tail;     /* losses */
    TraceOut event;     /* an event that is composed apart */
};

/* kind-writers.c: chooses a writer by a kind's name, shape and fields. */
TraceKind *trace_kind_new(ChromeTrace *trace, const StrobeKindView *view);
void trace_kind_free(gpointer kind);
/* A kind of the exporter's own that waits and is composed so. */
const TraceKind *trace_kind_own(ChromeTrace *trace, TraceComposer compose);
/* The one of a record; made when the first comes. */
const TraceKind *trace_find_kind(ChromeTrace *trace, const StrobeKindView *view);

/* event-parts.c: what the key of an event of a device is. */
gint64 trace_device_key(const ChromeTrace *trace, const TraceRow *row, gint64 time_ns);
/* Puts a record where it waits until its part of the file has its turn. */
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
/* Bytes of an arrow's category or id of the device's half, NUL included. */
#define TRACE_FLOW_TEXT 64

/* An end of an arrow of the framework's half, and of the device's. `text` is the name in its
 * quotes. */
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
/* Writes the samples that are held back. */
void trace_counters_finish(ChromeTrace *trace);
/* source-event.c: an event that the importer had no kind for. */
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
/* Of events on the row of their track. */
const TraceRow *prepare_run_event(ChromeTrace *trace, const TraceKind *kind,
                                  const StrobeView *record);
const TraceRow *prepare_on_track(ChromeTrace *trace, const TraceKind *kind,
                                 const StrobeView *record);
/* What the facts say about losses, where they say anything; once. Behind the raw records. */
void write_incomplete(ChromeTrace *trace);

/* event-parts.c: what events have in common. */
char *put_begin_of_span(ChromeTrace *trace, TraceOut *out, const TraceKind *kind,
                        const StrobeView *record, const TraceRow *row);
/* A duration: what the source states with digits below the ns, or the times'. */
char *put_duration(const ChromeTrace *trace, char *at, const StrobeView *record, double exact_us);
char *put_flags(char *at, const StrobeView *record, gboolean first);
/* The capture may hold anything: is the text a JSON object on one line? (source-event.c) */
gboolean trace_is_object(StrobeText text);
char *put_field(ChromeTrace *trace, TraceOut *out, char *at, const TraceField *field,
                const StrobeView *record, gboolean *first);

static inline char *put_text(ChromeTrace *trace, TraceOut *out, char *at, guint cache, guint32 id)
{
    const CachedText *text = text_cache_get(trace->texts, cache, id);

    return trace_out_padded(out, at, text->bytes, text->length);
}

/* The record's name, or the kind's where it has none. */
static inline char *put_name(ChromeTrace *trace, TraceOut *out, char *at, const TraceKind *kind,
                             const StrobeView *record)
{
    if (record->name)
        return put_text(trace, out, at, TEXT_CACHE_PLAIN, record->name);
    return trace_out_padded(out, at, kind->name_text, kind->name_length);
}

/* Lengths that are known are copied without a call; few places are longer than usual. */
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

/* "1736412474000000.001" since the epoch, or a number beyond the base. */
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

/* Place of the row, then the time. */
static inline char *put_place(char *at, const TraceRow *row, gint64 time_ns)
{
    copy_place(at, row);
    return put_time(at + row->place_length, row, time_ns);
}

#endif
