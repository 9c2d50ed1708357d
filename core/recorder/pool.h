/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pool: a preallocated shared file mapping that holds the records of a window until the writer
 * has appended them to the capture. Because the pool is a file, the writer can be another process,
 * and the pool survives a kill: recovery finds in it every committed record, the open spans,
 * strings, tracks and kinds.
 *
 * The pool contains offsets instead of pointers. Recovery checks every number that it reads against
 * the file's size. libc only.
 */
#ifndef STROBE_CORE_POOL_H
#define STROBE_CORE_POOL_H

#include <limits.h>
#include <stdatomic.h>
#include <stdint.h>
#include <strobe/record.h>
#include <sys/types.h>
#include "clock.h"
#include "pool-notes.h"
#include "record-format.h"
#include "recording-settings.h"

#define STROBE_POOL_MAGIC "StrobeP1"
#define STROBE_POOL_VERSION 9

#define STROBE_POOL_THREAD_BUFFERS 1024u
/* The last thread buffers are for threads of a writer process. */
#define STROBE_POOL_WRITER_THREAD_BUFFERS 16u
#define STROBE_POOL_SPANS 256u
/* Words for the names of a thread buffer's open spans, see span-names.h. */
#define STROBE_POOL_NAME_WORDS 256u
/* Entries for tracks: first those for recording threads, which are reused after the thread has
 * ended; then those for all other tracks, which stay. */
#define STROBE_POOL_THREAD_TRACKS 16384u
#define STROBE_POOL_OTHER_TRACKS 16384u
#define STROBE_POOL_TRACKS (STROBE_POOL_THREAD_TRACKS + STROBE_POOL_OTHER_TRACKS)
/* Maximum number of strings; a small pool has room for a quarter of them. A power of two. */
#define STROBE_POOL_STRINGS 262144u
#define STROBE_POOL_MANY_STRINGS_FROM (32u << 20) /* minimum size of a pool with all strings */
/* Stacks may use this fraction of the string table's entries and bytes. So the room for stacks is
 * used up before the room for the texts of their frames: a stack can be written inline, but a frame
 * cannot. */
#define STROBE_POOL_STACK_SHARE 4u
#define STROBE_POOL_KIND_BYTES (256u << 10)
#define STROBE_POOL_BLOCK_BYTES (64u << 10)
#define STROBE_POOL_SETUP_MAX (4u << 20) /* maximum size of the text for the writer */
#define STROBE_POOL_WINDOWS 2u
#define STROBE_NO_BLOCK UINT32_MAX

/* Number of StrobeLossCounts at seen_at: the losses that are being written now, then the losses at
 * each window's end. */
#define STROBE_POOL_COUNTS (1u + STROBE_POOL_WINDOWS)

struct StrobeRing;

/* An open span. Its thread changes it while other threads may read it, see
 * strobe_pool_span_words. */
struct pool_span {
    _Atomic uint64_t begin; /* 0: the other members are being written */
    _Atomic uint64_t argument;
    _Atomic uint64_t head; /* name and kind as in the span's record; flags in the low bits */
    /* key of span_open and async_open; 0: the thread that began the span has ended it */
    _Atomic uint64_t key;
};

/* Flags in the low bits of pool_span.head. IS_ASYNC: the span may end before or after the spans
 * around it, and on any thread. HAS_NO_KEY: the span has no key; the entry's `key` is that of an
 * earlier span. */
#define STROBE_SPAN_IS_ASYNC 1u
#define STROBE_SPAN_HAS_NO_KEY 2u

/* Returns the lower half of pool_span.head. */
static inline uint32_t strobe_span_what(uint32_t kind, uint32_t flags)
{
    return kind << 16 | flags;
}

static inline uint32_t strobe_span_name(uint64_t head)
{
    return (uint32_t)(head >> 32);
}

static inline uint32_t strobe_span_kind(uint64_t head)
{
    return (uint16_t)(head >> 16);
}

/* The part of a thread buffer that survives a kill. The buffer's thread writes it, and the writer
 * reads it. */
struct pool_thread_buffer {
    _Atomic uint32_t block; /* the block that the thread fills, STROBE_NO_BLOCK if there is none */
    /* number of open spans; spans deeper than STROBE_POOL_SPANS are not in `spans` */
    _Atomic uint32_t depth;
    _Atomic uint32_t track;
    _Atomic uint32_t window;
    /* number of the table entry of its thread's track, from 1; 0: none */
    _Atomic uint32_t track_place;
    _Atomic uint32_t is_handing_over; /* 1: a block is being moved from `block` to the full list */
    uint64_t sequence;                /* sequence of the last block taken */
    _Atomic uint64_t lost[STROBE_LOSS_CAUSES];
    uint64_t lost_reported[STROBE_LOSS_CAUSES]; /* number of losses that a capture already contains;
                                                   only the writer changes it */
    _Atomic uint64_t
        overwritten_until;     /* ticks: the ring holds no older records of this thread buffer */
    _Atomic uint64_t recycled; /* sequence of the buffer's last block that the ring has reused */
    _Alignas(64) struct pool_span spans[STROBE_POOL_SPANS]; /* each span is in one cache line */
    _Atomic uint64_t names[STROBE_POOL_NAME_WORDS];
};

/* Counts of losses at one moment. */
typedef struct StrobeLossCounts {
    uint64_t core[STROBE_LOSS_CAUSES];
    uint64_t thread_buffers[STROBE_POOL_THREAD_BUFFERS][STROBE_LOSS_CAUSES];
    uint64_t overwritten_until[STROBE_POOL_THREAD_BUFFERS]; /* ticks */
} StrobeLossCounts;

struct pool_block {
    /* Index of the next block in the free or the full list. Atomic, because a thread that takes a
     * block may read this member while another thread takes the same block; the first thread's
     * exchange then fails. */
    _Atomic uint32_t next;
    uint32_t thread_buffer;
    uint64_t sequence;
    uint32_t track;
    uint32_t window;
    _Atomic uint32_t used;    /* number of committed bytes after this header */
    _Atomic uint32_t flushed; /* number of committed bytes that are in the capture */
    _Atomic uint32_t owned;   /* 1: in use by a thread buffer or waiting to be written; 0: free */
    uint32_t reserved;
    uint64_t full_at; /* ticks: time at which the thread buffer handed the block over */
    uint64_t base;    /* ticks; short times have their begin relative to this */
    uint64_t reserved2;
};

_Static_assert(sizeof(struct pool_block) == 64, "pool layout");
#define STROBE_BLOCK_DATA (STROBE_POOL_BLOCK_BYTES - (uint32_t)sizeof(struct pool_block))

#define STROBE_TRACK_WORDS 5u

struct pool_track {
    _Atomic uint64_t state;                      /* id << 32 | flags; 0: free, or not published */
    _Atomic uint64_t thread;                     /* thread id, for a thread's own track */
    _Atomic uint64_t stored[STROBE_TRACK_WORDS]; /* a struct strobe_stored_track */
    /* next entry in the list of free entries, in the format of free_tracks */
    _Atomic uint32_t next;
    uint32_t thread_buffer; /* thread buffer of its thread */
    uint64_t last_block;    /* the thread buffer's last block when the
                             * thread ended */
};

_Static_assert(sizeof(struct strobe_stored_track) == 8 * STROBE_TRACK_WORDS, "pool layout");
_Static_assert(sizeof(struct pool_track) == 72, "pool layout");

/* State of a window. The program sets OPEN and ENDED; the writer sets WRITING, and finally 0 in
 * `window`. */
enum {
    STROBE_WINDOW_OPEN = 1,    /* the capture has its metadata: the writer may open the capture */
    STROBE_WINDOW_WRITING = 2, /* the writer has opened the capture */
    /* the thread buffers have handed over their blocks: the writer writes the rest */
    STROBE_WINDOW_ENDED = 3
};

/* A window whose capture is not yet sealed: the recording window, and the previous one while its
 * rest is written. */
struct pool_window {
    _Atomic uint32_t window; /* number of the window, 0: no window */
    _Atomic uint32_t state;  /* STROBE_WINDOW_* */
    _Atomic uint32_t error;  /* the first failed write; kept until the entry is reused */
    uint32_t n_stuck; /* number of threads that were in a critical section when the window ended */
    uint32_t has_strays; /* 1: there are blocks that are neither in a thread buffer nor in the full
                            list */
    _Atomic uint64_t begin;
    _Atomic uint64_t end; /* 0: the window has not ended */
    char capture[PATH_MAX];
};

/* Reasons for requested dumps, as bits. The writer clears a bit when it has made or refused the
 * dump. */
enum {
    STROBE_DUMP_BY_CALL = 1, /* the caller does not wait */
    STROBE_DUMP_BY_SIGNAL = 2,
    STROBE_DUMP_BY_STEP = 4,
    STROBE_DUMP_AND_WAIT = 8 /* by a call that waits for control.reply */
};

#define STROBE_DUMP_REASON_BYTES 256u
#define STROBE_DUMPS 8u /* maximum number of dumps that the program has not processed yet */

struct StrobeWriterLoop;
/* Makes a dump, see StrobeWriterLoopProgram. */
typedef int StrobeMakeDump(void *user, struct StrobeWriterLoop *loop, uint32_t why,
                           const char *reason, char path[PATH_MAX]);

/* Result of a request. */
struct pool_dump {
    uint32_t error; /* errno value; 0: the dump is in the result directory `path` */
    char path[PATH_MAX];
    char reason[STROBE_DUMP_REASON_BYTES];
};

/* Messages of the writer to the program. Newer messages overwrite the oldest. */
#define STROBE_POOL_MESSAGES 64u
struct pool_message {
    _Atomic uint32_t text;      /* id of the string */
    _Atomic uint32_t level;     /* STROBE_LOG_* */
    _Atomic uint32_t collector; /* number of the failed collector; 0: a line of the log */
    uint32_t reserved;
};

/* Requests of the program and replies of the writer. `bell` and `answer` are futexes: after a
 * change the program increments `bell` and the writer increments `answer`, which wakes the other
 * side. */
struct pool_control {
    struct pool_settings settings;
    _Atomic uint32_t bell;         /* the program wakes the writer */
    _Atomic uint32_t answer;       /* the writer wakes the program */
    _Atomic uint32_t writer_state; /* STROBE_WRITER_* */
    _Atomic uint32_t writer;       /* robust futex of the writer process, see writer-state.h; 0: the
                                      writer is a thread */
    _Atomic uint32_t is_stopping;  /* the writer ends when all windows are written */
    _Atomic uint32_t roll;         /* requests the next segment of the capture */
    _Atomic uint32_t dump_wanted;  /* STROBE_DUMP_BY_*, STROBE_DUMP_AND_WAIT */
    /* Reasons for the dump by a step and by a waiting call; a text does not change while its bit in
     * dump_wanted is set. */
    char step_reason[STROBE_DUMP_REASON_BYTES], call_reason[STROBE_DUMP_REASON_BYTES];
    struct pool_dump reply;
    _Atomic uint32_t n_dumps; /* number of dumps, made or failed so far, for which no call waits */
    _Atomic uint32_t n_refused_dumps;     /* number of dumps that the configuration did not allow */
    struct pool_dump dumps[STROBE_DUMPS]; /* indexed by number modulo STROBE_DUMPS */
    _Atomic uint64_t window_lost[STROBE_LOSS_CAUSES]; /* losses in the current or last window */

    /* Collectors that run in the writer process. */
    _Atomic uint64_t paused; /* set by the program: bit n - 1 for collector n */
    /* set by the writer: the value of `paused` that has taken effect */
    _Atomic uint64_t paused_now;
    _Atomic uint32_t sample_window;  /* set by the program: window in which these collectors must
                                        record, 0: none */
    _Atomic uint32_t sampled_window; /* last window in which these collectors were started */
    _Atomic uint32_t n_messages;     /* number of messages so far */
    struct pool_message messages[STROBE_POOL_MESSAGES]; /* indexed by number modulo
                                                         * STROBE_POOL_MESSAGES */
};

enum { STROBE_WRITER_NONE = 0, STROBE_WRITER_AT_WORK = 1, STROBE_WRITER_GONE = 2 };

#if defined(__x86_64__) || defined(__i386__)
#define STROBE_POOL_PAGE 4096
#else
#define STROBE_POOL_PAGE 65536
#endif

struct pool_header {
    char magic[8];
    uint32_t version;
    uint32_t block_bytes;
    uint64_t total_bytes;
    uint32_t n_thread_buffers, n_blocks;
    uint64_t thread_buffers_at, seen_at, tracks_at, kinds_at, offsets_at, slots_at, ring_at,
        arena_at, blocks_at, setup_at;
    uint64_t arena_bytes;
    uint64_t setup_bytes; /* size of the text for the writer, which ends with NUL; 0: none */

    uint32_t string_places; /* number of string entries, a power of two; the hash table has twice as
                               many slots */
    /* random id; the capture's metadata contains it too, to match pool and capture */
    uint64_t id[2];
    uint64_t pid;
    uint32_t clock_counter;

    /* The members above never change: the writer uses a private copy of their page, which the
     * program cannot change. */
    _Alignas(STROBE_POOL_PAGE) _Atomic uint64_t free_blocks; /* tag << 32 | index */
    _Atomic uint32_t full_blocks;                            /* index of the last block pushed */
    _Atomic uint32_t kinds_used;
    _Atomic uint64_t n_track_ids; /* number of assigned track ids; no id is assigned twice */
    _Atomic uint32_t n_tracks;    /* number of tracks published so far */
    /* number of entries used so far, for threads and for other tracks */
    _Atomic uint32_t n_thread_tracks, n_other_tracks;
    _Atomic uint64_t free_tracks; /* tag << 32 | place from 1, 0: none */
    _Atomic uint32_t n_threads_ended;
    _Atomic uint32_t n_trackless; /* number of threads that found no entry */
    _Atomic uint32_t n_strings;   /* number of assigned string ids */
    _Atomic uint32_t n_stacks;    /* number of strings that are stacks */
    _Atomic uint64_t arena_used;
    _Atomic uint64_t stack_bytes; /* size of all stacks in bytes */
    /* number of strings that were written inline, next to their records */
    _Atomic uint32_t n_inline;

    /* Losses outside of thread buffers, and the number of these that have been written. */
    _Atomic uint64_t lost[STROBE_LOSS_CAUSES];
    uint64_t lost_reported[STROBE_LOSS_CAUSES];
    /* Offset in the capture at which the losses in seen_at are being written; 0: none. */
    _Atomic uint64_t telling_at;

    struct pool_window windows[STROBE_POOL_WINDOWS]; /* indexed by number modulo
                                                      * STROBE_POOL_WINDOWS */
    struct pool_control control;
    struct pool_notes notes; /* notes of the recording window */
};

/* The ring of full blocks, see ring.h. */
typedef struct StrobeRing {
    _Atomic uint32_t busy; /* id of the thread that has the lock of the tail, see ring.h; 0: none */
    uint32_t reserved;
    _Atomic uint64_t head; /* position of the oldest block; in the upper bits a counter of begins
                              and ends of dumps, odd during a dump */
    _Atomic uint64_t tail;
    _Atomic uint64_t pinned;     /* during a dump: the first position that the dump still needs */
    _Atomic uint32_t n_counting; /* number of threads that remove blocks or count their records */
    _Atomic uint32_t window;     /* the recording window; blocks of other windows come from threads
                                  * that were stuck */
    _Atomic uint32_t order[]; /* indexes of blocks, at position modulo number of blocks; positions
                                 only increase */
} StrobeRing;

/* Returns the size of a ring with room for all blocks of a pool. */
static inline uint64_t strobe_ring_bytes(uint32_t n_blocks)
{
    return sizeof(StrobeRing) + sizeof(uint32_t) * (uint64_t)(n_blocks ? n_blocks : 1);
}

typedef struct StrobePool {
    struct pool_header *header;
    size_t bytes;
    int fd;
    char path[PATH_MAX];
    int is_tmpfs;
    int mapping_keeps_lock; /* 1: the mapping keeps the program's lock after the file is closed */
} StrobePool;

/* Makes a pool of about `bytes` and maps its blocks; strobe_pool_intern_begin() then initialises
 * its strings. The pool is on /dev/shm; if there is no room, or /dev/shm may vanish with the pid
 * namespace, it is in `fallback_dir`. `setup` is the text for the writer (writer-setup.h), NULL:
 * none. Returns 0 or an errno value. */
int strobe_pool_create(StrobePool *pool, size_t bytes, const char *fallback_dir, const char *setup);
/* Returns 0 in a container (a pid namespace): when its first process ends, its /dev/shm can vanish
 * with the pool in it. */
int strobe_pool_shared_memory_lasts(void);
/* Returns a copy of the text for the writer, which the caller must free; NULL: there is no text, or
 * no memory. */
char *strobe_pool_copy_setup(const struct pool_header *header);
/* Writes the pool's id to `text` as 32 hexadecimal digits. */
void strobe_pool_id(const struct pool_header *header, char text[33]);
/* Unmaps the pool and closes its file; if `remove` is 1, also unlinks the file. */
void strobe_pool_destroy(StrobePool *pool, int remove);

/* Closes the file, but only if the mapping, which stays, keeps the program's lock. */
void strobe_pool_close_file(StrobePool *pool);

/* Takes the lock that only one writer (process or thread) of a pool can have. Returns 0 or an errno
 * value. */
int strobe_pool_lock_for_writer(const StrobePool *pool);

/* Does the program, or the writer, still exist? Both functions test whether its lock is held. The
 * program holds a lock on the file (flock) as long as its mapping exists; the writer holds an
 * open-file lock on the first byte as long as it lives. These tests need no process ids, and count
 * a zombie as ended. */
int strobe_pool_has_program(const StrobePool *pool);
int strobe_pool_has_writer(const StrobePool *pool);
/* Returns the program's process id as the calling process sees it, while the program starts its
 * writer; 0: the calling process cannot see the program. */
pid_t strobe_pool_program(const StrobePool *pool);

/* Checks the layout of an existing pool and maps it: as a private copy, or `shared` for its writer.
 * Returns 0, EINVAL for a file that is not a pool, or an errno value. */
int strobe_pool_open(StrobePool *pool, const char *path, int shared);
/* Like strobe_pool_open with `shared`, for a pool whose file has no name. `fd` is the open file,
 * which the pool owns from now on. */
int strobe_pool_open_file(StrobePool *pool, int fd);

static inline void *strobe_pool_at(const struct pool_header *header, uint64_t offset)
{
    return (char *)(uintptr_t)header + offset;
}

/* Writes the record of an open span to `out`. Returns 1, or 0 if the span's thread was changing the
 * span at this moment. */
static inline int strobe_pool_span_words(const struct pool_span *span, uint32_t track, uint64_t end,
                                         uint64_t out[STROBE_UNFINISHED_WORDS])
{
    uint64_t begin = atomic_load_explicit(&span->begin, memory_order_acquire);
    uint64_t head = atomic_load_explicit(&span->head, memory_order_relaxed);

    out[0] = (head & ~UINT64_C(0xffff)) | STROBE_UNFINISHED_WORDS | STROBE_RECORD_HAS_TRACK |
             STROBE_RECORD_UNFINISHED;
    out[1] = begin;
    out[2] = end;
    out[3] = track;
    out[4] = atomic_load_explicit(&span->argument, memory_order_relaxed);
    atomic_thread_fence(memory_order_acquire);
    return begin != 0 && atomic_load_explicit(&span->begin, memory_order_relaxed) == begin;
}

static inline uint32_t strobe_pool_string_slots(const struct pool_header *header)
{
    return 2 * header->string_places;
}

/* Returns a new id for an inline string. */
static inline uint32_t strobe_pool_inline_id(struct pool_header *header)
{
    return STROBE_STRING_INLINE |
           (atomic_fetch_add_explicit(&header->n_inline, 1, memory_order_relaxed) &
            ~(STROBE_STRING_INLINE | STROBE_STRING_OF_SPAN));
}

static inline struct pool_window *strobe_pool_window(const struct pool_header *header,
                                                     uint32_t window)
{
    return (struct pool_window *)(uintptr_t)&header->windows[window % STROBE_POOL_WINDOWS];
}

static inline struct StrobeRing *strobe_pool_ring(const struct pool_header *header)
{
    return strobe_pool_at(header, header->ring_at);
}

static inline struct pool_thread_buffer *strobe_pool_thread_buffer(const struct pool_header *header,
                                                                   uint32_t index)
{
    return (struct pool_thread_buffer *)strobe_pool_at(header, header->thread_buffers_at) + index;
}

static inline struct pool_block *strobe_pool_block(const struct pool_header *header, uint32_t index)
{
    return (struct pool_block *)strobe_pool_at(
        header, header->blocks_at + (uint64_t)index * STROBE_POOL_BLOCK_BYTES);
}

static inline uint32_t strobe_pool_index(const struct pool_header *header,
                                         const struct pool_block *block)
{
    return (uint32_t)(((uintptr_t)block - (uintptr_t)strobe_pool_at(header, header->blocks_at)) /
                      STROBE_POOL_BLOCK_BYTES);
}

/* Returns the number of committed bytes; at most the block's size, even if the program wrote a
 * larger number. */
static inline uint32_t strobe_pool_used(const struct pool_block *block)
{
    uint32_t used = atomic_load_explicit(&block->used, memory_order_acquire);

    return used < STROBE_BLOCK_DATA ? used : STROBE_BLOCK_DATA;
}

/* Returns the number of records in the bytes [from, to) of a block, without inline strings. */
uint64_t strobe_pool_count_records(const struct pool_block *block, uint32_t from, uint32_t to);

/* Is any window not yet written and sealed? */
static inline int strobe_pool_has_windows(const struct pool_header *header)
{
    int any = 0;

    for (unsigned i = 0; i < STROBE_POOL_WINDOWS; i++)
        any |= atomic_load(&header->windows[i].window) != 0;
    return any;
}

/* Returns the loss counts at the end of the window, valid when the window's `end` is set. They
 * separate the window's losses from those of the next window. */
static inline StrobeLossCounts *strobe_pool_ending(const struct pool_header *header,
                                                   uint32_t window)
{
    return (StrobeLossCounts *)strobe_pool_at(header, header->seen_at) + 1 +
           window % STROBE_POOL_WINDOWS;
}

/* Assigns a taken block to a thread buffer; after this, recovery finds the block. */
static inline void strobe_pool_begin_block(struct pool_block *block, uint32_t thread_buffer,
                                           uint64_t sequence, uint32_t track, uint32_t window)
{
    block->thread_buffer = thread_buffer;
    block->sequence = sequence;
    block->track = track;
    block->window = window;
    block->base = strobe_clock_now();
    atomic_store_explicit(&block->used, 0, memory_order_relaxed);
    atomic_store_explicit(&block->flushed, 0, memory_order_relaxed);
    atomic_store_explicit(&block->owned, 1, memory_order_release);
}

/* Returns the number of the thread buffer's open spans in this window that have no entry in the
 * pool; these spans are lost when the window ends. */
uint32_t strobe_pool_deep_spans(const struct pool_thread_buffer *thread_buffer, uint32_t window);
/* Records in the pool that the losses in `seen` have been written to a capture. */
void strobe_pool_tell_losses(struct pool_header *header, const StrobeLossCounts *seen);

/* Takes a free block and returns it, NULL if there is none. Lock-free, any thread. */
struct pool_block *strobe_pool_take(struct pool_header *header);
/* Puts a block into the free list. */
void strobe_pool_give(struct pool_header *header, struct pool_block *block);
/* Queues a block for the writer. */
void strobe_pool_push_full(struct pool_header *header, struct pool_block *block);
/* Takes all blocks of the queue and links them from the oldest to the newest by `next`. Returns the
 * index of the oldest block, STROBE_NO_BLOCK if there is none. Only the writer may call it. */
uint32_t strobe_pool_take_full(struct pool_header *header);

#endif
