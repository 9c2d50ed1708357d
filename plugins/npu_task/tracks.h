/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps the tracks of streams, communicators and threads in a hash table. Each track is requested
 * from the host once in a session. */
#ifndef STROBE_PLUGINS_NPU_TASK_TRACKS_H
#define STROBE_PLUGINS_NPU_TASK_TRACKS_H

#include <strobe/collector.h>

/* number of entries of the table; if there is no free entry, a used one is replaced */
#define NPU_PLACES 4096u

typedef struct NpuPlace {
    uint64_t key; /* 0: the entry is free */
    StrobeTrackId track;
    uint32_t reserved;
    /* for a thread: the launch id of its last call, and the times of this call */
    uint64_t correlation, begin, end;
} NpuPlace;

typedef struct NpuTracks {
    const StrobeHost *host;
    StrobeInstance *self;
    StrobeTrackId clock;
    uint32_t n_groups; /* number of communicators so far */
    NpuPlace places[NPU_PLACES];
} NpuTracks;

void npu_tracks_open(NpuTracks *tracks, const StrobeHost *host, StrobeInstance *self);

/* Types of objects to which a track belongs. */
enum { NPU_PLACE_STREAM = 1, NPU_PLACE_GROUP, NPU_PLACE_CALLS, NPU_PLACE_MARKS, NPU_PLACE_COPIES };

NpuPlace *npu_tracks_find(NpuTracks *tracks, uint32_t id_type, uint32_t a, uint32_t b,
                          const char *name);

/* Returns the table's entry that `a` and `b` identify. `a` and `b` are device and stream for
 * NPU_PLACE_STREAM; device and id of the communicator's name for NPU_PLACE_GROUP; 0 and the thread
 * for NPU_PLACE_CALLS and NPU_PLACE_MARKS; the device and 0 for NPU_PLACE_COPIES. `name` is the
 * communicator's name. */
static inline NpuPlace *npu_tracks_place(NpuTracks *tracks, uint32_t id_type, uint32_t a,
                                         uint32_t b, const char *name)
{
    uint64_t key = (uint64_t)id_type << 60 | (uint64_t)(a & 0x0fffffff) << 32 | b;
    /* 12 bits, because there are 4096 entries */
    NpuPlace *place = &tracks->places[key * UINT64_C(0x9e3779b97f4a7c15) >> 52];

    if (__builtin_expect(place->key == key, 1))
        return place;
    return npu_tracks_find(tracks, id_type, a, b, name);
}

#endif
