/* SPDX-License-Identifier: Apache-2.0 */
#include "report-samples.h"

#include <string.h>
#include <strobe/helpers/fields.h>
#include <strobe/helpers/keyed-hash.h>
#include <strobe/helpers/native-frame.h>

#include "report-flames.h"
#include "report-numbers.h"

#define FRAMES_MAX 30000u /* maximum number of frames of all paths together */

enum { TIME, STACK, N_WANTED };

static const StrobeWantedField wanted[N_WANTED] = {
    [TIME] = {"time", STROBE_FIELD_I64},
    [STACK] = {"stack", STROBE_FIELD_STACK},
};

typedef struct OneSample {
    gint64 at_ns, time_ns;
    guint64 path; /* name of the thread, and stack */
} OneSample;

struct ReportSamples {
    ReportSource source;
    StrobeBinder binder;
    GArray *samples; /* elements of type OneSample */
    guint64 n_seen, every;
};

ReportSamples *report_samples_new(const ReportSource *source)
{
    ReportSamples *samples = g_new0(ReportSamples, 1);

    samples->source = *source;
    samples->binder.wanted = wanted;
    samples->binder.n_wanted = N_WANTED;
    samples->samples = g_array_new(FALSE, FALSE, sizeof(OneSample));
    samples->every = 1;
    return samples;
}

void report_samples_free(ReportSamples *samples)
{
    g_array_unref(samples->samples);
    g_free(samples);
}

/* Drops every second sample. */
static void thin_samples(ReportSamples *samples)
{
    guint kept = 0;

    for (guint i = 0; i < samples->samples->len; i += 2)
        g_array_index(samples->samples, OneSample, kept++) =
            g_array_index(samples->samples, OneSample, i);
    g_array_set_size(samples->samples, kept);
    samples->every *= 2;
}

void report_samples_add(ReportSamples *samples, const StrobeView *record)
{
    if (strcmp(record->kind->name, "cpu_sample") != 0)
        return;
    const uint32_t *at = strobe_binder_offsets(&samples->binder, record->kind);
    guint64 stack = strobe_field_u32(record, at[STACK], 0);
    const OneSample sample = {.at_ns = record->begin_ns,
                              .time_ns = strobe_field_i64(record, at[TIME], 0),
                              .path = (guint64)record->name << 32 | stack};

    if (sample.time_ns <= 0 || samples->n_seen++ % samples->every != 0)
        return;
    g_array_append_val(samples->samples, sample);
    if (samples->samples->len > REPORT_SAMPLES_MAX)
        thin_samples(samples);
}

/* ---- out ---- */

/* Returns the number of a frame's function. For a new function, adds its text (without file and
 * line) to `texts`. */
static guint number_function(const ReportSamples *samples, ReportNumbers *frames, GPtrArray *texts,
                             StrobeStringId id)
{
    guint number = report_number_of(frames, id);

    if (number == texts->len) {
        StrobeText text = samples->source.host->string(samples->source.self, id);
        gsize length = strobe_frame_parts(text.bytes, text.length).function_length;

        g_ptr_array_add(texts, g_strndup(text.bytes, MIN(length, text.length)));
    }
    return number;
}

/* Writes a path. If the paths so far have too many frames together (`*n_frames`), writes only its
 * innermost frame. */
static void write_path(const ReportSamples *samples, guint64 path, gsize *n_frames,
                       ReportNumbers *frames, GPtrArray *texts, StrobeJsonWriter *json)
{
    const StrobeStringId *ids = NULL;
    gsize n = (guint32)path
                  ? samples->source.host->stack_frames(samples->source.self, (guint32)path, &ids)
                  : 0;

    strobe_json_begin_array(json);
    strobe_json_uint(json, number_function(samples, frames, texts, (guint32)(path >> 32)));
    n = MIN(n, *n_frames < report_limit(&samples->source, FRAMES_MAX) ? REPORT_DEPTH_MAX : 1u);
    *n_frames += n;
    for (gsize i = n; i-- > 0;)
        strobe_json_uint(json, number_function(samples, frames, texts, ids[i]));
    strobe_json_end_array(json);
}

static void write_samples(const ReportSamples *samples, GHashTable *numbers, GArray *paths,
                          StrobeJsonWriter *json)
{
    gint64 origin_ns = samples->source.host->metadata(samples->source.self)->window_begin_ns;

    strobe_json_key(json, "samples");
    strobe_json_begin_array(json);
    for (guint i = 0; i < samples->samples->len; i++) {
        const OneSample *sample = &g_array_index(samples->samples, OneSample, i);
        guint number = GPOINTER_TO_UINT(g_hash_table_lookup(numbers, &sample->path));

        if (number == 0) {
            g_array_append_val(paths, sample->path);
            number = paths->len;
            g_hash_table_insert(numbers, (gpointer)&sample->path, GUINT_TO_POINTER(number));
        }
        strobe_json_begin_array(json);
        strobe_json_int(json, sample->at_ns - origin_ns);
        strobe_json_int(json, sample->time_ns);
        strobe_json_uint(json, number - 1);
        strobe_json_end_array(json);
    }
    strobe_json_end_array(json);
}

void report_samples_write(ReportSamples *samples, StrobeJsonWriter *json)
{
    g_autoptr(GHashTable) numbers = g_hash_table_new(strobe_hash_of_number, g_int64_equal);
    g_autoptr(GArray) paths = g_array_new(FALSE, FALSE, sizeof(guint64));
    g_autoptr(GPtrArray) texts = g_ptr_array_new_with_free_func(g_free);
    ReportNumbers frames = report_numbers_new();
    gsize n_frames = 0;

    while (samples->samples->len > report_limit(&samples->source, REPORT_SAMPLES_MAX))
        thin_samples(samples);
    strobe_json_begin_object(json);
    strobe_json_key(json, "every");
    strobe_json_uint(json, samples->every);
    write_samples(samples, numbers, paths, json);
    strobe_json_key(json, "paths");
    strobe_json_begin_array(json);
    for (guint i = 0; i < paths->len; i++)
        write_path(samples, g_array_index(paths, guint64, i), &n_frames, &frames, texts, json);
    strobe_json_end_array(json);
    strobe_json_key(json, "frames");
    strobe_json_begin_array(json);
    for (guint i = 0; i < texts->len; i++) {
        const char *text = g_ptr_array_index(texts, i);
        report_write_text(&samples->source, (StrobeText){text, strlen(text)}, json);
    }
    strobe_json_end_array(json);
    strobe_json_end_object(json);
    report_numbers_free(&frames);
}
