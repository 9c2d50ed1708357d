/* SPDX-License-Identifier: Apache-2.0 */
#include "clock-map.h"

/* maximum number of pairs in memory; if there are more, every second pair is dropped */
#define PAIRS_MAX 65536u
#define KNOTS_MAX 16384 /* maximum number of knots if the counter is steady */
#define EPOCHS_BACK 8u  /* maximum number of resets over which the search for a count goes back */
#define RATE_BITS 44    /* rates are ns per tick, scaled by 2^44 */
#define HALF ((gint64)1 << (RATE_BITS - 1)) /* half of a ns, scaled by 2^RATE_BITS */
#define REACH 1.01                          /* extrapolated ticks may be too many by this factor */
/* A count may be later than its block's pair by this much, because the counters of two processors
 * differ or the source has a separate clock. */
#define UNORDERED_NS 10000

/* Damaged pairs may have any values; with these limits no sum of times overflows. */
#define TIME_LIMIT STROBE_CLOCK_NS_LIMIT
#define RATE_LIMIT ((gint64)1 << 62)

enum side { SIDE_NONE, SIDE_BEFORE, SIDE_AFTER };

/* Counts from `begin` to the next segment are on the line through (ticks, ns) with the slope
 * `rate`. */
struct segment {
    guint64 begin;
    guint64 ticks;
    gint64 ns; /* time since the epoch */
    gint64 rate;
    guint jump; /* index of the jump; only for one side of a jump */
    enum side side;
};

/* A broken link between two knots, and the times that were already returned on both sides of the
 * jump. */
struct jump {
    gint64 begin_ns, end_ns;
    gint64 last_before, first_after;
};

/* An epoch: the segments between two resets, and the range of counts that can belong to these
 * segments. */
struct epoch {
    guint first, end; /* indices of segments */
    guint64 least, most;
    gint64 begin_ns; /* CLOCK_MONOTONIC of the epoch's first pair */
};

struct StrobeClockMap {
    struct { /* cache of the last used segment: counts in this range need no search */
        guint64 ticks, length;
        guint64 rate;
        gint64 ns;
    } current;
    GArray *pairs; /* of StrobeClockPair */
    gint64 pair_distance_ns;
    GArray *links; /* of StrobeClockLink; used only in strobe_clock_map_finish */
    GArray *segments, *jumps, *epochs, *events;
    gint64 offset; /* CLOCK_REALTIME - CLOCK_MONOTONIC at the first pair, used for all times, so
                      that a later change of the wall clock does not distort the capture */
    guint epoch;   /* epoch of the current block */
    guint64 block_ticks;
    StrobeClockSummary summary;
    double ns_per_tick;
};

StrobeClockMap *strobe_clock_map_new(void)
{
    StrobeClockMap *map = g_new0(StrobeClockMap, 1);

    map->pairs = g_array_new(FALSE, FALSE, sizeof(StrobeClockPair));
    map->links = g_array_new(FALSE, FALSE, sizeof(StrobeClockLink));
    map->segments = g_array_new(FALSE, FALSE, sizeof(struct segment));
    map->jumps = g_array_new(FALSE, FALSE, sizeof(struct jump));
    map->epochs = g_array_new(FALSE, FALSE, sizeof(struct epoch));
    map->events = g_array_new(FALSE, FALSE, sizeof(StrobeClockEvent));
    return map;
}

void strobe_clock_map_free(StrobeClockMap *map)
{
    if (!map)
        return;
    g_array_unref(map->pairs);
    g_array_unref(map->links);
    g_array_unref(map->segments);
    g_array_unref(map->jumps);
    g_array_unref(map->epochs);
    g_array_unref(map->events);
    g_free(map);
}

/* ---- pairs ---- */

static StrobeClockPair *pair_at(const StrobeClockMap *map, guint index)
{
    return &g_array_index(map->pairs, StrobeClockPair, index);
}

static void thin_out(StrobeClockMap *map)
{
    guint n = (map->pairs->len + 1) / 2;
    gint64 span = pair_at(map, map->pairs->len - 1)->monotonic_ns - pair_at(map, 0)->monotonic_ns;

    for (guint i = 0; i < n; i++)
        *pair_at(map, i) = *pair_at(map, 2 * i);
    g_array_set_size(map->pairs, n);
    map->pair_distance_ns = MAX(span / n, map->pair_distance_ns);
}

void strobe_clock_map_add(StrobeClockMap *map, const StrobeClockPair *pair)
{
    if (pair->gap == STROBE_CLOCK_COMPUTED || pair->monotonic_ns > TIME_LIMIT ||
        pair->monotonic_ns < -TIME_LIMIT)
        return;
    if (map->pairs->len) { /* all blocks of a flush have the same pair */
        gint64 distance = pair->monotonic_ns - pair_at(map, map->pairs->len - 1)->monotonic_ns;
        if (distance >= 0 && distance <= map->pair_distance_ns)
            return;
    }
    g_array_append_val(map->pairs, *pair);
    if (map->pairs->len == PAIRS_MAX)
        thin_out(map);
}

static int compare_pairs(gconstpointer a, gconstpointer b)
{
    const StrobeClockPair *x = a, *y = b;
    return x->monotonic_ns < y->monotonic_ns ? -1 : x->monotonic_ns > y->monotonic_ns;
}

static void on_link(void *user, const StrobeClockLink *link)
{
    StrobeClockMap *map = user;
    g_array_append_val(map->links, *link);
}

/* Finds the knots and links between the pairs with the algorithm of the writer. */
static void follow_pairs(StrobeClockMap *map, guint64 end_ticks)
{
    const StrobeClockPair *first = pair_at(map, 0);
    const StrobeClockPair *last = pair_at(map, map->pairs->len - 1);
    StrobeClockTrend trend;

    strobe_clock_trend_begin(&trend, first->ns_per_tick);
    trend.judged = on_link;
    trend.user = map;
    trend.distance_ns =
        MAX(trend.distance_ns, (last->monotonic_ns - first->monotonic_ns) / KNOTS_MAX);
    for (guint i = 0; i < map->pairs->len; i++)
        strobe_clock_trend_add(&trend, pair_at(map, i));
    strobe_clock_trend_finish(&trend, end_ticks);
    map->summary = trend.summary;
    map->ns_per_tick = trend.ns_per_tick;
}

/* ---- segments ---- */

static gint64 limit_value(__int128 value, gint64 limit)
{
    return value > limit ? limit : value < -limit ? -limit : (gint64)value;
}

static guint64 limited_ticks(__int128 value)
{
    const __int128 most = G_MAXUINT64;

    return value < 0 ? 0 : (guint64)(value < most ? value : most);
}

/* Returns the exact rate of an unbroken link. */
static gint64 rate_of(const StrobeClockLink *link)
{
    __int128 ns = (__int128)link->to.monotonic_ns - link->from.monotonic_ns;
    return limit_value(ns * ((gint64)1 << RATE_BITS) / (link->to.ticks - link->from.ticks),
                       RATE_LIMIT);
}

/* Returns the rate of the unbroken link that is nearest to `index` in the given direction; 0 if
 * there is none. */
static gint64 rate_near(const StrobeClockMap *map, guint index, int direction)
{
    for (guint i = index; i < map->links->len; i += (guint)direction) {
        const StrobeClockLink *link = &g_array_index(map->links, StrobeClockLink, i);
        if (!link->is_broken)
            return rate_of(link);
    }
    return 0;
}

/* Returns the rate on one side of a broken link: the rate of the nearest link on this side; if
 * there is no such link, of the nearest link on the other side; if there is none either, the known
 * rate; if no rate is known, 1 ns per tick. */
static gint64 rate_beside(const StrobeClockMap *map, guint index, int direction)
{
    gint64 rate = rate_near(map, index, direction);

    if (rate == 0)
        rate = rate_near(map, index, -direction);
    if (rate == 0 && map->ns_per_tick > 0)
        rate = (gint64)(map->ns_per_tick * (double)((gint64)1 << RATE_BITS));
    return rate ? rate : (gint64)1 << RATE_BITS;
}

static void add_segment(StrobeClockMap *map, guint64 begin, const StrobeClockPair *through,
                        gint64 rate, enum side side)
{
    struct segment segment = {.begin = begin,
                              .ticks = through->ticks,
                              .ns = map->offset + through->monotonic_ns,
                              .rate = rate,
                              .jump = map->jumps->len - 1,
                              .side = side};

    g_array_append_val(map->segments, segment);
    g_array_index(map->epochs, struct epoch, map->epochs->len - 1).end = map->segments->len;
}

static void add_epoch(StrobeClockMap *map, const StrobeClockPair *pair)
{
    struct epoch epoch = {.first = map->segments->len,
                          .end = map->segments->len,
                          .most = G_MAXUINT64,
                          .begin_ns = pair->monotonic_ns};

    g_array_append_val(map->epochs, epoch);
}

/* Returns the number of ticks in `ns` at a rate, at most 1 % too many (REACH). */
static __int128 ticks_within(gint64 ns, gint64 rate)
{
    return (__int128)((double)ns * REACH / (double)MAX(rate, 1) *
                      (double)((gint64)1 << RATE_BITS)) +
           1;
}

static void add_reset(StrobeClockMap *map, const StrobeClockLink *link, gint64 before, gint64 after)
{
    gint64 ns = link->to.monotonic_ns - link->from.monotonic_ns;

    add_segment(map, link->from.ticks, &link->from, before, SIDE_BEFORE);
    g_array_index(map->epochs, struct epoch, map->epochs->len - 1).most =
        limited_ticks(link->from.ticks + ticks_within(ns, before));
    add_epoch(map, &link->to);
    g_array_index(map->epochs, struct epoch, map->epochs->len - 1).least =
        limited_ticks((__int128)link->to.ticks - ticks_within(ns, after));
    add_segment(map, 0, &link->to, after, SIDE_AFTER);
}

/* Returns the count at which the lines of the two sides of a link meet. If the frequency changed,
 * this is the intersection of the lines; otherwise it is the middle of the counts that belong to
 * neither line, or to both.
 * */
static guint64 find_meeting(const StrobeClockLink *link, gint64 before, gint64 after)
{
    double scale = (double)((gint64)1 << RATE_BITS);
    double a = (double)before / scale, b = (double)after / scale;
    guint64 between = link->to.ticks - link->from.ticks;
    double ticks = (double)between;
    double ns = (double)(link->to.monotonic_ns - link->from.monotonic_ns);
    double at = a != b ? (ns - ticks * b) / (a - b) : -1;

    if (!(at > 0 && at < ticks))
        at = (ticks + ns / a - ns / b) / 2;
    return link->from.ticks + MIN(limited_ticks((__int128)MAX(at, 1)), between);
}

static void add_jump(StrobeClockMap *map, guint index)
{
    const StrobeClockLink *link = &g_array_index(map->links, StrobeClockLink, index);
    gint64 before = MAX(rate_beside(map, index, -1), 1), after = MAX(rate_beside(map, index, 1), 1);
    gint64 begin = map->offset + link->from.monotonic_ns, end = map->offset + link->to.monotonic_ns;
    struct jump jump = {begin, end, begin, end};

    g_array_append_val(map->jumps, jump);
    if (link->to.ticks <= link->from.ticks) {
        add_reset(map, link, before, after);
        return;
    }
    add_segment(map, link->from.ticks, &link->from, before, SIDE_BEFORE);
    add_segment(map, find_meeting(link, before, after), &link->to, after, SIDE_AFTER);
}

static void add_event(StrobeClockMap *map, const StrobeClockLink *link)
{
    StrobeClockEvent event = {.cause = link->cause,
                              .is_broken = link->is_broken != 0,
                              .begin_ns = map->offset + link->from.monotonic_ns,
                              .end_ns = map->offset + link->to.monotonic_ns,
                              .amount_ns = link->amount_ns};

    if (link->cause == STROBE_CLOCK_RATE && !link->is_broken)
        event.end_ns = event.begin_ns;
    if (link->cause != STROBE_CLOCK_STEADY && map->events->len < STROBE_CLOCK_EVENTS_MAX)
        g_array_append_val(map->events, event);
}

static void add_link(StrobeClockMap *map, guint index)
{
    const StrobeClockLink *link = &g_array_index(map->links, StrobeClockLink, index);

    add_event(map, link);
    if (link->is_broken)
        add_jump(map, index);
    else
        add_segment(map, link->from.ticks, &link->from, rate_of(link), SIDE_NONE);
}

void strobe_clock_map_finish(StrobeClockMap *map, guint64 end_ticks)
{
    if (map->pairs->len == 0)
        return;
    g_array_sort(map->pairs, compare_pairs);
    const StrobeClockPair *first = pair_at(map, 0), *last = first;
    map->offset = limit_value((__int128)first->realtime_ns - first->monotonic_ns, TIME_LIMIT);
    follow_pairs(map, end_ticks);
    add_epoch(map, first);
    if (map->links->len) {
        first = &g_array_index(map->links, StrobeClockLink, 0).from;
        last = &g_array_index(map->links, StrobeClockLink, map->links->len - 1).to;
    }
    add_segment(map, 0, first, rate_beside(map, 0, 1), SIDE_NONE);
    for (guint i = 0; i < map->links->len; i++)
        add_link(map, i);
    if (map->links->len)
        add_segment(map, last->ticks, last, rate_beside(map, map->links->len - 1, -1), SIDE_NONE);
    g_array_set_size(map->links, 0);
    g_array_set_size(map->pairs, 0);
}

/* ---- conversion ---- */

void strobe_clock_map_seek(StrobeClockMap *map, const StrobeClockPair *pair)
{
    guint low = 0, high = map->epochs->len;

    if (high < 2)
        return;
    while (high - low > 1) {
        guint middle = (low + high) / 2;
        if (g_array_index(map->epochs, struct epoch, middle).begin_ns <= pair->monotonic_ns)
            low = middle;
        else
            high = middle;
    }
    map->epoch = low;
    map->block_ticks = pair->ticks;
    map->current.length = 0;
}

/* Returns the latest count that a block's records may contain, in the block's own epoch. */
static guint64 latest_ticks(const StrobeClockMap *map, const struct epoch *epoch)
{
    gint64 rate = g_array_index(map->segments, struct segment, epoch->first).rate;
    return limited_ticks(map->block_ticks + ticks_within(UNORDERED_NS, rate));
}

/* Returns the newest epoch that can contain the count, and that is not after the epoch of the
 * block. */
static const struct epoch *epoch_of(const StrobeClockMap *map, guint64 ticks)
{
    const struct epoch *epochs = (const void *)map->epochs->data;

    for (guint back = 0; back <= MIN(map->epoch, EPOCHS_BACK); back++) {
        const struct epoch *epoch = &epochs[map->epoch - back];
        guint64 most = back || map->epoch == 0 ? epoch->most : latest_ticks(map, epoch);
        if (ticks >= epoch->least && ticks <= most)
            return epoch;
    }
    return &epochs[map->epoch];
}

static const struct segment *find_segment(const StrobeClockMap *map, const struct epoch *epoch,
                                          guint64 ticks)
{
    const struct segment *segments = (const void *)map->segments->data;
    guint low = epoch->first, high = epoch->end;

    while (high - low > 1) {
        guint middle = (low + high) / 2;
        if (segments[middle].begin <= ticks)
            low = middle;
        else
            high = middle;
    }
    return &segments[low];
}

/* Caches the segment for counts that can belong to no other epoch. */
static void cache_conversion(StrobeClockMap *map, const struct epoch *epoch,
                             const struct segment *segment)
{
    const struct epoch *own = &g_array_index(map->epochs, struct epoch, map->epoch);
    const struct segment *next = segment + 1;
    guint64 most = G_MAXUINT64;

    map->current.length = 0;
    if (segment->side != SIDE_NONE || epoch != own || segment->rate <= 0)
        return;
    if (map->epoch > 0)
        most = latest_ticks(map, epoch);
    if (next < &g_array_index(map->segments, struct segment, epoch->end))
        most = MIN(most, next->begin - 1);
    if (segment->ticks != segment->begin || segment->ticks < epoch->least || most < segment->ticks)
        return;
    map->current.ticks = segment->ticks;
    map->current.length = MIN(most - segment->ticks,
                              limited_ticks(((__int128)TIME_LIMIT << RATE_BITS) / segment->rate));
    map->current.rate = (guint64)segment->rate;
    map->current.ns = segment->ns;
}

/* Limits a time so that times before the jump stay before times after the jump. */
static gint64 keep_order(struct jump *jump, enum side side, gint64 ns)
{
    if (side == SIDE_BEFORE) {
        ns = CLAMP(ns, jump->begin_ns, jump->first_after);
        jump->last_before = MAX(jump->last_before, ns);
    } else {
        ns = CLAMP(ns, jump->last_before, jump->end_ns);
        jump->first_after = MIN(jump->first_after, ns);
    }
    return ns;
}

static gint64 convert_ticks(StrobeClockMap *map, guint64 ticks)
{
    if (map->segments->len == 0)
        return (gint64)MIN(ticks, (guint64)TIME_LIMIT);
    const struct epoch *epoch = epoch_of(map, ticks);
    const struct segment *segment = find_segment(map, epoch, ticks);
    __int128 delta = (__int128)ticks - segment->ticks;
    gint64 ns = segment->ns + limit_value((delta * segment->rate + HALF) >> RATE_BITS, TIME_LIMIT);

    cache_conversion(map, epoch, segment);
    if (segment->side == SIDE_NONE)
        return ns;
    return keep_order(&g_array_index(map->jumps, struct jump, segment->jump), segment->side, ns);
}

gint64 strobe_clock_map_from_ticks(StrobeClockMap *map, guint64 ticks)
{
    guint64 delta = ticks - map->current.ticks;

    if (G_LIKELY(delta < map->current.length))
        return map->current.ns +
               (gint64)(((unsigned __int128)delta * map->current.rate + HALF) >> RATE_BITS);
    return convert_ticks(map, ticks);
}

gint64 strobe_clock_map_from_monotonic(const StrobeClockMap *map, gint64 ns)
{
    return map->offset + limit_value(ns, TIME_LIMIT);
}

/* ---- results ---- */

const StrobeClockSummary *strobe_clock_map_summary(const StrobeClockMap *map)
{
    return &map->summary;
}

double strobe_clock_map_ns_per_tick(const StrobeClockMap *map)
{
    return map->ns_per_tick;
}

const StrobeClockEvent *strobe_clock_map_events(const StrobeClockMap *map, guint *n)
{
    *n = map->events->len;
    return (const StrobeClockEvent *)(const void *)map->events->data;
}
