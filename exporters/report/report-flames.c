/* SPDX-License-Identifier: Apache-2.0 */
#include "report-flames.h"

#include <string.h>
#include <strobe/helpers/fields.h>

#include "report-numbers.h"

enum { VALUE, PATH, N_WANTED };

static const struct {
    const char *kind, *title, *unit;
    StrobeWantedField wanted[N_WANTED];
} flame_sources[] = {
    {"call_path",
     "Processor samples",
     "ns",
     {{"time", STROBE_FIELD_I64}, {"path", STROBE_FIELD_STACK}}},
    {"stack_total",
     "Operators",
     "ns",
     {{"host_self", STROBE_FIELD_I64}, {"path", STROBE_FIELD_STACK}}},
    {"heap_path",
     "Memory, most at one time",
     "B",
     {{"most_bytes", STROBE_FIELD_I64}, {"stack", STROBE_FIELD_STACK}}},
};

#define N_FLAMES G_N_ELEMENTS(flame_sources)

typedef struct FlamePathValue {
    gint64 value;
    StrobeStackId path;
} FlamePathValue;

typedef struct OneFlame {
    StrobeBinder binder;
    GArray *paths; /* of FlamePathValue */
    gint64 rest;   /* sum of those that are not kept */
    guint64 n_left_out;
} OneFlame;

struct ReportFlames {
    ReportSource source;
    OneFlame flames[N_FLAMES];
};

ReportFlames *report_flames_new(const ReportSource *source)
{
    ReportFlames *flames = g_new0(ReportFlames, 1);

    flames->source = *source;
    for (guint i = 0; i < N_FLAMES; i++) {
        flames->flames[i].binder.wanted = flame_sources[i].wanted;
        flames->flames[i].binder.n_wanted = N_WANTED;
        flames->flames[i].paths = g_array_new(FALSE, FALSE, sizeof(FlamePathValue));
    }
    return flames;
}

void report_flames_free(ReportFlames *flames)
{
    for (guint i = 0; i < N_FLAMES; i++)
        g_array_unref(flames->flames[i].paths);
    g_free(flames);
}

static gint compare_paths(gconstpointer a, gconstpointer b)
{
    const FlamePathValue *x = a, *y = b;

    return (x->value < y->value) - (x->value > y->value);
}

static void trim_paths(OneFlame *flame)
{
    g_array_sort(flame->paths, compare_paths);
    for (guint i = REPORT_PATHS_MAX; i < flame->paths->len; i++) {
        flame->rest += g_array_index(flame->paths, FlamePathValue, i).value;
        flame->n_left_out++;
    }
    if (flame->paths->len > REPORT_PATHS_MAX)
        g_array_set_size(flame->paths, REPORT_PATHS_MAX);
}

void report_flames_add(ReportFlames *flames, const StrobeView *record)
{
    for (guint i = 0; i < N_FLAMES; i++) {
        OneFlame *flame = &flames->flames[i];

        if (strcmp(record->kind->name, flame_sources[i].kind) != 0)
            continue;
        const uint32_t *at = strobe_binder_offsets(&flame->binder, record->kind);
        const FlamePathValue path = {strobe_field_i64(record, at[VALUE], 0),
                                     strobe_field_u32(record, at[PATH], 0)};
        if (path.value <= 0 || !path.path)
            continue;
        g_array_append_val(flame->paths, path);
        if (flame->paths->len >= 2 * REPORT_PATHS_MAX)
            trim_paths(flame);
    }
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

    strobe_json_begin_object(json);
    strobe_json_key(json, "sources");
    strobe_json_begin_array(json);
    for (guint i = 0; i < N_FLAMES; i++) {
        trim_paths(&flames->flames[i]);
        if (flames->flames[i].paths->len)
            write_flame(flames, i, &numbers, json);
    }
    strobe_json_end_array(json);
    strobe_json_key(json, "frames");
    strobe_json_begin_array(json);
    for (guint i = 0; i < numbers.ids->len; i++)
        report_write_text(json, flames->source.host->string(
                                    flames->source.self, g_array_index(numbers.ids, guint32, i)));
    strobe_json_end_array(json);
    strobe_json_end_object(json);
    report_numbers_free(&numbers);
}
