/* SPDX-License-Identifier: Apache-2.0 */
#include "cut.h"

#include <string.h>

#define VERDICTS_MAX 65536u /* names that are remembered */
#define SAMPLES_MAX 8192u   /* begins of which the middle is found */

typedef struct Stretch {
    gint64 begin_ns, end_ns;
} Stretch;

struct StrobeCut {
    GArray *times; /* of Stretch; empty: all time */
    Stretch within;
    GPtrArray *kinds, *tracks, *names; /* of GPatternSpec; empty: all */
    GHashTable *kind_verdicts;         /* StrobeKindView* to a verdict */
    GByteArray *track_verdicts;        /* by track id */
    GHashTable *name_verdicts;         /* string id to a verdict */
    guint64 n_kept, n_left_out;
    GArray *samples; /* of gint64: begins of every stride-th record kept */
    guint64 stride;
};

enum verdict { UNKNOWN, OUT, IN, BY_TIME, ALWAYS };

static void free_pattern(gpointer pattern)
{
    g_pattern_spec_free(pattern);
}

StrobeCut *strobe_cut_new(void)
{
    StrobeCut *cut = g_new0(StrobeCut, 1);

    cut->times = g_array_new(FALSE, FALSE, sizeof(Stretch));
    cut->within = (Stretch){G_MININT64, G_MAXINT64};
    cut->kinds = g_ptr_array_new_with_free_func(free_pattern);
    cut->tracks = g_ptr_array_new_with_free_func(free_pattern);
    cut->names = g_ptr_array_new_with_free_func(free_pattern);
    cut->kind_verdicts = g_hash_table_new(NULL, NULL);
    cut->track_verdicts = g_byte_array_new();
    cut->name_verdicts = g_hash_table_new(NULL, NULL);
    cut->samples = g_array_new(FALSE, FALSE, sizeof(gint64));
    cut->stride = 1;
    return cut;
}

static gpointer copy_pattern(gconstpointer pattern, gpointer user)
{
    return g_pattern_spec_copy((GPatternSpec *)(gpointer)pattern);
}

StrobeCut *strobe_cut_copy(const StrobeCut *cut)
{
    StrobeCut *copy = strobe_cut_new();

    if (cut->times->len)
        g_array_append_vals(copy->times, cut->times->data, cut->times->len);
    copy->within = cut->within;
    g_ptr_array_extend(copy->kinds, cut->kinds, copy_pattern, NULL);
    g_ptr_array_extend(copy->tracks, cut->tracks, copy_pattern, NULL);
    g_ptr_array_extend(copy->names, cut->names, copy_pattern, NULL);
    return copy;
}

void strobe_cut_free(StrobeCut *cut)
{
    if (!cut)
        return;
    g_array_unref(cut->times);
    g_ptr_array_unref(cut->kinds);
    g_ptr_array_unref(cut->tracks);
    g_ptr_array_unref(cut->names);
    g_hash_table_unref(cut->kind_verdicts);
    g_byte_array_unref(cut->track_verdicts);
    g_hash_table_unref(cut->name_verdicts);
    g_array_unref(cut->samples);
    g_free(cut);
}

void strobe_cut_add_time(StrobeCut *cut, gint64 begin_ns, gint64 end_ns)
{
    Stretch stretch = {begin_ns, end_ns};

    g_array_append_val(cut->times, stretch);
}

void strobe_cut_narrow(StrobeCut *cut, gint64 begin_ns, gint64 end_ns)
{
    cut->within.begin_ns = MAX(cut->within.begin_ns, begin_ns);
    cut->within.end_ns = MIN(cut->within.end_ns, end_ns);
}

void strobe_cut_add_kind(StrobeCut *cut, const char *pattern)
{
    g_ptr_array_add(cut->kinds, g_pattern_spec_new(pattern));
}

void strobe_cut_add_track(StrobeCut *cut, const char *pattern)
{
    g_ptr_array_add(cut->tracks, g_pattern_spec_new(pattern));
}

void strobe_cut_add_name(StrobeCut *cut, const char *pattern)
{
    g_ptr_array_add(cut->names, g_pattern_spec_new(pattern));
}

/* ---- what is in ---- */

gboolean strobe_cut_is_about_all(const char *kind)
{
    static const char *const kinds[] = {"metadata",    "loss",     "clock_sync",
                                        "device_info", "sampling", "diagnostic"};

    for (guint i = 0; i < G_N_ELEMENTS(kinds); i++)
        if (strcmp(kind, kinds[i]) == 0)
            return TRUE;
    return FALSE;
}

static gboolean matches(const GPtrArray *patterns, const char *text)
{
    for (guint i = 0; i < patterns->len; i++)
        if (g_pattern_spec_match_string(g_ptr_array_index(patterns, i), text))
            return TRUE;
    return FALSE;
}

static enum verdict verdict_of_kind(StrobeCut *cut, const StrobeKindView *kind)
{
    gpointer known = g_hash_table_lookup(cut->kind_verdicts, kind);
    enum verdict verdict = GPOINTER_TO_UINT(known);

    if (verdict != UNKNOWN)
        return verdict;
    if (strobe_cut_is_about_all(kind->name))
        verdict = ALWAYS;
    else if (strcmp(kind->name, "step") == 0) /* alone it is nothing to see */
        verdict = BY_TIME;
    else
        verdict = cut->kinds->len == 0 || matches(cut->kinds, kind->name) ? IN : OUT;
    g_hash_table_insert(cut->kind_verdicts, (gpointer)kind, GUINT_TO_POINTER(verdict));
    return verdict;
}

static gboolean is_track_in(StrobeCut *cut, const StrobeReader *reader, StrobeTrackId id)
{
    const StrobeTrackView *track;
    guint old = cut->track_verdicts->len;

    if (cut->tracks->len == 0)
        return TRUE;
    if (id >= old) {
        g_byte_array_set_size(cut->track_verdicts, MAX(id + 1, old * 2));
        memset(cut->track_verdicts->data + old, UNKNOWN, cut->track_verdicts->len - old);
    }
    if (cut->track_verdicts->data[id] != UNKNOWN)
        return cut->track_verdicts->data[id] == IN;
    track = id ? strobe_reader_track(reader, id) : NULL;
    if (!track)
        return FALSE;
    g_autofree char *label = strobe_track_label(track);
    gboolean is_in = matches(cut->tracks, track->name) || matches(cut->tracks, label);
    cut->track_verdicts->data[id] = is_in ? IN : OUT;
    return is_in;
}

static gboolean is_name_in(StrobeCut *cut, const StrobeReader *reader, StrobeStringId id)
{
    gpointer key = GUINT_TO_POINTER(id);
    enum verdict verdict;

    if (cut->names->len == 0)
        return TRUE;
    verdict = GPOINTER_TO_UINT(g_hash_table_lookup(cut->name_verdicts, key));
    if (verdict != UNKNOWN)
        return verdict == IN;
    verdict = matches(cut->names, strobe_reader_string(reader, id).bytes) ? IN : OUT;
    if (g_hash_table_size(cut->name_verdicts) >= VERDICTS_MAX)
        g_hash_table_remove_all(cut->name_verdicts);
    g_hash_table_insert(cut->name_verdicts, key, GUINT_TO_POINTER(verdict));
    return verdict == IN;
}

static gboolean is_time_in(const StrobeCut *cut, gint64 ns)
{
    if (ns < cut->within.begin_ns || ns >= cut->within.end_ns)
        return FALSE;
    if (cut->times->len == 0)
        return TRUE;
    for (guint i = 0; i < cut->times->len; i++) {
        const Stretch *stretch = &g_array_index(cut->times, Stretch, i);
        if (ns >= stretch->begin_ns && ns < stretch->end_ns)
            return TRUE;
    }
    return FALSE;
}

/* Keeps every second sample when there is no room for more. */
static void sample(StrobeCut *cut, gint64 begin_ns)
{
    if (cut->n_kept % cut->stride)
        return;
    if (cut->samples->len == SAMPLES_MAX) {
        for (guint i = 0; i < SAMPLES_MAX / 2; i++)
            g_array_index(cut->samples, gint64, i) = g_array_index(cut->samples, gint64, 2 * i);
        g_array_set_size(cut->samples, SAMPLES_MAX / 2);
        cut->stride *= 2;
    }
    g_array_append_val(cut->samples, begin_ns);
}

static gboolean is_in(StrobeCut *cut, const StrobeReader *reader, const StrobeView *view)
{
    enum verdict kind = verdict_of_kind(cut, view->kind);
    gboolean kept;

    if (kind == ALWAYS)
        return TRUE;
    kept = is_time_in(cut, view->begin_ns);
    if (kind == BY_TIME)
        return kept;
    kept = kept && kind == IN && is_track_in(cut, reader, view->track) &&
           is_name_in(cut, reader, view->name);
    if (kept)
        sample(cut, view->begin_ns);
    cut->n_kept += kept;
    cut->n_left_out += !kept;
    return kept;
}

gboolean strobe_cut_is_whole(const StrobeCut *cut)
{
    return !cut->times->len && !cut->kinds->len && !cut->tracks->len && !cut->names->len &&
           cut->within.begin_ns == G_MININT64 && cut->within.end_ns == G_MAXINT64;
}

gsize strobe_cut_apply(StrobeCut *cut, const StrobeReader *reader, StrobeView *views, gsize n)
{
    gsize n_in = 0;

    for (gsize i = 0; i < n; i++)
        if (is_in(cut, reader, &views[i]))
            views[n_in++] = views[i];
    return n_in;
}

guint64 strobe_cut_kept(const StrobeCut *cut)
{
    return cut->n_kept;
}

guint64 strobe_cut_left_out(const StrobeCut *cut)
{
    return cut->n_left_out;
}

static gint compare_times(gconstpointer a, gconstpointer b)
{
    gint64 left = *(const gint64 *)a, right = *(const gint64 *)b;

    return (left > right) - (left < right);
}

GArray *strobe_cut_divide(const StrobeCut *cut, guint n)
{
    GArray *places = g_array_new(FALSE, FALSE, sizeof(gint64)), *samples = cut->samples;

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
