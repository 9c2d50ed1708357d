/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Thread buffers: how a thread records. No lock, no allocation, no system call, no wait.
 *
 * A thread's StrobeWriter is its private half of a thread buffer; the half that must survive a kill
 * is in the pool. Everything that touches the pool happens between enter_section() and
 * leave_section(); closing the gate and waiting until no writer is inside makes it safe to unmap
 * the pool. libc only.
 */
#ifndef STROBE_CORE_THREAD_BUFFER_H
#define STROBE_CORE_THREAD_BUFFER_H

#include <strobe/collector.h>
#include "name-cache.h"
#include "pool.h"
#include "ring.h"

#define STROBE_KINDS_MAX 256u
#define STROBE_DEEP_SPANS 768u  /* open spans beyond those that the pool keeps */
#define THREAD_BUFFER_INLINE 4u /* strings written beside their records, the last ones */

/* What a writer does, in the low bits of `busy`. The bits above hold a stack address: every frame
 * that can interrupt the critical section lies below it (frames.h). A call with a frame above it
 * knows that siglongjmp has left the critical section. */
enum {
    THREAD_BUFFER_IDLE = 0,
    THREAD_BUFFER_INSIDE = 1, /* inside a critical section that offers no record */
    THREAD_BUFFER_OFFERS = 2, /* ... that offers one */
    THREAD_BUFFER_ENDS = 3    /* ... that ends the span of the depth in the high bits */
};
#define THREAD_BUFFER_STATES 3u
#define THREAD_BUFFER_DEPTH_SHIFT 48
#define THREAD_BUFFER_BORDER ((UINT64_C(1) << THREAD_BUFFER_DEPTH_SHIFT) - 1 - THREAD_BUFFER_STATES)
/* The generation of a writer that records in no window; the gate never has it. */
#define THREAD_BUFFER_DETACHED UINT32_MAX

/* What becomes of a thread buffer whose thread has ended and left async spans that other threads
 * may end. */
enum {
    THREAD_BUFFER_PARKED = 1, /* some are open: it stays as it is until the window ends */
    THREAD_BUFFER_VACANT = 2  /* all have ended: a new thread may have it where there is no other */
};

/* May other threads end async spans of a thread buffer? From the first one on that does, or from
 * the start where no barrier in all threads can be had. */
enum {
    THREAD_BUFFER_SHARING = 1, /* the thread buffer's thread may not know yet */
    THREAD_BUFFER_SHARED = 2   /* it does */
};

struct StrobeWriter {
    /* What each record touches, in one cache line. */
    _Atomic uint64_t busy;
    union {
        struct {
            uint32_t depth;      /* open spans */
            uint32_t generation; /* window this writer is attached to, or THREAD_BUFFER_DETACHED */
        };
        uint64_t token; /* both: of the innermost open span */
    };
    char *cursor, *limit; /* free part of the block */
    struct pool_block *block;
    struct pool_thread_buffer *thread_buffer;
    uint64_t base;        /* of the block: what short times count from */
    uint32_t short_spans; /* open spans that the short way (thread-buffer-inline.h) may touch */
    uint32_t track;

    struct cached_name *names; /* STROBE_CACHED_NAMES of them */
    struct pool_header *pool;
    uint32_t pending;         /* bytes reserved and not committed */
    uint32_t block_window;    /* that the block belongs to */
    uint32_t index;           /* of the thread buffer */
    uint32_t session;         /* that the track belongs to */
    uint32_t names_session;   /* whose ids the names have */
    uint32_t names_high;      /* no span from here on has a name in the thread buffer */
    _Atomic uint32_t parking; /* its thread is gone: THREAD_BUFFER_PARKED, THREAD_BUFFER_VACANT */
    _Atomic uint32_t sharing; /* do other threads end its async spans? THREAD_BUFFER_SHARED */
    uint32_t n_inline, beside[THREAD_BUFFER_INLINE]; /* where they lie in the block, in words */
} __attribute__((aligned(128)));

/* What reserve must know of a kind; words 0: no such kind. */
struct thread_buffer_kind {
    uint16_t words; /* of a record without a track word */
    uint16_t has_end;
    uint16_t span_words; /* of a record without a track word; 0: it is no span */
    uint16_t family;     /* id of the first kind of this name: extensions share it */
};

/* Set by the recorder; see recorder.h. */
extern struct thread_buffer_kind strobe_thread_buffer_kinds[STROBE_KINDS_MAX];

/* Called once per process, before the first window. Returns 0 or an errno value. */
int strobe_thread_buffer_init(void);

/* From here on threads of this process take thread buffers of the writer process; without this
 * call, those of the program. After strobe_thread_buffer_init(). */
void strobe_thread_buffer_be_writer(void);
/* Is the thread buffer one for threads of this process? */
int strobe_thread_buffer_is_own(uint32_t index);

/* What to do when the pool is empty; while the gate is shut. */
void strobe_thread_buffer_set_policy(enum strobe_policy policy, StrobeRing *ring);

/* Opens the gate for a window of a session on this pool, and shuts it again. After close no writer
 * is inside a critical section (returns 0), or some are stuck there (returns their number: the pool
 * must then stay mapped). The record that a stuck writer was about to write is counted as late. */
void strobe_thread_buffer_open_gate(struct pool_header *header, uint32_t session, uint32_t window);
unsigned strobe_thread_buffer_close_gate(uint64_t end);
/* Does a window of this process accept records? No system call; 0 in a forked child. */
int strobe_thread_buffer_is_gate_open(void);

/* From here on the calling thread, and no other, records into that window, which is shut; 0: no
 * more. What it recorded is handed over by strobe_thread_buffers_end(). */
void strobe_thread_buffer_record_late(uint32_t window);

/* Was the thread on this thread buffer inside a critical section when the gate was shut? Other
 * threads may be busy for a moment later: they find the gate shut and change nothing. */
int strobe_thread_buffer_is_stuck(uint32_t index);

/* Records that belong to the window that ended (by its `end` of close_gate) and came too late,
 * since the last call. */
uint64_t strobe_thread_buffer_take_late(void);
/* Does a thread without a thread buffer count a loss in the pool just now? With the gate shut none
 * begins.
 */
int strobe_thread_buffer_is_counting(void);
/* Has a thread jumped out of a critical section, or ended in one, since the last call? The block
 * that it was handling may belong to no thread buffer and to no queue. */
int strobe_thread_buffer_take_abandoned(void);

/* See StrobeHost for what these do. */
StrobeWriter *strobe_thread_buffer_writer(void);
void *strobe_thread_buffer_reserve(StrobeWriter *writer, uint32_t kind, uint32_t track,
                                   uint32_t name, uint64_t begin, uint64_t end);
void strobe_thread_buffer_commit(StrobeWriter *writer);
void *strobe_thread_buffer_reserve_bulk(StrobeWriter *writer, uint32_t bytes, uint32_t n_records);
StrobeSpan strobe_thread_buffer_span_begin(StrobeWriter *writer, uint32_t kind, uint32_t name,
                                           uint64_t argument);
void *strobe_thread_buffer_span_end(StrobeWriter *writer, StrobeSpan span);
uint32_t strobe_thread_buffer_intern(StrobeWriter *writer, const void *bytes, size_t length,
                                     int is_stack);
uint32_t strobe_thread_buffer_span_open(StrobeInstance *self, uint64_t key, uint32_t kind,
                                        const char *name, uint64_t argument);
StrobeClosed strobe_thread_buffer_span_close(StrobeInstance *self, uint64_t key, uint32_t kind,
                                             const void *fields, size_t size);

#endif
