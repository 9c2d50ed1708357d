/* SPDX-License-Identifier: Apache-2.0 */
#include "filter.h"

#include <string.h>

#define VERDICTS_MAX 65536u /* number of cached names */
/* maximum number of sampled begins, from which the middle time is computed */
#define SAMPLES_MAX 8192u

typedef struct Stretch {
    gint64 begin_ns, end_ns;
} Stretch;

struct StrobeFilter {
    GArray *times; /* of Stretch; empty: any time */
    Stretch within;
    GPtrArray *kinds, *tracks, *names; /* of GPatternSpec; empty: all */
    GHashTable *kind_verdicts;         /* StrobeKindView* to a verdict */
    GByteArray *track_verdicts;        /* indexed by track id */
    GHashTable *name_verdicts;         /* string id to a verdict */
    guint64 n_kept, n_left_out;
    GArray *samples; /* of gint64: begins of every stride-th kept record */
    guint64 stride;
};

enum verdict { UNKNOWN, OUT, IN, BY_TIME, ALWAYS };

static void free_pattern(gpointer pattern)
{
    g_pattern_spec_free(pattern);
}

StrobeFilter *strobe_filter_new(void)
{
    StrobeFilter *filter = g_new0(StrobeFilter, 1);

    filter->times = g_array_new(FALSE, FALSE, sizeof(Stretch));
    filter->within = (Stretch){G_MININT64, G_MAXINT64};
    filter->kinds = g_ptr_array_new_with_free_func(free_pattern);
    filter->tracks = g_ptr_array_new_with_free_func(free_pattern);
    filter->names = g_ptr_array_new_with_free_func(free_pattern);
    filter->kind_verdicts = g_hash_table_new(NULL, NULL);
    filter->track_verdicts = g_byte_array_new();
    filter->name_verdicts = g_hash_table_new(NULL, NULL);
    filter->samples = g_array_new(FALSE, FALSE, sizeof(gint64));
    filter->stride = 1;
    return filter;
}

static gpointer copy_pattern(gconstpointer pattern, gpointer user)
{
    return g_pattern_spec_copy((GPatternSpec *)(gpointer)pattern);
}

StrobeFilter *strobe_filter_copy(const StrobeFilter *filter)
{
    StrobeFilter *copy = strobe_filter_new();

    if (filter->times->len)
        g_array_append_vals(copy->times, filter->times->data, filter->times->len);
    copy->within = filter->within;
    g_ptr_array_extend(copy->kinds, filter->kinds, copy_pattern, NULL);
    g_ptr_array_extend(copy->tracks, filter->tracks, copy_pattern, NULL);
    g_ptr_array_extend(copy->names, filter->names, copy_pattern, NULL);
    return copy;
}

void strobe_filter_free(StrobeFilter *filter)
{
    if (!filter)
        return;
    g_array_unref(filter->times);
    g_ptr_array_unref(filter->kinds);
    g_ptr_array_unref(filter->tracks);
    g_ptr_array_unref(filter->names);
    g_hash_table_unref(filter->kind_verdicts);
    g_byte_array_unref(filter->track_verdicts);
    g_hash_table_unref(filter->name_verdicts);
    g_array_unref(filter->samples);
    g_free(filter);
}

void strobe_filter_add_time(StrobeFilter *filter, gint64 begin_ns, gint64 end_ns)
{
    Stretch stretch = {begin_ns, end_ns};

    g_array_append_val(filter->times, stretch);
}

void strobe_filter_narrow(StrobeFilter *filter, gint64 begin_ns, gint64 end_ns)
{
    filter->within.begin_ns = MAX(filter->within.begin_ns, begin_ns);
    filter->within.end_ns = MIN(filter->within.end_ns, end_ns);
}

void strobe_filter_add_kind(StrobeFilter *filter, const char *pattern)
{
    g_ptr_array_add(filter->kinds, g_pattern_spec_new(pattern));
}

void strobe_filter_add_track(StrobeFilter *filter, const char *pattern)
{
    g_ptr_array_add(filter->tracks, g_pattern_spec_new(pattern));
}

void strobe_filter_add_name(StrobeFilter *filter, const char *pattern)
{
    g_ptr_array_add(filter->names, g_pattern_spec_new(pattern));
}

/* ---- selection ---- */

gboolean strobe_filter_is_about_all(const char *kind)
{
    static const char *const kinds[] = {"metadata",    "loss",     "clock_sync",
                                        "device_info", "sampling", "diagnostic"};

    for (guint i = 0; i < G_N_ELEMENTS(kinds); i++)
        if (strcmp(kind, kinds[i]) == 0)
            return TRUE;
    return FALSE;
}

static gboolean match_patterns(const GPtrArray *patterns, const char *text)
{
    for (guint i = 0; i < patterns->len; i++)
        if (g_pattern_spec_match_string(g_ptr_array_index(patterns, i), text))
            return TRUE;
    return FALSE;
}

static enum verdict verdict_of_kind(StrobeFilter *filter, const StrobeKindView *kind)
{
    gpointer known = g_hash_table_lookup(filter->kind_verdicts, kind);
    enum verdict verdict = GPOINTER_TO_UINT(known);

    if (verdict != UNKNOWN)
        return verdict;
    if (strobe_filter_is_about_all(kind->name))
        verdict = ALWAYS;
    else if (strcmp(kind->name, "step") == 0) /* a part that contains only steps counts as empty */
        verdict = BY_TIME;
    else
        verdict = filter->kinds->len == 0 || match_patterns(filter->kinds, kind->name) ? IN : OUT;
    g_hash_table_insert(filter->kind_verdicts, (gpointer)kind, GUINT_TO_POINTER(verdict));
    return verdict;
}

static gboolean is_track_in(StrobeFilter *filter, const StrobeReader *reader, StrobeTrackId id)
{
    const StrobeTrackView *track;
    guint old = filter->track_verdicts->len;

    if (filter->tracks->len == 0)
        return TRUE;
    if (id >= old) {
        g_byte_array_set_size(filter->track_verdicts, MAX(id + 1, old * 2));
        memset(filter->track_verdicts->data + old, UNKNOWN, filter->track_verdicts->len - old);
    }
    if (filter->track_verdicts->data[id] != UNKNOWN)
        return filter->track_verdicts->data[id] == IN;
    track = id ? strobe_reader_track(reader, id) : NULL;
    if (!track)
        return FALSE;
    g_autofree char *label = strobe_track_label(track);
    gboolean is_in =
        match_patterns(filter->tracks, track->name) || match_patterns(filter->tracks, label);
    filter->track_verdicts->data[id] = is_in ? IN : OUT;
    return is_in;
}

static gboolean is_name_in(StrobeFilter *filter, const StrobeReader *reader, StrobeStringId id)
{
    gpointer key = GUINT_TO_POINTER(id);
    enum verdict verdict;

    if (filter->names->len == 0)
        return TRUE;
    verdict = GPOINTER_TO_UINT(g_hash_table_lookup(filter->name_verdicts, key));
    if (verdict != UNKNOWN)
        return verdict == IN;
    verdict = match_patterns(filter->names, strobe_reader_string(reader, id).bytes) ? IN : OUT;
    if (g_hash_table_size(filter->name_verdicts) >= VERDICTS_MAX)
        g_hash_table_remove_all(filter->name_verdicts);
    g_hash_table_insert(filter->name_verdicts, key, GUINT_TO_POINTER(verdict));
    return verdict == IN;
}

static gboolean is_time_in(const StrobeFilter *filter, gint64 ns)
{
    if (ns < filter->within.begin_ns || ns >= filter->within.end_ns)
        return FALSE;
    if (filter->times->len == 0)
        return TRUE;
    for (guint i = 0; i < filter->times->len; i++) {
        const Stretch *stretch = &g_array_index(filter->times, Stretch, i);
        if (ns >= stretch->begin_ns && ns < stretch->end_ns)
            return TRUE;
    }
    return FALSE;
}

/* Adds a sample; if there is no more room, first drops every second sample and then samples half as
 * often. */
static void add_sample(StrobeFilter *filter, gint64 begin_ns)
{
    if (filter->n_kept % filter->stride)
        return;
    if (filter->samples->len == SAMPLES_MAX) {
        for (guint i = 0; i < SAMPLES_MAX / 2; i++)
            g_array_index(filter->samples, gint64, i) =
                g_array_index(filter->samples, gint64, 2 * i);
        g_array_set_size(filter->samples, SAMPLES_MAX / 2);
        filter->stride *= 2;
    }
    g_array_append_val(filter->samples, begin_ns);
}

static gboolean is_in(StrobeFilter *filter, const StrobeReader *reader, const StrobeView *view)
{
    enum verdict kind = verdict_of_kind(filter, view->kind);
    gboolean kept;

    if (kind == ALWAYS)
        return TRUE;
    kept = is_time_in(filter, view->begin_ns);
    if (kind == BY_TIME)
        return kept;
    kept = kept && kind == IN && is_track_in(filter, reader, view->track) &&
           is_name_in(filter, reader, view->name);
    if (kept)
        add_sample(filter, view->begin_ns);
    filter->n_kept += kept;
    filter->n_left_out += !kept;
    return kept;
}

gboolean strobe_filter_is_whole(const StrobeFilter *filter)
{
    return !filter->times->len && !filter->kinds->len && !filter->tracks->len &&
           !filter->names->len && filter->within.begin_ns == G_MININT64 &&
           filter->within.end_ns == G_MAXINT64;
}

gsize strobe_filter_apply(StrobeFilter *filter, const StrobeReader *reader, StrobeView *views,
                          gsize n)
{
    gsize n_in = 0;

    for (gsize i = 0; i < n; i++)
        if (is_in(filter, reader, &views[i]))
            views[n_in++] = views[i];
    return n_in;
}

guint64 strobe_filter_kept(const StrobeFilter *filter)
{
    return filter->n_kept;
}

guint64 strobe_filter_left_out(const StrobeFilter *filter)
{
    return filter->n_left_out;
}

static gint compare_times(gconstpointer a, gconstpointer b)
{
    gint64 left = *(const gint64 *)a, right = *(const gint64 *)b;

    return (left > right) - (left < right);
}

GArray *strobe_filter_divide(const StrobeFilter *filter, guint n)
{
    GArray *places = g_array_new(FALSE, FALSE, sizeof(gint64)), *samples = filter->samples;

    g_array_sort(samples, compare_times);
    gint64 last = samples->len ? g_array_index(samples, gint64, 0) : 0;
    for (guint part = 1; part < n; part++) {
        guint i = (guint)((guint64)samples->len * part / n);
        while (i < samples->len && g_array_index(samples, gint64, i) <= last)
            i++;
        if (i >= samples->len)
            break;
        last = g_array_index(samples, gint64, i);
        g_array_append_val(places, last);
    }
    return places;
}

char *strobe_track_label(const StrobeTrackView *track)
{
    static const char *const types[] = {
        [STROBE_TRACK_THREAD] = "thread", [STROBE_TRACK_STREAM] = "stream",
        [STROBE_TRACK_PLANE] = "plane",   [STROBE_TRACK_COUNTER] = "counter",
        [STROBE_TRACK_STEPS] = "steps",   [STROBE_TRACK_PROCESS] = "process",
    };
    const char *type =
        track->type < G_N_ELEMENTS(types) && types[track->type] ? types[track->type] : "track";

    return track->name[0]
               ? g_strdup_printf("%s %" G_GUINT64_FORMAT " (%s)", type, track->number, track->name)
               : g_strdup_printf("%s %" G_GUINT64_FORMAT, type, track->number);
}
