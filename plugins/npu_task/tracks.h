/* SPDX-License-Identifier: Apache-2.0 */
/* Tracks of streams, communicators and threads. Each track is requested from the host once a
 * session and kept in a hash table. */
#ifndef STROBE_PLUGINS_NPU_TASK_TRACKS_H
#define STROBE_PLUGINS_NPU_TASK_TRACKS_H

#include <strobe/collector.h>

#define NPU_PLACES 4096u /* entries of the table; if it is full, an entry is replaced */

typedef struct NpuPlace {
    uint64_t key; /* 0: free */
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

/* What a track belongs to. */
enum { NPU_PLACE_STREAM = 1, NPU_PLACE_GROUP, NPU_PLACE_CALLS, NPU_PLACE_MARKS, NPU_PLACE_COPIES };

NpuPlace *npu_tracks_find(NpuTracks *tracks, uint32_t id_type, uint32_t a, uint32_t b,
                          const char *name);

/* Returns the table's entry that `a` and `b` identify. They are device and stream for
 * NPU_PLACE_STREAM; device and id of the communicator's name for GROUP; 0 and the thread for CALLS
 * and MARKS; the device and 0 for COPIES. `name` is the communicator's name. */
static inline NpuPlace *npu_tracks_place(NpuTracks *tracks, uint32_t id_type, uint32_t a,
                                         uint32_t b, const char *name)
{
    uint64_t key = (uint64_t)id_type << 60 | (uint64_t)(a & 0x0fffffff) << 32 | b;
    NpuPlace *place = &tracks->places[key * UINT64_C(0x9e3779b97f4a7c15) >> 52]; /* of NPU_PLACES */

    if (__builtin_expect(place->key == key, 1))
        return place;
    return npu_tracks_find(tracks, id_type, a, b, name);
}

#endif
