/* SPDX-License-Identifier: Apache-2.0 */
#include "track-table.h"

#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "intern.h"
#include "testpoint.h"

#define NO_PLACE UINT32_MAX

/* Flags in the state of a track's entry. */
#define TRACK_ENDED 1u /* the track's thread has ended */
#define TRACK_SWEPT 2u /* the thread had ended before the writer's current cycle began */
#define TRACK_KEPT 4u  /* the track's id was given to a caller, so the entry is not freed */

static struct pool_track *track_at(const struct pool_header *header, uint32_t place)
{
    return (struct pool_track *)strobe_pool_at(header, header->tracks_at) + place;
}

/* ---- publishing ---- */

static uint32_t intern_text(struct pool_header *header, const char *text)
{
    size_t length = text ? strlen(text) : 0;

    if (!text)
        return 0;
    return strobe_pool_intern(header, text, length > 4096 ? 4096 : length, 0);
}

/* Returns the stored form of a track's clock: one number for the clock and the clock's track. */
static uint32_t stored_clock(const StrobeTrack *track)
{
    uint32_t of = 0;

    if (track->clock != STROBE_CLOCK_OF_TRACK)
        return track->clock < STROBE_CLOCK_OF_TRACK ? track->clock : STROBE_CLOCK_HOST;
    /* A caller of an earlier ABI lacks this member. */
    if (track->struct_size >= offsetof(StrobeTrack, clock_track) + sizeof track->clock_track)
        of = track->clock_track;
    return of <= UINT32_MAX - STROBE_CLOCK_OF_TRACK ? STROBE_CLOCK_OF_TRACK + of
                                                    : STROBE_CLOCK_OF_TRACK;
}

static void fill_track(struct pool_header *header, struct strobe_stored_track *out,
                       const StrobeTrack *track)
{
    out->id = 0;
    out->type = track->type;
    out->clock = stored_clock(track);
    out->device = track->device;
    out->pid = header->pid;
    out->number = track->id;
    out->name = intern_text(header, track->name);
    out->group = intern_text(header, track->group);
}

static uint32_t take_new_place(_Atomic uint32_t *used, uint32_t max)
{
    uint32_t n = atomic_load_explicit(used, memory_order_relaxed);

    do
        if (n >= max)
            return NO_PLACE;
    while (!atomic_compare_exchange_weak_explicit(used, &n, n + 1, memory_order_relaxed,
                                                  memory_order_relaxed));
    return n;
}

static uint32_t take_free_place(struct pool_header *header)
{
    uint64_t head = atomic_load_explicit(&header->free_tracks, memory_order_acquire);

    while ((uint32_t)head) {
        uint32_t place = (uint32_t)head - 1;
        if (place >= STROBE_POOL_THREAD_TRACKS) /* a correct program never writes this */
            break;
        uint32_t rest = atomic_load_explicit(&track_at(header, place)->next, memory_order_relaxed);
        /* The tag changes with every exchange, so the exchange also fails if the same entry was
         * taken and returned meanwhile. */
        uint64_t next = ((head >> 32) + 1) << 32 | rest;
        if (atomic_compare_exchange_weak_explicit(&header->free_tracks, &head, next,
                                                  memory_order_acq_rel, memory_order_acquire))
            return place;
    }
    return NO_PLACE;
}

static void give_place(struct pool_header *header, uint32_t place)
{
    uint64_t head = atomic_load_explicit(&header->free_tracks, memory_order_relaxed);
    uint64_t next;

    do {
        atomic_store_explicit(&track_at(header, place)->next, (uint32_t)head, memory_order_relaxed);
        next = ((head >> 32) + 1) << 32 | (place + 1);
    } while (!atomic_compare_exchange_weak_explicit(&header->free_tracks, &head, next,
                                                    memory_order_release, memory_order_relaxed));
}

/* Assigns an id to the track and publishes the track. Returns the id; 0 if all ids have been
 * used. */
static uint32_t publish_track(struct pool_header *header, uint32_t place,
                              struct strobe_stored_track *stored, uint64_t thread)
{
    struct pool_track *track = track_at(header, place);
    uint64_t words[STROBE_TRACK_WORDS];
    uint64_t id = atomic_fetch_add_explicit(&header->n_track_ids, 1, memory_order_relaxed) + 1;

    if (id > UINT32_MAX)
        return 0;
    STROBE_TESTPOINT("track-numbered");
    stored->id = (uint32_t)id;
    memcpy(words, stored, sizeof words);
    for (uint32_t i = 0; i < STROBE_TRACK_WORDS; i++)
        atomic_store_explicit(&track->stored[i], words[i], memory_order_release);
    atomic_store_explicit(&track->thread, thread, memory_order_release);
    atomic_store_explicit(&track->state, id << 32, memory_order_release);
    atomic_fetch_add_explicit(&header->n_tracks, 1, memory_order_release);
    return (uint32_t)id;
}

/* ---- threads ---- */

uint32_t strobe_track_begin_thread(struct pool_header *header, uint32_t thread_buffer)
{
    char name[17] = "";
    StrobeTrack track = {.struct_size = sizeof track,
                         .type = STROBE_TRACK_THREAD,
                         .device = -1,
                         .id = (uint64_t)syscall(SYS_gettid)};
    struct strobe_stored_track stored;
    uint32_t mine = take_free_place(header), id = 0;

    if (mine == NO_PLACE)
        mine = take_new_place(&header->n_thread_tracks, STROBE_POOL_THREAD_TRACKS);
    if (mine != NO_PLACE) {
        if (prctl(PR_GET_NAME, name) == 0)
            track.name = name;
        fill_track(header, &stored, &track);
        id = publish_track(header, mine, &stored, track.id);
    }
    atomic_store_explicit(&strobe_pool_thread_buffer(header, thread_buffer)->track_place,
                          id ? mine + 1 : 0, memory_order_relaxed);
    if (id == 0)
        atomic_fetch_add_explicit(&header->n_trackless, 1, memory_order_relaxed);
    return id;
}

void strobe_track_end_thread(struct pool_header *header, uint32_t index)
{
    struct pool_thread_buffer *thread_buffer = strobe_pool_thread_buffer(header, index);
    uint32_t place = atomic_load_explicit(&thread_buffer->track_place, memory_order_relaxed);
    struct pool_track *track;

    if (place == 0 || place > STROBE_POOL_THREAD_TRACKS)
        return;
    track = track_at(header, place - 1);
    track->thread_buffer = index;
    track->last_block = thread_buffer->sequence;
    atomic_fetch_or_explicit(&track->state, TRACK_ENDED, memory_order_release);
    atomic_fetch_add_explicit(&header->n_threads_ended, 1, memory_order_relaxed);
    atomic_store_explicit(&thread_buffer->track_place, 0, memory_order_relaxed);
}

void strobe_track_keep(struct pool_header *header, const struct pool_thread_buffer *thread_buffer,
                       uint32_t id)
{
    uint32_t place = atomic_load_explicit(&thread_buffer->track_place, memory_order_relaxed);

    if (place == 0 || place > STROBE_POOL_THREAD_TRACKS)
        return;
    struct pool_track *track = track_at(header, place - 1);
    uint64_t state = atomic_load_explicit(&track->state, memory_order_acquire);
    while (state >> 32 == id && !(state & TRACK_KEPT) &&
           !atomic_compare_exchange_weak_explicit(&track->state, &state, state | TRACK_KEPT,
                                                  memory_order_acq_rel, memory_order_acquire))
        ;
}

/* Finds the track of the latest thread with this number, even if the thread has ended, and marks
 * the track as kept. Returns the track's id; 0: there is none. */
static uint32_t keep_thread(struct pool_header *header, uint64_t number)
{
    uint32_t n = strobe_track_n_thread_places(header);
    struct pool_track *best;
    uint64_t best_state;

    do {
        best = NULL;
        best_state = 0;
        for (uint32_t i = 0; i < n; i++) {
            struct pool_track *track = track_at(header, i);
            uint64_t state = atomic_load_explicit(&track->state, memory_order_acquire);
            if (state > best_state &&
                atomic_load_explicit(&track->thread, memory_order_acquire) == number) {
                best = track;
                best_state = state;
            }
        }
        /* The exchange fails if the entry was freed, or its thread ended, meanwhile. */
    } while (best && !atomic_compare_exchange_strong_explicit(
                         &best->state, &best_state, best_state | TRACK_KEPT, memory_order_acq_rel,
                         memory_order_relaxed));
    return (uint32_t)(best_state >> 32);
}

/* ---- other tracks ---- */

static int is_same(const struct strobe_stored_track *a, const struct strobe_stored_track *b)
{
    if (a->type != b->type || a->number != b->number || a->clock != b->clock)
        return 0;
    if (a->type == STROBE_TRACK_THREAD && b->name == 0)
        return 1;
    return a->device == b->device && a->name == b->name && a->group == b->group;
}

uint32_t strobe_track_find_or_add(struct pool_header *header, const StrobeTrack *track)
{
    uint32_t n = strobe_track_n_other_places(header);
    struct strobe_stored_track stored;
    uint32_t id = 0;

    fill_track(header, &stored, track);
    /* A track that is described only by a thread's number is that thread's own track. */
    if (stored.type == STROBE_TRACK_THREAD && stored.name == 0 && stored.clock == STROBE_CLOCK_HOST)
        id = keep_thread(header, stored.number);
    for (uint32_t i = 0; i < n && id == 0; i++) {
        struct strobe_stored_track old;
        if (strobe_track_at(header, STROBE_POOL_THREAD_TRACKS + i, &old) && is_same(&old, &stored))
            id = old.id;
    }
    if (id)
        return id;
    n = take_new_place(&header->n_other_tracks, STROBE_POOL_OTHER_TRACKS);
    return n == NO_PLACE ? 0 : publish_track(header, STROBE_POOL_THREAD_TRACKS + n, &stored, 0);
}

/* ---- reading and freeing ---- */

int strobe_track_at(const struct pool_header *header, uint32_t place,
                    struct strobe_stored_track *out)
{
    const struct pool_track *track = track_at(header, place);
    uint64_t words[STROBE_TRACK_WORDS], state, again;

    do {
        state = atomic_load_explicit(&track->state, memory_order_acquire);
        if (state == 0)
            return 0;
        /* The loads are in this order so that `state`, read again afterwards, shows whether the
         * entry belongs to another thread meanwhile. */
        for (uint32_t i = 0; i < STROBE_TRACK_WORDS; i++)
            words[i] = atomic_load_explicit(&track->stored[i], memory_order_acquire);
        again = atomic_load_explicit(&track->state, memory_order_relaxed);
    } while (again >> 32 != state >> 32);
    memcpy(out, words, sizeof words);
    return 1;
}

static uint32_t at_most(uint32_t n, uint32_t max)
{
    return n < max ? n : max;
}

uint32_t strobe_track_n_thread_places(const struct pool_header *header)
{
    return at_most(atomic_load_explicit(&header->n_thread_tracks, memory_order_acquire),
                   STROBE_POOL_THREAD_TRACKS);
}

uint32_t strobe_track_n_other_places(const struct pool_header *header)
{
    return at_most(atomic_load_explicit(&header->n_other_tracks, memory_order_acquire),
                   STROBE_POOL_OTHER_TRACKS);
}

void strobe_track_sweep_begin(struct pool_header *header)
{
    uint32_t n = strobe_track_n_thread_places(header);

    for (uint32_t i = 0; i < n; i++) {
        struct pool_track *track = track_at(header, i);
        if (atomic_load_explicit(&track->state, memory_order_relaxed) & TRACK_ENDED)
            atomic_fetch_or_explicit(&track->state, TRACK_SWEPT, memory_order_acquire);
    }
}

/* Frees the entry, unless another thread marks its track as kept at this moment. */
static void free_place(struct pool_header *header, uint32_t place, uint64_t state)
{
    if (!(state & TRACK_KEPT) &&
        atomic_compare_exchange_strong_explicit(&track_at(header, place)->state, &state, 0,
                                                memory_order_acq_rel, memory_order_relaxed))
        give_place(header, place);
}

void strobe_track_sweep_end(struct pool_header *header)
{
    uint32_t n = strobe_track_n_thread_places(header);

    for (uint32_t i = 0; i < n; i++) {
        uint64_t state = atomic_load_explicit(&track_at(header, i)->state, memory_order_relaxed);
        if (state & TRACK_SWEPT)
            free_place(header, i, state);
    }
}

void strobe_track_sweep_ring(struct pool_header *header)
{
    uint32_t n = strobe_track_n_thread_places(header);

    for (uint32_t i = 0; i < n; i++) {
        const struct pool_track *track = track_at(header, i);
        uint64_t state = atomic_load_explicit(&track->state, memory_order_acquire);
        if ((state & TRACK_ENDED) &&
            atomic_load_explicit(
                &strobe_pool_thread_buffer(header, track->thread_buffer % header->n_thread_buffers)
                     ->recycled,
                memory_order_acquire) >= track->last_block)
            free_place(header, i, state);
    }
}
