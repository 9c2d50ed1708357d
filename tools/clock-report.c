/* SPDX-License-Identifier: Apache-2.0 */
#include "clock-report.h"

#include <math.h>

#include "json-text.h"
#include "terminal.h"

static gint64 as_ns(guint64 ns)
{
    return (gint64)MIN(ns, (guint64)G_MAXINT64);
}

static const char *source_of(JsonObject *metadata)
{
    const char *name = metadata ? strobe_json_member_text(metadata, "clock") : "";
    return *name ? name : "unknown";
}

static char *frequency_text(double ns_per_tick)
{
    double mhz = 1e3 / ns_per_tick;

    return mhz >= 1000 ? g_strdup_printf("%.4g GHz", mhz / 1000) : g_strdup_printf("%.4g MHz", mhz);
}

/* Returns the time as a text with its unit; 0 is "0" without a unit. */
static char *sum_text(guint64 ns)
{
    return ns ? strobe_text_duration(as_ns(ns)) : g_strdup("0");
}

char *strobe_clock_line(const StrobeReaderStats *stats, JsonObject *metadata)
{
    const StrobeClockSummary *clock = &stats->clock;
    /* the member is in imported captures only */
    if (metadata && json_object_has_member(metadata, "source"))
        return g_strdup("that of the source");
    GString *line = g_string_new(source_of(metadata));
    g_autofree char *suspended = sum_text(clock->suspended_ns);

    /* CLOCK_MONOTONIC counts ns, so its ns_per_tick is 1, and its line has no frequency. */
    if (stats->ns_per_tick > 0 && stats->ns_per_tick != 1) {
        g_autofree char *frequency = frequency_text(stats->ns_per_tick);
        g_string_append_printf(line, " %s", frequency);
    }
    if (clock->error_ns == STROBE_CLOCK_ERROR_UNKNOWN) {
        g_string_append(line, ", error unknown (too few readings)");
    } else {
        g_autofree char *error = strobe_text_duration(as_ns(clock->error_ns));
        g_string_append_printf(line, ", error <= %s", error);
    }
    g_string_append_printf(line, ", suspended %s, jumps %u", suspended, clock->n_jumps);
    if (clock->broken_ns) {
        g_autofree char *broken = sum_text(clock->broken_ns);
        g_string_append_printf(line, " (%s with an unknown error, see below)", broken);
    }
    return g_string_free(line, FALSE);
}

/* ---- events ---- */

static const char *cause_name(guint32 cause)
{
    static const char *const names[] = {[STROBE_CLOCK_STEADY] = "steady",
                                        [STROBE_CLOCK_SUSPEND] = "suspend",
                                        [STROBE_CLOCK_JUMP] = "jump",
                                        [STROBE_CLOCK_RESET] = "reset",
                                        [STROBE_CLOCK_RATE] = "rate"};

    return cause < G_N_ELEMENTS(names) ? names[cause] : "unknown";
}

static char *cause_text(const StrobeClockEvent *event)
{
    g_autofree char *amount = strobe_text_duration(ABS(event->amount_ns));

    switch (event->cause) {
    case STROBE_CLOCK_SUSPEND:
        return g_strdup_printf("the machine slept for %s", amount);
    case STROBE_CLOCK_JUMP:
        return g_strdup_printf("the counter %s by %s",
                               event->amount_ns < 0 ? "fell behind" : "jumped ahead", amount);
    case STROBE_CLOCK_RESET:
        return g_strdup("the counter was reset");
    default:
        return g_strdup("the counter's frequency changed");
    }
}

char *strobe_clock_event_line(const StrobeClockEvent *event, const StrobeReaderStats *stats)
{
    g_autofree char *what = cause_text(event);
    g_autofree char *begin = strobe_text_duration(event->begin_ns - stats->begin_ns);
    g_autofree char *end = strobe_text_duration(event->end_ns - stats->begin_ns);
    g_autofree char *width = strobe_text_duration(event->end_ns - event->begin_ns);

    if (event->begin_ns == event->end_ns)
        return g_strdup_printf("%s at %s", what, begin);
    if (!event->is_broken)
        return g_strdup_printf("%s between %s and %s: times are right", what, begin, end);
    return g_strdup_printf("%s between %s and %s: times in between may be off by %s", what, begin,
                           end, width);
}

/* ---- JSON ---- */

static void write_uint(StrobeJsonWriter *json, const char *key, guint64 value)
{
    strobe_json_key(json, key);
    strobe_json_uint(json, value);
}

static void write_int(StrobeJsonWriter *json, const char *key, gint64 value)
{
    strobe_json_key(json, key);
    strobe_json_int(json, value);
}

static void write_event(StrobeJsonWriter *json, const StrobeClockEvent *event)
{
    strobe_json_begin_object(json);
    strobe_json_key(json, "cause");
    strobe_json_string(json, cause_name(event->cause));
    write_int(json, "begin_ns", event->begin_ns);
    write_int(json, "end_ns", event->end_ns);
    write_int(json, "amount_ns", event->amount_ns);
    write_int(json, "error_ns", event->is_broken ? event->end_ns - event->begin_ns : 0);
    strobe_json_end_object(json);
}

void strobe_clock_write(StrobeJsonWriter *json, const StrobeReaderStats *stats,
                        JsonObject *metadata, const StrobeClockEvent *events, guint n)
{
    const StrobeClockSummary *clock = &stats->clock;

    strobe_json_begin_object(json);
    strobe_json_key(json, "source");
    strobe_json_string(json, source_of(metadata));
    strobe_json_key(json, "frequency_hz");
    strobe_json_double(json, stats->ns_per_tick > 0 ? 1e9 / stats->ns_per_tick : 0);
    strobe_json_key(json, "error_ns");
    if (clock->error_ns == STROBE_CLOCK_ERROR_UNKNOWN)
        strobe_json_null(json);
    else
        strobe_json_uint(json, clock->error_ns);
    write_uint(json, "gap_ns", clock->gap_ns);
    write_uint(json, "residual_ns", clock->residual_ns);
    write_uint(json, "suspended_ns", clock->suspended_ns);
    write_uint(json, "broken_ns", clock->broken_ns);
    write_uint(json, "jumps", clock->n_jumps);
    write_uint(json, "knots", clock->n_knots);
    strobe_json_key(json, "events");
    strobe_json_begin_array(json);
    for (guint i = 0; i < n; i++)
        write_event(json, &events[i]);
    strobe_json_end_array(json);
    strobe_json_end_object(json);
}

/* ---- clocks of devices ---- */

static void append_error(GString *line, const StrobeClockView *clock)
{
    if (clock->error_ns == STROBE_ABSENT_U64) {
        g_string_append(line, ", error unknown (the width of a pair of readings is missing)");
        return;
    }
    guint64 host_ns = clock->host_error_ns == STROBE_ABSENT_U64 ? 0 : clock->host_error_ns;
    g_autofree char *error = strobe_text_duration(as_ns(clock->error_ns + host_ns));
    g_string_append_printf(line, ", error <= %s", error);
}

char *strobe_device_clock_line(const StrobeDeviceClockEntry *entry)
{
    const StrobeClockView *clock = &entry->clock;
    GString *line = g_string_new(entry->label);

    if (clock->n_pairs == 0) {
        g_string_append(
            line, ": no pair with the host's clock was recorded, so times are the device's own");
        return g_string_free(line, FALSE);
    }
    g_string_append_printf(line, ": %" G_GUINT64_FORMAT " pair%s", clock->n_pairs,
                           clock->n_pairs == 1 ? "" : "s");
    append_error(line, clock);
    if (!isnan(clock->drift))
        g_string_append_printf(line, ", drift %.3g ppm", clock->drift);
    g_string_append_printf(line, ", jumps %u", clock->n_jumps);
    if (clock->broken_ns) {
        g_autofree char *broken = sum_text(clock->broken_ns);
        g_string_append_printf(line, " (%s with an unknown error)", broken);
    }
    return g_string_free(line, FALSE);
}

/* Writes a member: the value, or null if the value is unknown. */
static void write_known(StrobeJsonWriter *json, const char *key, guint64 value)
{
    strobe_json_key(json, key);
    if (value == STROBE_ABSENT_U64)
        strobe_json_null(json);
    else
        strobe_json_uint(json, value);
}

static void write_device_clock(StrobeJsonWriter *json, const StrobeDeviceClockEntry *entry)
{
    const StrobeClockView *clock = &entry->clock;

    strobe_json_begin_object(json);
    strobe_json_key(json, "track");
    strobe_json_string(json, entry->label);
    write_uint(json, "pairs", clock->n_pairs);
    write_uint(json, "knots", clock->n_knots);
    write_known(json, "error_ns", clock->error_ns);
    write_known(json, "host_error_ns", clock->host_error_ns);
    write_known(json, "width_ns", clock->width_ns);
    write_known(json, "residual_ns", clock->residual_ns);
    write_uint(json, "broken_ns", clock->broken_ns);
    write_uint(json, "jumps", clock->n_jumps);
    strobe_json_key(json, "drift_ppm");
    if (!isnan(clock->drift))
        strobe_json_double(json, clock->drift);
    else
        strobe_json_null(json);
    strobe_json_end_object(json);
}

void strobe_device_clocks_write(StrobeJsonWriter *json, const GPtrArray *clocks)
{
    strobe_json_begin_array(json);
    for (guint i = 0; i < clocks->len; i++)
        write_device_clock(json, g_ptr_array_index(clocks, i));
    strobe_json_end_array(json);
}
