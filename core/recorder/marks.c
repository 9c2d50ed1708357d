/* SPDX-License-Identifier: Apache-2.0 */
/* Marking calls of strobe.h: the shortest path into a thread buffer, with one critical section
 * per call. */
#include <strobe/kinds.h>
#include "kind-table.h"
#include "thread-buffer-inline.h"

/* For the standard kind "marker": size of the fields in bytes, kind and flags of a span entry, and
 * size of a record in words. */
#define MARKER_BYTES sizeof(struct strobe_marker)
#define MARKER_WHAT strobe_span_what(STROBE_KIND_ID_MARKER, STROBE_SPAN_HAS_NO_KEY)
#define MARKER_WORDS ((uint32_t)(SPAN_HEAD + MARKER_BYTES) / 8)

static StrobeRange __attribute__((noinline)) begin_range(const char *name, uint64_t argument,
                                                         uintptr_t frame)
{
    StrobeWriter *w = current_writer(frame);
    StrobeRange range = {0};

    if (!w || !enter_section(w, frame))
        return range;
    if (name)
        range.token = open_shortly(w, w->names, 0, MARKER_WHAT, name, argument, 0);
    if (!range.token)
        range.token = push_span(w, STROBE_KIND_ID_MARKER, intern_name(w, name), argument);
    leave_section(w);
    return range;
}

StrobeRange strobe_range_begin_recorded(const char *name, uint64_t argument)
{
    const uintptr_t frame = STROBE_FRAME();
    StrobeWriter *w = strobe_thread.writer;
    uint64_t token = 0;

    if (__builtin_expect(!w || !enter_uncounted(w, encode_offering(frame)), 0))
        return begin_range(name, argument, frame);
    if (__builtin_expect(name != NULL, 1))
        token = open_shortly(w, strobe_thread.names, 0, MARKER_WHAT, name, argument, 1);
    leave_section(w);
    return __builtin_expect(token != 0, 1) ? (StrobeRange){token}
                                           : begin_range(name, argument, frame);
}

static void __attribute__((noinline)) end_range(StrobeRange range, uintptr_t frame)
{
    StrobeWriter *w = current_writer(frame);
    uint64_t argument;

    if (!w || !is_own_span(w, range.token))
        return;
    uint64_t end = strobe_clock_now();
    if (!enter_to_end(w, frame, range.token))
        return;
    struct strobe_marker *fields = pop_span(w, range.token, end, &argument);
    if (fields) {
        fields->argument = argument;
        publish_pending(w);
    }
    leave_section(w);
}

void strobe_range_end_recorded(StrobeRange range)
{
    const uint64_t end = strobe_clock_count();
    const uintptr_t frame = STROBE_FRAME();
    StrobeWriter *w = strobe_thread.writer;
    uint32_t depth = 0;

    if (__builtin_expect(!w || !enter_uncounted(w, encode_ending(frame, range.token)), 0)) {
        end_range(range, frame);
        return;
    }
    if (__builtin_expect(w->token == range.token, 1))
        depth = close_shortly(w, 0, MARKER_WHAT, MARKER_WORDS, end, NULL, MARKER_BYTES);
    leave_section(w);
    if (__builtin_expect(depth == 0, 0))
        end_range(range, frame);
}

/* Opens a critical section and reserves a record with the current time on the thread's track. NULL:
 * there is no room, and the section is closed again. */
static inline void *begin_instant(StrobeWriter *w, uint32_t kind, const char *name, uintptr_t frame)
{
    if (!w || !enter_section(w, frame))
        return NULL;
    uint64_t now = strobe_clock_now();
    uint32_t id = intern_name(w, name);
    void *fields = begin_record(w, kind, 0, id, now, 0);
    if (!fields)
        leave_section(w);
    return fields;
}

void strobe_mark_recorded(const char *name, uint64_t argument)
{
    const uintptr_t frame = STROBE_FRAME();
    StrobeWriter *w = current_writer(frame);
    struct strobe_marker *fields = begin_instant(w, STROBE_KIND_ID_MARKER_INSTANT, name, frame);

    if (!fields)
        return;
    fields->argument = argument;
    publish_pending(w);
    leave_section(w);
}

void strobe_counter_recorded(const char *name, double value)
{
    const uintptr_t frame = STROBE_FRAME();
    StrobeWriter *w = current_writer(frame);
    struct strobe_counter *fields = begin_instant(w, STROBE_KIND_ID_COUNTER, name, frame);

    if (!fields)
        return;
    fields->value = value;
    publish_pending(w);
    leave_section(w);
}

const char *strobe_version(void)
{
    return STROBE_VERSION;
}
