/* SPDX-License-Identifier: Apache-2.0 */
/* The recording calls of the plugin ABI. */
#include "thread-buffer-inline.h"

/* Number of bytes of a block that must be free after an inline string, for the record that uses the
 * string. */
#define INLINE_MARGIN 1024u

_Static_assert(STROBE_BLOCK_DATA / 8 <= STROBE_RECORD_WORDS_MASK, "a block may be one record");

/* Returns the frame to encode for a critical section that lasts until commit, longer than this
 * call. The result is above this call's frame, because other calls of the same caller have frames
 * at or below the frame of this call.
 * */
static inline uintptr_t until_commit(uintptr_t frame)
{
    return frame + sizeof frame + STROBE_SIGNAL_FRAME;
}

/* If a window is given, makes the thread's next record attach again, because the thread's block was
 * handed over when the gate was shut. */
void strobe_thread_buffer_record_late(uint32_t window)
{
    strobe_thread.late = window;
    if (window && strobe_thread.writer)
        strobe_thread.writer->generation = THREAD_BUFFER_DETACHED;
}

StrobeWriter *strobe_thread_buffer_writer(void)
{
    return current_writer(STROBE_FRAME());
}

/* Counts a record that came after the gate was shut, if its begin is in the window that ended. */
static __attribute__((noinline)) void count_late(uint64_t begin)
{
    uint64_t end = atomic_load_explicit(&strobe_thread_buffers.window_end, memory_order_relaxed);

    if (begin < end)
        atomic_fetch_add_explicit(&strobe_thread_buffers.late, 1, memory_order_relaxed);
}

void *strobe_thread_buffer_reserve(StrobeWriter *w, uint32_t kind, uint32_t track, uint32_t name,
                                   uint64_t begin, uint64_t end)
{
    const uintptr_t frame = STROBE_FRAME();
    void *fields;

    if (!w)
        return NULL;
    if (!enter_as(w, frame, encode_offering(until_commit(frame)))) {
        if (atomic_load_explicit(&w->busy, memory_order_relaxed) == THREAD_BUFFER_IDLE)
            count_late(begin);
        return NULL;
    }
    fields = begin_record(w, kind, track, name, begin, end);
    if (!fields)
        leave_section(w);
    return fields;
}

void strobe_thread_buffer_commit(StrobeWriter *w)
{
    publish_pending(w);
    leave_section(w);
}

void *strobe_thread_buffer_reserve_bulk(StrobeWriter *w, uint32_t bytes, uint32_t n_records)
{
    const uintptr_t frame = STROBE_FRAME();
    uint32_t cause = STROBE_LOSS_TOO_LARGE;
    void *room = NULL;

    if (!w)
        return NULL;
    if (atomic_load_explicit(&w->busy, memory_order_relaxed) != THREAD_BUFFER_IDLE &&
        !strobe_thread_buffer_leave_ended(w, frame)) {
        if (w->generation == gate_now())
            count_lost_many(w, STROBE_LOSS_NESTED, n_records);
        return NULL;
    }
    if (!enter_as(w, frame, encode_offering(until_commit(frame))))
        return NULL;
    if (w->block && w->block->track != w->track)
        strobe_thread_buffer_hand_over(w);
    if (bytes % 8 == 0 && bytes && bytes <= STROBE_BULK_MAX)
        room = find_room(w, bytes, &cause);
    if (!room) {
        count_lost_many(w, cause, n_records);
        leave_section(w);
    }
    return room;
}

StrobeSpan strobe_thread_buffer_span_begin(StrobeWriter *w, uint32_t kind, uint32_t name,
                                           uint64_t argument)
{
    StrobeSpan span = {0};

    if (!w || !enter_section(w, STROBE_FRAME()))
        return span;
    span.token = push_span(w, kind, name, argument);
    leave_section(w);
    return span;
}

void *strobe_thread_buffer_span_end(StrobeWriter *w, StrobeSpan span)
{
    const uintptr_t frame = STROBE_FRAME();
    void *fields;

    if (!w || !is_own_span(w, span.token))
        return NULL;
    uint64_t end = strobe_clock_now();
    if (!enter_as(w, frame, encode_ending(until_commit(frame), span.token)))
        return NULL;
    fields = pop_span(w, span.token, end, NULL);
    if (!fields)
        leave_section(w);
    return fields;
}

/* Writes the string as a separate record into the thread buffer, because the string table is full.
 * Returns the string's id, or 0 if there is no room: the record that uses the string then has no
 * name, or is lost. */
uint32_t strobe_thread_buffer_write_inline(StrobeWriter *w, const void *bytes, size_t length,
                                           int is_stack)
{
    uint32_t room_for = STROBE_BLOCK_DATA - 16;
    uint32_t n = length > room_for ? room_for : (uint32_t)length;
    uint32_t words = (uint32_t)(2 + (n + 7) / 8); /* header, length word, bytes */
    size_t room = (size_t)(w->limit - w->cursor);
    uint32_t cause;

    /* The record that needs the string must be in the same block: a reader may process the next
     * block much later. */
    if (room >= words * 8 && room < words * 8 + INLINE_MARGIN && w->cursor > (char *)(w->block + 1))
        strobe_thread_buffer_next_block(w, &cause);
    uint64_t *out = find_room(w, words * 8, &cause);

    if (!out || n < length)
        count_lost(w, STROBE_LOSS_STRING_CUT);
    if (!out)
        return 0;
    uint32_t id = strobe_pool_inline_id(w->pool);
    w->beside[w->n_inline++ % THREAD_BUFFER_INLINE] =
        (uint32_t)(out - (uint64_t *)(void *)(w->block + 1));
    out[0] = (uint64_t)id << 32 | (uint64_t)STROBE_KIND_STRING << 16 | words;
    out[words - 1] = 0;
    out[1] = n | (is_stack ? STROBE_STRING_IS_STACK : 0);
    memcpy(out + 2, bytes, n);
    publish_pending(w);
    return id;
}

uint32_t strobe_thread_buffer_intern_inside(StrobeWriter *w, const void *bytes, size_t length,
                                            int is_stack)
{
    uint32_t id;

    if (length > STROBE_STRING_MAX) {
        length = STROBE_STRING_MAX;
        count_lost(w, STROBE_LOSS_STRING_CUT);
    }
    id = strobe_pool_intern(w->pool, bytes, length, is_stack);
    if (id == 0 && length)
        id = strobe_thread_buffer_write_inline(w, bytes, length, is_stack);
    return id;
}

uint32_t strobe_thread_buffer_intern(StrobeWriter *w, const void *bytes, size_t length,
                                     int is_stack)
{
    /* The loss is counted by the record that needs the string. */
    if (!w || !enter_uncounted(w, STROBE_FRAME() + THREAD_BUFFER_INSIDE))
        return 0;
    uint32_t id = strobe_thread_buffer_intern_inside(w, bytes, length, is_stack);
    leave_section(w);
    return id;
}
