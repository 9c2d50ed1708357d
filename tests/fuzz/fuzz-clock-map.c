/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the clock map with arbitrary clock pairs. The input is a list of steps, each of one byte
 * with its arguments: time passes and a pair is taken, the counter jumps or is set, the machine
 * sleeps, or a pair consists of the given bytes. A count must always get the same time; without
 * resets, times must be in the order of their counts. */
#include <stdlib.h>
#include <string.h>
#include "clock-map.h"
#include "fuzz.h"

const char fuzz_target[] = "clock-map";

#define PAIRS_MAX 4096u

enum { STEP_PAIR, STEP_JUMP, STEP_SET, STEP_SLEEP, STEP_RAW, STEPS };

struct script {
    const guint8 *at, *end;
};

static guint64 take_number(struct script *script, gsize size)
{
    guint64 value = 0;

    if ((gsize)(script->end - script->at) < size)
        script->at = script->end;
    else
        memcpy(&value, script->at, size);
    script->at += MIN(size, (gsize)(script->end - script->at));
    return value;
}

/* Makes the next step of the script, which changes `pair`. TRUE: a pair was taken into *taken. */
static gboolean run_step(struct script *script, StrobeClockPair *pair, StrobeClockPair *taken)
{
    guint64 ns;

    switch (take_number(script, 1) % STEPS) {
    case STEP_PAIR:
        ns = take_number(script, 4);
        pair->ticks += ns * 3;
        pair->monotonic_ns += (gint64)ns;
        pair->realtime_ns += (gint64)ns;
        pair->boottime_ns += (gint64)ns;
        *taken = *pair;
        taken->gap = (guint32)take_number(script, 2);
        taken->ticks += take_number(script, 1) % (taken->gap + 1u);
        return TRUE;
    case STEP_JUMP:
        pair->ticks += take_number(script, 8);
        return FALSE;
    case STEP_SET:
        pair->ticks = take_number(script, 8);
        return FALSE;
    case STEP_SLEEP:
        pair->boottime_ns += (gint64)take_number(script, 5);
        return FALSE;
    default:
        if ((gsize)(script->end - script->at) < sizeof *taken)
            return FALSE;
        memcpy(taken, script->at, sizeof *taken);
        script->at += sizeof *taken;
        return TRUE;
    }
}

static GArray *pairs_of(const guint8 *bytes, gsize n)
{
    GArray *pairs = g_array_new(FALSE, FALSE, sizeof(StrobeClockPair));
    struct script script = {bytes, bytes + n};
    StrobeClockPair pair = {.ticks = 1000000, .monotonic_ns = 5000, .boottime_ns = 5000}, taken;

    while (script.at < script.end && pairs->len < PAIRS_MAX)
        if (run_step(&script, &pair, &taken))
            g_array_append_val(pairs, taken);
    return pairs;
}

static int compare_ticks(gconstpointer a, gconstpointer b)
{
    guint64 x = *(const guint64 *)a, y = *(const guint64 *)b;
    return x < y ? -1 : x > y;
}

/* Returns counts at the pairs, and before, after and far from them, sorted. */
static GArray *counts_of(const GArray *pairs)
{
    GArray *counts = g_array_new(FALSE, FALSE, sizeof(guint64));
    guint64 extreme[] = {0, 1, G_MAXINT64, G_MAXUINT64};

    g_array_append_vals(counts, extreme, G_N_ELEMENTS(extreme));
    for (guint i = 0; i < pairs->len; i++) {
        guint64 ticks = g_array_index(pairs, StrobeClockPair, i).ticks;
        guint64 near[] = {ticks - 1, ticks, ticks + 1, ticks + 1500000000, ticks - 1500000000};
        g_array_append_vals(counts, near, G_N_ELEMENTS(near));
    }
    g_array_sort(counts, compare_ticks);
    return counts;
}

/* Checks the events of the map. Returns whether times must be in the order of their counts in the
 * whole capture. */
static gboolean check_events(StrobeClockMap *map)
{
    const StrobeClockSummary *summary = strobe_clock_map_summary(map);
    guint n;
    const StrobeClockEvent *events = strobe_clock_map_events(map, &n);
    gboolean is_ordered = n < STROBE_CLOCK_EVENTS_MAX;

    FUZZ_REQUIRE(n <= STROBE_CLOCK_EVENTS_MAX && n <= summary->n_knots);
    for (guint i = 0; i < n; i++) {
        FUZZ_REQUIRE(events[i].cause > STROBE_CLOCK_STEADY && events[i].cause <= STROBE_CLOCK_RATE);
        FUZZ_REQUIRE(events[i].end_ns >= events[i].begin_ns);
        FUZZ_REQUIRE(i == 0 || events[i].begin_ns >= events[i - 1].begin_ns);
        is_ordered = is_ordered && events[i].cause != STROBE_CLOCK_RESET;
    }
    return is_ordered;
}

static void convert_counts(StrobeClockMap *map, const GArray *counts, gboolean is_ordered)
{
    gint64 last = G_MININT64;

    for (guint i = 0; i < counts->len; i++) {
        guint64 ticks = g_array_index(counts, guint64, i);
        gint64 ns = strobe_clock_map_from_ticks(map, ticks);
        FUZZ_REQUIRE(strobe_clock_map_from_ticks(map, ticks) == ns);
        FUZZ_REQUIRE(!is_ordered || ns >= last);
        last = ns;
    }
}

int LLVMFuzzerTestOneInput(const guint8 *bytes, gsize n)
{
    GArray *pairs = pairs_of(bytes, n), *counts = counts_of(pairs);
    StrobeClockMap *map = strobe_clock_map_new();
    guint64 end = pairs->len ? g_array_index(pairs, StrobeClockPair, pairs->len - 1).ticks : 0;

    for (guint i = 0; i < pairs->len; i++)
        strobe_clock_map_add(map, &g_array_index(pairs, StrobeClockPair, i));
    strobe_clock_map_finish(map, n % 2 ? end : 0);
    gboolean is_ordered = check_events(map);
    convert_counts(map, counts, is_ordered);
    for (guint i = 0; i < pairs->len; i += 1 + pairs->len / 8) {
        strobe_clock_map_seek(map, &g_array_index(pairs, StrobeClockPair, i));
        convert_counts(map, counts, is_ordered);
    }
    strobe_clock_map_free(map);
    g_array_unref(pairs);
    g_array_unref(counts);
    return 0;
}
