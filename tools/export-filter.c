/* SPDX-License-Identifier: Apache-2.0 */
#include "export-filter.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <strobe/kinds.h>

#include "command.h"
#include "error.h"
#include "json-text.h"
#include "options.h"
#include "progress-bar.h"
#include "step-name.h"

#define BATCH 1024

static gboolean fail_text(GError **error, const char *flag, const char *text, const char *expected)
{
    g_set_error(error, STROBE_USAGE_ERROR, 0, "--%s=%s: expected %s", flag, text, expected);
    return FALSE;
}

/* ---- reading the texts ---- */

static gboolean read_number(const char *text, char **end, gint64 *number)
{
    errno = 0;
    *number = g_ascii_strtoll(text, end, 10);
    return *end != text && errno == 0;
}

/* Reads "3" or "3-5". */
static gboolean read_span(const char *text, gint64 *first, gint64 *last)
{
    char *end;

    if (!read_number(text, &end, first) || *first < 0)
        return FALSE;
    *last = *first;
    if (*end == '-' && !read_number(end + 1, &end, last))
        return FALSE;
    return *end == '\0' && *last >= *first;
}

gboolean strobe_filter_texts_check(const StrobeFilterTexts *texts, GError **error)
{
    const char *const flags[] = {"from", "to"}, *const times[] = {texts->from, texts->to};
    gint64 number, last, bounds[] = {G_MININT64, G_MAXINT64};
    char *end;

    for (guint i = 0; i < G_N_ELEMENTS(times); i++)
        if (times[i] && (!strobe_parse_duration(times[i], &bounds[i]) || bounds[i] < 0))
            return fail_text(error, flags[i], times[i], "a time since the begin, such as 1.5s");
    if (bounds[0] >= bounds[1]) {
        g_autofree char *expected = g_strdup_printf("a time before --to=%s", texts->to);
        return fail_text(error, "from", texts->from, expected);
    }
    for (char **text = texts->steps; text && *text; text++)
        if (!read_span(*text, &number, &last))
            return fail_text(error, "step", *text, "a step's number or two, such as 3-5");
    for (char **text = texts->ranks; text && *text; text++)
        if (!read_number(*text, &end, &number) || *end)
            return fail_text(error, "rank", *text, "a number");
    return TRUE;
}

/* ---- the filter of one result ---- */

static gboolean is_of_rank(const StrobeFilterTexts *texts, const StrobeResult *result,
                           StrobeReader *reader)
{
    gint64 rank = strobe_json_member_int(strobe_reader_metadata(reader), "rank", -1), wanted;
    char *end;

    if (rank < 0)
        rank = strobe_result_rank(result);

    if (!texts->ranks)
        return TRUE;
    for (char **text = texts->ranks; *text; text++)
        if (read_number(*text, &end, &wanted) && wanted == rank)
            return TRUE;
    return FALSE;
}

/* Returns begin + ns, or the largest integer if the sum is larger. */
static gint64 add_time(gint64 begin, gint64 ns)
{
    gint64 time;

    if (__builtin_add_overflow(begin, ns, &time))
        return ns < 0 ? G_MININT64 : G_MAXINT64;
    return time;
}

static void add_bounds(StrobeFilter *filter, const StrobeFilterTexts *texts,
                       const StrobeReader *reader)
{
    gint64 begin = strobe_reader_stats(reader)->begin_ns, ns;

    if (texts->from && strobe_parse_duration(texts->from, &ns))
        strobe_filter_narrow(filter, add_time(begin, ns), G_MAXINT64);
    if (texts->to && strobe_parse_duration(texts->to, &ns))
        strobe_filter_narrow(filter, G_MININT64, add_time(begin, ns));
}

static gboolean is_step_wanted(const StrobeFilterTexts *texts, gint64 number)
{
    gint64 first, last;

    for (char **text = texts->steps; *text; text++)
        if (read_span(*text, &first, &last) && number >= first && number <= last)
            return TRUE;
    return FALSE;
}

typedef struct Stretch {
    gint64 begin_ns, end_ns;
} Stretch;

/* The steps of one source, and the time ranges of the requested ones. */
typedef struct Found {
    GArray *wanted; /* of Stretch */
    gint64 least, most;
} Found;

static void take_step(Found *found, const StrobeFilterTexts *texts, const StrobeView *record,
                      gint64 number)
{
    const Stretch stretch = {record->begin_ns, record->end_ns};

    found->least = MIN(found->least, number);
    found->most = MAX(found->most, number);
    if (is_step_wanted(texts, number))
        g_array_append_val(found->wanted, stretch);
}

static void look_at(Found *reported, Found *named, const StrobeFilterTexts *texts,
                    const StrobeReader *reader, const StrobeView *record)
{
    gint64 number;

    if (!strcmp(record->kind->name, "step"))
        take_step(reported, texts, record,
                  strobe_view_i64(record, offsetof(struct strobe_step, number)));
    else if (!strcmp(record->kind->name, "cpu_op") &&
             strobe_step_of_name(strobe_reader_string(reader, record->name).bytes, &number))
        take_step(named, texts, record, number);
}

static gboolean find_steps(Found *reported, Found *named, const StrobeFilterTexts *texts,
                           StrobeReader *reader, GError **error)
{
    g_autofree StrobeView *views = g_new(StrobeView, BATCH);
    GError *failure = NULL;
    guint64 n_read = 0;
    gsize n;

    for (guint turn = 0; (n = strobe_reader_next(reader, views, BATCH, &failure)); turn++) {
        for (gsize i = 0; i < n; i++)
            look_at(reported, named, texts, reader, &views[i]);
        n_read += n;
        if (turn % 64 == 0)
            strobe_bar_show((gpointer) "looking for steps", strobe_reader_progress(reader), n_read);
    }
    strobe_bar_clear();
    if (failure)
        g_propagate_error(error, failure);
    return !failure;
}

static gboolean use_steps(StrobeFilter *filter, const StrobeFilterTexts *texts, const Found *found,
                          GError **error)
{
    for (guint i = 0; i < found->wanted->len; i++) {
        const Stretch *stretch = &g_array_index(found->wanted, Stretch, i);
        strobe_filter_add_time(filter, stretch->begin_ns, stretch->end_ns);
    }
    if (found->wanted->len)
        return TRUE;
    if (found->most < found->least)
        g_set_error(error, STROBE_USAGE_ERROR, 0, "--step: the result has no steps");
    else
        g_set_error(error, STROBE_USAGE_ERROR, 0,
                    "--step=%s: no such step; the result has steps %" G_GINT64_FORMAT
                    " to %" G_GINT64_FORMAT,
                    texts->steps[0], found->least, found->most);
    return FALSE;
}

/* Adds the times of the requested steps to the filter. FALSE with an error, for example that the
 * capture contains none of them. */
static gboolean add_steps(StrobeFilter *filter, const StrobeFilterTexts *texts,
                          StrobeReader *reader, GError **error)
{
    g_autoptr(GArray) of_reported = g_array_new(FALSE, FALSE, sizeof(Stretch));
    g_autoptr(GArray) of_named = g_array_new(FALSE, FALSE, sizeof(Stretch));
    Found reported = {of_reported, G_MAXINT64, G_MININT64},
          named = {of_named, G_MAXINT64, G_MININT64};

    return find_steps(&reported, &named, texts, reader, error) &&
           use_steps(filter, texts, reported.most < reported.least ? &named : &reported, error);
}

/* FALSE with an error: the pattern matches no kind of the capture. */
static gboolean check_kind(const StrobeReader *reader, const char *pattern, GError **error)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new();

    for (guint32 i = 0; i < strobe_reader_n_kinds(reader); i++) {
        const char *name = strobe_reader_kind(reader, i)->name;
        if (g_pattern_match_simple(pattern, name))
            return TRUE;
        if (!strobe_filter_is_about_all(name))
            g_ptr_array_add(names, (gpointer)name);
    }
    g_ptr_array_add(names, NULL);
    g_autofree char *hint = strobe_nearest_hint(pattern, (const char *const *)names->pdata);
    g_autofree char *all = g_strjoinv(", ", (char **)names->pdata);
    g_set_error(error, STROBE_USAGE_ERROR, 0,
                "--kind=%s: the result holds no such kind%s; it holds %s", pattern, hint, all);
    return FALSE;
}

static StrobeFilter *filter_of_reader(const StrobeFilterTexts *texts, StrobeReader *reader,
                                      GError **error)
{
    g_autoptr(StrobeFilter) filter = strobe_filter_new();

    add_bounds(filter, texts, reader);
    for (char **text = texts->tracks; text && *text; text++)
        strobe_filter_add_track(filter, *text);
    for (char **text = texts->names; text && *text; text++)
        strobe_filter_add_name(filter, *text);
    for (char **text = texts->kinds; text && *text; text++) {
        if (!check_kind(reader, *text, error))
            return NULL;
        strobe_filter_add_kind(filter, *text);
    }
    if (texts->steps && !add_steps(filter, texts, reader, error))
        return NULL;
    return g_steal_pointer(&filter);
}

StrobeFilter *strobe_filter_of(const StrobeFilterTexts *texts, const StrobeResult *result,
                               gboolean *is_other, GError **error)
{
    StrobeReader *reader;
    StrobeFilter *filter = NULL;

    *is_other = FALSE;
    if (!strobe_result_recover(result, NULL, error))
        return NULL;
    reader = strobe_reader_open(result->source, error);
    if (!reader)
        return NULL;
    *is_other = !is_of_rank(texts, result, reader);
    if (!*is_other)
        filter = filter_of_reader(texts, reader, error);
    strobe_reader_free(reader);
    return filter;
}
