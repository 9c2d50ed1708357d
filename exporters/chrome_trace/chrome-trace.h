/* SPDX-License-Identifier: Apache-2.0 */
/* State of one export, shared by the files of this folder. */
#ifndef STROBE_CHROME_TRACE_CHROME_TRACE_H
#define STROBE_CHROME_TRACE_CHROME_TRACE_H

#include <glib.h>
#include <strobe/exporter.h>
#include <strobe/record.h>

#include "rows.h"
#include "text-cache.h"
#include "trace-out.h"

extern const StrobeConsumerOps chrome_trace_ops;

typedef struct ChromeTrace ChromeTrace;
typedef struct TraceKind TraceKind;

typedef void (*TraceWriter)(ChromeTrace *trace, const TraceKind *kind, const StrobeView *record);

/* A field that is written as an argument. */
typedef struct TraceField {
    char *key; /* "name":, escaped, with its blank */
    guint key_length;
    guint32 type;
    guint32 offset;
} TraceField;

#define TRACE_KNOWN_FIELDS 5

/* What was found out about a kind when its first record came. */
struct TraceKind {
    const StrobeKindView *view;
    const StrobeFieldView *view_fields; /* with n and id: is it the same kind still? */
    guint32 view_n_fields;
    StrobeKindId view_id;
    TraceWriter write;
    guint32 known[TRACE_KNOWN_FIELDS]; /* offsets that the writer uses itself */
    TraceField *fields;                /* the ones that are written one after another */
    guint n_fields;
    char *name_text; /* the kind's name as a JSON string */
    guint name_length;
};

struct ChromeTrace {
    const StrobeConsumerHost *host;
    StrobeInstance *self;
    TraceRows *rows;
    TextCache *texts;
    GHashTable *kinds; /* const StrobeKindView * -> TraceKind */
    TraceKind *last_kind;
    /* The file's parts, in their order. */
    TraceOut main; /* events as they come, the process's names, flows */
    TraceOut gc;   /* held back: collections */
    TraceOut tail; /* held back: losses, names of the other layers */
};

/* kind-writers.c: chooses a writer by a kind's name, shape and fields. */
TraceKind *trace_kind_new(ChromeTrace *trace, const StrobeKindView *view);
void trace_kind_free(gpointer kind);

/* framework-events.c */
void write_cpu_op(ChromeTrace *trace, const TraceKind *kind, const StrobeView *record);
void write_step(ChromeTrace *trace, const TraceKind *kind, const StrobeView *record);
void write_gc(ChromeTrace *trace, const TraceKind *kind, const StrobeView *record);
void write_link(ChromeTrace *trace, const TraceKind *kind, const StrobeView *record);

/* other-events.c */
void write_marker(ChromeTrace *trace, const TraceKind *kind, const StrobeView *record);
void write_cpu_usage(ChromeTrace *trace, const TraceKind *kind, const StrobeView *record);
void write_memory_usage(ChromeTrace *trace, const TraceKind *kind, const StrobeView *record);
void write_loss(ChromeTrace *trace, const TraceKind *kind, const StrobeView *record);
void write_generic(ChromeTrace *trace, const TraceKind *kind, const StrobeView *record);
void write_generic_counter(ChromeTrace *trace, const TraceKind *kind, const StrobeView *record);
/* What the facts say about losses, where they say anything. */
void write_incomplete(ChromeTrace *trace);

/* event-parts.c: what events have in common. */
char *put_begin_of_span(ChromeTrace *trace, TraceOut *out, const TraceKind *kind,
                        const StrobeView *record, const TraceRow *row);
char *put_flags(char *at, const StrobeView *record, gboolean first);
char *put_field(ChromeTrace *trace, TraceOut *out, char *at, const TraceField *field,
                const StrobeView *record, gboolean *first);

static inline char *put_text(ChromeTrace *trace, TraceOut *out, char *at, guint cache, guint32 id)
{
    const CachedText *text = text_cache_get(trace->texts, cache, id);

    return trace_out_text(out, at, text->bytes, text->length);
}

/* The record's name, or the kind's where it has none. */
static inline char *put_name(ChromeTrace *trace, TraceOut *out, char *at, const TraceKind *kind,
                             const StrobeView *record)
{
    if (record->name)
        return put_text(trace, out, at, TEXT_CACHE_PLAIN, record->name);
    return trace_out_text(out, at, kind->name_text, kind->name_length);
}

/* Place of the row, then the time. */
static inline char *put_place(char *at, const TraceRow *row, gint64 time_ns)
{
    memcpy(at, row->place, row->place_length);
    at += row->place_length;
    at += strobe_format_us_fixed(at, time_ns);
    *at++ = '"';
    return at;
}

#endif
