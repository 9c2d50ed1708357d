/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Async spans: spans that are found by a key, like the spans of keyed-span.c, but end in any order
 * and on any thread.
 *
 * They are on the thread's stack of open spans too, so that a kill or the window's end makes
 * unfinished spans of them. If an async span ends before the spans above it on the stack, its entry
 * stays, with begin 0, until those spans have ended.
 *
 * If two threads end the same span at once, only the thread that exchanges the span's begin for 0
 * succeeds. No later span in the same entry has the same begin. A locked instruction takes as long
 * as reading the clock. So the owner of a thread buffer that is not shared uses no locked
 * instruction: it clears the key and then checks whether the buffer is shared. Another thread marks
 * the buffer as shared, with a barrier in every thread, before it reads the key. So either the
 * other thread finds the key cleared, or the owner finds its buffer shared. Only the owner writes
 * keys. The key of a span that another thread ended stays in the entry, even if the next span in
 * this entry has no key.
 */
#include "async-span.h"

#include "thread-buffer-inline.h"
#include "track-table.h"

#define NEAR 16u /* number of entries at the top of the stack that are searched */

/* The parts of an ended span that its record needs. */
struct taken {
    uint64_t begin;
    uint32_t name, track;
};

static void end_span(struct pool_span *open)
{
    atomic_store_explicit(&open->key, 0, memory_order_relaxed);
    atomic_store_explicit(&open->begin, 0, memory_order_release);
}

void strobe_thread_buffer_drop_inside(StrobeWriter *w, uint32_t depth)
{
    uint32_t left = depth - 1;

    end_span(span_at(w, depth - 1));
    for (uint32_t i = depth; i < w->depth; i++) {
        struct pool_span *open = span_at(w, i);
        if (is_async(open) && !is_ended(open))
            left = i + 1;
        else
            end_span(open);
    }
    w->depth = left;
    publish_depth(w);
}

/* Removes ended spans from the top of the stack. */
static void trim_stack(StrobeWriter *w)
{
    uint32_t depth = w->depth;

    while (depth && is_ended(span_at(w, depth - 1)))
        depth--;
    if (depth == w->depth)
        return;
    w->depth = depth;
    publish_depth(w);
}

/* Finds the entry of an ended span near the top of the stack, for reuse; returns NULL if there is
 * none. Does not search below an open async span with `key`: the new span must be above that span,
 * because the innermost span of a key ends first. Searches the whole stack if it is deep, so that a
 * chain of overlapping spans does not fill the stack. */
static struct pool_span *find_ended(const StrobeWriter *w, uint64_t key)
{
    uint32_t bottom = w->depth < NEAR || w->depth >= STROBE_POOL_SPANS / 2 ? 0 : w->depth - NEAR;

    for (uint32_t i = w->depth; i-- > bottom;) {
        struct pool_span *open = span_at(w, i);
        if (is_ended(open))
            return open;
        if (key_of(open) == key && is_async(open))
            break;
    }
    return NULL;
}

/* Puts the span into the entry of an ended span, or on top of the stack if there is none. A span
 * with an inline name always goes on top, because inline names are stored in stack order. An async
 * span is lost if the stack in the pool is full: deeper entries are private, and other threads
 * could not end a span there. */
static int place_span(StrobeWriter *w, uint64_t key, uint32_t what, uint32_t name,
                      uint64_t argument)
{
    struct pool_span *open;

    trim_stack(w);
    open = name & STROBE_STRING_INLINE ? NULL : find_ended(w, key);
    if (!open && w->depth >= STROBE_POOL_SPANS) {
        count_lost(w, STROBE_LOSS_SPAN_DEPTH);
        return 0;
    }
    if (!open)
        return push_keyed_span(w, key, what, name, argument) != 0;
    begin_span(open, key, what, name, argument);
    atomic_store_explicit(&open->begin, strobe_clock_now(), memory_order_release);
    return 1;
}

static int32_t __attribute__((noinline)) open_async(uint64_t key, uint32_t kind, const char *name,
                                                    uint64_t argument, uintptr_t frame)
{
    StrobeWriter *w = current_writer(frame);
    int is_placed;

    if (!key || kind >= STROBE_KINDS_MAX || !w || !enter_section(w, frame))
        return 0;
    is_placed = place_span(w, key, strobe_span_what(kind, STROBE_SPAN_IS_ASYNC),
                           intern_name(w, name), argument);
    leave_section(w);
    return is_placed;
}

/* May the span be opened on the fast path? This needs an empty stack, or a shallow stack whose top
 * span is open. */
static int may_open_shortly(const StrobeWriter *w)
{
    return w->depth == 0 || (w->depth < NEAR && !is_ended(&w->thread_buffer->spans[w->depth - 1]));
}

int32_t strobe_thread_buffer_async_open(StrobeInstance *self, uint64_t key, uint32_t kind,
                                        const char *name, uint64_t argument)
{
    const uintptr_t frame = STROBE_FRAME();
    StrobeWriter *w = strobe_thread.writer;
    int is_open = 0;

    if (__builtin_expect(!w || !enter_uncounted(w, encode_offering(frame)), 0))
        return open_async(key, kind, name, argument, frame);
    if (key && kind < STROBE_KINDS_MAX && name && may_open_shortly(w))
        is_open =
            open_shortly(w, strobe_thread.names, key, strobe_span_what(kind, STROBE_SPAN_IS_ASYNC),
                         name, argument, 0) != 0;
    leave_section(w);
    return __builtin_expect(is_open, 1) ? 1 : open_async(key, kind, name, argument, frame);
}

/* ---- ending a span ---- */

static uint32_t family_of(uint32_t kind)
{
    return strobe_thread_buffer_kinds[kind & (STROBE_KINDS_MAX - 1)].family;
}

static int is_wanted(const struct pool_span *open, uint64_t key, uint32_t kind)
{
    return key_of(open) == key && !is_ended(open) && is_async(open) &&
           family_of(strobe_span_kind(head_of(open))) == family_of(kind);
}

static struct pool_span *find_own(const StrobeWriter *w, uint64_t key, uint32_t kind)
{
    for (uint32_t i = w->depth; i-- > 0;)
        if (is_wanted(span_at(w, i), key, kind))
            return span_at(w, i);
    return NULL;
}

static struct pool_span *find_in(struct pool_thread_buffer *thread_buffer, uint64_t key,
                                 uint32_t kind)
{
    uint32_t depth = atomic_load_explicit(&thread_buffer->depth, memory_order_acquire);

    for (uint32_t i = depth < STROBE_POOL_SPANS ? depth : STROBE_POOL_SPANS; i-- > 0;)
        if (is_wanted(&thread_buffer->spans[i], key, kind))
            return &thread_buffer->spans[i];
    return NULL;
}

/* Exchanges the span's begin for 0; returns 0 if another thread was first. If the span is in the
 * buffer of another thread, which may be ending, this store must be visible before that buffer's
 * `parking` is read: see strobe_thread_buffer_unpark. */
static int take_begin(struct pool_span *open, uint64_t begin)
{
    return begin && atomic_compare_exchange_strong(&open->begin, &begin, 0);
}

/* Marks the critical section as one with a record: this thread has taken the span's begin, so the
 * record is lost if the section is abandoned. */
static void offer_taken(StrobeWriter *w)
{
    uint64_t busy = atomic_load_explicit(&w->busy, memory_order_relaxed);

    atomic_store_explicit(&w->busy, (busy & THREAD_BUFFER_BORDER) + THREAD_BUFFER_OFFERS,
                          memory_order_release);
}

/* Reads the span and takes it from the stack; returns 0 if another thread took the span first. The
 * track is marked as kept, and a name in the thread buffer is copied, before the begin is taken:
 * afterwards the buffer may overwrite the name, and, when the thread has no open span, the
 * track. */
static int take_span(StrobeWriter *w, const struct pool_thread_buffer *thread_buffer,
                     struct pool_span *open, uint64_t key, struct taken *taken)
{
    taken->begin = atomic_load_explicit(&open->begin, memory_order_acquire);
    taken->name = strobe_span_name(head_of(open));
    taken->track = thread_buffer == w->thread_buffer
                       ? 0
                       : atomic_load_explicit(&thread_buffer->track, memory_order_relaxed);
    if (taken->track)
        strobe_track_keep(w->pool, thread_buffer, taken->track);
    if (__builtin_expect(strobe_name_is_kept(taken->name), 0))
        taken->name = strobe_span_name_write(w, thread_buffer, taken->name);
    /* The entry may meanwhile contain a span without a key; `key` is then the key of an earlier
     * span in this entry. */
    if (key_of(open) != key || !is_async(open) || !take_begin(open, taken->begin))
        return 0;
    offer_taken(w);
    return 1;
}

static int take_elsewhere(StrobeWriter *w, uint64_t key, uint32_t kind, struct taken *taken)
{
    for (uint32_t i = 0; i < w->pool->n_thread_buffers; i++) {
        struct pool_thread_buffer *thread_buffer = strobe_pool_thread_buffer(w->pool, i);
        if (thread_buffer == w->thread_buffer || !strobe_thread_buffer_is_own(i) ||
            atomic_load_explicit(&thread_buffer->window, memory_order_relaxed) != w->generation)
            continue;
        struct pool_span *open = find_in(thread_buffer, key, kind);
        if (!open)
            continue;
        strobe_thread_buffer_share(i);
        int is_taken = take_span(w, thread_buffer, open, key, taken);
        strobe_thread_buffer_unpark(i);
        return is_taken;
    }
    return 0;
}

static int32_t __attribute__((noinline))
close_async(uint64_t key, uint32_t kind, const void *fields, size_t size, uintptr_t frame)
{
    StrobeWriter *w = current_writer(frame);
    struct taken taken;

    if (!key || kind >= STROBE_KINDS_MAX || !w)
        return 0;
    uint64_t end = strobe_clock_now();
    if (!enter_to_end(w, frame, w->depth))
        return 0;
    struct pool_span *own = find_own(w, key, kind);
    int is_taken = 0;
    if (own)
        is_taken = take_span(w, w->thread_buffer, own, key, &taken);
    else if (!(key & STROBE_KEY_OF_THREAD))
        is_taken = take_elsewhere(w, key, kind, &taken);
    char *out = is_taken ? begin_record(w, kind, taken.track, taken.name, taken.begin, end) : NULL;
    if (own)
        trim_stack(w);
    if (out) {
        fill_fields(w, out, fields, size);
        publish_pending(w);
    }
    leave_section(w);
    return is_taken;
}

/* Ends the innermost span on the fast path if it has this key and kind. Returns 0 if it cannot end
 * on the fast path. */
static int close_innermost(StrobeWriter *w, uint64_t key, uint32_t kind, uint64_t end,
                           const void *fields, size_t size)
{
    uint32_t depth = w->depth, words = strobe_thread_buffer_kinds[kind].span_words;

    uint32_t what = strobe_span_what(kind, STROBE_SPAN_IS_ASYNC);
    const struct usual_span span = usual_span(w, depth, key, what, words, end, size);
    struct pool_span *open = span.open;
    if (!open)
        return 0;
    atomic_store_explicit(&open->key, 0, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst);
    STROBE_TESTPOINT("loose-claimed");
    if (__builtin_expect(atomic_load_explicit(&w->sharing, memory_order_relaxed) != 0, 0)) {
        if (!take_begin(open, span.begin))
            return 0;
        offer_taken(w);
    }
    write_shortly(w, &span, what, words, fields, size);
    atomic_store_explicit(&open->begin, 0, memory_order_release);
    if (depth > 1 && is_ended(open - 1))
        trim_stack(w);
    return 1;
}

int32_t strobe_thread_buffer_async_close(StrobeInstance *self, uint64_t key, uint32_t kind,
                                         const void *fields, size_t size)
{
    const uint64_t end = strobe_clock_count();
    const uintptr_t frame = STROBE_FRAME();
    StrobeWriter *w = strobe_thread.writer;
    int is_closed;

    if (__builtin_expect(!w || !enter_uncounted(w, encode_ending(frame, w->depth)), 0))
        return close_async(key, kind, fields, size, frame);
    is_closed =
        key && kind < STROBE_KINDS_MAX ? close_innermost(w, key, kind, end, fields, size) : 0;
    leave_section(w);
    return __builtin_expect(is_closed, 1) ? 1 : close_async(key, kind, fields, size, frame);
}
