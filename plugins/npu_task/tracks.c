/* SPDX-License-Identifier: Apache-2.0 */
#include "tracks.h"

#include <stdio.h>
#include <string.h>

#include "mspti-abi.h"

#define PROBES 64u

void npu_tracks_open(NpuTracks *tracks, const StrobeHost *host, StrobeInstance *self)
{
    const StrobeTrack clock = {
        .struct_size = sizeof clock,
        .type = STROBE_TRACK_COUNTER,
        .clock = STROBE_CLOCK_OF_TRACK,
        .device = -1,
        .name = "MSPTI clock",
        .group = "MSPTI",
    };

    memset(tracks, 0, sizeof *tracks);
    tracks->host = host;
    tracks->self = self;
    tracks->clock = host->track(self, &clock);
}

static int32_t device_of(uint32_t device)
{
    return device <= INT32_MAX ? (int32_t)device : -1;
}

static void describe_track(NpuTracks *tracks, StrobeTrack *track, char *text, size_t size,
                           uint32_t id_type, uint32_t a, uint32_t b, const char *name)
{
    switch (id_type) {
    case NPU_PLACE_STREAM:
        track->type = STROBE_TRACK_STREAM;
        track->device = device_of(a);
        track->id = b;
        track->group = "Ascend Hardware";
        snprintf(text, size, "Stream %u", b);
        break;
    case NPU_PLACE_GROUP:
        track->type = STROBE_TRACK_STREAM;
        track->device = device_of(a);
        track->id = tracks->n_groups++;
        track->group = "Communication";
        if (name && *name)
            snprintf(text, size, "Group %s Communication", name);
        else
            snprintf(text, size, "Communication");
        break;
    case NPU_PLACE_COPIES:
        track->type = STROBE_TRACK_PROCESS;
        track->device = device_of(a);
        track->id = b;
        track->group = "CANN";
        snprintf(text, size, "Memory calls");
        break;
    default:
        track->type = STROBE_TRACK_THREAD;
        track->id = b;
        track->group = id_type == NPU_PLACE_CALLS ? "CANN" : "mstx";
        snprintf(text, size, "Thread %u", b);
    }
}

static StrobeTrackId make_track(NpuTracks *tracks, uint32_t id_type, uint32_t a, uint32_t b,
                                const char *name)
{
    char text[256] = "";
    StrobeTrack track = {
        .struct_size = sizeof track,
        .clock = STROBE_CLOCK_OF_TRACK,
        .device = -1,
        .name = text,
        .clock_track = tracks->clock,
    };

    describe_track(tracks, &track, text, sizeof text, id_type, a, b, name);
    return tracks->host->track(tracks->self, &track);
}

NpuPlace *npu_tracks_find(NpuTracks *tracks, uint32_t id_type, uint32_t a, uint32_t b,
                          const char *name)
{
    uint64_t key = (uint64_t)id_type << 60 | (uint64_t)(a & 0x0fffffff) << 32 | b;
    uint64_t first = key * UINT64_C(0x9e3779b97f4a7c15) >> 52;
    NpuPlace *place = NULL;

    for (uint32_t i = 0; i < PROBES; i++) {
        place = &tracks->places[(first + i) % NPU_PLACES];
        if (place->key == key)
            return place;
        if (!place->key)
            break;
    }
    if (place->key) /* no entry near the hash is free, so the first one is replaced */
        place = &tracks->places[first];
    *place = (NpuPlace){.key = key, .track = make_track(tracks, id_type, a, b, name)};
    return place;
}
