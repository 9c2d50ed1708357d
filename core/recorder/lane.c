/* SPDX-License-Identifier: Apache-2.0 */
#include "lane-inline.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <string.h>
#include <strobe/strobe.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "intern.h"
#include "track-table.h"
#include "writer-state.h"

#define PATIENCE_NS 1000000000

/* The gate has a page to itself: that page is empty in a forked child, so that the gate is off
 * there before any fork handler runs. */
#if defined(__x86_64__) || defined(__i386__)
#define GATE_PAGE 4096
#else
#define GATE_PAGE 65536
#endif
static union {
    uint32_t gate;
    char page[GATE_PAGE];
} gate_page __attribute__((aligned(GATE_PAGE)));
extern uint32_t strobe_gate __attribute__((alias("gate_page")));

struct lane_kind strobe_lane_kinds[STROBE_KINDS_MAX];

static StrobeWriter writers[STROBE_POOL_LANES];
struct pool_span strobe_deep_spans[STROBE_POOL_LANES][STROBE_DEEP_SPANS];
static struct cached_name cached_names[STROBE_POOL_LANES][STROBE_CACHED_NAMES]
    __attribute__((aligned(64)));
struct lane_state strobe_lanes;
__thread struct lane_thread strobe_thread LANE_TLS;

static _Atomic uint64_t writer_map[STROBE_POOL_LANES / 64]; /* 1: in use */
static char is_stuck[STROBE_POOL_LANES]; /* since the gate was shut; the control thread's */
static int is_gate_wiped;                /* in a forked child */
/* This thread is in fork(): 1, and what handlers offer to record; and what its writer was attached
 * to. */
static __thread uint32_t forking LANE_TLS;
static __thread uint32_t generation_at_fork LANE_TLS;
static pthread_key_t exit_key;
static int is_initialised;
static int is_writer;         /* this process is the writer, not the program */
static int has_quick_barrier; /* in all threads: microseconds */

static void barrier_in_all_threads(void)
{
    int command = has_quick_barrier ? MEMBARRIER_CMD_PRIVATE_EXPEDITED : MEMBARRIER_CMD_GLOBAL;

    if (syscall(SYS_membarrier, command, 0, 0))
        usleep(10000); /* no membarrier here: longer than any store stays in its buffer */
    atomic_thread_fence(memory_order_seq_cst);
}

/* Any thread may be the second to ask, before the first is through. */
void strobe_lane_share(uint32_t index)
{
    _Atomic uint32_t *sharing = &writers[index].sharing;

    if (atomic_load(sharing) == LANE_SHARED)
        return;
    atomic_store(sharing, LANE_SHARING);
    STROBE_TESTPOINT("lane-sharing");
    barrier_in_all_threads();
    atomic_store(sharing, LANE_SHARED);
}

/* ---- blocks ---- */

void strobe_lane_hand_over(StrobeWriter *w)
{
    struct pool_block *block = w->block;

    if (!block)
        return;
    w->block = NULL;
    w->cursor = w->limit = NULL;
    atomic_store_explicit(&w->lane->is_handing_over, 1, memory_order_relaxed);
    atomic_store_explicit(&w->lane->block, STROBE_NO_BLOCK, memory_order_release);
    block->full_at = strobe_clock_now();
    STROBE_TESTPOINT("block-detached");
    strobe_pool_push_full(w->pool, block);
    atomic_store_explicit(&w->lane->is_handing_over, 0, memory_order_release);
}

/* Until the writer has freed a block, the window ends or the writer is gone. An interposer of what
 * is called here may hit the bracket, not far below. */
static struct pool_block *wait_for_block(StrobeWriter *w)
{
    const struct timespec nap = {0, 100000};
    struct pool_block *block = NULL;

    atomic_fetch_add_explicit(&w->busy, STROBE_SIGNAL_FRAME, memory_order_relaxed);
    while (!block && !strobe_writer_is_gone(w->pool) &&
           (gate_now() == w->generation || is_late(w))) {
        STROBE_TESTPOINT("block-awaited");
        nanosleep(&nap, NULL);
        block = strobe_pool_take(w->pool);
    }
    return block;
}

static struct pool_block *find_block(StrobeWriter *w)
{
    struct pool_block *block = strobe_pool_take(w->pool);

    if (block || strobe_lanes.policy == STROBE_POLICY_DROP)
        return block;
    return strobe_lanes.policy == STROBE_POLICY_RING
               ? strobe_ring_take(strobe_lanes.ring, w->pool, w->index + 1)
               : wait_for_block(w);
}

/* Not with a block that another thread began: each record then needs its track. */
static void allow_short_way(StrobeWriter *w)
{
    int is_own = !w->block || w->block->track == w->track;

    w->short_spans = strobe_clock_counter && is_own ? STROBE_POOL_SPANS : 0;
}

/* Goes on behind what the block holds. In the writer process that is what the program says. */
static void fill_block(StrobeWriter *w, struct pool_block *block)
{
    char *data = (char *)(block + 1);
    uint32_t used = strobe_pool_used(block);

    w->block = block;
    w->block_window = w->generation;
    w->base = block->base;
    w->cursor = data + (used & ~7u);
    w->limit = data + STROBE_BLOCK_DATA;
    allow_short_way(w);
}

int strobe_lane_next_block(StrobeWriter *w, uint32_t *cause)
{
    strobe_lane_hand_over(w);
    struct pool_block *block = find_block(w);
    if (!block) {
        *cause = strobe_writer_is_gone(w->pool) ? STROBE_LOSS_WRITER_GONE : STROBE_LOSS_POOL_EMPTY;
        return 0;
    }
    STROBE_TESTPOINT("block-taken");
    strobe_pool_begin_block(block, w->index, ++w->lane->sequence, w->track, w->generation);
    STROBE_TESTPOINT("block-owned");
    fill_block(w, block);
    atomic_store_explicit(&w->lane->block, strobe_pool_index(w->pool, block), memory_order_release);
    return 1;
}

/* ---- attaching ---- */

static StrobeWriter *take_writer(uint32_t index)
{
    StrobeWriter *w = &writers[index];

    w->session = 0;
    w->generation = LANE_DETACHED;
    /* The thread before may have died inside a bracket. */
    atomic_store_explicit(&w->busy, LANE_IDLE, memory_order_relaxed);
    return w;
}

/* All are in use: one whose thread is gone. */
static StrobeWriter *claim_vacant(void)
{
    for (unsigned i = 0; i < STROBE_POOL_LANES; i++) {
        uint32_t vacant = LANE_VACANT;
        if (atomic_load(&writers[i].parking) == LANE_VACANT &&
            atomic_load(&writers[i].busy) == LANE_IDLE && /* that thread has left it */
            atomic_compare_exchange_strong(&writers[i].parking, &vacant, 0))
            return take_writer(i);
    }
    return NULL;
}

void strobe_lane_be_writer(void)
{
    is_writer = 1;
}

int strobe_lane_is_own(uint32_t index)
{
    return (index >= STROBE_POOL_LANES - STROBE_POOL_WRITER_LANES) == is_writer;
}

/* Of 64 lanes, as in the map: those for threads of the other process. */
static uint64_t lanes_of_other(unsigned word)
{
    const uint64_t last = UINT64_MAX << (64 - STROBE_POOL_WRITER_LANES);
    const uint64_t of_writer = word == STROBE_POOL_LANES / 64 - 1 ? last : 0;

    return is_writer ? ~of_writer : of_writer;
}

static StrobeWriter *claim_writer(void)
{
    for (unsigned i = 0; i < STROBE_POOL_LANES / 64; i++) {
        const uint64_t others = lanes_of_other(i);
        uint64_t map = atomic_load_explicit(&writer_map[i], memory_order_relaxed);
        while ((map | others) != UINT64_MAX) {
            unsigned bit = (unsigned)__builtin_ctzll(~(map | others));
            if (atomic_compare_exchange_weak_explicit(&writer_map[i], &map, map | 1ull << bit,
                                                      memory_order_acquire, memory_order_relaxed))
                return take_writer(i * 64 + bit);
        }
    }
    return claim_vacant();
}

static void release_writer(StrobeWriter *w)
{
    w->generation = LANE_DETACHED;
    atomic_fetch_and_explicit(&writer_map[w->index / 64], ~(1ull << (w->index % 64)),
                              memory_order_release);
}

/* Is the writer's block that of the lane still, and not one of a pool that is gone? */
static int has_kept_block(const StrobeWriter *w, const struct pool_lane *lane)
{
    uint32_t index = atomic_load_explicit(&lane->block, memory_order_relaxed);

    return w->block && index < strobe_lanes.pool->n_blocks &&
           strobe_pool_block(strobe_lanes.pool, index) == w->block;
}

static void bind_lane(StrobeWriter *w, uint32_t window)
{
    struct pool_lane *lane = strobe_pool_lane(strobe_lanes.pool, w->index);

    w->pool = strobe_lanes.pool;
    w->lane = lane;
    w->depth = 0;
    if (w->names_session != strobe_lanes.session) {
        memset(w->names, 0, sizeof cached_names[0]);
        w->names_session = strobe_lanes.session;
    }
    /* A thread that ended in this window left its block to the next one on this lane, unless the
     * window was shut in between. One that was stuck when its window ended has still got it; what
     * it had committed was written then. */
    if (!w->block || w->block_window != window || !has_kept_block(w, lane)) {
        if (has_kept_block(w, lane))
            strobe_lane_hand_over(w);
        w->block = NULL;
        w->cursor = w->limit = NULL;
        atomic_store_explicit(&lane->block, STROBE_NO_BLOCK, memory_order_relaxed);
    }
    if (w->session != strobe_lanes.session) {
        strobe_track_end_thread(w->pool, w->index); /* the thread before */
        w->track = strobe_track_begin_thread(w->pool, w->index);
        w->session = strobe_lanes.session;
        if (w->track == 0) /* no room for its track: it must not appear on that of another thread */
            strobe_lane_hand_over(w);
    }
    allow_short_way(w);
    if (!has_quick_barrier)
        atomic_store_explicit(&w->sharing, LANE_SHARED, memory_order_relaxed);
    atomic_store_explicit(&lane->depth, 0, memory_order_relaxed);
    atomic_store_explicit(&lane->track, w->track, memory_order_relaxed);
    atomic_store_explicit(&lane->window, window, memory_order_relaxed);
    atomic_store_explicit(&lane->is_handing_over, 0, memory_order_relaxed); /* a dead thread's */
    strobe_thread.names = w->names; /* before the short way may use them, in a signal handler too */
    atomic_signal_fence(memory_order_seq_cst);
    w->generation = window;
}

/* Into the pool at once: a kill loses no count. */
static void count_lost_without_lane(uint32_t cause, uint32_t n)
{
    atomic_fetch_add(&strobe_lanes.n_counting, 1);
    if (__atomic_load_n(&strobe_gate, __ATOMIC_SEQ_CST))
        atomic_fetch_add(&strobe_lanes.pool->lost[cause], n);
    atomic_fetch_sub(&strobe_lanes.n_counting, 1);
}

/* First record of this thread in this window. */
StrobeWriter *strobe_lane_attach(uint32_t window, uintptr_t frame)
{
    StrobeWriter *w = strobe_thread.writer;

    if (forking) { /* by a handler, in the child even, which has no pool */
        forking++;
        return NULL;
    }
    if (w && atomic_load_explicit(&w->busy, memory_order_relaxed) &&
        !strobe_lane_leave_ended(w, frame)) {
        /* A signal that hit this thread while it attached. */
        count_lost_without_lane(STROBE_LOSS_NESTED, 1);
        return NULL;
    }
    if (!w) {
        w = claim_writer();
        if (!w) {
            count_lost_without_lane(STROBE_LOSS_NO_LANE, 1);
            return NULL;
        }
        if (pthread_setspecific(exit_key, w)) {
            release_writer(w);
            count_lost_without_lane(STROBE_LOSS_NO_LANE, 1);
            return NULL;
        }
        strobe_thread.writer = w;
    }
    atomic_store_explicit(&w->busy, frame + LANE_INSIDE, memory_order_seq_cst);
    STROBE_TESTPOINT("attach-busy");
    /* Whoever sees the gate open sees the pool that was set before it. */
    int is_open =
        __atomic_load_n(&strobe_gate, __ATOMIC_ACQUIRE) == window || strobe_thread.late == window;
    if (is_open)
        bind_lane(w, window);
    leave(w);
    return is_open ? w : NULL;
}

static void leave_span(StrobeWriter *w, const struct pool_span *span, uint64_t now)
{
    uint64_t record[STROBE_UNFINISHED_WORDS_MAX];
    uint32_t words = strobe_unfinished_words(w->lane, span, w->track, now,
                                             strobe_pool_beside_id(w->pool), record);
    void *room = words ? take_room(w, words * 8) : NULL;

    if (!room)
        return;
    memcpy(room, record, words * 8);
    publish_pending(w);
}

/* Spans that the thread never ended, innermost first. Loose ones stay: other threads end them. */
static void leave_open_spans(StrobeWriter *w)
{
    uint64_t now = strobe_clock_now();
    uint32_t kept = 0;

    for (uint32_t i = w->depth; i-- > 0;) {
        struct pool_span *span = span_at(w, i);
        if (i < STROBE_POOL_SPANS && is_loose(span) && !is_ended(span)) {
            kept = kept ? kept : i + 1;
            continue;
        }
        leave_span(w, span, now);
        STROBE_TESTPOINT("span-left");
        if (kept)
            atomic_store_explicit(&span->begin, 0, memory_order_release);
        w->depth = kept ? kept : i;
        publish_depth(w);
    }
}

static int has_loose_spans(const struct pool_lane *lane)
{
    uint32_t depth = atomic_load(&lane->depth);

    for (uint32_t i = 0; i < depth && i < STROBE_POOL_SPANS; i++)
        if (atomic_load(&lane->spans[i].begin))
            return 1;
    return 0;
}

void strobe_lane_unpark(uint32_t index)
{
    StrobeWriter *w = &writers[index];
    uint32_t parked = LANE_PARKED;

    if (atomic_load(&w->parking) == LANE_PARKED && !has_loose_spans(w->lane))
        atomic_compare_exchange_strong(&w->parking, &parked, LANE_VACANT);
}

/* Another thread may have ended the last of the spans just before. */
static void park(StrobeWriter *w)
{
    atomic_store(&w->parking, LANE_PARKED);
    strobe_lane_unpark(w->index);
}

/* Does what the thread was about to record go with its bracket? A span that it is ending is among
 * the open ones until it has left the stack. */
static int is_offer_lost(const struct pool_lane *lane, uint64_t busy)
{
    uint32_t depth = atomic_load_explicit(&lane->depth, memory_order_acquire);
    uint32_t state = busy & LANE_STATES;

    return state == LANE_OFFERS || (state == LANE_ENDS && depth < busy >> LANE_DEPTH_SHIFT);
}

/* The lane is as its thread left it somewhere in the bracket. A block that is the lane's is in no
 * queue yet, and holds what was committed. */
static void mend_lane(StrobeWriter *w)
{
    uint32_t index = atomic_load_explicit(&w->lane->block, memory_order_relaxed);

    publish_depth(w);
    w->block = NULL;
    w->cursor = w->limit = NULL;
    atomic_store_explicit(&w->lane->is_handing_over, 0, memory_order_relaxed);
    if (index < w->pool->n_blocks)
        fill_block(w, strobe_pool_block(w->pool, index));
}

/* A signal handler ended the thread in the middle of a bracket, or jumped out of it. If the record
 * was just committed, it is counted as lost all the same. */
static void abandon_bracket(StrobeWriter *w)
{
    if (w->generation == gate_now() || is_late(w)) {
        mend_lane(w);
        if (is_offer_lost(w->lane, atomic_load_explicit(&w->busy, memory_order_relaxed)))
            count_lost(w, STROBE_LOSS_NESTED);
        atomic_store_explicit(&strobe_lanes.has_abandoned, 1, memory_order_relaxed);
    }
    if (strobe_lanes.ring && w->generation == gate_now())
        strobe_ring_abandon(strobe_lanes.ring, w->index + 1);
    w->pending = 0;
    leave(w);
}

int __attribute__((noinline, cold)) strobe_lane_leave_ended(StrobeWriter *w, uintptr_t frame)
{
    uint64_t busy = atomic_load_explicit(&w->busy, memory_order_relaxed);

    if (!strobe_frame_has_ended(busy & LANE_BORDER, frame))
        return 0;
    abandon_bracket(w);
    return 1;
}

/* The thread ends. Its block goes to the writer when it is well filled, else to the next
 * thread on this lane: many short threads must not use up the pool. */
static void thread_exits(void *value)
{
    StrobeWriter *w = value;
    int is_parked = 0;

    STROBE_TESTPOINT("thread-exits");
    if (atomic_load_explicit(&w->busy, memory_order_relaxed))
        abandon_bracket(w);
    if (w->generation == gate_now() && enter_uncounted(w, STROBE_FRAME() + LANE_INSIDE)) {
        leave_open_spans(w);
        is_parked = w->depth != 0;
        if (is_parked || w->limit - w->cursor < (ptrdiff_t)STROBE_BLOCK_DATA / 4)
            strobe_lane_hand_over(w);
        if (is_parked)
            park(w);
        else
            strobe_track_end_thread(w->pool, w->index);
        leave(w);
    }
    strobe_thread.writer = NULL;
    STROBE_TESTPOINT("thread-detached");
    if (!is_parked)
        release_writer(w);
}

/* ---- the gate ---- */

void strobe_lane_set_policy(enum strobe_policy policy, StrobeRing *ring)
{
    strobe_lanes.policy = policy;
    strobe_lanes.ring = ring;
}

void strobe_lane_open_gate(struct pool_header *header, uint32_t session, uint32_t window)
{
    strobe_lanes.pool = header;
    strobe_lanes.session = session;
    if (strobe_lanes.ring)
        atomic_store_explicit(&strobe_lanes.ring->window, window, memory_order_relaxed);
    __atomic_store_n(&strobe_gate, window, __ATOMIC_SEQ_CST);
}

/* A bracket is a few stores long; threads that lost their processors in one are waited for, all
 * together. One that was seen outside once is: it may enter again, but then finds the gate shut. */
static int wait_until_outside(const StrobeWriter *w, int64_t deadline)
{
    while (atomic_load_explicit(&w->busy, memory_order_acquire) != LANE_IDLE) {
        if (strobe_clock_ns(CLOCK_MONOTONIC) >= deadline)
            return 0;
        usleep(100);
    }
    STROBE_TESTPOINT("lane-outside");
    return 1;
}

/* What the thread was about to record when the window ended without it. Of a thread that has not
 * recorded in this window it can be nothing of the window; its lane may be that of a session that
 * is gone. */
static void count_stuck(const StrobeWriter *w, uint32_t window)
{
    struct pool_lane *lane = strobe_pool_lane(strobe_lanes.pool, w->index);
    uint64_t busy = atomic_load_explicit(&w->busy, memory_order_acquire);

    if (atomic_load(&lane->window) == window && is_offer_lost(lane, busy))
        atomic_fetch_add_explicit(&lane->lost[STROBE_LOSS_LATE], 1, memory_order_relaxed);
}

int strobe_lane_is_stuck(uint32_t index)
{
    return is_stuck[index];
}

unsigned strobe_lane_close_gate(uint64_t end)
{
    int64_t deadline = strobe_clock_ns(CLOCK_MONOTONIC) + PATIENCE_NS;
    uint32_t window = gate_now();
    unsigned stuck = 0;

    atomic_store_explicit(&strobe_lanes.window_end, end, memory_order_relaxed);
    __atomic_store_n(&strobe_gate, 0, __ATOMIC_SEQ_CST);
    STROBE_TESTPOINT("gate-shut");
    barrier_in_all_threads();
    for (unsigned i = 0; i < STROBE_POOL_LANES; i++) {
        StrobeWriter *w = &writers[i];
        is_stuck[i] = !wait_until_outside(w, deadline);
        if (!is_stuck[i]) {
            if (atomic_exchange(&w->parking, 0))
                release_writer(w);
            continue;
        }
        count_stuck(w, window);
        stuck++;
    }
    return stuck;
}

uint64_t strobe_lane_take_late(void)
{
    return atomic_exchange_explicit(&strobe_lanes.late, 0, memory_order_relaxed);
}

int strobe_lane_take_abandoned(void)
{
    return atomic_exchange_explicit(&strobe_lanes.has_abandoned, 0, memory_order_relaxed);
}

int strobe_lane_is_counting(void)
{
    return atomic_load(&strobe_lanes.n_counting) != 0;
}

int strobe_lane_is_gate_open(void)
{
    return gate_now() != 0;
}

/* A program that links to us may have taken the gate into its own data: then that page is not its
 * alone. */
static int wipe_gate_on_fork(void)
{
    uint32_t *there = &strobe_gate, *ours = &gate_page.gate;

    __asm__("" : "+r"(there), "+r"(ours)); /* the compiler holds them to be the same */
    return there == ours && madvise(ours, GATE_PAGE, MADV_WIPEONFORK) == 0;
}

/* fork() runs other handlers, which may record, before ours in the child, where there is no pool.
 * If the gate is not off by itself there, the thread does not record from here on. */
static void before_fork(void)
{
    if (is_gate_wiped && !strobe_thread.late) {
        STROBE_TESTPOINT("fork-begun");
        return;
    }
    forking = 1;
    generation_at_fork = strobe_thread.writer ? strobe_thread.writer->generation : LANE_DETACHED;
    if (strobe_thread.writer)
        strobe_thread.writer->generation = LANE_DETACHED;
    STROBE_TESTPOINT("fork-begun");
}

static void after_fork(void)
{
    if (!forking)
        return;
    if (strobe_thread.writer)
        strobe_thread.writer->generation = generation_at_fork;
    count_lost_without_lane(STROBE_LOSS_NESTED, forking - 1);
    forking = 0;
}

/* The child has this one thread, no pool and no writer: nothing is recorded until it opens
 * a session of its own. */
static void in_child(void)
{
    StrobeWriter *mine = strobe_thread.writer;

    STROBE_TESTPOINT("fork-child");
    forking = 0;
    atomic_store(&strobe_lanes.n_counting, 0);
    strobe_thread.late = 0;
    __atomic_store_n(&strobe_gate, 0, __ATOMIC_SEQ_CST);
    for (unsigned i = 0; i < STROBE_POOL_LANES; i++) {
        if (!(atomic_load_explicit(&writer_map[i / 64], memory_order_relaxed) >> (i % 64) & 1))
            continue; /* not to be copied for nothing */
        writers[i].generation = LANE_DETACHED;
        writers[i].session = 0;
        writers[i].block = NULL;
        atomic_store_explicit(&writers[i].busy, LANE_IDLE, memory_order_relaxed);
        atomic_store_explicit(&writers[i].parking, 0, memory_order_relaxed);
    }
    for (unsigned i = 0; i < STROBE_POOL_LANES / 64; i++)
        atomic_store_explicit(&writer_map[i], 0, memory_order_relaxed);
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
    error = pthread_atfork(before_fork, after_fork, in_child);
    if (error)
        pthread_key_delete(exit_key);
    is_gate_wiped = wipe_gate_on_fork();
    has_quick_barrier =
        syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
    for (uint32_t i = 0; i < STROBE_POOL_LANES; i++) { /* others read them at any time */
        writers[i].index = i;
        writers[i].names = cached_names[i];
    }
    is_initialised = error == 0;
    return error;
}
