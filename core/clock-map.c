/* SPDX-License-Identifier: Apache-2.0 */
#include "clock-map.h"

/* Closer pairs say more about the noise of taking them than about drift. */
#define KNOT_DISTANCE_NS 900000000

/* Damaged pairs may say anything; within these limits no sum of times overflows. */
#define TIME_LIMIT ((gint64)1 << 61)
#define RATE_LIMIT ((gint64)1 << 62)

struct knot {
    guint64 ticks;
    gint64 ns;          /* CLOCK_MONOTONIC */
    gint64 ns_per_2_32; /* of the piece that begins here: ns per tick, scaled by 2^32 */
};

struct StrobeClockMap {
    GArray *pairs; /* of StrobeClockPair */
    GArray *knots; /* of struct knot, ascending */
    gint64 epoch;  /* CLOCK_REALTIME - CLOCK_MONOTONIC at the first pair: later steps of the wall
                      clock do not tear the capture apart */
};

StrobeClockMap *strobe_clock_map_new(void)
{
    StrobeClockMap *map = g_new0(StrobeClockMap, 1);

    map->pairs = g_array_new(FALSE, FALSE, sizeof(StrobeClockPair));
    map->knots = g_array_new(FALSE, FALSE, sizeof(struct knot));
    return map;
}

void strobe_clock_map_free(StrobeClockMap *map)
{
    if (!map)
        return;
    g_array_unref(map->pairs);
    g_array_unref(map->knots);
    g_free(map);
}

void strobe_clock_map_add(StrobeClockMap *map, const StrobeClockPair *pair)
{
    g_array_append_val(map->pairs, *pair);
}

static int compare_pairs(gconstpointer a, gconstpointer b)
{
    const StrobeClockPair *x = a, *y = b;
    return x->ticks < y->ticks ? -1 : x->ticks > y->ticks;
}

static gint64 limited(__int128 value, gint64 limit)
{
    return value > limit ? limit : value < -limit ? -limit : (gint64)value;
}

static void add_knot(StrobeClockMap *map, const StrobeClockPair *pair)
{
    struct knot knot = {pair->ticks, limited(pair->monotonic_ns, TIME_LIMIT), 0};
    g_array_append_val(map->knots, knot);
}

void strobe_clock_map_finish(StrobeClockMap *map)
{
    const StrobeClockPair *pairs = (const void *)map->pairs->data;
    guint n = map->pairs->len;

    g_array_sort(map->pairs, compare_pairs);
    if (n == 0)
        return;
    map->epoch = limited((__int128)pairs[0].realtime_ns - pairs[0].monotonic_ns, TIME_LIMIT);
    add_knot(map, &pairs[0]);
    for (guint i = 1; i < n; i++) {
        const struct knot *last = &g_array_index(map->knots, struct knot, map->knots->len - 1);
        gboolean is_far = (__int128)pairs[i].monotonic_ns - last->ns >= KNOT_DISTANCE_NS;
        gboolean is_end = i == n - 1;
        if ((is_far || (is_end && map->knots->len == 1)) && pairs[i].ticks > last->ticks &&
            pairs[i].monotonic_ns >= last->ns)
            add_knot(map, &pairs[i]);
    }
    struct knot *knots = (void *)map->knots->data;
    for (guint i = 0; i + 1 < map->knots->len; i++)
        knots[i].ns_per_2_32 =
            limited((__int128)(knots[i + 1].ns - knots[i].ns) * ((gint64)1 << 32) /
                        (__int128)(knots[i + 1].ticks - knots[i].ticks),
                    RATE_LIMIT);
    if (map->knots->len > 1)
        knots[map->knots->len - 1].ns_per_2_32 = knots[map->knots->len - 2].ns_per_2_32;
    else
        knots[0].ns_per_2_32 = (gint64)1 << 32; /* one pair only: the clock counts ns, or nothing
                                                   better is known */
}

gint64 strobe_clock_map_from_ticks(const StrobeClockMap *map, guint64 ticks)
{
    const struct knot *knots = (const void *)map->knots->data;
    guint low = 0, high = map->knots->len;

    if (high == 0)
        return (gint64)ticks;
    while (high - low > 1) {
        guint middle = (low + high) / 2;
        if (knots[middle].ticks <= ticks)
            low = middle;
        else
            high = middle;
    }
    __int128 delta = (__int128)ticks - (__int128)knots[low].ticks;
    return map->epoch + knots[low].ns + limited((delta * knots[low].ns_per_2_32) >> 32, TIME_LIMIT);
}

gint64 strobe_clock_map_from_monotonic(const StrobeClockMap *map, gint64 ns)
{
    return map->epoch + limited(ns, TIME_LIMIT);
}
