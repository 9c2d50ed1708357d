/* SPDX-License-Identifier: Apache-2.0 */
/* Spans that are found by a key: the fast path (see thread-buffer-inline.h) and the general
 * path. */
#include "thread-buffer-inline.h"

/* ---- the general path ---- */

uint32_t strobe_thread_buffer_intern_name(StrobeWriter *w, const char *name)
{
    uint32_t id = strobe_thread_buffer_intern_inside(w, name, strlen(name), 0);
    if (id && !(id & STROBE_STRING_INLINE)) /* the id of an inline string is valid for one record
                                               only, so it is not cached */
        strobe_cached_name_set(strobe_cached_name(w->names, name), name, id);
    return id;
}

static uint32_t __attribute__((noinline)) open_span(uint64_t key, uint32_t kind, const char *name,
                                                    uint64_t argument, uintptr_t frame)
{
    const uint32_t what = strobe_span_what(kind, 0);
    StrobeWriter *w = current_writer(frame);
    uint32_t depth;

    if (!key || kind >= STROBE_KINDS_MAX || !w || !enter_section(w, frame))
        return 0;
    depth = name ? (uint32_t)open_shortly(w, w->names, key, what, name, argument, 0) : 0;
    if (!depth)
        depth = push_keyed_span(w, key, what, intern_name(w, name), argument);
    leave_section(w);
    return depth;
}

/* Returns the depth, from 1, of the innermost open span with this key and kind; 0: there is
 * none. */
static uint32_t find_span(const StrobeWriter *w, uint64_t key, uint32_t kind)
{
    uint32_t depth = w->depth;

    for (; depth; depth--) {
        const struct pool_span *open = span_at(w, depth - 1);
        if (key_of(open) == key && (uint32_t)head_of(open) == strobe_span_what(kind, 0))
            break;
    }
    return depth;
}

static uint32_t count_inside(const StrobeWriter *w, uint32_t depth)
{
    uint32_t n = 0;

    for (; depth < w->depth; depth++)
        n += !is_ended(span_at(w, depth)) && !is_async(span_at(w, depth));
    return n;
}

static StrobeClosed __attribute__((noinline))
close_span(uint64_t key, uint32_t kind, const void *fields, size_t size, uintptr_t frame)
{
    StrobeWriter *w = strobe_thread.writer;
    StrobeClosed closed = {0, 0};

    if (!key || !w)
        return closed;
    uint64_t end = strobe_clock_now();
    if (!enter_to_end(w, frame, w->depth))
        return closed;
    closed.depth = find_span(w, key, kind);
    if (closed.depth) {
        closed.n_inside = count_inside(w, closed.depth);
        char *out = pop_span(w, closed.depth, end, NULL);
        if (out) {
            fill_fields(w, out, fields, size);
            publish_pending(w);
        }
    }
    leave_section(w);
    return closed;
}

/* ---- the fast path ---- */

uint32_t strobe_thread_buffer_span_open(StrobeInstance *self, uint64_t key, uint32_t kind,
                                        const char *name, uint64_t argument)
{
    const uintptr_t frame = STROBE_FRAME();
    StrobeWriter *w = strobe_thread.writer;
    uint64_t token = 0;

    if (__builtin_expect(!w || !enter_uncounted(w, encode_offering(frame)), 0))
        return open_span(key, kind, name, argument, frame);
    if (__builtin_expect(key && kind < STROBE_KINDS_MAX && name, 1))
        token =
            open_shortly(w, strobe_thread.names, key, strobe_span_what(kind, 0), name, argument, 1);
    leave_section(w);
    return __builtin_expect(token != 0, 1) ? (uint32_t)token
                                           : open_span(key, kind, name, argument, frame);
}

StrobeClosed strobe_thread_buffer_span_close(StrobeInstance *self, uint64_t key, uint32_t kind,
                                             const void *fields, size_t size)
{
    const uint64_t end = strobe_clock_count();
    const uintptr_t frame = STROBE_FRAME();
    StrobeWriter *w = strobe_thread.writer;
    uint32_t depth;

    if (__builtin_expect(!w || !enter_uncounted(w, encode_ending(frame, w->depth)), 0))
        return close_span(key, kind, fields, size, frame);
    depth = key && kind < STROBE_KINDS_MAX
                ? close_shortly(w, key, strobe_span_what(kind, 0),
                                strobe_thread_buffer_kinds[kind].span_words, end, fields, size)
                : 0;
    leave_section(w);
    return __builtin_expect(depth != 0, 1) ? (StrobeClosed){depth, 0}
                                           : close_span(key, kind, fields, size, frame);
}
