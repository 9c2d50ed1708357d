/* SPDX-License-Identifier: Apache-2.0 */
/* Marking calls of strobe.h: the shortest way into a lane, one bracket a call. */
#include <strobe/kinds.h>
#include "kind-table.h"
#include "lane-inline.h"

/* The standard kind; see strobe_kind_begin. */
#define MARKER_BYTES sizeof(struct strobe_marker)
#define MARKER_WORDS ((uint32_t)(SPAN_HEAD + MARKER_BYTES) / 8)

static StrobeRange __attribute__((noinline)) begin_range(const char *name, uint64_t argument)
{
    StrobeWriter *w = current_writer();
    StrobeRange range = {0};

    if (!w || !enter(w))
        return range;
    range.token = push_span(w, STROBE_KIND_ID_MARKER, intern_name(w, name), argument);
    leave(w);
    return range;
}

StrobeRange strobe_range_begin_recorded(const char *name, uint64_t argument)
{
    StrobeWriter *w = strobe_thread_writer;
    uint32_t depth;

    if (__builtin_expect(!w || !enter_uncounted(w, LANE_OFFERS), 0))
        return begin_range(name, argument);
    depth =
        name ? open_shortly(w, 0, strobe_span_what(STROBE_KIND_ID_MARKER, 0), name, argument) : 0;
    leave(w);
    return __builtin_expect(depth != 0, 1) ? (StrobeRange){token_of(w, depth)}
                                           : begin_range(name, argument);
}

static void __attribute__((noinline)) end_range(StrobeRange range)
{
    StrobeWriter *w = current_writer();
    uint64_t argument;

    if (!w || !is_own_span(w, range.token))
        return;
    uint64_t end = strobe_clock_now();
    if (!enter_to_end(w, range.token))
        return;
    struct strobe_marker *fields = pop_span(w, range.token, end, &argument);
    if (fields) {
        fields->argument = argument;
        publish_pending(w);
    }
    leave(w);
}

void strobe_range_end_recorded(StrobeRange range)
{
    StrobeWriter *w = strobe_thread_writer;
    uint32_t depth = (uint32_t)range.token;

    if (__builtin_expect(!w || !enter_uncounted(w, ending(range.token)), 0)) {
        end_range(range);
        return;
    }
    depth = is_own_span(w, range.token) ? close_shortly(w, depth, 0, STROBE_KIND_ID_MARKER,
                                                        MARKER_WORDS, NULL, MARKER_BYTES)
                                        : 0;
    leave(w);
    if (__builtin_expect(depth == 0, 0))
        end_range(range);
}

/* Reserves a record of now on the thread's track, inside a bracket that it opens; NULL: closed
 * again. */
static inline void *begin_instant(StrobeWriter *w, uint32_t kind, const char *name)
{
    if (!w || !enter(w))
        return NULL;
    uint64_t now = strobe_clock_now();
    uint32_t id = intern_name(w, name);
    void *fields = begin_record(w, kind, 0, id, now, 0);
    if (!fields)
        leave(w);
    return fields;
}

void strobe_mark_recorded(const char *name, uint64_t argument)
{
    StrobeWriter *w = current_writer();
    struct strobe_marker *fields = begin_instant(w, STROBE_KIND_ID_MARKER_INSTANT, name);

    if (!fields)
        return;
    fields->argument = argument;
    publish_pending(w);
    leave(w);
}

void strobe_counter_recorded(const char *name, double value)
{
    StrobeWriter *w = current_writer();
    struct strobe_counter *fields = begin_instant(w, STROBE_KIND_ID_COUNTER, name);

    if (!fields)
        return;
    fields->value = value;
    publish_pending(w);
    leave(w);
}

const char *strobe_version(void)
{
    return STROBE_VERSION;
}
