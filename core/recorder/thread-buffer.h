/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Thread buffers: a thread records without a lock, an allocation, a system call or a wait.
 *
 * A thread's StrobeWriter is the private part of its thread buffer; the part that must survive a
 * kill is in the pool. All accesses to the pool are in critical sections, between enter_section()
 * and leave_section(). When the gate is shut and no writer is in a critical section any more, the
 * pool may be unmapped. libc only.
 */
#ifndef STROBE_CORE_THREAD_BUFFER_H
#define STROBE_CORE_THREAD_BUFFER_H

#include <strobe/collector.h>
#include "name-cache.h"
#include "pool.h"
#include "ring.h"

#define STROBE_KINDS_MAX 256u
/* Number of open spans of a thread in addition to those in the pool. */
#define STROBE_DEEP_SPANS 768u
/* Number of most recent inline strings whose positions are remembered. */
#define THREAD_BUFFER_INLINE 4u

/* State of a writer, in the low bits of `busy`. The upper bits are a stack address: every call that
 * can interrupt the critical section has its frame below this address (frames.h). So a call with a
 * frame above it knows that siglongjmp has ended the critical section. */
enum {
    THREAD_BUFFER_IDLE = 0,
    THREAD_BUFFER_INSIDE = 1, /* inside a critical section without a record */
    THREAD_BUFFER_OFFERS = 2, /* inside a critical section in which a record is written */
    /* inside a critical section that ends the span whose depth is in the highest bits */
    THREAD_BUFFER_ENDS = 3
};
#define THREAD_BUFFER_STATES 3u
#define THREAD_BUFFER_DEPTH_SHIFT 48
#define THREAD_BUFFER_BORDER ((UINT64_C(1) << THREAD_BUFFER_DEPTH_SHIFT) - 1 - THREAD_BUFFER_STATES)
/* The generation of a writer that records in no window; the gate never has this value. */
#define THREAD_BUFFER_DETACHED UINT32_MAX

/* State of a thread buffer whose thread has ended and left async spans that other threads may
 * end. */
enum {
    /* some of these spans are open: the buffer stays unchanged until the window ends */
    THREAD_BUFFER_PARKED = 1,
    /* all these spans have ended: a new thread may take the buffer if no other is free */
    THREAD_BUFFER_VACANT = 2
};

/* May other threads end async spans of a thread buffer? Set by the first thread that ends such a
 * span, or from the start if the kernel has no barrier in all threads. */
enum {
    THREAD_BUFFER_SHARING = 1, /* yes, but the owner may not know it yet */
    THREAD_BUFFER_SHARED = 2   /* yes, and the owner knows it */
};

struct StrobeWriter {
    /* The members that each record uses, in one cache line. */
    _Atomic uint64_t busy;
    union {
        struct {
            uint32_t depth;      /* number of open spans */
            uint32_t generation; /* window to which this writer is attached, or
                                  * THREAD_BUFFER_DETACHED */
        };
        uint64_t token; /* depth and generation together: the token of the innermost open span */
    };
    char *cursor, *limit; /* begin and end of the free part of the block */
    struct pool_block *block;
    struct pool_thread_buffer *thread_buffer;
    uint64_t base;        /* base of short times in the block */
    uint32_t short_spans; /* number of open spans up to which the fast path (thread-buffer-inline.h)
                             may be used */
    uint32_t track;

    struct cached_name *names; /* cache of STROBE_CACHED_NAMES names */
    struct pool_header *pool;
    uint32_t pending;       /* number of bytes that are reserved and not committed */
    uint32_t block_window;  /* window to which the block belongs */
    uint32_t index;         /* index of the thread buffer */
    uint32_t session;       /* session to which `track` belongs */
    uint32_t names_session; /* session to which the ids in `names` belong */
    uint32_t names_high; /* no open span at this depth or deeper has a name in the thread buffer */
    _Atomic uint32_t parking; /* 0, THREAD_BUFFER_PARKED or THREAD_BUFFER_VACANT */
    _Atomic uint32_t sharing; /* 0, THREAD_BUFFER_SHARING or THREAD_BUFFER_SHARED */
    uint32_t n_inline, beside[THREAD_BUFFER_INLINE]; /* number of inline strings, and the positions
                                                        of the last ones in the block, in words */
} __attribute__((aligned(128)));

/* The data of a kind that reserve needs. `words` is 0 if there is no such kind. */
struct thread_buffer_kind {
    uint16_t words; /* size of a record without a track word */
    uint16_t has_end;
    uint16_t span_words; /* size of a record without a track word; 0: not a span */
    uint16_t family;     /* id of the first kind with this name; extensions share it */
};

/* Set by the recorder; see recorder.h. */
extern struct thread_buffer_kind strobe_thread_buffer_kinds[STROBE_KINDS_MAX];

/* Prepares thread buffers for this process: exit of threads, and fork. Must be called before the
 * first window; later calls do nothing. Returns 0 or an errno value. */
int strobe_thread_buffer_init(void);

/* Makes threads of this process take the thread buffers of the writer process; without this call
 * they take those of the program. Call it after strobe_thread_buffer_init(). */
void strobe_thread_buffer_be_writer(void);
/* Is the thread buffer with this index for threads of this process? */
int strobe_thread_buffer_is_own(uint32_t index);

/* Sets the policy for an empty pool, and how long a thread waits with the policy block (0: no
 * limit); call it while the gate is shut. */
void strobe_thread_buffer_set_policy(enum strobe_policy policy, StrobeRing *ring,
                                     int64_t patience_ns);

/* These calls open the gate for a window of a session on this pool, and shut it again.
 * strobe_thread_buffer_close_gate returns the number of writers that are stuck inside a critical
 * section; unless the number is 0, the pool must stay mapped. The record that a stuck writer was
 * writing is counted as late. */
void strobe_thread_buffer_open_gate(struct pool_header *header, uint32_t session, uint32_t window);
unsigned strobe_thread_buffer_close_gate(uint64_t end);
/* Does a window of this process accept records? No system call; 0 in a forked child. */
int strobe_thread_buffer_is_gate_open(void);

/* Makes the calling thread, and no other, record into `window`, which has ended. `window` 0 ends
 * this. strobe_thread_buffers_end() hands over these records. */
void strobe_thread_buffer_record_late(uint32_t window);

/* Was the thread on this thread buffer inside a critical section when the gate was shut? Another
 * thread may enter a critical section for a moment later, but finds the gate shut and changes
 * nothing. */
int strobe_thread_buffer_is_stuck(uint32_t index);

/* Returns the number of records since the last call that belong to the ended window, because they
 * began before the `end` passed to close_gate, but came too late. */
uint64_t strobe_thread_buffer_take_late(void);
/* Is a thread without a thread buffer counting a loss in the pool at this moment? No thread begins
 * to do so while the gate is shut. */
int strobe_thread_buffer_is_counting(void);
/* Has a thread jumped out of a critical section, or ended in one, since the last call? The block of
 * such a thread may be in no thread buffer and in no queue. */
int strobe_thread_buffer_take_abandoned(void);

/* Members of StrobeHost: strobe/collector.h describes each function of this list under the last
 * part of its name. */
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
