/* SPDX-License-Identifier: Apache-2.0 */
/* Settings of recording: policy for a full pool, sync of the capture, and rotation. */
#ifndef STROBE_CORE_RECORDING_SETTINGS_H
#define STROBE_CORE_RECORDING_SETTINGS_H

#include <stdint.h>

#define STROBE_POOL_MIN_BYTES (8u << 20) /* minimum size of a pool in a configuration */
#define STROBE_POOL_LEAST_BYTES (2u << 20)

/* Behaviour of a thread that finds no free block. */
enum strobe_policy {
    STROBE_POLICY_DROP = 0,  /* the record is lost and counted */
    STROBE_POLICY_BLOCK = 1, /* the thread waits for the writer */
    STROBE_POLICY_RING = 2   /* the oldest records are overwritten: a flight recorder */
};

/* Limits of a segment of a rotating capture, and the number of segments that are kept. 0: no
 * limit. */
typedef struct StrobeRotationLimits {
    uint64_t bytes;
    int64_t ns;
    uint32_t keep;      /* number of kept segments, including the newest */
    uint32_t on_demand; /* 1: strobe_recorder_roll() may begin segments too */
} StrobeRotationLimits;

/* When the capture is synced to the disk: never, at the end of a window, or at intervals. A kill
 * never loses data; a power cut loses data that the kernel has not written. */
enum { STROBE_SYNC_NONE = 0, STROBE_SYNC_WINDOW = 1, STROBE_SYNC_INTERVAL = 2 };

/* Storage format of a capture's blocks. */
enum { STROBE_COMPRESS_NONE = 0, STROBE_COMPRESS_ZSTD = 1 };

/* Settings of the writer; the program sets them before the writer starts. */
struct pool_settings {
    uint32_t policy;           /* enum strobe_policy */
    uint32_t sync;             /* STROBE_SYNC_* */
    int64_t flush_interval_ns; /* partly filled blocks are written at least this often */
    int64_t ring_ns;           /* time that a dump covers, 0: as much as the pool holds */
    StrobeRotationLimits rotation;
    uint32_t compress; /* STROBE_COMPRESS_* */
};

#endif
