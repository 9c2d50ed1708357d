/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pool: a preallocated shared file mapping that holds all that a window records until the
 * writer thread has appended it to the capture. Because it is a file, it outlives a kill, and
 * recovery finds in it every committed record, the open spans, strings, tracks and kinds.
 *
 * Offsets, not pointers, inside; every number read by recovery is checked against the file's size.
 * libc only.
 */
#ifndef STROBE_CORE_POOL_H
#define STROBE_CORE_POOL_H

#include <limits.h>
#include <stdatomic.h>
#include <stdint.h>
#include <strobe/record.h>
#include "capture-format.h"
#include "clock.h"

#define STROBE_POOL_MAGIC "StrobeP1"
#define STROBE_POOL_VERSION 1
#define STROBE_POOL_MIN_BYTES (8u << 20)

#define STROBE_POOL_LANES 1024u
#define STROBE_POOL_SPANS 256u
#define STROBE_POOL_TRACKS 16384u
#define STROBE_POOL_STRINGS 65536u
#define STROBE_POOL_STRING_SLOTS (2u * STROBE_POOL_STRINGS)
#define STROBE_POOL_KIND_BYTES (256u << 10)
#define STROBE_POOL_BLOCK_BYTES (64u << 10)
#define STROBE_NO_BLOCK UINT32_MAX

struct pool_span {
    uint64_t begin;
    uint64_t argument;
    uint32_t name;
    uint32_t kind;
};

/* What a lane keeps where a kill cannot reach it. One thread writes, the writer thread reads. */
struct pool_lane {
    _Atomic uint32_t block; /* the block being filled, STROBE_NO_BLOCK if none */
    _Atomic uint32_t depth; /* open spans; more than STROBE_POOL_SPANS are not in `spans` */
    _Atomic uint32_t track;
    _Atomic uint32_t window;
    uint64_t sequence; /* of the last block taken */
    _Atomic uint64_t lost[STROBE_LOSS_CAUSES];
    uint64_t lost_told[STROBE_LOSS_CAUSES]; /* of these, written into a capture; writer thread */
    struct pool_span spans[STROBE_POOL_SPANS];
};

/* Counts of losses at one moment. */
typedef struct StrobeLossCounts {
    uint64_t core[STROBE_LOSS_CAUSES];
    uint64_t lanes[STROBE_POOL_LANES][STROBE_LOSS_CAUSES];
} StrobeLossCounts;

struct pool_block {
    _Atomic uint32_t next; /* in the free or the full list */
    uint32_t lane;
    uint64_t sequence;
    uint32_t track;
    uint32_t window;
    _Atomic uint32_t used;    /* committed bytes behind this header */
    _Atomic uint32_t flushed; /* of these, appended to the capture */
    _Atomic uint32_t owned;   /* 1: by a lane or waiting to be written; 0: free */
    uint32_t reserved[7];
};

_Static_assert(sizeof(struct pool_block) == 64, "pool layout");
#define STROBE_BLOCK_DATA (STROBE_POOL_BLOCK_BYTES - (uint32_t)sizeof(struct pool_block))

struct pool_header {
    char magic[8];
    uint32_t version;
    uint32_t block_bytes;
    uint64_t total_bytes;
    uint32_t n_lanes, n_blocks;
    uint64_t lanes_at, seen_at, tracks_at, kinds_at, offsets_at, slots_at, arena_at, blocks_at;
    uint64_t arena_bytes;

    uint64_t id[2]; /* random; the capture's facts name it, so that neither is taken for another */
    uint64_t pid;
    uint32_t clock_counter;

    _Atomic uint64_t free_blocks; /* tag << 32 | index */
    _Atomic uint32_t full_blocks; /* index of the last one pushed */
    _Atomic uint32_t kinds_used;
    _Atomic uint32_t n_tracks;
    _Atomic uint32_t n_strings; /* ids dealt out */
    _Atomic uint64_t arena_used;
    _Atomic uint32_t n_beside; /* strings written beside their records */

    /* Losses that are of no lane, and how many of them have been written. */
    _Atomic uint64_t lost[STROBE_LOSS_CAUSES];
    uint64_t lost_told[STROBE_LOSS_CAUSES];
    /* Where in the capture what is at seen_at is being told; 0: nothing is. */
    _Atomic uint64_t telling_at;

    /* Where in the capture a recovery began to write what the program left; 0: none did. */
    uint64_t recovering_at;

    _Atomic uint32_t window; /* the one whose capture is open, 0: none */
    uint64_t window_begin;
    StrobeClockPair window_pair;
    char capture[PATH_MAX];
};

typedef struct StrobePool {
    struct pool_header *header;
    size_t bytes;
    int fd;
    char path[PATH_MAX];
    int is_tmpfs;
    int is_unnamed; /* O_TMPFILE: gone with the process until strobe_pool_name() */
} StrobePool;

/* Makes and prefaults a pool of about `bytes`: on /dev/shm, else in `fallback_dir`. Returns 0 or an
 * errno value. */
int strobe_pool_create(StrobePool *pool, size_t bytes, const char *fallback_dir);
/* Gives the file its name, before the first capture that names it. Returns 0 or an errno value. */
int strobe_pool_name(StrobePool *pool);
/* The pool's id as 32 hexadecimal digits. */
void strobe_pool_id(const struct pool_header *header, char text[33]);
/* Unmaps and closes; `remove` unlinks the file. */
void strobe_pool_destroy(StrobePool *pool, int remove);

/* Does a process still use the pool? (It holds a lock on the file, which ends with it, zombie or
 * not, whatever pid it has here.) */
int strobe_pool_is_live(const StrobePool *pool);

/* Writes recovering_at into an opened pool's file. Returns 0 or an errno value. */
int strobe_pool_note_recovery(const StrobePool *pool, uint64_t at);

/* Maps an existing pool, privately, after checking its layout. Returns 0, EINVAL for a file that is
 * not a pool, or an errno value. */
int strobe_pool_open(StrobePool *pool, const char *path);

static inline void *strobe_pool_at(const struct pool_header *header, uint64_t offset)
{
    return (char *)(uintptr_t)header + offset;
}

/* The record that an open span leaves behind. */
static inline void strobe_pool_span_words(const struct pool_span *span, uint32_t track,
                                          uint64_t end, uint64_t out[STROBE_UNFINISHED_WORDS])
{
    out[0] = (uint64_t)span->name << 32 | (uint64_t)(span->kind & 0xffff) << 16 |
             STROBE_UNFINISHED_WORDS | STROBE_RECORD_HAS_TRACK | STROBE_RECORD_UNFINISHED;
    out[1] = span->begin;
    out[2] = end;
    out[3] = track;
    out[4] = span->argument;
}

static inline struct pool_lane *strobe_pool_lane(const struct pool_header *header, uint32_t index)
{
    return (struct pool_lane *)strobe_pool_at(header, header->lanes_at) + index;
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

/* Counts the window's open spans for which there was no place as lost. */
void strobe_pool_count_deep_spans(struct pool_header *header, uint32_t window);
/* Remembers that what was seen was told. */
void strobe_pool_tell_losses(struct pool_header *header, const StrobeLossCounts *seen);

/* Takes a free block, NULL when there is none. Lock-free, any thread. */
struct pool_block *strobe_pool_take(struct pool_header *header);
/* Gives a block back. */
void strobe_pool_give(struct pool_header *header, struct pool_block *block);
/* Queues a block for the writer thread. */
void strobe_pool_push_full(struct pool_header *header, struct pool_block *block);
/* Takes the whole queue, oldest first; returns the first index or STROBE_NO_BLOCK. Writer only. */
uint32_t strobe_pool_take_full(struct pool_header *header);

#endif
