/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the counters of devices and of memory: each record becomes one event for each series that
 * readers know. */
#include <math.h>
#include <strobe/helpers/fields.h>

#include "device-kinds.h"

/* The value that follows a part of a pattern: none, the number of the record, or the record's
 * name. */
enum { HOLE_NONE, HOLE_INDEX, HOLE_NAME };

#define PATTERN_PARTS_MAX 3

typedef struct Pattern {
    struct {
        char *text;
        guint length;
        guint hole; /* HOLE_*: the value after the text */
    } parts[PATTERN_PARTS_MAX];
    guint n;
} Pattern;

/* A counter of formats/ascend-trace, bound to the fields of a kind. */
typedef struct Series {
    const AscendCounter *row;
    Pattern name; /* the text from the event's begin to the end of its name */
    Pattern key;  /* the key of the argument, with the separator before it; the first argument omits
                     this separator */
    /* a cache of the row of the last track */
    const TraceRow *known_row;
    StrobeTrackId known_track;
    gint32 known_device;
    gboolean is_more; /* the series is a further argument of the event of the previous series */
    guint32 type, offset;
    /* field with the record's number; type 0: the kind has no such field */
    guint32 index_type, index;
    guint32 without_type, without;
} Series;

struct TraceCounters {
    Series *series;
    guint n_series;
    guint32 device;   /* offset of the device's number */
    guint32 ddr, hbm; /* offsets of the two fields whose sum is a value */
    /* the last sample waits until the end, because the last one is written in another form */
    gboolean is_held;
    /* samples of several units at the same time become one, with the maximum of each value */
    gboolean is_folded;
    gboolean has_kept;
    StrobeView kept;
    guint64 *fields; /* the fields of the record `kept` */
    gsize size;
};

static void find_field(const StrobeKindView *view, const char *name, guint32 *type, guint32 *offset)
{
    for (guint32 i = 0; name && i < view->n_fields; i++)
        if (!strcmp(view->fields[i].name, name) && strobe_field_size(view->fields[i].type)) {
            *type = view->fields[i].type;
            *offset = view->fields[i].offset;
        }
}

static void end_part(Pattern *pattern, GString *text, guint hole)
{
    pattern->parts[pattern->n].text = trace_out_pad(text->str, text->len);
    pattern->parts[pattern->n].length = (guint)text->len;
    pattern->parts[pattern->n++].hole = hole;
    g_string_truncate(text, 0);
}

/* Splits `text` at %i, which stands for the number of the record (if `has_index`), and at %n, which
 * stands for its name. `text` has at most two of these. */
static void bind_pattern(Pattern *pattern, const char *before, const char *text, const char *behind,
                         gboolean has_index)
{
    g_autoptr(GString) part = g_string_new(before);

    for (; *text; text++) {
        const guint hole = text[0] != '%'                ? HOLE_NONE
                           : text[1] == 'i' && has_index ? HOLE_INDEX
                           : text[1] == 'n'              ? HOLE_NAME
                                                         : HOLE_NONE;

        if (hole && pattern->n < PATTERN_PARTS_MAX - 1) {
            end_part(pattern, part, hole);
            text++;
        } else {
            g_string_append_c(part, *text);
        }
    }
    g_string_append(part, behind);
    end_part(pattern, part, HOLE_NONE);
}

static void free_pattern(Pattern *pattern)
{
    for (guint i = 0; i < pattern->n; i++)
        g_free(pattern->parts[i].text);
}

static void bind_series(Series *series, const StrobeKindView *view, const AscendCounter *row,
                        const AscendCounter *before, gboolean is_old)
{
    series->row = row;
    series->is_more =
        before && !strcmp(before->name, row->name) && !strcmp(before->layer, row->layer) &&
        !g_strcmp0(before->without, row->without) && !g_strcmp0(before->only_name, row->only_name);
    find_field(view, row->field, &series->type, &series->offset);
    find_field(view, row->index, &series->index_type, &series->index);
    find_field(view, row->without, &series->without_type, &series->without);
    bind_pattern(&series->name, "{\"name\": \"", row->name, is_old ? "\", \"ts\": " : "\", ",
                 series->index_type != 0);
    bind_pattern(&series->key, ", \"", row->key, "\": ", series->index_type != 0);
}

static void bind_table(TraceCounters *counters, const StrobeKindView *view,
                       const AscendCounter *rows, guint32 n_rows, gint32 generation)
{
    const guint8 bit = ascend_generation_bit(generation);

    for (guint32 i = 0; i < n_rows; i++) {
        const Series *last = counters->n_series ? &counters->series[counters->n_series - 1] : NULL;

        if (!strcmp(rows[i].kind, view->name) && (rows[i].generations & bit))
            bind_series(&counters->series[counters->n_series++], view, &rows[i],
                        last ? last->row : NULL, generation < 3);
    }
}

gboolean trace_counters_bind(ChromeTrace *trace, TraceKind *kind)
{
    const StrobeKindView *view = kind->view;
    const gint32 generation = trace->rows->generation;
    TraceCounters *counters = g_new0(TraceCounters, 1);

    counters->series = g_new0(Series, n_ascend_counters + n_trace_host_counters);
    if (view->shape == STROBE_SHAPE_COUNTER || view->shape == STROBE_SHAPE_MEMORY) {
        bind_table(counters, view, ascend_counters, n_ascend_counters, generation);
        bind_table(counters, view, trace_host_counters, n_trace_host_counters, generation);
    }
    if (!counters->n_series) {
        trace_counters_free(counters);
        return FALSE;
    }
    counters->device = strobe_field_offset(view, "device", STROBE_FIELD_I32);
    counters->ddr = strobe_field_offset(view, "ddr", STROBE_FIELD_I64);
    counters->hbm = strobe_field_offset(view, "hbm", STROBE_FIELD_I64);
    counters->is_held = trace->is_old && !strcmp(view->name, "core_frequency");
    counters->is_folded = !trace->is_old && !strcmp(view->name, "acc_pmu");
    for (guint32 i = 0; i < view->n_fields; i++)
        counters->size = MAX(counters->size, view->fields[i].offset +
                                                 (gsize)strobe_field_size(view->fields[i].type));
    counters->fields = g_new0(guint64, counters->size / 8 + 1);
    kind->counters = counters;
    return TRUE;
}

void trace_counters_free(TraceCounters *counters)
{
    if (!counters)
        return;
    for (guint i = 0; i < counters->n_series; i++) {
        free_pattern(&counters->series[i].name);
        free_pattern(&counters->series[i].key);
    }
    g_free(counters->series);
    g_free(counters->fields);
    g_free(counters);
}

/* Returns whether the number is absent. A negative number of the type i32 counts as absent. */
static gboolean is_none(guint32 type, const StrobeView *record, guint32 offset)
{
    return is_field_absent(type, record, offset) ||
           (type == STROBE_FIELD_I32 && (gint32)strobe_view_u32(record, offset) < 0);
}

static gboolean is_sum(const Series *series)
{
    return !series->row->field && series->row->form == ASCEND_ARG_KB;
}

static gboolean has_value(ChromeTrace *trace, const TraceCounters *counters, const Series *series,
                          const StrobeView *record)
{
    const AscendCounter *row = series->row;

    if (row->only_name &&
        strcmp(trace->host->string(trace->self, record->name).bytes, row->only_name))
        return FALSE;
    if (row->index && (!series->index_type || is_none(series->index_type, record, series->index)))
        return FALSE;
    if (series->without_type && !is_none(series->without_type, record, series->without))
        return FALSE;
    if (is_sum(series))
        return strobe_field_i64(record, counters->ddr, STROBE_ABSENT_I64) != STROBE_ABSENT_I64 &&
               strobe_field_i64(record, counters->hbm, STROBE_ABSENT_I64) != STROBE_ABSENT_I64;
    return !row->field || (series->type && !is_field_absent(series->type, record, series->offset));
}

/* Writes the pattern without its first `skipped` bytes. */
static char *put_pattern(ChromeTrace *trace, TraceOut *out, char *at, const Series *series,
                         const Pattern *pattern, guint skipped, const StrobeView *record)
{
    for (guint i = 0; i < pattern->n; i++, skipped = 0) {
        const CachedText *name;

        at = trace_out_padded(out, at, pattern->parts[i].text + skipped,
                              pattern->parts[i].length - skipped);
        if (pattern->parts[i].hole == HOLE_INDEX) {
            at = put_form(at, ASCEND_ARG_INT, series->index_type, record, series->index);
        } else if (pattern->parts[i].hole == HOLE_NAME) {
            name = text_cache_get(trace->texts, TEXT_CACHE_PLAIN, record->name);
            at = trace_out_text(out, at, name->bytes + 1, name->length - 2);
        }
    }
    return at;
}

static char *put_value(char *at, const TraceCounters *counters, const Series *series,
                       const StrobeView *record)
{
    double sum;

    if (series->row->form == ASCEND_ARG_ZERO)
        return PUT_LITERAL(at, "0");
    if (!is_sum(series))
        return put_form(at, series->row->form, series->type, record, series->offset);
    sum = (double)strobe_view_i64(record, counters->ddr) +
          (double)strobe_view_i64(record, counters->hbm);
    return at + strobe_format_double(at, sum / 1024);
}

/* Returns the row in the layer that readers know, even if the collector names no layer. */
static const TraceRow *find_row(ChromeTrace *trace, const Series *series, const StrobeView *record,
                                gint32 device)
{
    const StrobeTrackView *track = trace->host->track(trace->self, record->track);

    if (track && !strcmp(track->group, series->row->layer))
        return trace_rows_of_track(trace->rows, record->track);
    return trace_rows_of_device(trace->rows, record->track, series->row->layer,
                                device < 0 && track ? track->device : device, 0, NULL);
}

static const TraceRow *row_of(ChromeTrace *trace, const TraceCounters *counters, Series *series,
                              const StrobeView *record)
{
    const gint32 device = (gint32)strobe_field_u32(record, counters->device, STROBE_ABSENT_U32);

    if (!series->known_row || series->known_track != record->track ||
        series->known_device != device) {
        series->known_row = find_row(trace, series, record, device);
        series->known_track = record->track;
        series->known_device = device;
    }
    return series->known_row;
}

/* Writes the time. In older files the last sample of a clock has no decimals. */
static char *put_counter_time(char *at, const TraceRow *row, gint64 time_ns, gboolean is_last)
{
    if (!is_last || row->origin->is_start || time_ns % 1000 != 0)
        return put_time(at, row, time_ns);
    *at++ = '"';
    at = put_int(at, time_ns / 1000);
    *at++ = '"';
    return at;
}

static char *put_begin(ChromeTrace *trace, TraceOut *out, const Series *series,
                       const StrobeView *record, const TraceRow *row, gboolean is_last)
{
    char *at = trace_out_event(out);

    at = put_pattern(trace, out, at, series, &series->name, 0, record);
    if (trace->is_old) {
        at = put_counter_time(at, row, record->begin_ns, is_last);
        PUT_LITERAL(at, ", ");
        at = put_where(at, row);
        return PUT_LITERAL(at, ", \"args\": {");
    }
    at = put_place(at, row, record->begin_ns);
    return PUT_LITERAL(at, ", \"ph\": \"C\", \"args\": {");
}

/* Returns the index of the first series of the next event. */
static guint next_event(const TraceCounters *counters, guint i)
{
    do
        i++;
    while (i < counters->n_series && counters->series[i].is_more);
    return i;
}

/* Returns whether the sample has the event that begins at this series: whether it has a value for
 * the event's first argument. */
static gboolean has_event(ChromeTrace *trace, const TraceCounters *counters, guint i,
                          const StrobeView *record)
{
    return has_value(trace, counters, &counters->series[i], record);
}

static void put_event(ChromeTrace *trace, TraceOut *out, const TraceCounters *counters, guint i,
                      const StrobeView *record, const TraceRow *row, gboolean is_last)
{
    const guint end = next_event(counters, i);
    char *at = put_begin(trace, out, &counters->series[i], record, row, is_last);

    for (guint first = i; i < end; i++) {
        const Series *series = &counters->series[i];

        if (i > first && !has_value(trace, counters, series, record))
            continue;
        at =
            put_pattern(trace, out, at, series, &series->key, i > first ? 0 : strlen(", "), record);
        at = put_value(at, counters, series, record);
    }
    *at++ = '}';
    if (trace->is_old)
        PUT_LITERAL(at, ", \"ph\": \"C\"");
    *at++ = '}';
    trace_out_done(out, at);
}

/* Returns the row of all events of a sample. Returns NULL if the events are on several rows, or
 * there are no events. */
static const TraceRow *row_of_all(ChromeTrace *trace, const TraceCounters *counters,
                                  const StrobeView *record)
{
    const TraceRow *row = NULL;
    gboolean is_one = TRUE;

    for (guint i = 0; i < counters->n_series; i = next_event(counters, i)) {
        const TraceRow *own = NULL;

        if (has_event(trace, counters, i, record))
            own = row_of(trace, counters, &counters->series[i], record);
        if (own && row && own != row)
            is_one = FALSE;
        row = own ? own : row;
    }
    return is_one ? row : NULL;
}

static void write_events(ChromeTrace *trace, const TraceCounters *counters,
                         const StrobeView *record, gboolean is_last)
{
    for (guint i = 0; i < counters->n_series; i = next_event(counters, i)) {
        const TraceRow *row;

        if (!has_event(trace, counters, i, record))
            continue;
        row = row_of(trace, counters, &counters->series[i], record);
        trace->event.used = 0;
        put_event(trace, &trace->event, counters, i, record, row, is_last);
        trace_part_add_text(&trace->devices, trace_device_key(trace, row, record->begin_ns),
                            &trace->event);
    }
}

static void write_sample(ChromeTrace *trace, const TraceKind *kind, const StrobeView *record,
                         gboolean is_last)
{
    const TraceRow *row = is_last ? NULL : row_of_all(trace, kind->counters, record);

    if (row)
        trace_hold_record(trace, kind, record, row);
    else
        write_events(trace, kind->counters, record, is_last);
}

void compose_device_counter(ChromeTrace *trace, const TraceKind *kind, const StrobeView *record,
                            const TraceRow *row)
{
    const TraceCounters *counters = kind->counters;

    for (guint i = 0; i < counters->n_series; i = next_event(counters, i))
        if (has_event(trace, counters, i, record))
            put_event(trace, &trace->main, counters, i, record, row, FALSE);
}

static void keep_record(TraceCounters *counters, const StrobeView *record)
{
    memcpy(counters->fields, record->fields, counters->size);
    counters->kept = *record;
    counters->kept.fields = counters->fields;
    counters->has_kept = TRUE;
}

/* Merges the sample of another unit into the kept sample: keeps the maximum of each value. Returns
 * FALSE if the samples differ in time or track. */
static gboolean fold_levels(TraceCounters *counters, const StrobeView *record)
{
    if (record->begin_ns != counters->kept.begin_ns || record->track != counters->kept.track)
        return FALSE;
    for (guint i = 0; i < counters->n_series; i++) {
        const Series *series = &counters->series[i];
        gint64 *kept = (gint64 *)(gpointer)((char *)counters->fields + series->offset);

        if (series->type == STROBE_FIELD_I64)
            *kept = MAX(*kept, strobe_view_i64(record, series->offset));
    }
    return TRUE;
}

void write_device_counter(ChromeTrace *trace, const TraceKind *kind, const StrobeView *record)
{
    TraceCounters *counters = kind->counters;

    if (!counters->is_held && !counters->is_folded) {
        write_sample(trace, kind, record, FALSE);
        return;
    }
    if (counters->has_kept && counters->is_folded && fold_levels(counters, record))
        return;
    if (counters->has_kept)
        write_sample(trace, kind, &counters->kept, FALSE);
    keep_record(counters, record);
}

void trace_counters_finish(ChromeTrace *trace)
{
    GHashTableIter iter;
    gpointer value;

    g_hash_table_iter_init(&iter, trace->kinds);
    while (g_hash_table_iter_next(&iter, NULL, &value)) {
        const TraceKind *kind = value;
        const TraceCounters *counters = kind->counters;

        if (counters && counters->has_kept)
            write_sample(trace, kind, &counters->kept, counters->is_held);
    }
}
