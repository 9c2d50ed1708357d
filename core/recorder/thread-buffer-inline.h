/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The recording path, inlined into the calls of the plugin ABI (record.c) and of programs
 * (marks.c). thread-buffer.c has the code that runs once per block or once per window.
 */
#ifndef STROBE_CORE_THREAD_BUFFER_INLINE_H
#define STROBE_CORE_THREAD_BUFFER_INLINE_H

#include <string.h>
#include <strobe/strobe.h>
#include "frames.h"
#include "intern.h"
#include "thread-buffer.h"
#include "ring.h"
#include "span-names.h"
#include "testpoint.h"

/* Lets a thread variable be read by one load through the thread register. The program is linked
 * with the library, or it is preloaded, so a few bytes of static thread storage are always
 * available. */
#define THREAD_BUFFER_TLS __attribute__((tls_model("initial-exec")))

struct thread_buffer_state {
    struct pool_header *pool; /* valid while the gate is open */
    uint32_t session;
    enum strobe_policy policy;
    StrobeRing *ring;            /* used with the policy ring */
    int64_t patience_ns;         /* used with the policy block: maximum wait; 0: no limit */
    _Atomic int is_out_of_block; /* a thread has waited in vain: other threads do not wait as long
                                    as no block is free */
    _Atomic uint64_t late;
    _Atomic uint32_t n_counting; /* number of threads without a thread buffer that count a loss; the
                                  * pool must stay mapped */
    _Atomic int has_abandoned;   /* a thread ended in, or jumped out of, a critical section */
    _Atomic uint64_t window_end; /* end of the last window, ticks */
};

extern struct thread_buffer_state strobe_thread_buffers;
struct thread_buffer_thread {
    StrobeWriter *writer;      /* NULL: the thread has not recorded yet */
    struct cached_name *names; /* the writer's names, reachable without a load of the writer */
    uint32_t late; /* window that has ended, for which the thread still records; 0: none */
};
extern __thread struct thread_buffer_thread strobe_thread THREAD_BUFFER_TLS;
/* Open spans nested too deep for the pool. They are recorded like other spans, but a kill loses
 * them. Memory is used only for threads with such deep nesting. */
extern struct pool_span strobe_deep_spans[STROBE_POOL_THREAD_BUFFERS][STROBE_DEEP_SPANS];

/* Called for a thread's first record in a window: gives the thread a thread buffer. `frame` is the
 * frame of the recording call. */
StrobeWriter *strobe_thread_buffer_attach(uint32_t window, uintptr_t frame);
/* Called if a recording call with the frame `frame` finds its thread inside a critical section.
 * Leaves the section if a signal handler has jumped out of it; 0: the section is still active. */
int strobe_thread_buffer_leave_ended(StrobeWriter *writer, uintptr_t frame);
/* strobe_thread_buffer_hand_over passes the block to the writer. strobe_thread_buffer_next_block
 * also takes an empty block (0: there is none; *cause is the reason). */
void strobe_thread_buffer_hand_over(StrobeWriter *writer);
int strobe_thread_buffer_next_block(StrobeWriter *writer, uint32_t *cause);
/* Writes a string as a separate record; returns its id, or 0 if there is no room. Inside a critical
 * section. */
uint32_t strobe_thread_buffer_write_inline(StrobeWriter *writer, const void *bytes, size_t length,
                                           int is_stack);
/* Interns a string that is longer than usual or not in the table. Inside a critical section. */
uint32_t strobe_thread_buffer_intern_inside(StrobeWriter *writer, const void *bytes, size_t length,
                                            int is_stack);

/* Interns a C string and caches it for the thread. Inside a critical section. */
uint32_t strobe_thread_buffer_intern_name(StrobeWriter *writer, const char *name);
/* Closes the span of this depth and the spans inside it, except async spans (drop_spans). */
void strobe_thread_buffer_drop_inside(StrobeWriter *writer, uint32_t depth);
/* Marks the thread buffer of an ended thread as vacant if all async spans that the thread had left
 * open have ended. */
void strobe_thread_buffer_unpark(uint32_t index);
/* Call this before a thread takes an async span from another thread's buffer: after this call the
 * owner knows that its buffer is shared. The first call is a barrier in every thread. */
void strobe_thread_buffer_share(uint32_t index);

/* Returns the name of a span that is about to be opened, given the id of an inline string. Keeps
 * the string's bytes if the string was written recently and there is room. Inside a critical
 * section. */
uint32_t strobe_span_name_keep(StrobeWriter *writer, uint32_t id);
/* Writes a name that the thread buffer keeps into the writer's block; returns its id. Inside a
 * critical section. */
uint32_t strobe_span_name_write(StrobeWriter *writer,
                                const struct pool_thread_buffer *thread_buffer, uint32_t name);

/* ---- critical sections ---- */

static inline uint32_t gate_now(void)
{
    return __atomic_load_n(&strobe_gate, __ATOMIC_RELAXED);
}

static inline void count_lost_many(StrobeWriter *w, uint32_t cause, uint32_t n)
{
    atomic_fetch_add_explicit(&w->thread_buffer->lost[cause], n, memory_order_relaxed);
}

static inline void count_lost(StrobeWriter *w, uint32_t cause)
{
    count_lost_many(w, cause, 1);
}

static inline void leave_section(StrobeWriter *w)
{
    atomic_store_explicit(&w->busy, THREAD_BUFFER_IDLE, memory_order_release);
}

/* May this thread add late records to a window that has ended? */
static inline int is_late(const StrobeWriter *w)
{
    return strobe_thread.late != 0 && strobe_thread.late == w->generation;
}

/* Enters a critical section with the value `busy`. Returns 0 if the thread is already in a critical
 * section, or the writer's window has ended. This processor may reorder the store of `busy` and the
 * load of the gate; strobe_thread_buffer_close_gate compensates with a barrier in every thread. */
static inline int enter_uncounted(StrobeWriter *w, uint64_t busy)
{
    if (__builtin_expect(atomic_load_explicit(&w->busy, memory_order_relaxed) != THREAD_BUFFER_IDLE,
                         0))
        return 0;
    atomic_store_explicit(&w->busy, busy, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst);
    STROBE_TESTPOINT("thread-buffer-busy");
    if (__builtin_expect(gate_now() != w->generation, 0) && !is_late(w)) {
        leave_section(w);
        return 0;
    }
    return 1;
}

/* Like enter_uncounted, for a call that records something. If the thread is already in a critical
 * section, the record is counted as lost. */
static inline int enter_as(StrobeWriter *w, uintptr_t frame, uint64_t busy)
{
    if (__builtin_expect(atomic_load_explicit(&w->busy, memory_order_relaxed) != THREAD_BUFFER_IDLE,
                         0) &&
        !strobe_thread_buffer_leave_ended(w, frame)) {
        if (w->generation == gate_now())
            count_lost(w, STROBE_LOSS_NESTED);
        return 0;
    }
    return enter_uncounted(w, busy);
}

/* Returns the value of `busy` in a critical section that contains a record and ends before the call
 * with this frame returns, so that only a signal handler can interrupt it. */
static inline uint64_t encode_offering(uintptr_t frame)
{
    return frame - STROBE_SIGNAL_FRAME + THREAD_BUFFER_OFFERS;
}

/* Returns the value of `busy` in a critical section that ends the span of this token or depth. */
static inline uint64_t encode_ending(uintptr_t frame, uint64_t token)
{
    return (token << THREAD_BUFFER_DEPTH_SHIFT) + frame - STROBE_SIGNAL_FRAME + THREAD_BUFFER_ENDS;
}

static inline int enter_section(StrobeWriter *w, uintptr_t frame)
{
    return enter_as(w, frame, encode_offering(frame));
}

static inline int enter_to_end(StrobeWriter *w, uintptr_t frame, uint64_t token)
{
    return enter_as(w, frame, encode_ending(frame, token));
}

/* ---- the thread's writer ---- */

static inline StrobeWriter *current_writer(uintptr_t frame)
{
    uint32_t window = gate_now();
    StrobeWriter *w = strobe_thread.writer;

    if (__builtin_expect(window == 0, 0)) {
        window = strobe_thread.late;
        if (window == 0)
            return NULL;
    }
    if (__builtin_expect(w != NULL && w->generation == window, 1))
        return w;
    return strobe_thread_buffer_attach(window, frame);
}

/* ---- records ---- */

/* Returns room for `bytes` in the block; NULL with the reason in *cause if there is none. Inside a
 * critical section. */
static inline void *find_room(StrobeWriter *w, uint32_t bytes, uint32_t *cause)
{
    if (__builtin_expect((size_t)(w->limit - w->cursor) < bytes, 0)) {
        *cause = STROBE_LOSS_TOO_LARGE;
        if (bytes > STROBE_BLOCK_DATA || !strobe_thread_buffer_next_block(w, cause))
            return NULL;
    }
    w->pending = bytes;
    return w->cursor;
}

/* Like find_room, for a record: if there is no room, counts the record as lost. */
static inline void *take_room(StrobeWriter *w, uint32_t bytes)
{
    uint32_t cause = STROBE_LOSS_POOL_EMPTY;
    void *room = find_room(w, bytes, &cause);

    if (__builtin_expect(!room, 0))
        count_lost(w, cause);
    return room;
}

/* Returns the id of a C string, 0 for NULL. Inside a critical section. */
static inline uint32_t intern_name(StrobeWriter *w, const char *name)
{
    if (!name)
        return 0;
    const struct cached_name *known = strobe_cached_name(w->names, name);
    if (__builtin_expect(strobe_cached_equals_short(known, name), 1))
        return known->id;
    return strobe_cached_equals(known, name) ? known->id
                                             : strobe_thread_buffer_intern_name(w, name);
}

/* Copies the `size` bytes at `fields` to the fields of the reserved record, but no more bytes than
 * the record has. */
static inline void fill_fields(const StrobeWriter *w, void *out, const void *fields, size_t size)
{
    const char *end = w->cursor + w->pending, *from = fields;
    size_t room = (size_t)(end - (char *)out), n = size < room ? size : room;

    for (; n >= 8; n -= 8, from += 8, out = (char *)out + 8) /* a call of memcpy would cost more */
        *(volatile uint64_t *)out = *(const uint64_t *)(const void *)from;
    if (n) /* `from` is NULL if there are no fields */
        memcpy(out, from, n);
}

/* Makes the reserved record, whose fields are now filled, part of the block. */
static inline void publish_pending(StrobeWriter *w)
{
    STROBE_TESTPOINT("record-filled");
    w->cursor += w->pending;
    STROBE_TESTPOINT("cursor-moved");
    atomic_store_explicit(&w->block->used, (uint32_t)(w->cursor - (char *)(w->block + 1)),
                          memory_order_release);
    w->pending = 0;
}

static inline struct pool_span *span_at(const StrobeWriter *w, uint32_t index)
{
    if (__builtin_expect(index < STROBE_POOL_SPANS, 1))
        return &w->thread_buffer->spans[index];
    return &strobe_deep_spans[w->index][index - STROBE_POOL_SPANS];
}

static inline void publish_depth(StrobeWriter *w)
{
    atomic_store_explicit(&w->thread_buffer->depth, w->depth, memory_order_release);
}

static inline void *begin_record(StrobeWriter *w, uint32_t kind, uint32_t track, uint32_t name,
                                 uint64_t begin, uint64_t end)
{
    const struct thread_buffer_kind *info =
        &strobe_thread_buffer_kinds[kind < STROBE_KINDS_MAX ? kind : 0];

    /* Another thread, which has ended, began the block, so the block's track is not this
     * thread's. */
    if (track == 0 && w->block && __builtin_expect(w->block->track != w->track, 0))
        track = w->track;
    uint32_t words = info->words + (track ? 1u : 0u);
    uint64_t *out, head = 0, times;
    int is_short = 0;

    if (__builtin_expect(info->words == 0, 0)) {
        count_lost(w, STROBE_LOSS_COLLECTOR_FAILED); /* the kind is not declared */
        return NULL;
    }
    out = take_room(w, words * 8);
    if (__builtin_expect(!out, 0))
        return NULL;
    if (info->has_end) {
        times = strobe_short_times(w->base, begin, end, &is_short);
        if (is_short) {
            head = STROBE_RECORD_SHORT_TIMES;
            begin = times;
            w->pending = --words * 8;
        }
    }
    uint64_t *last = out + words;
    *out++ = head | (uint64_t)name << 32 | (uint64_t)kind << 16 | words |
             (track ? STROBE_RECORD_HAS_TRACK : 0);
    *out++ = begin;
    if (info->has_end && !is_short)
        *out++ = end;
    if (track)
        *out++ = track;
    uint64_t *fields = out;
    while (out < last)
        *(volatile uint64_t *)out++ = 0; /* a few words: a call of memset would cost more */
    STROBE_TESTPOINT("record-reserved");
    return fields;
}

/* Fills in all members except `begin`, which the caller stores last. A concurrent reader (a dump)
 * detects the change by `begin`, which is 0 first and then has a new value. */
static inline void begin_span(struct pool_span *open, uint64_t key, uint32_t what, uint32_t name,
                              uint64_t argument)
{
    atomic_store_explicit(&open->begin, 0, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&open->head, (uint64_t)name << 32 | what, memory_order_relaxed);
    atomic_store_explicit(&open->argument, argument, memory_order_relaxed);
    if (key)
        atomic_store_explicit(&open->key, key, memory_order_relaxed);
}

/* Opens a span on the thread's track; returns its depth, 0 if it is nested too deep. */
static inline uint32_t push_keyed_span(StrobeWriter *w, uint64_t key, uint32_t what, uint32_t name,
                                       uint64_t argument)
{
    uint32_t depth = w->depth;

    if (__builtin_expect(depth >= STROBE_POOL_SPANS + STROBE_DEEP_SPANS, 0)) {
        count_lost(w, STROBE_LOSS_SPAN_DEPTH);
        return 0;
    }
    if (__builtin_expect(name & STROBE_STRING_INLINE, 0))
        name = strobe_span_name_keep(w, name);
    struct pool_span *open = span_at(w, depth);
    begin_span(open, key, what, name, argument);
    atomic_store_explicit(&open->begin, strobe_clock_now(), memory_order_release);
    STROBE_TESTPOINT("span-filled");
    w->depth = depth + 1;
    publish_depth(w);
    return depth + 1;
}

static inline uint64_t token_of(const StrobeWriter *w, uint32_t depth)
{
    return (uint64_t)w->generation << 32 | depth;
}

/* Like push_keyed_span, for a span without a key; returns the token by which the span is found. */
static inline uint64_t push_span(StrobeWriter *w, uint32_t kind, uint32_t name, uint64_t argument)
{
    uint32_t depth =
        push_keyed_span(w, 0, strobe_span_what(kind, STROBE_SPAN_HAS_NO_KEY), name, argument);

    return depth ? token_of(w, depth) : 0;
}

/* Does the token belong to a span that began in this window? */
static inline int is_own_span(const StrobeWriter *w, uint64_t token)
{
    return (uint32_t)token != 0 && (uint32_t)(token >> 32) == w->generation;
}

/* Has the span ended before spans above it on the stack? Its begin is then 0. */
static inline int is_ended(const struct pool_span *open)
{
    return atomic_load_explicit(&open->begin, memory_order_relaxed) == 0;
}

static inline uint64_t head_of(const struct pool_span *open)
{
    return atomic_load_explicit(&open->head, memory_order_relaxed);
}

static inline int is_async(const struct pool_span *open)
{
    return (head_of(open) & STROBE_SPAN_IS_ASYNC) != 0;
}

static inline uint64_t key_of(const struct pool_span *open)
{
    return atomic_load_explicit(&open->key, memory_order_relaxed);
}

/* Closes the span of this depth and the spans inside it, except async spans. */
static inline void drop_spans(StrobeWriter *w, uint32_t depth)
{
    if (__builtin_expect(depth < w->depth, 0)) {
        strobe_thread_buffer_drop_inside(w, depth);
        return;
    }
    w->depth = depth - 1;
    publish_depth(w);
}

/* Closes the span with this token and the spans inside it, and reserves the span's record. Returns
 * the record's fields; NULL if there is no record. */
static inline void *pop_span(StrobeWriter *w, uint64_t token, uint64_t end, uint64_t *argument)
{
    uint32_t depth = (uint32_t)token;

    if (depth > w->depth)
        return NULL;
    const struct pool_span *open = span_at(w, depth - 1);
    /* the span was already closed with a span around it */
    if (__builtin_expect(is_ended(open) || is_async(open), 0))
        return NULL;
    if (argument)
        *argument = atomic_load_explicit(&open->argument, memory_order_relaxed);
    uint64_t head = head_of(open);
    uint32_t name = strobe_span_name(head);
    if (__builtin_expect(strobe_name_is_kept(name), 0))
        name = strobe_span_name_write(w, w->thread_buffer, name);
    void *fields = begin_record(w, strobe_span_kind(head), 0, name,
                                atomic_load_explicit(&open->begin, memory_order_relaxed), end);
    STROBE_TESTPOINT("span-ending");
    drop_spans(w, depth);
    return fields;
}

/* ---- the fast path ----
 *
 * For the usual case: the thread has recorded in this window, the clock is the processor's counter,
 * the name is in the cache, the span is the thread's innermost span, its times fit in one word, and
 * the block has room. These functions call no others, so the compiler needs neither a frame nor
 * saved registers. If they return 0, the caller takes the general path. Inside a critical section.
 */

#define SPAN_HEAD 24u   /* size of header, begin and end */
#define SPAN_AHEAD 512u /* distance of prefetched bytes in the block */

/* Opens a span on the fast path and returns its token. `name` is not NULL, and the kind in `what`
 * is in the table. The counter is read last here and first at the end of the span: a processor
 * finishes all earlier instructions before it reads the counter, so the code between two spans can
 * run without a stall. */
static inline uint64_t open_shortly(StrobeWriter *w, struct cached_name *names, uint64_t key,
                                    uint32_t what, const char *name, uint64_t argument,
                                    int is_short)
{
    const struct cached_name *known = strobe_cached_name(names, name);
    struct pool_thread_buffer *thread_buffer = w->thread_buffer;
    uint64_t token = w->token;
    uint32_t depth = (uint32_t)token;
    int is_known =
        is_short ? strobe_cached_equals_short(known, name) : strobe_cached_equals(known, name);

    if (__builtin_expect(!is_known || depth >= w->short_spans, 0))
        return 0;
    struct pool_span *open = &thread_buffer->spans[depth++];
    begin_span(open, key, what, known->id, argument);
    atomic_store_explicit(&open->begin, strobe_clock_count(), memory_order_release);
    STROBE_TESTPOINT("span-filled");
    w->token = ++token;
    atomic_store_explicit(&thread_buffer->depth, depth, memory_order_release);
    return token;
}

/* What the record of an open span needs from the span's entry, if the span can end on the fast
 * path. */
struct usual_span {
    struct pool_span *open; /* NULL: the span cannot end on the fast path */
    uint64_t head, begin, times;
};

/* Returns the innermost open span if all conditions of the fast path hold: the span has this key
 * and kind, its name is in the pool, its times fit in one word, there is room for a record of
 * `words` words, and `size` is a multiple of 8. */
static inline struct usual_span usual_span(const StrobeWriter *w, uint32_t depth, uint64_t key,
                                           uint32_t what, uint32_t words, uint64_t end, size_t size)
{
    const uint64_t looked_at = (uint64_t)STROBE_STRING_INLINE << 32 | UINT32_MAX;
    const struct usual_span none = {0};
    struct usual_span span;
    uint32_t place = depth - 1;
    int is_short;

    if (__builtin_expect(place >= w->short_spans, 0)) /* this is also true if no span is open */
        return none;
    span.open = &w->thread_buffer->spans[place];
    span.head = head_of(span.open);
    span.begin = atomic_load_explicit(&span.open->begin, memory_order_relaxed);
    span.times = strobe_short_times(w->base, span.begin, end, &is_short);
    int is_usual = (!key || key_of(span.open) == key) && (span.head & looked_at) == what &&
                   words * 8u >= SPAN_HEAD + size && size % 8 == 0 &&
                   (size_t)(w->limit - w->cursor) >= words * 8u && is_short;
    return __builtin_expect(is_usual, 1) ? span : none;
}

/* Writes the record of the innermost span on the fast path, with the `size` bytes at `fields`. If
 * `fields` is NULL, writes the argument that was given at the span's begin. The rest of the fields
 * is zero. The stores are volatile so that the compiler does not make a call of memcpy or memset of
 * them, which would cost more. */
static inline void write_shortly(StrobeWriter *w, const struct usual_span *span, uint32_t what,
                                 uint32_t words, const uint64_t *fields, size_t size)
{
    /* the span's flags; the record has its length in these bits */
    const uint64_t flags = what & UINT16_MAX;
    const uint64_t word_of_times = STROBE_RECORD_SHORT_TIMES | (words - 1);
    uint64_t argument = atomic_load_explicit(&span->open->argument, memory_order_relaxed);
    size_t n = size / 8, n_fields = words - SPAN_HEAD / 8;
    struct pool_thread_buffer *thread_buffer = w->thread_buffer;
    uint64_t token = w->token;
    char *cursor = w->cursor;
    volatile uint64_t *out = (volatile uint64_t *)cursor;

    *out++ = span->head ^ (flags ^ word_of_times);
    *out++ = span->times;
    for (size_t i = 0; i < n; i++)
        *out++ = fields ? fields[i] : argument;
    for (size_t i = n; i < n_fields; i++)
        *out++ = 0;
    STROBE_TESTPOINT("span-ending");
    w->token = --token; /* one store of both halves, as they are loaded together */
    atomic_store_explicit(&thread_buffer->depth, (uint32_t)token, memory_order_release);
    STROBE_TESTPOINT("record-filled");
    __builtin_prefetch(cursor + SPAN_AHEAD, 1);
    w->cursor = cursor += (words - 1) * 8;
    STROBE_TESTPOINT("cursor-moved");
    atomic_store_explicit(&w->block->used, (uint32_t)(cursor - (char *)(w->block + 1)),
                          memory_order_release);
}

/* Ends the innermost span if it has this key; returns the span's depth. `words` is the size of the
 * kind's record. */
static inline uint32_t close_shortly(StrobeWriter *w, uint64_t key, uint32_t what, uint32_t words,
                                     uint64_t end, const uint64_t *fields, size_t size)
{
    uint32_t depth = (uint32_t)w->token; /* the token with both halves is already in a register */
    const struct usual_span span = usual_span(w, depth, key, what, words, end, size);

    if (__builtin_expect(!span.open, 0))
        return 0;
    write_shortly(w, &span, what, words, fields, size);
    return depth;
}

#endif
