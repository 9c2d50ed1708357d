/* SPDX-License-Identifier: Apache-2.0 */
#include "samples.h"

#include <string.h>
#include <strobe/helpers/cell-number.h>
#include <strobe/helpers/keyed-hash.h>

#define SERIES_MAX 4096u
#define FIELDS_MAX 64u
#define NO_INDEX G_MININT64

/* The parts of a name that match a pattern: "%i" matches a number, "%n" the rest of the name. */
typedef struct Match {
    gint64 index; /* NO_INDEX: the pattern has no number */
    const char *rest;
} Match;

/* A counter of formats/ to which events with a certain layer and name may belong. */
typedef struct Series {
    const AscendCounter *row;
    const StrobeKind *kind;
    /* indexes of the kind's fields for the value and for the number; -1: there is no such field */
    gint field, index;
    gint64 number; /* the number in the name; NO_INDEX: there is none */
    StrobeStringId name;
} Series;

typedef struct Sample {
    const StrobeKind *kind;
    gint64 time_ns, index;
    StrobeTrackId track;
    StrobeStringId name;
    gint device;
    guint64 is_set; /* a bit for each field that has a value */
    double values[FIELDS_MAX];
} Sample;

static guint hash_sample(gconstpointer key)
{
    const Sample *sample = key;
    const StrobeHashKey *secret = strobe_hash_key();
    const guint64 hash = strobe_hash_pair(secret, (guint64)sample->time_ns, (guint64)sample->index);

    return (guint)strobe_hash_pair(secret, hash, (guint64)sample->name << 32 | sample->track);
}

static gboolean equal_samples(gconstpointer a, gconstpointer b)
{
    const Sample *x = a, *y = b;

    return x->kind == y->kind && x->time_ns == y->time_ns && x->index == y->index &&
           x->track == y->track && x->name == y->name;
}

static void free_array(gpointer data)
{
    g_array_unref(data);
}

void samples_init(Samples *samples, Import *import)
{
    *samples = (Samples){.import = import};
    samples->series = g_hash_table_new_full(strobe_hash_of_text, g_str_equal, g_free, free_array);
    samples->waiting = g_hash_table_new(hash_sample, equal_samples);
    g_queue_init(&samples->order);
}

void samples_clear(Samples *samples)
{
    g_hash_table_unref(samples->series);
    g_hash_table_unref(samples->waiting);
    g_queue_clear_full(&samples->order, g_free);
}

/* ---- which row ---- */

static gboolean match_pattern(const char *pattern, const char *name, Match *found)
{
    *found = (Match){.index = NO_INDEX};
    for (; *pattern; pattern++) {
        if (pattern[0] == '%' && pattern[1] == 'i') {
            char *end;

            if (!g_ascii_isdigit(*name))
                return FALSE;
            found->index = g_ascii_strtoll(name, &end, 10);
            name = end;
            pattern++;
        } else if (pattern[0] == '%' && pattern[1] == 'n') {
            found->rest = name;
            return *name != '\0';
        } else if (*name++ != *pattern) {
            return FALSE;
        }
    }
    return *name == '\0';
}

static gint field_of(const StrobeKind *kind, const char *name)
{
    for (guint32 i = 0; name && i < kind->n_fields; i++)
        if (!strcmp(kind->fields[i].name, name))
            return (gint)i;
    return -1;
}

static void add_series(const Samples *samples, GArray *found, const AscendCounter *row,
                       const char *name)
{
    Match in_name;
    Series series = {.row = row, .kind = import_kind(row->kind)};

    if (!match_pattern(row->name, name, &in_name) || !series.kind)
        return;
    series.field = field_of(series.kind, row->field);
    series.index = field_of(series.kind, row->index);
    series.number = in_name.index;
    series.name = in_name.rest     ? text_import_intern(samples->import, in_name.rest)
                  : row->only_name ? text_import_intern(samples->import, row->only_name)
                                   : 0;
    g_array_append_val(found, series);
}

static GArray *series_of(Samples *samples, const char *layer, const char *name)
{
    g_autofree char *key = g_strconcat(layer, "/", name, NULL);
    GArray *found = g_hash_table_lookup(samples->series, key);

    if (found)
        return found;
    if (g_hash_table_size(samples->series) >= SERIES_MAX)
        g_hash_table_remove_all(samples->series);
    found = g_array_new(FALSE, FALSE, sizeof(Series));
    for (guint32 i = 0; i < n_ascend_counters; i++)
        if (!strcmp(ascend_counters[i].layer, layer))
            add_series(samples, found, &ascend_counters[i], name);
    g_hash_table_insert(samples->series, g_steal_pointer(&key), found);
    return found;
}

static const Series *series_of_arg(const GArray *found, const char *key, Match *in_key)
{
    for (guint i = 0; i < found->len; i++) {
        const Series *series = &g_array_index(found, Series, i);

        if (match_pattern(series->row->key, key, in_key))
            return series;
    }
    return NULL;
}

/* ---- records ---- */

static void emit_sample(Samples *samples, const Sample *sample)
{
    Import *import = samples->import;
    const StrobeKind *kind = sample->kind;
    void *fields = text_import_emit(import, kind, sample->track, sample->name, sample->time_ns,
                                    sample->time_ns);

    for (guint i = 0; fields && i < kind->n_fields && i < FIELDS_MAX; i++) {
        const StrobeCellValue value = {.type = STROBE_CELL_REAL, .real = sample->values[i]};

        if (sample->is_set >> i & 1)
            strobe_cell_store(&value, kind->fields[i].type,
                              (char *)fields + strobe_kind_offset(kind, i));
    }
}

static void emit_oldest(Samples *samples)
{
    Sample *sample = g_queue_pop_head(&samples->order);

    if (g_hash_table_lookup(samples->waiting, sample) == sample)
        g_hash_table_remove(samples->waiting, sample);
    emit_sample(samples, sample);
    g_free(sample);
}

void samples_finish(Samples *samples)
{
    while (!g_queue_is_empty(&samples->order))
        emit_oldest(samples);
}

static void set_value(Sample *sample, gint field, double value)
{
    if (field < 0 || field >= (gint)FIELDS_MAX)
        return;
    sample->values[field] = value;
    sample->is_set |= (guint64)1 << field;
}

static double in_field_unit(const AscendCounter *row, double value)
{
    switch (row->form) {
    case ASCEND_ARG_KB:
        return value * 1024;
    case ASCEND_ARG_MB:
    case ASCEND_ARG_WHOLE_MB:
        return value * 1048576;
    case ASCEND_ARG_US:
        return value * 1000;
    case ASCEND_ARG_PERCENT:
        return value * 100;
    default:
        return value;
    }
}

/* Returns the sample to which the value belongs. If the sample already has a value of this series,
 * begins a new sample. */
static Sample *sample_of(Samples *samples, const Sample *key, const Series *series)
{
    Sample *sample = g_hash_table_lookup(samples->waiting, key);

    if (sample && series->field >= 0 && (sample->is_set >> series->field & 1)) {
        g_hash_table_remove(samples->waiting, sample); /* the sample stays in `order` */
        sample = NULL;
    }
    if (sample)
        return sample;
    if (samples->order.length >= SAMPLES_MAX)
        emit_oldest(samples);
    sample = g_memdup2(key, sizeof *key);
    set_value(sample, field_of(key->kind, "device"), key->device);
    if (key->index != NO_INDEX)
        set_value(sample, series->index, (double)key->index);
    g_hash_table_add(samples->waiting, sample);
    g_queue_push_tail(&samples->order, sample);
    return sample;
}

/* Returns the number of a unit if an argument of the event is this number; NO_INDEX: no argument
 * is. */
static gint64 index_among_args(const GArray *found, const TraceEvent *event)
{
    Match in_key;

    for (guint i = 0; i < event->n_args; i++) {
        const Series *series = series_of_arg(found, event->args[i].key, &in_key);

        if (series && series->row->index && !g_strcmp0(series->row->index, series->row->field))
            return g_ascii_strtoll(event->args[i].text, NULL, 10);
    }
    return NO_INDEX;
}

static void take_value(Samples *samples, const Series *series, const Match *in_key, Sample *key,
                       double value)
{
    key->kind = series->kind;
    key->name = in_key->rest ? text_import_intern(samples->import, in_key->rest) : series->name;
    if (in_key->index != NO_INDEX)
        key->index = in_key->index;
    else if (series->number != NO_INDEX)
        key->index = series->number;
    set_value(sample_of(samples, key, series), series->field, in_field_unit(series->row, value));
}

static gboolean read_value(const TraceArg *arg, double *value)
{
    char *end;

    *value = g_ascii_strtod(arg->text, &end);
    return end > arg->text && !*end && arg->token != STROBE_JSON_OBJECT;
}

static gboolean has_places(const GArray *found, const TraceEvent *event)
{
    Match in_key;
    double value;

    for (guint i = 0; i < event->n_args; i++)
        if (!series_of_arg(found, event->args[i].key, &in_key) ||
            !read_value(&event->args[i], &value))
            return FALSE;
    return event->n_args > 0;
}

gboolean samples_take(Samples *samples, const TraceEvent *event, const Layer *layer,
                      StrobeTrackId track, gint64 time_ns)
{
    GArray *found = layer->name ? series_of(samples, layer->name, event->name) : NULL;
    gint64 index;

    if (!found || !has_places(found, event))
        return FALSE;
    index = index_among_args(found, event);
    for (guint i = 0; i < event->n_args; i++) {
        Sample key = {.time_ns = time_ns, .track = track, .device = layer->device, .index = index};
        Match in_key;
        const Series *series = series_of_arg(found, event->args[i].key, &in_key);
        double value;

        if (!series->row->field || !g_strcmp0(series->row->index, series->row->field))
            /* a sum of other values, or the unit's number (which is in `key`), is not stored */
            continue;
        read_value(&event->args[i], &value);
        take_value(samples, series, &in_key, &key, value);
        if (!strcmp(series->kind->name, "memory_usage") &&
            !g_strcmp0(series->row->only_name, "app"))
            samples->import->has_app_memory = TRUE;
    }
    return TRUE;
}
