/* SPDX-License-Identifier: Apache-2.0 */
#include "report-spans.h"

#include <string.h>
#include <strobe/helpers/fields.h>

#include "report-numbers.h"

typedef struct ReportSpan {
    gint64 begin_ns, duration_ns;
    guint64 number;
    StrobeStringId name;
    StrobeTrackId track;
    StrobeKindId kind;
} ReportSpan;

typedef struct ReportLink {
    gint64 from_ns, to_ns;
    StrobeTrackId from, to;
} ReportLink;

struct ReportSpans {
    ReportSource source;
    GArray *spans;     /* elements of type ReportSpan */
    GArray *links;     /* elements of type ReportLink */
    GHashTable *kinds; /* id -> name */
    StrobeBinder binder;
    guint64 n_seen, n_links;
    gint64 least_ns; /* shorter spans are omitted */
};

enum { TO_BEGIN, TO_TRACK, N_WANTED };

static const StrobeWantedField wanted[N_WANTED] = {
    [TO_BEGIN] = {"to_begin", STROBE_FIELD_I64},
    [TO_TRACK] = {"to_track", STROBE_FIELD_TRACK},
};

ReportSpans *report_spans_new(const ReportSource *source)
{
    ReportSpans *spans = g_new0(ReportSpans, 1);

    spans->source = *source;
    spans->spans = g_array_new(FALSE, FALSE, sizeof(ReportSpan));
    spans->links = g_array_new(FALSE, FALSE, sizeof(ReportLink));
    spans->kinds = g_hash_table_new_full(g_direct_hash, g_direct_equal, NULL, g_free);
    spans->binder.wanted = wanted;
    spans->binder.n_wanted = N_WANTED;
    return spans;
}

void report_spans_free(ReportSpans *spans)
{
    g_array_unref(spans->spans);
    g_array_unref(spans->links);
    g_hash_table_unref(spans->kinds);
    g_free(spans);
}

static gint compare_spans(gconstpointer a, gconstpointer b)
{
    const ReportSpan *x = a, *y = b;

    if (x->duration_ns != y->duration_ns)
        return x->duration_ns > y->duration_ns ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

static void trim_spans(ReportSpans *spans)
{
    guint most = report_limit(&spans->source, REPORT_SPANS_MAX);

    g_array_sort(spans->spans, compare_spans);
    if (spans->spans->len <= most)
        return;
    g_array_set_size(spans->spans, most);
    spans->least_ns = g_array_index(spans->spans, ReportSpan, most - 1).duration_ns;
}

static void add_span(ReportSpans *spans, const StrobeView *record)
{
    const ReportSpan span = {.begin_ns = record->begin_ns,
                             .duration_ns = record->end_ns - record->begin_ns,
                             .number = spans->n_seen++,
                             .name = record->name,
                             .track = record->track,
                             .kind = record->kind->id};

    if (span.duration_ns < spans->least_ns)
        return;
    if (!g_hash_table_contains(spans->kinds, GUINT_TO_POINTER(span.kind)))
        g_hash_table_insert(spans->kinds, GUINT_TO_POINTER(span.kind),
                            g_strdup(record->kind->name));
    g_array_append_val(spans->spans, span);
    if (spans->spans->len >= 2 * REPORT_SPANS_MAX)
        trim_spans(spans);
}

static void add_link(ReportSpans *spans, const StrobeView *record)
{
    const uint32_t *at = strobe_binder_offsets(&spans->binder, record->kind);
    const ReportLink link = {.from_ns = record->begin_ns,
                             .from = record->track,
                             .to_ns = strobe_field_i64(record, at[TO_BEGIN], 0),
                             .to = strobe_field_u32(record, at[TO_TRACK], 0)};

    spans->n_links++;
    if (spans->links->len < REPORT_LINKS_MAX)
        g_array_append_val(spans->links, link);
}

/* Adds a record, except steps and spans about the recording itself, which other parts of the page
 * show. */
void report_spans_add(ReportSpans *spans, const StrobeView *record)
{
    static const char *const others[] = {"step", "loss", "sampling", "collector_call", "metadata"};
    const char *kind = record->kind->name;

    if (!strcmp(kind, "operator_link") || !strcmp(kind, "kernel_link")) {
        add_link(spans, record);
        return;
    }
    if (record->kind->derived || record->kind->shape != STROBE_SHAPE_SPAN)
        return;
    for (guint i = 0; i < G_N_ELEMENTS(others); i++)
        if (!strcmp(kind, others[i]))
            return;
    add_span(spans, record);
}

/* ---- out ---- */

static void write_track(const ReportSpans *spans, StrobeTrackId id, StrobeJsonWriter *json)
{
    const StrobeTrackView *track = spans->source.host->track(spans->source.self, id);

    strobe_json_begin_object(json);
    strobe_json_key(json, "name");
    report_write_text(&spans->source,
                      track ? (StrobeText){track->name, strlen(track->name)} : (StrobeText){0},
                      json);
    strobe_json_key(json, "number");
    strobe_json_uint(json, track ? track->number : 0);
    strobe_json_key(json, "device");
    strobe_json_int(json, track ? track->device : -1);
    strobe_json_key(json, "type");
    strobe_json_uint(json, track ? track->type : 0);
    strobe_json_end_object(json);
}

static void write_ids(const ReportSpans *spans, const char *key, const ReportNumbers *numbers,
                      StrobeJsonWriter *json)
{
    strobe_json_key_text(json, key, strlen(key));
    strobe_json_begin_array(json);
    for (guint i = 0; i < numbers->ids->len; i++) {
        guint32 id = g_array_index(numbers->ids, guint32, i);

        if (!strcmp(key, "tracks"))
            write_track(spans, id, json);
        else if (!strcmp(key, "kinds"))
            strobe_json_string(json, g_hash_table_lookup(spans->kinds, GUINT_TO_POINTER(id)));
        else
            report_write_text(&spans->source, spans->source.host->string(spans->source.self, id),
                              json);
    }
    strobe_json_end_array(json);
}

static void write_spans(const ReportSpans *spans, ReportNumbers *names, ReportNumbers *kinds,
                        ReportNumbers *tracks, StrobeJsonWriter *json)
{
    gint64 origin_ns = spans->source.host->metadata(spans->source.self)->window_begin_ns;

    strobe_json_key(json, "spans");
    strobe_json_begin_array(json);
    for (guint i = 0; i < spans->spans->len; i++) {
        const ReportSpan *span = &g_array_index(spans->spans, ReportSpan, i);

        strobe_json_begin_array(json);
        strobe_json_uint(json, report_number_of(tracks, span->track));
        strobe_json_uint(json, report_number_of(names, span->name));
        strobe_json_uint(json, report_number_of(kinds, span->kind));
        strobe_json_int(json, span->begin_ns - origin_ns);
        strobe_json_int(json, span->duration_ns);
        strobe_json_end_array(json);
    }
    strobe_json_end_array(json);
}

static void write_links(const ReportSpans *spans, ReportNumbers *tracks, StrobeJsonWriter *json)
{
    gint64 origin_ns = spans->source.host->metadata(spans->source.self)->window_begin_ns;

    strobe_json_key(json, "links");
    strobe_json_begin_array(json);
    for (guint i = 0; i < spans->links->len; i++) {
        const ReportLink *link = &g_array_index(spans->links, ReportLink, i);

        strobe_json_begin_array(json);
        strobe_json_uint(json, report_number_of(tracks, link->from));
        strobe_json_int(json, link->from_ns - origin_ns);
        strobe_json_uint(json, report_number_of(tracks, link->to));
        strobe_json_int(json, link->to_ns - origin_ns);
        strobe_json_end_array(json);
    }
    strobe_json_end_array(json);
}

void report_spans_write(ReportSpans *spans, StrobeJsonWriter *json)
{
    ReportNumbers names = report_numbers_new(), kinds = report_numbers_new(),
                  tracks = report_numbers_new();

    trim_spans(spans);
    g_array_set_size(spans->links,
                     MIN(spans->links->len, report_limit(&spans->source, REPORT_LINKS_MAX)));
    strobe_json_begin_object(json);
    strobe_json_key(json, "left_out");
    strobe_json_uint(json, spans->n_seen - spans->spans->len);
    strobe_json_key(json, "least");
    strobe_json_int(json, spans->least_ns);
    strobe_json_key(json, "links_left_out");
    strobe_json_uint(json, spans->n_links - spans->links->len);
    write_spans(spans, &names, &kinds, &tracks, json);
    write_links(spans, &tracks, json);
    write_ids(spans, "names", &names, json);
    write_ids(spans, "kinds", &kinds, json);
    write_ids(spans, "tracks", &tracks, json);
    strobe_json_end_object(json);
    report_numbers_free(&names);
    report_numbers_free(&kinds);
    report_numbers_free(&tracks);
}
