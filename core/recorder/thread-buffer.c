/* SPDX-License-Identifier: Apache-2.0 */
#include "thread-buffer-inline.h"

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

/* The gate has its own page. This page is empty in a forked child, so the gate is off there
 * before any fork handler runs. */
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

struct thread_buffer_kind strobe_thread_buffer_kinds[STROBE_KINDS_MAX];

static StrobeWriter writers[STROBE_POOL_THREAD_BUFFERS];
struct pool_span strobe_deep_spans[STROBE_POOL_THREAD_BUFFERS][STROBE_DEEP_SPANS];
static struct cached_name cached_names[STROBE_POOL_THREAD_BUFFERS][STROBE_CACHED_NAMES]
    __attribute__((aligned(64)));
struct thread_buffer_state strobe_thread_buffers;
__thread struct thread_buffer_thread strobe_thread THREAD_BUFFER_TLS;

static _Atomic uint64_t writer_map[STROBE_POOL_THREAD_BUFFERS / 64]; /* 1: in use */
/* 1: the thread was still in a critical section when its window ended; only the control thread uses
 * this */
static char is_stuck[STROBE_POOL_THREAD_BUFFERS];
static int is_gate_wiped; /* 1: the kernel clears the gate's page in a forked child */
/* `forking` is not 0 while this thread is in fork(): 1 plus the number of records that fork
 * handlers have tried to make. `generation_at_fork` is the window to which the thread's writer was
 * attached before fork(). */
static __thread uint32_t forking THREAD_BUFFER_TLS;
static __thread uint32_t generation_at_fork THREAD_BUFFER_TLS;
static pthread_key_t exit_key;
static int is_initialised;
static int is_writer; /* this process is the writer, not the program */
/* the kernel has a barrier in all threads that takes only microseconds */
static int has_quick_barrier;

static void barrier_in_all_threads(void)
{
    int command = has_quick_barrier ? MEMBARRIER_CMD_PRIVATE_EXPEDITED : MEMBARRIER_CMD_GLOBAL;

    if (syscall(SYS_membarrier, command, 0, 0))
        usleep(10000); /* without membarrier: wait longer than a store can stay in a store buffer */
    atomic_thread_fence(memory_order_seq_cst);
}

/* Makes the buffer's owner notice that the buffer is shared. Several threads may call this function
 * at the same time. */
void strobe_thread_buffer_share(uint32_t index)
{
    _Atomic uint32_t *sharing = &writers[index].sharing;

    if (atomic_load(sharing) == THREAD_BUFFER_SHARED)
        return;
    atomic_store(sharing, THREAD_BUFFER_SHARING);
    STROBE_TESTPOINT("thread-buffer-sharing");
    barrier_in_all_threads();
    atomic_store(sharing, THREAD_BUFFER_SHARED);
}

/* ---- blocks ---- */

void strobe_thread_buffer_hand_over(StrobeWriter *w)
{
    struct pool_block *block = w->block;

    if (!block)
        return;
    w->block = NULL;
    w->cursor = w->limit = NULL;
    atomic_store_explicit(&w->thread_buffer->is_handing_over, 1, memory_order_relaxed);
    atomic_store_explicit(&w->thread_buffer->block, STROBE_NO_BLOCK, memory_order_release);
    block->full_at = strobe_clock_now();
    STROBE_TESTPOINT("block-detached");
    strobe_pool_push_full(w->pool, block);
    atomic_store_explicit(&w->thread_buffer->is_handing_over, 0, memory_order_release);
}

/* May the thread wait longer? The wait is limited, because the writer may hang on a disk that does
 * not answer.
 * */
static int may_wait(int64_t begun_ns)
{
    const int64_t patience_ns = strobe_thread_buffers.patience_ns;

    return !patience_ns || strobe_clock_ns(CLOCK_MONOTONIC) - begun_ns < patience_ns;
}

/* Waits until the writer has freed a block, the window ends or the writer is gone. Another library
 * may intercept a function that is called here, and record. Its call must find the critical section
 * active, although its frame is near this one; therefore the border in `busy` is raised. */
static struct pool_block *wait_for_block(StrobeWriter *w)
{
    const struct timespec nap = {0, 100000};
    const int64_t begun_ns = strobe_clock_ns(CLOCK_MONOTONIC);
    struct pool_block *block = NULL;

    if (atomic_load_explicit(&strobe_thread_buffers.is_out_of_block, memory_order_relaxed))
        return NULL;
    atomic_fetch_add_explicit(&w->busy, STROBE_SIGNAL_FRAME, memory_order_relaxed);
    while (!block && may_wait(begun_ns) && !strobe_writer_is_gone(w->pool) &&
           (gate_now() == w->generation || is_late(w))) {
        STROBE_TESTPOINT("block-awaited");
        nanosleep(&nap, NULL);
        block = strobe_pool_take(w->pool);
    }
    if (!block)
        atomic_store(&strobe_thread_buffers.is_out_of_block, strobe_thread_buffers.patience_ns > 0);
    return block;
}

static struct pool_block *find_block(StrobeWriter *w)
{
    struct pool_block *block = strobe_pool_take(w->pool);

    if (block && atomic_load_explicit(&strobe_thread_buffers.is_out_of_block, memory_order_relaxed))
        atomic_store(&strobe_thread_buffers.is_out_of_block, 0);
    if (block || strobe_thread_buffers.policy == STROBE_POLICY_DROP)
        return block;
    return strobe_thread_buffers.policy == STROBE_POLICY_RING
               ? strobe_ring_take(strobe_thread_buffers.ring, w->pool, w->index + 1)
               : wait_for_block(w);
}

/* Allows the fast path, except in a block that another thread began, in which each record needs a
 * track word. */
static void allow_short_way(StrobeWriter *w)
{
    int is_own = !w->block || w->block->track == w->track;

    w->short_spans = strobe_clock_counter && is_own ? STROBE_POOL_SPANS : 0;
}

/* Sets the writer to continue after the block's existing records. In the writer process the size of
 * these records is checked, because the program may write any value. */
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

int strobe_thread_buffer_next_block(StrobeWriter *w, uint32_t *cause)
{
    strobe_thread_buffer_hand_over(w);
    struct pool_block *block = find_block(w);
    if (!block) {
        *cause = strobe_writer_is_gone(w->pool) ? STROBE_LOSS_WRITER_GONE : STROBE_LOSS_POOL_EMPTY;
        return 0;
    }
    STROBE_TESTPOINT("block-taken");
    strobe_pool_begin_block(block, w->index, ++w->thread_buffer->sequence, w->track, w->generation);
    STROBE_TESTPOINT("block-owned");
    fill_block(w, block);
    atomic_store_explicit(&w->thread_buffer->block, strobe_pool_index(w->pool, block),
                          memory_order_release);
    return 1;
}

/* ---- attaching ---- */

static StrobeWriter *take_writer(uint32_t index)
{
    StrobeWriter *w = &writers[index];

    w->session = 0;
    w->generation = THREAD_BUFFER_DETACHED;
    /* The previous thread of this buffer may have died inside a critical section. */
    atomic_store_explicit(&w->busy, THREAD_BUFFER_IDLE, memory_order_relaxed);
    return w;
}

/* Called if all thread buffers are in use: takes one whose thread, and the async spans that the
 * thread left open, have ended. */
static StrobeWriter *claim_vacant(void)
{
    for (unsigned i = 0; i < STROBE_POOL_THREAD_BUFFERS; i++) {
        uint32_t vacant = THREAD_BUFFER_VACANT;
        if (atomic_load(&writers[i].parking) == THREAD_BUFFER_VACANT &&
            /* the thread is in no critical section */
            atomic_load(&writers[i].busy) == THREAD_BUFFER_IDLE &&
            atomic_compare_exchange_strong(&writers[i].parking, &vacant, 0))
            return take_writer(i);
    }
    return NULL;
}

void strobe_thread_buffer_be_writer(void)
{
    is_writer = 1;
}

int strobe_thread_buffer_is_own(uint32_t index)
{
    return (index >= STROBE_POOL_THREAD_BUFFERS - STROBE_POOL_WRITER_THREAD_BUFFERS) == is_writer;
}

/* Returns the bits of the thread buffers in word `word` of writer_map that are for threads of the
 * other process (program or writer). */
static uint64_t thread_buffers_of_other(unsigned word)
{
    const uint64_t last = UINT64_MAX << (64 - STROBE_POOL_WRITER_THREAD_BUFFERS);
    const uint64_t of_writer = word == STROBE_POOL_THREAD_BUFFERS / 64 - 1 ? last : 0;

    return is_writer ? ~of_writer : of_writer;
}

static StrobeWriter *claim_writer(void)
{
    for (unsigned i = 0; i < STROBE_POOL_THREAD_BUFFERS / 64; i++) {
        const uint64_t others = thread_buffers_of_other(i);
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
    w->generation = THREAD_BUFFER_DETACHED;
    atomic_fetch_and_explicit(&writer_map[w->index / 64], ~(1ull << (w->index % 64)),
                              memory_order_release);
}

/* Is the writer's block still in the thread buffer, and not from an unmapped pool? */
static int has_kept_block(const StrobeWriter *w, const struct pool_thread_buffer *thread_buffer)
{
    uint32_t index = atomic_load_explicit(&thread_buffer->block, memory_order_relaxed);

    return w->block && index < strobe_thread_buffers.pool->n_blocks &&
           strobe_pool_block(strobe_thread_buffers.pool, index) == w->block;
}

static void bind_thread_buffer(StrobeWriter *w, uint32_t window)
{
    struct pool_thread_buffer *thread_buffer =
        strobe_pool_thread_buffer(strobe_thread_buffers.pool, w->index);

    w->pool = strobe_thread_buffers.pool;
    w->thread_buffer = thread_buffer;
    w->depth = 0;
    if (w->names_session != strobe_thread_buffers.session) {
        memset(w->names, 0, sizeof cached_names[0]);
        w->names_session = strobe_thread_buffers.session;
    }
    /* If the buffer's previous thread ended in this window, this thread continues its block, unless
     * the gate was shut meanwhile. A thread that was stuck when an earlier window ended still has
     * its block, but the committed records in it have already been written. */
    if (!w->block || w->block_window != window || !has_kept_block(w, thread_buffer)) {
        if (has_kept_block(w, thread_buffer))
            strobe_thread_buffer_hand_over(w);
        w->block = NULL;
        w->cursor = w->limit = NULL;
        atomic_store_explicit(&thread_buffer->block, STROBE_NO_BLOCK, memory_order_relaxed);
    }
    if (w->session != strobe_thread_buffers.session) {
        /* ends the track of this buffer's previous thread */
        strobe_track_end_thread(w->pool, w->index);
        w->track = strobe_track_begin_thread(w->pool, w->index);
        w->session = strobe_thread_buffers.session;
        if (w->track == 0) /* there is no room for the thread's track: its records must not appear
                              on another thread's track */
            strobe_thread_buffer_hand_over(w);
    }
    allow_short_way(w);
    if (!has_quick_barrier)
        atomic_store_explicit(&w->sharing, THREAD_BUFFER_SHARED, memory_order_relaxed);
    atomic_store_explicit(&thread_buffer->depth, 0, memory_order_relaxed);
    atomic_store_explicit(&thread_buffer->track, w->track, memory_order_relaxed);
    atomic_store_explicit(&thread_buffer->window, window, memory_order_relaxed);
    atomic_store_explicit(&thread_buffer->is_handing_over, 0,
                          memory_order_relaxed); /* a thread that died may have left it set */
    /* The names must be set before the fast path can use them, also in a signal handler. */
    strobe_thread.names = w->names;
    atomic_signal_fence(memory_order_seq_cst);
    w->generation = window;
}

/* Counts the loss directly in the pool, so that a kill does not lose the count. */
static void count_lost_without_thread_buffer(uint32_t cause, uint32_t n)
{
    atomic_fetch_add(&strobe_thread_buffers.n_counting, 1);
    if (__atomic_load_n(&strobe_gate, __ATOMIC_SEQ_CST))
        atomic_fetch_add(&strobe_thread_buffers.pool->lost[cause], n);
    atomic_fetch_sub(&strobe_thread_buffers.n_counting, 1);
}

/* Called for a thread's first record in a window: gives the thread a thread buffer. */
StrobeWriter *strobe_thread_buffer_attach(uint32_t window, uintptr_t frame)
{
    StrobeWriter *w = strobe_thread.writer;

    if (forking) { /* a fork handler records, perhaps in the child, which has no pool */
        forking++;
        return NULL;
    }
    if (w && atomic_load_explicit(&w->busy, memory_order_relaxed) &&
        !strobe_thread_buffer_leave_ended(w, frame)) {
        /* A signal interrupted this thread while it attached. */
        count_lost_without_thread_buffer(STROBE_LOSS_NESTED, 1);
        return NULL;
    }
    if (!w) {
        w = claim_writer();
        if (!w) {
            count_lost_without_thread_buffer(STROBE_LOSS_NO_THREAD_BUFFER, 1);
            return NULL;
        }
        if (pthread_setspecific(exit_key, w)) {
            release_writer(w);
            count_lost_without_thread_buffer(STROBE_LOSS_NO_THREAD_BUFFER, 1);
            return NULL;
        }
        strobe_thread.writer = w;
    }
    atomic_store_explicit(&w->busy, frame + THREAD_BUFFER_INSIDE, memory_order_seq_cst);
    STROBE_TESTPOINT("attach-busy");
    /* With an acquire load, a thread that sees the gate open also sees the pool, which was set
     * before the gate. */
    int is_open =
        __atomic_load_n(&strobe_gate, __ATOMIC_ACQUIRE) == window || strobe_thread.late == window;
    if (is_open)
        bind_thread_buffer(w, window);
    leave_section(w);
    return is_open ? w : NULL;
}

static void leave_span(StrobeWriter *w, const struct pool_span *span, uint64_t now)
{
    uint64_t record[STROBE_UNFINISHED_WORDS_MAX];
    uint32_t words = strobe_unfinished_words(w->thread_buffer, span, w->track, now,
                                             strobe_pool_inline_id(w->pool), record);
    void *room = words ? take_room(w, words * 8) : NULL;

    if (!room)
        return;
    memcpy(room, record, words * 8);
    publish_pending(w);
}

/* Writes the spans that the thread did not end as unfinished, innermost first. Async spans stay
 * open, because other threads may end them. */
static void leave_open_spans(StrobeWriter *w)
{
    uint64_t now = strobe_clock_now();
    uint32_t kept = 0;

    for (uint32_t i = w->depth; i-- > 0;) {
        struct pool_span *span = span_at(w, i);
        if (i < STROBE_POOL_SPANS && is_async(span) && !is_ended(span)) {
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

static int has_async_spans(const struct pool_thread_buffer *thread_buffer)
{
    uint32_t depth = atomic_load(&thread_buffer->depth);

    for (uint32_t i = 0; i < depth && i < STROBE_POOL_SPANS; i++)
        if (atomic_load(&thread_buffer->spans[i].begin))
            return 1;
    return 0;
}

void strobe_thread_buffer_unpark(uint32_t index)
{
    StrobeWriter *w = &writers[index];
    uint32_t parked = THREAD_BUFFER_PARKED;

    if (atomic_load(&w->parking) == THREAD_BUFFER_PARKED && !has_async_spans(w->thread_buffer))
        atomic_compare_exchange_strong(&w->parking, &parked, THREAD_BUFFER_VACANT);
}

/* Parks the buffer; marks it as vacant at once if another thread has already ended its last async
 * span. */
static void park_writer(StrobeWriter *w)
{
    atomic_store(&w->parking, THREAD_BUFFER_PARKED);
    strobe_thread_buffer_unpark(w->index);
}

/* Is a record lost because the thread's critical section was abandoned? A span that the thread was
 * ending is still open, and so not lost, if it is still on the stack. */
static int is_offer_lost(const struct pool_thread_buffer *thread_buffer, uint64_t busy)
{
    uint32_t depth = atomic_load_explicit(&thread_buffer->depth, memory_order_acquire);
    uint32_t state = busy & THREAD_BUFFER_STATES;

    return state == THREAD_BUFFER_OFFERS ||
           (state == THREAD_BUFFER_ENDS && depth < busy >> THREAD_BUFFER_DEPTH_SHIFT);
}

/* Repairs the thread buffer after its thread was stopped inside a critical section. If the buffer
 * has a block, that block is in no queue yet, and contains the committed records. */
static void mend_thread_buffer(StrobeWriter *w)
{
    uint32_t index = atomic_load_explicit(&w->thread_buffer->block, memory_order_relaxed);

    publish_depth(w);
    w->block = NULL;
    w->cursor = w->limit = NULL;
    atomic_store_explicit(&w->thread_buffer->is_handing_over, 0, memory_order_relaxed);
    if (index < w->pool->n_blocks)
        fill_block(w, strobe_pool_block(w->pool, index));
}

/* Leaves a critical section after a signal handler has ended the thread inside the section, or has
 * jumped out of it. The record of the section is counted as lost, even if it was just committed. */
static void abandon_critical_section(StrobeWriter *w)
{
    if (w->generation == gate_now() || is_late(w)) {
        mend_thread_buffer(w);
        if (is_offer_lost(w->thread_buffer, atomic_load_explicit(&w->busy, memory_order_relaxed)))
            count_lost(w, STROBE_LOSS_NESTED);
        atomic_store_explicit(&strobe_thread_buffers.has_abandoned, 1, memory_order_relaxed);
    }
    if (strobe_thread_buffers.ring && w->generation == gate_now())
        strobe_ring_abandon(strobe_thread_buffers.ring, w->index + 1);
    w->pending = 0;
    leave_section(w);
}

int __attribute__((noinline, cold)) strobe_thread_buffer_leave_ended(StrobeWriter *w,
                                                                     uintptr_t frame)
{
    uint64_t busy = atomic_load_explicit(&w->busy, memory_order_relaxed);

    if (!strobe_frame_has_ended(busy & THREAD_BUFFER_BORDER, frame))
        return 0;
    abandon_critical_section(w);
    return 1;
}

/* Called at the end of a thread: leaves its open spans as unfinished, and releases its thread
 * buffer. A block that is at least three quarters full goes to the writer. The next thread of this
 * thread buffer continues a block with few records, so that many short threads do not use up the
 * pool. */
static void thread_exits(void *value)
{
    StrobeWriter *w = value;
    int is_parked = 0;

    STROBE_TESTPOINT("thread-exits");
    if (atomic_load_explicit(&w->busy, memory_order_relaxed))
        abandon_critical_section(w);
    if (w->generation == gate_now() && enter_uncounted(w, STROBE_FRAME() + THREAD_BUFFER_INSIDE)) {
        leave_open_spans(w);
        is_parked = w->depth != 0;
        if (is_parked || w->limit - w->cursor < (ptrdiff_t)STROBE_BLOCK_DATA / 4)
            strobe_thread_buffer_hand_over(w);
        if (is_parked)
            park_writer(w);
        else
            strobe_track_end_thread(w->pool, w->index);
        leave_section(w);
    }
    strobe_thread.writer = NULL;
    STROBE_TESTPOINT("thread-detached");
    if (!is_parked)
        release_writer(w);
}

/* ---- the gate ---- */

void strobe_thread_buffer_set_policy(enum strobe_policy policy, StrobeRing *ring,
                                     int64_t patience_ns)
{
    strobe_thread_buffers.policy = policy;
    strobe_thread_buffers.ring = ring;
    strobe_thread_buffers.patience_ns = patience_ns;
    atomic_store(&strobe_thread_buffers.is_out_of_block, 0);
}

void strobe_thread_buffer_open_gate(struct pool_header *header, uint32_t session, uint32_t window)
{
    strobe_thread_buffers.pool = header;
    strobe_thread_buffers.session = session;
    if (strobe_thread_buffers.ring)
        atomic_store_explicit(&strobe_thread_buffers.ring->window, window, memory_order_relaxed);
    __atomic_store_n(&strobe_gate, window, __ATOMIC_SEQ_CST);
}

/* Waits until the thread is outside of a critical section. A section is only a few stores long, but
 * a thread may be preempted in one; there is one deadline for all threads. A thread that was once
 * seen outside changes nothing more: if it enters again, it finds the gate shut. */
static int wait_until_outside(const StrobeWriter *w, int64_t deadline)
{
    while (atomic_load_explicit(&w->busy, memory_order_acquire) != THREAD_BUFFER_IDLE) {
        if (strobe_clock_ns(CLOCK_MONOTONIC) >= deadline)
            return 0;
        usleep(100);
    }
    STROBE_TESTPOINT("thread-buffer-outside");
    return 1;
}

/* Counts the record that a stuck thread was writing as late. A thread that has not recorded in this
 * window has no such record; its thread buffer may even belong to an earlier session. */
static void count_stuck(const StrobeWriter *w, uint32_t window)
{
    struct pool_thread_buffer *thread_buffer =
        strobe_pool_thread_buffer(strobe_thread_buffers.pool, w->index);
    uint64_t busy = atomic_load_explicit(&w->busy, memory_order_acquire);

    if (atomic_load(&thread_buffer->window) == window && is_offer_lost(thread_buffer, busy))
        atomic_fetch_add_explicit(&thread_buffer->lost[STROBE_LOSS_LATE], 1, memory_order_relaxed);
}

int strobe_thread_buffer_is_stuck(uint32_t index)
{
    return is_stuck[index];
}

unsigned strobe_thread_buffer_close_gate(uint64_t end)
{
    int64_t deadline = strobe_clock_ns(CLOCK_MONOTONIC) + PATIENCE_NS;
    uint32_t window = gate_now();
    unsigned stuck = 0;

    atomic_store_explicit(&strobe_thread_buffers.window_end, end, memory_order_relaxed);
    __atomic_store_n(&strobe_gate, 0, __ATOMIC_SEQ_CST);
    STROBE_TESTPOINT("gate-shut");
    barrier_in_all_threads();
    for (unsigned i = 0; i < STROBE_POOL_THREAD_BUFFERS; i++) {
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

uint64_t strobe_thread_buffer_take_late(void)
{
    return atomic_exchange_explicit(&strobe_thread_buffers.late, 0, memory_order_relaxed);
}

int strobe_thread_buffer_take_abandoned(void)
{
    return atomic_exchange_explicit(&strobe_thread_buffers.has_abandoned, 0, memory_order_relaxed);
}

int strobe_thread_buffer_is_counting(void)
{
    return atomic_load(&strobe_thread_buffers.n_counting) != 0;
}

int strobe_thread_buffer_is_gate_open(void)
{
    return gate_now() != 0;
}

/* Makes the kernel clear the gate's page in a forked child. Not possible if the linker put
 * strobe_gate into the program's data (copy relocation), because that page contains other data
 * too. */
static int wipe_gate_on_fork(void)
{
    uint32_t *there = &strobe_gate, *ours = &gate_page.gate;

    __asm__("" : "+r"(there), "+r"(ours)); /* otherwise the compiler assumes equal addresses */
    return there == ours && madvise(ours, GATE_PAGE, MADV_WIPEONFORK) == 0;
}

/* Called before fork(). In the child, fork() runs other handlers before those of this library; they
 * may record although the child has no pool. If the kernel does not clear the gate in the child,
 * this function makes the thread stop recording. */
static void before_fork(void)
{
    if (is_gate_wiped && !strobe_thread.late) {
        STROBE_TESTPOINT("fork-begun");
        return;
    }
    forking = 1;
    generation_at_fork =
        strobe_thread.writer ? strobe_thread.writer->generation : THREAD_BUFFER_DETACHED;
    if (strobe_thread.writer)
        strobe_thread.writer->generation = THREAD_BUFFER_DETACHED;
    STROBE_TESTPOINT("fork-begun");
}

static void after_fork(void)
{
    if (!forking)
        return;
    if (strobe_thread.writer)
        strobe_thread.writer->generation = generation_at_fork;
    count_lost_without_thread_buffer(STROBE_LOSS_NESTED, forking - 1);
    forking = 0;
}

/* Resets the recorder in a forked child. The child has only this thread, no pool and no writer, so
 * it records nothing until it opens a session of its own. */
static void in_child(void)
{
    StrobeWriter *mine = strobe_thread.writer;

    STROBE_TESTPOINT("fork-child");
    forking = 0;
    atomic_store(&strobe_thread_buffers.n_counting, 0);
    strobe_thread.late = 0;
    __atomic_store_n(&strobe_gate, 0, __ATOMIC_SEQ_CST);
    for (unsigned i = 0; i < STROBE_POOL_THREAD_BUFFERS; i++) {
        if (!(atomic_load_explicit(&writer_map[i / 64], memory_order_relaxed) >> (i % 64) & 1))
            continue; /* an unchanged page need not be copied */
        writers[i].generation = THREAD_BUFFER_DETACHED;
        writers[i].session = 0;
        writers[i].block = NULL;
        atomic_store_explicit(&writers[i].busy, THREAD_BUFFER_IDLE, memory_order_relaxed);
        atomic_store_explicit(&writers[i].parking, 0, memory_order_relaxed);
    }
    for (unsigned i = 0; i < STROBE_POOL_THREAD_BUFFERS / 64; i++)
        atomic_store_explicit(&writer_map[i], 0, memory_order_relaxed);
    if (mine)
        atomic_store_explicit(&writer_map[mine->index / 64], 1ull << (mine->index % 64),
                              memory_order_relaxed);
}

int strobe_thread_buffer_init(void)
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
    /* These members are set once, because another thread may read them at any time. */
    for (uint32_t i = 0; i < STROBE_POOL_THREAD_BUFFERS; i++) {
        writers[i].index = i;
        writers[i].names = cached_names[i];
    }
    is_initialised = error == 0;
    return error;
}
