/* SPDX-License-Identifier: Apache-2.0 */
/* Data and functions that the files of mix share: the capture that is being made, its texts, and
 * the current time of each thread and stream. */
#ifndef STROBE_BENCH_MIX_H
#define STROBE_BENCH_MIX_H

#include <stdint.h>
#include <strobe/kinds.h>
#include "import-capture.h"

/* Numbers of things in a step, as in the real run. */
enum {
    /* number of pieces of work that the program starts on the device, one after the other */
    MIX_LAYERS = 159,
    /* number of those pieces that the main thread starts; the backward thread starts the others */
    MIX_FORWARD = 53,
    MIX_KERNELS_A_STEP = 187,
    MIX_PLANES = 8
};

typedef enum MixKind {
    MIX_STEP,
    MIX_CPU_OP,
    MIX_PYTHON_CALL,
    MIX_TASK_QUEUE,
    MIX_API_CALL,
    MIX_DEVICE_TASK,
    MIX_DEVICE_PMU,
    MIX_COMM_OP,
    MIX_COMM_TASK,
    MIX_MEMORY_EVENT,
    MIX_MEMORY_USAGE,
    MIX_MODULE_MEMORY,
    MIX_ACC_PMU,
    MIX_HBM,
    MIX_LLC,
    MIX_SOC_BANDWIDTH,
    MIX_CORE_FREQUENCY,
    MIX_DEVICE_INFO,
    MIX_METADATA,
    MIX_KINDS
} MixKind;

typedef enum MixTrack {
    MIX_MAIN,
    MIX_BACKWARD,
    MIX_QUEUE,
    MIX_MAIN_API,
    MIX_BACKWARD_API,
    MIX_QUEUE_API,
    MIX_RELEASE_API,
    MIX_STREAM, /* the stream of kernels and copies */
    MIX_SIDE_STREAM,
    MIX_COMM_STREAM,
    MIX_GROUP,
    MIX_PLANE,
    MIX_ALLOCATOR = MIX_PLANE + MIX_PLANES,
    MIX_DEVICE_MEMORY,
    MIX_MODULES,
    MIX_ACCELERATORS,
    MIX_HBM_STACKS,
    MIX_CACHES,
    MIX_SOC,
    MIX_FREQUENCY,
    MIX_DEVICE,
    MIX_STEPS,
    MIX_PROCESS,
    MIX_TRACKS
} MixTrack;

/* Types of texts. Their numbers and lengths are those of the real run, but the texts are invented.
 */
typedef enum MixText {
    MIX_OPERATORS,
    MIX_GRADIENTS,
    MIX_SHAPES,
    MIX_TYPES,
    MIX_STACKS,
    MIX_FUNCTIONS,
    MIX_OBJECTS, /* names of functions of Python objects whose memory is used again */
    MIX_ENQUEUE,
    MIX_WORK,
    MIX_CALLS,
    MIX_INNER_CALLS,
    MIX_REQUESTS,
    MIX_RELEASES,
    MIX_LEVELS,
    MIX_LAUNCHES,
    MIX_KERNELS,
    MIX_KERNEL_TYPES,
    MIX_KERNEL_SHAPES,
    MIX_KERNEL_DATA,
    MIX_FORMATS,
    MIX_TASK_TYPES,
    MIX_CORES,
    MIX_METRICS,
    MIX_ALLOCATORS,
    MIX_ACCESSES,
    MIX_OWNERS,
    MIX_PARTS,
    MIX_TRANSFERS,
    MIX_LINKS,
    MIX_NOTIFIES,
    MIX_COMMUNICATOR,
    MIX_TEXTS
} MixText;

/* Indexes of texts within their type. */
enum { MIX_NODE, MIX_ACL, MIX_HCCL };                                   /* MIX_LEVELS */
enum { MIX_LAUNCH, MIX_LAUNCH_ALL };                                    /* MIX_LAUNCHES */
enum { MIX_GE, MIX_PTA };                                               /* MIX_ALLOCATORS */
enum { MIX_COPY, MIX_RECORD, MIX_WAIT, MIX_DMA, MIX_VECTOR, MIX_CUBE }; /* MIX_TASK_TYPES */
enum { MIX_GROUP_NAME, MIX_ALL_REDUCE, MIX_ALGORITHM, MIX_FLOAT };      /* MIX_COMMUNICATOR */

typedef struct MixPool {
    uint32_t n;
    uint32_t *ids;
} MixPool;

typedef struct Mix {
    StrobeImportCapture *capture;
    uint64_t seed;
    StrobeKindId kinds[MIX_KINDS];
    StrobeTrackId tracks[MIX_TRACKS];
    MixPool texts[MIX_TEXTS];
    uint64_t step, layer, kernel; /* current numbers; `layer` and `kernel` count within the step */
    /* times until which the queue, the stream and the communication are busy, in ns */
    int64_t queue, stream, comm;
    uint64_t connection, correlation, task, stream_task, comm_op; /* the ids that come next */
    int64_t allocated, reserved, active;
    uint64_t n_allocations;
} Mix;

/* Returns a random number below `n`, which must not be 0. Each seed gives a different sequence of
 * numbers. */
uint64_t mix_random(Mix *mix, uint64_t n);
/* Returns a random number from least to least << (doublings + 1); small numbers are more
 * frequent. */
int64_t mix_skewed(Mix *mix, int64_t least, unsigned doublings);
/* Returns the number of things at the place number `place` if `total` things are spread evenly over
 * `n` places. */
unsigned mix_share(uint64_t total, uint64_t place, uint64_t n);
uint32_t mix_pick(Mix *mix, MixText which);

/* Adds a record. Returns its fields, which all have absent values. */
void *mix_add(Mix *mix, MixKind kind, MixTrack track, uint32_t name, int64_t begin, int64_t end);

uint32_t mix_text(Mix *mix, const char *format, ...) __attribute__((format(printf, 2, 3)));
void mix_texts_make(Mix *mix);
void mix_texts_clear(Mix *mix);

/* Adds the records of a step. Returns the time at which the next step begins. */
int64_t mix_host_step(Mix *mix, int64_t begin);
/* These functions add the device's work for a launch that the queue's thread began at `begin`. */
void mix_device_kernel(Mix *mix, uint64_t connection, int64_t begin);
void mix_device_copy(Mix *mix, uint64_t connection, int64_t begin);
void mix_device_collective(Mix *mix, uint64_t connection, int64_t begin);
/* Adds the samples that are taken while a step runs. */
void mix_device_samples(Mix *mix, int64_t begin, int64_t end);

#endif
