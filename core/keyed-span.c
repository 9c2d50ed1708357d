/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spans that are found by a key. Each call has a short way for what is usual: a thread that has
 * recorded in this window, a counter to read, a known name, the innermost span, room in the block.
 * It calls nothing, so that the compiler needs neither a frame nor saved registers. All else goes
 * the general way.
 */
#include "lane-inline.h"

/* A few words: a call of memcpy would cost more. */
static inline void copy_words(uint64_t *out, const uint64_t *in, size_t n)
{
    while (n--)
        ((volatile uint64_t *)out)[n] = in[n];
}

#define SPAN_HEAD 24u /* bytes of header, begin and end */

/* ---- the general way ---- */

uint32_t strobe_lane_intern_name(StrobeWriter *w, const char *name)
{
    struct cached_name *known = strobe_cached_name(w->names, name);

    if (strobe_cached_equals(known, name))
        return known->id;
    uint32_t id = strobe_lane_intern_inside(w, name, strlen(name), 0);
    if (id && !(id & STROBE_STRING_BESIDE)) /* that is good for one record only */
        strobe_cached_name_set(known, name, id);
    return id;
}

static uint32_t __attribute__((noinline))
open_span(uint64_t key, uint32_t kind, const char *name, uint64_t argument)
{
    StrobeWriter *w = current_writer();
    uint32_t depth;

    if (!key || kind >= STROBE_KINDS_MAX || !w || !enter(w))
        return 0;
    depth = push_keyed_span(w, key, kind, strobe_lane_intern_name(w, name), argument);
    leave(w);
    return depth;
}

/* The innermost open span of the key, counted from 1; 0: none. */
static uint32_t find_span(const StrobeWriter *w, uint64_t key, uint32_t kind)
{
    uint32_t depth = w->depth;

    for (; depth; depth--) {
        const struct pool_span *open = span_at(w, depth - 1);
        if (key_of(open) == key && atomic_load_explicit(&open->kind, memory_order_relaxed) == kind)
            break;
    }
    return depth;
}

static uint32_t count_inside(const StrobeWriter *w, uint32_t depth)
{
    uint32_t n = 0;

    for (; depth < w->depth; depth++)
        n += !is_ended(span_at(w, depth)) && !is_loose(span_at(w, depth));
    return n;
}

static StrobeClosed __attribute__((noinline))
close_span(uint64_t key, uint32_t kind, const void *fields, size_t size)
{
    StrobeWriter *w = strobe_thread_writer;
    StrobeClosed closed = {0, 0};

    if (!key || !w)
        return closed;
    uint64_t end = strobe_clock_now();
    if (!enter_to_end(w, w->depth))
        return closed;
    closed.depth = find_span(w, key, kind);
    if (closed.depth) {
        closed.n_inside = count_inside(w, closed.depth);
        char *out = pop_span(w, closed.depth, end, NULL);
        if (out) {
            size_t room = (size_t)(w->cursor + w->pending - out);
            memcpy(out, fields, size < room ? size : room);
            publish_pending(w);
        }
    }
    leave(w);
    return closed;
}

/* ---- the short way ---- */

uint32_t strobe_lane_span_open(StrobeInstance *self, uint64_t key, uint32_t kind, const char *name,
                               uint64_t argument)
{
    StrobeWriter *w = strobe_thread_writer;

    if (__builtin_expect(!w || !enter_uncounted(w, LANE_OFFERS), 0))
        return open_span(key, kind, name, argument);
    const struct cached_name *known = strobe_cached_name(w->names, name);
    if (__builtin_expect(!strobe_cached_equals(known, name) || w->depth >= w->short_spans ||
                             kind >= STROBE_KINDS_MAX || !key,
                         0)) {
        leave(w);
        return open_span(key, kind, name, argument);
    }
    struct pool_lane *lane = w->lane;
    uint32_t depth = w->depth;
    struct pool_span *open = &lane->spans[depth++];
    begin_span(open, key, kind, known->id, argument);
    atomic_store_explicit(&open->begin, strobe_clock_count(), memory_order_release);
    STROBE_TESTPOINT("span-filled");
    w->depth = depth;
    atomic_store_explicit(&lane->depth, depth, memory_order_release);
    leave(w);
    return depth;
}

/* Is it the span at this place, the innermost open one, and is there room for its record with just
 * these fields? The kind of a keyed span is in the table. */
static inline int is_usual(const StrobeWriter *w, uint32_t place, uint64_t key, uint32_t kind,
                           size_t bytes)
{
    if (__builtin_expect(place >= w->short_spans, 0)) /* or none is open */
        return 0;
    const struct pool_span *open = &w->lane->spans[place];
    return key_of(open) == key && atomic_load_explicit(&open->kind, memory_order_relaxed) == kind &&
           key &&
           !(atomic_load_explicit(&open->name, memory_order_relaxed) & STROBE_STRING_BESIDE) &&
           strobe_lane_kinds[kind].span_bytes == bytes && (size_t)(w->limit - w->cursor) >= bytes &&
           w->block->track == w->track;
}

StrobeClosed strobe_lane_span_close(StrobeInstance *self, uint64_t key, uint32_t kind,
                                    const void *fields, size_t size)
{
    StrobeWriter *w = strobe_thread_writer;

    if (__builtin_expect(!w || !enter_uncounted(w, ending(w->depth)), 0))
        return close_span(key, kind, fields, size);
    uint32_t outside = w->depth - 1;
    struct pool_lane *lane = w->lane;
    size_t bytes = SPAN_HEAD + size;
    if (__builtin_expect(!is_usual(w, outside, key, kind, bytes), 0)) {
        leave(w);
        return close_span(key, kind, fields, size);
    }
    const struct pool_span *open = &lane->spans[outside];
    uint64_t *out = (uint64_t *)w->cursor;
    out[0] = (uint64_t)atomic_load_explicit(&open->name, memory_order_relaxed) << 32 |
             (uint64_t)kind << 16 | bytes / 8;
    out[1] = atomic_load_explicit(&open->begin, memory_order_relaxed);
    out[2] = strobe_clock_count();
    copy_words(out + 3, fields, size / 8);
    STROBE_TESTPOINT("span-ending");
    w->depth = outside;
    atomic_store_explicit(&lane->depth, outside, memory_order_release);
    STROBE_TESTPOINT("record-filled");
    w->cursor += bytes;
    atomic_store_explicit(&w->block->used, (uint32_t)(w->cursor - (char *)(w->block + 1)),
                          memory_order_release);
    leave(w);
    return (StrobeClosed){outside + 1, 0};
}
