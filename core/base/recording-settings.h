/* SPDX-License-Identifier: Apache-2.0 */
/* How a session records: what a full pool means, when the capture is synced and rolls over. */
#ifndef STROBE_CORE_RECORDING_SETTINGS_H
#define STROBE_CORE_RECORDING_SETTINGS_H

#include <stdint.h>

#define STROBE_POOL_MIN_BYTES (8u << 20)

/* What a thread does that finds no free block. */
enum strobe_policy {
    STROBE_POLICY_DROP = 0,  /* loses the record, counted */
    STROBE_POLICY_BLOCK = 1, /* waits for the writer */
    STROBE_POLICY_RING = 2   /* overwrites the oldest: a flight recorder */
};

/* When a segment of a capture that rolls over ends, and how many are kept. 0: no limit. */
typedef struct StrobeRotationLimits {
    uint64_t bytes;
    int64_t ns;
    uint32_t keep;      /* segments, the newest included */
    uint32_t on_demand; /* strobe_recorder_roll() is called */
} StrobeRotationLimits;

/* When the capture is forced to the disk: a kill loses nothing either way, a power cut loses what
 * the kernel has not written. */
enum { STROBE_SYNC_NONE = 0, STROBE_SYNC_WINDOW = 1, STROBE_SYNC_INTERVAL = 2 };

/* How the blocks of a capture are stored. */
enum { STROBE_COMPRESS_NONE = 0, STROBE_COMPRESS_ZSTD = 1 };

/* How the writer works; the program sets it before there is one. */
struct pool_settings {
    uint32_t policy;           /* enum strobe_policy */
    uint32_t sync;             /* STROBE_SYNC_* */
    int64_t flush_interval_ns; /* partly filled blocks are written at least this often */
    int64_t ring_ns;           /* how far back a dump reaches, 0: as far as the pool does */
    StrobeRotationLimits rotation;
    uint32_t compress; /* STROBE_COMPRESS_* */
};

#endif
