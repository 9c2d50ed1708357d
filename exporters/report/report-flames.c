/* SPDX-License-Identifier: Apache-2.0 */
#include "report-flames.h"

#include "path-sources.h"
#include "report-numbers.h"

/* The sources of call paths. The page identifies them by their kind: for a chosen step it derives
 * the paths of call_path and stack_total again, from its samples and operators. The graphs of the
 * other sources do not change. */
static const struct {
    const char *kind, *title, *unit;
} flame_sources[N_PATH_SOURCES] = {
    [PATHS_SAMPLES] = {"call_path", "Processor samples", "ns"},
    [PATHS_WAITS] = {"", "Waiting", "ns"},
    [PATHS_CALLS] = {"", "Calls of Python", "ns"},
    [PATHS_OPERATORS] = {"stack_total", "Operators", "ns"},
    [PATHS_HEAP] = {"heap_path", "Memory at the peak", "B"},
};

typedef struct FlamePathValue {
    gint64 value;
    StrobeStackId path;
} FlamePathValue;

typedef struct OneFlame {
    GArray *paths; /* elements of type FlamePathValue */
    gint64 rest;   /* sum of the paths that are not kept */
    guint64 n_left_out;
} OneFlame;

struct ReportFlames {
    ReportSource source;
    PathSources sources;
    OneFlame flames[N_PATH_SOURCES];
};

ReportFlames *report_flames_new(const ReportSource *source)
{
    ReportFlames *flames = g_new0(ReportFlames, 1);

    flames->source = *source;
    path_sources_init(&flames->sources, source->host, source->self, "peak_bytes");
    for (guint i = 0; i < N_PATH_SOURCES; i++)
        flames->flames[i].paths = g_array_new(FALSE, FALSE, sizeof(FlamePathValue));
    return flames;
}

void report_flames_free(ReportFlames *flames)
{
    for (guint i = 0; i < N_PATH_SOURCES; i++)
        g_array_unref(flames->flames[i].paths);
    g_free(flames);
}

static gint compare_paths(gconstpointer a, gconstpointer b)
{
    const FlamePathValue *x = a, *y = b;

    return (x->value < y->value) - (x->value > y->value);
}

static void sum_rest(OneFlame *flame, guint from)
{
    for (guint i = from; i < flame->paths->len; i++) {
        flame->rest += g_array_index(flame->paths, FlamePathValue, i).value;
        flame->n_left_out++;
    }
    if (flame->paths->len > from)
        g_array_set_size(flame->paths, from);
}

static void trim_paths(const ReportFlames *flames, OneFlame *flame)
{
    g_array_sort(flame->paths, compare_paths);
    sum_rest(flame, report_limit(&flames->source, REPORT_PATHS_MAX));
}

void report_flames_add(ReportFlames *flames, const StrobeView *record)
{
    SourcePath found;

    if (!path_sources_read(&flames->sources, record, &found) || !found.stack)
        return;
    OneFlame *flame = &flames->flames[found.source];
    const FlamePathValue path = {found.value, found.stack};
    g_array_append_val(flame->paths, path);
    if (flame->paths->len >= 2 * REPORT_PATHS_MAX)
        trim_paths(flames, flame);
}

/* Keeps the largest paths: as many as have at most `most` frames together. */
static void limit_frames(const ReportFlames *flames, OneFlame *flame, gsize most)
{
    const StrobeStringId *frames = NULL;
    gsize sum = 0;

    for (guint i = 0; i < flame->paths->len; i++) {
        gsize n = flames->source.host->stack_frames(
            flames->source.self, g_array_index(flame->paths, FlamePathValue, i).path, &frames);

        sum += MIN(n, REPORT_DEPTH_MAX);
        if (sum > most) {
            sum_rest(flame, i);
            return;
        }
    }
}

/* Gives each source the same share of the frames. */
static void limit_sources(ReportFlames *flames)
{
    guint n = 0, most = report_limit(&flames->source, REPORT_FRAMES_MAX);

    for (guint i = 0; i < N_PATH_SOURCES; i++) {
        trim_paths(flames, &flames->flames[i]);
        n += flames->flames[i].paths->len > 0;
    }
    for (guint i = 0; i < N_PATH_SOURCES; i++)
        limit_frames(flames, &flames->flames[i], most / MAX(n, 1));
}

/* ---- out ---- */

static void write_path(const ReportFlames *flames, const FlamePathValue *path,
                       ReportNumbers *numbers, StrobeJsonWriter *json)
{
    const StrobeStringId *frames = NULL;
    gsize n = flames->source.host->stack_frames(flames->source.self, path->path, &frames);

    strobe_json_begin_array(json);
    strobe_json_int(json, path->value);
    for (gsize i = MIN(n, REPORT_DEPTH_MAX); i-- > 0;)
        strobe_json_uint(json, report_number_of(numbers, frames[i]));
    strobe_json_end_array(json);
}

static void write_flame(const ReportFlames *flames, guint place, ReportNumbers *numbers,
                        StrobeJsonWriter *json)
{
    const OneFlame *flame = &flames->flames[place];

    strobe_json_begin_object(json);
    strobe_json_key(json, "kind");
    strobe_json_string(json, flame_sources[place].kind);
    strobe_json_key(json, "name");
    strobe_json_string(json, flame_sources[place].title);
    strobe_json_key(json, "unit");
    strobe_json_string(json, flame_sources[place].unit);
    strobe_json_key(json, "rest");
    strobe_json_int(json, flame->rest);
    strobe_json_key(json, "left_out");
    strobe_json_uint(json, flame->n_left_out);
    strobe_json_key(json, "paths");
    strobe_json_begin_array(json);
    for (guint i = 0; i < flame->paths->len; i++)
        write_path(flames, &g_array_index(flame->paths, FlamePathValue, i), numbers, json);
    strobe_json_end_array(json);
    strobe_json_end_object(json);
}

void report_flames_write(ReportFlames *flames, StrobeJsonWriter *json)
{
    ReportNumbers numbers = report_numbers_new();

    limit_sources(flames);
    strobe_json_begin_object(json);
    strobe_json_key(json, "sources");
    strobe_json_begin_array(json);
    for (guint i = 0; i < N_PATH_SOURCES; i++)
        if (flames->flames[i].paths->len)
            write_flame(flames, i, &numbers, json);
    strobe_json_end_array(json);
    strobe_json_key(json, "frames");
    strobe_json_begin_array(json);
    for (guint i = 0; i < numbers.ids->len; i++)
        report_write_text(&flames->source,
                          flames->source.host->string(flames->source.self,
                                                      g_array_index(numbers.ids, guint32, i)),
                          json);
    strobe_json_end_array(json);
    strobe_json_end_object(json);
    report_numbers_free(&numbers);
}
