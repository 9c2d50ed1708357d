/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the time before a graph's first kernel as a layer of its own, which shows the phases of
 * this time one after the other. */
#include <strobe/helpers/fields.h>

#include "trace-state.h"

/* indexes in TraceKind.known */
enum { FRAMEWORK, TORCHAIR, PYTHON, CPP, GE, IS_NESTED, IS_COMPILE };

#define LAYER "Head overhead"
#define PARTS_MAX 4

typedef struct Part {
    const char *name;
    gint64 ns;
} Part;

static gint64 known_ns(const TraceKind *kind, const StrobeView *record, guint field)
{
    return strobe_field_i64(record, kind->known[field], STROBE_ABSENT_I64);
}

/* Sets `parts` to the phases to draw, and returns their number. The last phase ends with the
 * inference: it is the inference itself if the time in TorchAir is unknown, else GE or, if GE was
 * not called, the replay of a captured graph. */
static guint find_parts(const TraceKind *kind, const StrobeView *record, Part *parts)
{
    gint64 torchair = known_ns(kind, record, TORCHAIR);
    gint64 python = known_ns(kind, record, PYTHON), cpp = known_ns(kind, record, CPP);
    gboolean is_known = torchair != STROBE_ABSENT_I64;
    gboolean is_split = is_known && python != STROBE_ABSENT_I64 && cpp != STROBE_ABSENT_I64;
    guint n = 0;

    parts[n++] = (Part){"Framework", known_ns(kind, record, FRAMEWORK)};
    if (is_split) {
        parts[n++] = (Part){"TorchAir Python", python};
        parts[n++] = (Part){"TorchAir C++", cpp};
    } else if (is_known) {
        parts[n++] = (Part){"TorchAir", torchair};
    }
    if (!is_known)
        parts[n].name = "Inference";
    else
        parts[n].name = known_ns(kind, record, GE) == STROBE_ABSENT_I64 ? "Graph replay" : "GE";
    parts[n++].ns = G_MAXINT64;
    return n;
}

static void write_part(ChromeTrace *trace, const TraceRow *row, const StrobeView *record,
                       const char *name, gint64 begin_ns, gint64 end_ns, gboolean is_compile)
{
    TraceOut *out = trace_part_text(&trace->tail);
    char *at = trace_out_event(out);
    gboolean is_first = TRUE;

    PUT_LITERAL(at, "{\"ph\": \"X\", \"name\": \"");
    at = g_stpcpy(at, name);
    PUT_LITERAL(at, "\", ");
    at = put_place(at, row, begin_ns);
    PUT_LITERAL(at, ", \"dur\": ");
    at += strobe_format_us_repr(at, end_ns - begin_ns);
    PUT_LITERAL(at, ", \"cat\": \"head_overhead\", \"args\": {");
    if (is_compile) {
        PUT_LITERAL(at, "\"Compiles\": true");
        is_first = FALSE;
    }
    at = put_flags(at, record, is_first);
    PUT_LITERAL(at, "}}");
    trace_out_done(out, at);
}

void write_head_overhead(ChromeTrace *trace, const TraceKind *kind, const StrobeView *record)
{
    const StrobeTrackView *track = trace->host->track(trace->self, record->track);
    guint64 thread = track ? track->number : 0;
    g_autofree char *title = g_strdup_printf("Thread %" G_GUINT64_FORMAT, thread);
    gboolean is_compile = strobe_field_u8(record, kind->known[IS_COMPILE], 0);
    gint64 at_ns = record->begin_ns;
    Part parts[PARTS_MAX];
    guint n = find_parts(kind, record, parts);

    if (strobe_field_u8(record, kind->known[IS_NESTED], 0))
        return;
    const TraceRow *row = trace_rows_in_layer(trace->rows, record->track, LAYER, thread, title);
    /* Phases that are together longer than the inference are cut off at its end. */
    for (guint i = 0; i < n && at_ns < record->end_ns; i++) {
        gint64 ns = CLAMP(parts[i].ns, 0, record->end_ns - at_ns);
        if (ns > 0)
            write_part(trace, row, record, parts[i].name, at_ns, at_ns + ns, is_compile);
        at_ns += ns;
    }
}
