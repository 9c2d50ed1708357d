/* SPDX-License-Identifier: Apache-2.0 */
#include "track-table.h"

#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "intern.h"
#include "testpoint.h"

static struct strobe_stored_track *slot(const struct pool_header *header, uint32_t id)
{
    return (struct strobe_stored_track *)strobe_pool_at(header, header->tracks_at) + (id - 1);
}

static uint32_t intern_text(struct pool_header *header, const char *text)
{
    size_t length = text ? strlen(text) : 0;

    if (!text)
        return 0;
    return strobe_pool_intern(header, text, length > 4096 ? 4096 : length, 0);
}

static void fill(struct pool_header *header, struct strobe_stored_track *out,
                 const StrobeTrack *track)
{
    out->id = 0;
    out->type = track->type;
    out->clock = track->clock;
    out->device = track->device;
    out->pid = (uint64_t)getpid();
    out->number = track->id;
    out->name = intern_text(header, track->name);
    out->group = intern_text(header, track->group);
}

static uint32_t add_stored(struct pool_header *header, const struct strobe_stored_track *stored)
{
    uint32_t n = atomic_load_explicit(&header->n_tracks, memory_order_relaxed);

    do
        if (n >= STROBE_POOL_TRACKS)
            return 0;
    while (!atomic_compare_exchange_weak_explicit(&header->n_tracks, &n, n + 1,
                                                  memory_order_relaxed, memory_order_relaxed));
    struct strobe_stored_track *out = slot(header, n + 1);
    STROBE_TESTPOINT("track-numbered");
    /* All but the id, by which others see whether it is there. */
    memcpy(&out->type, &stored->type, sizeof *out - offsetof(struct strobe_stored_track, type));
    __atomic_store_n(&out->id, n + 1, __ATOMIC_RELEASE); /* publishes */
    return n + 1;
}

uint32_t strobe_track_add(struct pool_header *header, const StrobeTrack *track)
{
    struct strobe_stored_track stored;

    fill(header, &stored, track);
    return add_stored(header, &stored);
}

/* A thread is known by its number alone: it has named its own track itself. */
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
    struct strobe_stored_track stored;
    uint32_t n = atomic_load_explicit(&header->n_tracks, memory_order_acquire);

    fill(header, &stored, track);
    for (uint32_t id = 1; id <= n; id++) {
        const struct strobe_stored_track *old = strobe_track_get(header, id);
        if (old && is_same(old, &stored))
            return id;
    }
    return add_stored(header, &stored);
}

uint32_t strobe_track_of_thread(struct pool_header *header)
{
    char name[17] = "";
    StrobeTrack track = {.struct_size = sizeof track,
                         .type = STROBE_TRACK_THREAD,
                         .device = -1,
                         .id = (uint64_t)syscall(SYS_gettid)};

    if (prctl(PR_GET_NAME, name) == 0)
        track.name = name;
    return strobe_track_add(header, &track);
}

const struct strobe_stored_track *strobe_track_get(const struct pool_header *header, uint32_t id)
{
    if (id == 0 || id > STROBE_POOL_TRACKS)
        return NULL;
    const struct strobe_stored_track *track = slot(header, id);
    return __atomic_load_n(&track->id, __ATOMIC_ACQUIRE) == id ? track : NULL;
}
