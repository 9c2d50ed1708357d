/* SPDX-License-Identifier: Apache-2.0 */
#include "lane.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <string.h>
#include <strobe/strobe.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "intern.h"
#include "track-table.h"

uint32_t strobe_gate;

struct lane_kind strobe_lane_kinds[STROBE_KINDS_MAX];

static StrobeWriter writers[STROBE_POOL_LANES];
/* Spans opened inside so many others that the pool has no place for them: they are recorded like
 * any other, but a kill loses those that are open. Touched only by who nests that deep. */
static struct pool_span deep_spans[STROBE_POOL_LANES][STROBE_DEEP_SPANS];
static _Atomic uint64_t writer_map[STROBE_POOL_LANES / 64]; /* 1: in use */
static __thread StrobeWriter *thread_writer __attribute__((tls_model("initial-exec")));
static pthread_key_t exit_key;
static int is_initialised;

static struct pool_header *pool; /* valid while the gate is open */
static uint32_t pool_session;
static _Atomic uint64_t late, no_lane;
static _Atomic uint64_t window_end; /* of the window that ended last, ticks */

/* ---- brackets ---- */

static inline uint32_t gate_now(void)
{
    return __atomic_load_n(&strobe_gate, __ATOMIC_RELAXED);
}

static void count_lost(StrobeWriter *w, uint32_t cause)
{
    atomic_fetch_add_explicit(&w->lane->lost[cause], 1, memory_order_relaxed);
}

static inline void leave(StrobeWriter *w)
{
    atomic_store_explicit(&w->busy, 0, memory_order_release);
}

/* The store of `busy` and the load of the gate may pass each other in this processor;
 * strobe_lane_close_gate makes up for it with a barrier in every thread. */
static inline int enter_uncounted(StrobeWriter *w)
{
    if (__builtin_expect(atomic_load_explicit(&w->busy, memory_order_relaxed) != 0, 0))
        return 0;
    atomic_store_explicit(&w->busy, 1, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst);
    if (__builtin_expect(gate_now() != w->generation || w->generation == 0, 0)) {
        leave(w);
        return 0;
    }
    return 1;
}

static void barrier_in_all_threads(void)
{
    static int command = -1;

    if (command < 0) {
        command = MEMBARRIER_CMD_PRIVATE_EXPEDITED;
        if (syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0))
            command = MEMBARRIER_CMD_GLOBAL;
    }
    if (syscall(SYS_membarrier, command, 0, 0))
        usleep(10000); /* no membarrier here: longer than any store stays in its buffer */
    atomic_thread_fence(memory_order_seq_cst);
}

/* As above for a call that offers a record: one that hits another's bracket is a loss. */
static inline int enter(StrobeWriter *w)
{
    if (__builtin_expect(atomic_load_explicit(&w->busy, memory_order_relaxed) != 0, 0)) {
        if (w->generation == gate_now())
            count_lost(w, STROBE_LOSS_NESTED);
        return 0;
    }
    return enter_uncounted(w);
}

/* ---- blocks ---- */

static void hand_over(StrobeWriter *w)
{
    struct pool_block *block = w->block;

    if (!block)
        return;
    w->block = NULL;
    w->cursor = w->limit = NULL;
    atomic_store_explicit(&w->lane->block, STROBE_NO_BLOCK, memory_order_release);
    strobe_pool_push_full(pool, block);
}

static int next_block(StrobeWriter *w)
{
    hand_over(w);
    struct pool_block *block = strobe_pool_take(pool);
    if (!block)
        return 0;
    block->lane = w->index;
    block->sequence = ++w->lane->sequence;
    block->track = w->track;
    block->window = w->generation;
    atomic_store_explicit(&block->used, 0, memory_order_relaxed);
    atomic_store_explicit(&block->flushed, 0, memory_order_relaxed);
    atomic_store_explicit(&block->owned, 1, memory_order_release);
    w->block = block;
    w->block_window = w->generation;
    w->cursor = (char *)(block + 1);
    w->limit = w->cursor + STROBE_BLOCK_DATA;
    atomic_store_explicit(&w->lane->block, strobe_pool_index(pool, block), memory_order_release);
    return 1;
}

/* Room for `bytes` in the block, inside a bracket. */
static inline void *take_room(StrobeWriter *w, uint32_t bytes)
{
    if (__builtin_expect((size_t)(w->limit - w->cursor) < bytes, 0)) {
        if (bytes > STROBE_BLOCK_DATA) {
            count_lost(w, STROBE_LOSS_TOO_LARGE);
            return NULL;
        }
        if (!next_block(w)) {
            count_lost(w, STROBE_LOSS_POOL_EMPTY);
            return NULL;
        }
    }
    w->pending = bytes;
    return w->cursor;
}

/* What was reserved is filled: makes it part of the block. */
static inline void publish_pending(StrobeWriter *w)
{
    w->cursor += w->pending;
    w->pending = 0;
    atomic_store_explicit(&w->block->used, (uint32_t)(w->cursor - (char *)(w->block + 1)),
                          memory_order_release);
}

static inline struct pool_span *span_at(const StrobeWriter *w, uint32_t index)
{
    if (__builtin_expect(index < STROBE_POOL_SPANS, 1))
        return &w->lane->spans[index];
    return &deep_spans[w->index][index - STROBE_POOL_SPANS];
}

/* How many of the open spans a kill leaves behind. */
static inline void publish_depth(StrobeWriter *w)
{
    uint32_t depth = w->depth < STROBE_POOL_SPANS ? w->depth : STROBE_POOL_SPANS;
    atomic_store_explicit(&w->lane->depth, depth, memory_order_release);
}

/* ---- attaching ---- */

static StrobeWriter *claim_writer(void)
{
    for (unsigned i = 0; i < STROBE_POOL_LANES / 64; i++) {
        uint64_t map = atomic_load_explicit(&writer_map[i], memory_order_relaxed);
        while (map != UINT64_MAX) {
            unsigned bit = (unsigned)__builtin_ctzll(~map);
            if (atomic_compare_exchange_weak_explicit(&writer_map[i], &map, map | 1ull << bit,
                                                      memory_order_acquire, memory_order_relaxed)) {
                StrobeWriter *w = &writers[i * 64 + bit];
                w->index = i * 64 + bit;
                w->session = 0;
                w->generation = 0;
                return w;
            }
        }
    }
    return NULL;
}

static void release_writer(StrobeWriter *w)
{
    w->generation = 0;
    atomic_fetch_and_explicit(&writer_map[w->index / 64], ~(1ull << (w->index % 64)),
                              memory_order_release);
}

static void bind_lane(StrobeWriter *w, uint32_t window)
{
    struct pool_lane *lane = strobe_pool_lane(pool, w->index);

    w->lane = lane;
    w->depth = 0;
    /* A thread that ended in this window left its block to the next one on this lane. */
    if (!w->block || w->block_window != window) {
        w->block = NULL;
        w->cursor = w->limit = NULL;
        atomic_store_explicit(&lane->block, STROBE_NO_BLOCK, memory_order_relaxed);
    }
    if (w->session != pool_session) {
        w->track = strobe_track_of_thread(pool);
        w->session = pool_session;
    }
    atomic_store_explicit(&lane->depth, 0, memory_order_relaxed);
    atomic_store_explicit(&lane->track, w->track, memory_order_relaxed);
    atomic_store_explicit(&lane->window, window, memory_order_relaxed);
    w->generation = window;
}

/* First record of this thread in this window. */
static __attribute__((noinline)) StrobeWriter *attach(uint32_t window)
{
    StrobeWriter *w = thread_writer;

    if (!w) {
        w = claim_writer();
        if (!w) {
            atomic_fetch_add_explicit(&no_lane, 1, memory_order_relaxed);
            return NULL;
        }
        if (pthread_setspecific(exit_key, w)) {
            release_writer(w);
            atomic_fetch_add_explicit(&no_lane, 1, memory_order_relaxed);
            return NULL;
        }
        thread_writer = w;
    }
    if (atomic_load_explicit(&w->busy, memory_order_relaxed))
        return NULL; /* a signal hit this thread while it attached */
    atomic_store_explicit(&w->busy, 1, memory_order_seq_cst);
    /* Whoever sees the gate open sees the pool that was set before it. */
    int is_open = __atomic_load_n(&strobe_gate, __ATOMIC_ACQUIRE) == window;
    if (is_open)
        bind_lane(w, window);
    leave(w);
    return is_open ? w : NULL;
}

StrobeWriter *strobe_lane_writer(void)
{
    uint32_t window = gate_now();
    StrobeWriter *w = thread_writer;

    if (__builtin_expect(window == 0, 0))
        return NULL;
    if (__builtin_expect(w != NULL && w->generation == window, 1))
        return w;
    return attach(window);
}

/* Spans that the thread never ended, innermost first. */
static void leave_open_spans(StrobeWriter *w)
{
    uint64_t now = strobe_clock_now();

    while (w->depth) {
        void *room = take_room(w, STROBE_UNFINISHED_WORDS * 8);
        if (room) {
            strobe_pool_span_words(span_at(w, w->depth - 1), w->track, now, room);
            publish_pending(w);
        }
        w->depth--;
        publish_depth(w);
    }
}

/* The thread ends. Its block goes to the writer thread when it is well filled, else to the next
 * thread on this lane: many short threads must not use up the pool. */
static void thread_exits(void *value)
{
    StrobeWriter *w = value;

    if (w->generation && w->generation == gate_now() && enter_uncounted(w)) {
        leave_open_spans(w);
        if (w->limit - w->cursor < (ptrdiff_t)STROBE_BLOCK_DATA / 4)
            hand_over(w);
        leave(w);
    }
    thread_writer = NULL;
    release_writer(w);
}

/* ---- recording ---- */

static inline void *begin_record(StrobeWriter *w, uint32_t kind, uint32_t track, uint32_t name,
                                 uint64_t begin, uint64_t end)
{
    const struct lane_kind *info = &strobe_lane_kinds[kind < STROBE_KINDS_MAX ? kind : 0];

    /* The block was begun by another thread, which is gone: its track is not ours. */
    if (track == 0 && w->block && __builtin_expect(w->block->track != w->track, 0))
        track = w->track;
    uint32_t words = info->words + (track ? 1u : 0u);
    uint64_t *out;

    if (__builtin_expect(info->words == 0, 0)) {
        count_lost(w, STROBE_LOSS_TOO_LARGE);
        return NULL;
    }
    out = take_room(w, words * 8);
    if (__builtin_expect(!out, 0))
        return NULL;
    uint64_t *last = out + words;
    *out++ =
        (uint64_t)name << 32 | (uint64_t)kind << 16 | words | (track ? STROBE_RECORD_HAS_TRACK : 0);
    *out++ = begin;
    if (info->has_end)
        *out++ = end;
    if (track)
        *out++ = track;
    uint64_t *fields = out;
    while (out < last)
        *out++ = 0;
    return fields;
}

/* The gate shut before the record came, and yet it belongs to the window. */
static __attribute__((noinline)) void count_late(uint64_t begin)
{
    uint64_t end = atomic_load_explicit(&window_end, memory_order_relaxed);

    if (gate_now() == 0 && begin < end)
        atomic_fetch_add_explicit(&late, 1, memory_order_relaxed);
}

void *strobe_lane_reserve(StrobeWriter *w, uint32_t kind, uint32_t track, uint32_t name,
                          uint64_t begin, uint64_t end)
{
    void *fields;

    if (!w)
        return NULL;
    if (!enter(w)) {
        count_late(begin);
        return NULL;
    }
    fields = begin_record(w, kind, track, name, begin, end);
    if (!fields)
        leave(w);
    return fields;
}

void strobe_lane_commit(StrobeWriter *w)
{
    publish_pending(w);
    leave(w);
}

void *strobe_lane_reserve_bulk(StrobeWriter *w, uint32_t bytes)
{
    void *room;

    if (!w || !enter(w))
        return NULL;
    if (w->block && w->block->track != w->track)
        hand_over(w);
    if (bytes % 8 || bytes == 0 || bytes > STROBE_BULK_MAX)
        room = NULL;
    else
        room = take_room(w, bytes);
    if (!room)
        leave(w);
    return room;
}

StrobeSpan strobe_lane_span_begin(StrobeWriter *w, uint32_t kind, uint32_t name, uint64_t argument)
{
    StrobeSpan span = {0};

    if (!w || !enter(w))
        return span;
    uint32_t depth = w->depth;
    if (__builtin_expect(depth >= STROBE_POOL_SPANS + STROBE_DEEP_SPANS, 0)) {
        count_lost(w, STROBE_LOSS_SPAN_DEPTH);
    } else {
        struct pool_span *open = span_at(w, depth);
        open->kind = kind;
        open->name = name;
        open->argument = argument;
        open->begin = strobe_clock_now();
        w->depth = depth + 1;
        publish_depth(w);
        span.token = (uint64_t)w->generation << 32 | (depth + 1);
    }
    leave(w);
    return span;
}

static inline void *end_span(StrobeWriter *w, StrobeSpan span, uint64_t *argument)
{
    uint32_t depth = (uint32_t)span.token;
    void *fields = NULL;

    if (!w || depth == 0 || (uint32_t)(span.token >> 32) != w->generation)
        return NULL;
    uint64_t end = strobe_clock_now();
    if (!enter(w))
        return NULL;
    if (depth <= w->depth) {
        const struct pool_span *open = span_at(w, depth - 1);
        if (argument)
            *argument = open->argument;
        fields = begin_record(w, open->kind, 0, open->name, open->begin, end);
        w->depth = depth - 1;
        publish_depth(w);
    }
    if (!fields)
        leave(w);
    return fields;
}

void *strobe_lane_span_end(StrobeWriter *w, StrobeSpan span)
{
    return end_span(w, span, NULL);
}

void *strobe_lane_span_end_argument(StrobeWriter *w, StrobeSpan span, uint64_t *argument)
{
    return end_span(w, span, argument);
}

/* The table is full: the string goes into the lane as a record of its own. */
static uint32_t write_beside(StrobeWriter *w, const void *bytes, size_t length, int is_stack)
{
    uint32_t room_for = STROBE_BLOCK_DATA - 16;
    uint32_t n = length > room_for ? room_for : (uint32_t)length;
    uint32_t words = (uint32_t)(2 + (n + 7) / 8); /* header, length word, bytes */
    uint64_t *out = take_room(w, words * 8);

    if (!out)
        return 0;
    if (n < length)
        count_lost(w, STROBE_LOSS_STRING_CUT);
    uint32_t id = STROBE_STRING_BESIDE |
                  (atomic_fetch_add_explicit(&pool->n_beside, 1, memory_order_relaxed) &
                   ~STROBE_STRING_BESIDE);
    out[0] = (uint64_t)id << 32 | (uint64_t)STROBE_KIND_STRING << 16 | words;
    out[words - 1] = 0;
    out[1] = n | (is_stack ? STROBE_STRING_IS_STACK : 0);
    memcpy(out + 2, bytes, n);
    publish_pending(w);
    return id;
}

uint32_t strobe_lane_intern(StrobeWriter *w, const void *bytes, size_t length, int is_stack)
{
    uint32_t id;

    if (!w || !enter_uncounted(w)) /* the record that wants the string counts the loss */
        return 0;
    if (length > STROBE_STRING_MAX) {
        length = STROBE_STRING_MAX;
        count_lost(w, STROBE_LOSS_STRING_CUT);
    }
    id = strobe_pool_intern(pool, bytes, length, is_stack);
    if (id == 0 && length)
        id = write_beside(w, bytes, length, is_stack);
    leave(w);
    return id;
}

/* ---- the gate ---- */

void strobe_lane_open_gate(struct pool_header *header, uint32_t session, uint32_t window)
{
    pool = header;
    pool_session = session;
    __atomic_store_n(&strobe_gate, window, __ATOMIC_SEQ_CST);
}

unsigned strobe_lane_close_gate(uint64_t end)
{
    unsigned stuck = 0;

    atomic_store_explicit(&window_end, end, memory_order_relaxed);
    __atomic_store_n(&strobe_gate, 0, __ATOMIC_SEQ_CST);
    barrier_in_all_threads();
    for (unsigned i = 0; i < STROBE_POOL_LANES; i++) {
        StrobeWriter *w = &writers[i];
        /* A bracket is a few stores long; a thread that lost its processor in one gets a second. */
        for (int n = 0; n < 10000 && atomic_load_explicit(&w->busy, memory_order_acquire); n++)
            usleep(100);
        stuck += atomic_load_explicit(&w->busy, memory_order_acquire) != 0;
    }
    return stuck;
}

uint64_t strobe_lane_take_late(void)
{
    return atomic_exchange_explicit(&late, 0, memory_order_relaxed);
}

uint64_t strobe_lane_take_no_lane(void)
{
    return atomic_exchange_explicit(&no_lane, 0, memory_order_relaxed);
}

/* The child has this one thread, no pool and no writer thread: nothing is recorded until it opens
 * a session of its own. */
static void in_child(void)
{
    StrobeWriter *mine = thread_writer;

    __atomic_store_n(&strobe_gate, 0, __ATOMIC_SEQ_CST);
    for (unsigned i = 0; i < STROBE_POOL_LANES / 64; i++)
        atomic_store_explicit(&writer_map[i], 0, memory_order_relaxed);
    for (unsigned i = 0; i < STROBE_POOL_LANES; i++) {
        writers[i].generation = 0;
        writers[i].session = 0;
        writers[i].block = NULL;
        atomic_store_explicit(&writers[i].busy, 0, memory_order_relaxed);
    }
    if (mine)
        atomic_store_explicit(&writer_map[mine->index / 64], 1ull << (mine->index % 64),
                              memory_order_relaxed);
}

int strobe_lane_init(void)
{
    int error;

    if (is_initialised)
        return 0;
    error = pthread_key_create(&exit_key, thread_exits);
    if (error)
        return error;
    pthread_atfork(NULL, NULL, in_child);
    is_initialised = 1;
    return 0;
}
