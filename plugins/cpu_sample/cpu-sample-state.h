/* SPDX-License-Identifier: Apache-2.0 */
/* What the collector keeps, and what its parts call of each other. */
#ifndef STROBE_CPU_SAMPLE_STATE_H
#define STROBE_CPU_SAMPLE_STATE_H

#include <pthread.h>
#include <strobe/collector.h>

#include <strobe/helpers/perf-rings.h>
#include "call-chain.h"
#include "sample-reader-thread.h"
#include "python-samples.h"
#include "sample-event.h"
#include "sample-tasks.h"
#include "sample-time.h"
#include "timer-reader.h"
#include "unwinder.h"

typedef struct CpuSample {
    const StrobeHost *host;
    StrobeInstance *self;
    StrobeKindId kind, metadata, wait_kind;
    StrobeTrackId track; /* of facts */
    pid_t pid;
    struct perf_event_attr attributes;
    StrobePerfRings *rings;      /* NULL: not started, or source=timer */
    StrobePerfRings *wait_rings; /* of switches; NULL: off_cpu=false, or refused */
    TimerReader *timers;         /* the other way round */
    uint32_t n_drains;
    Tasks tasks;
    CallChains chains;
    Unwinder *unwinder; /* NULL: the kernel finds the callers */
    SampleRate rate;
    PythonSamples python;
    DrainThread *thread;  /* drains where there are Python frames to be read, or copies of stacks,
                             which fill the rings; NULL: not needed */
    pthread_mutex_t lock; /* of all above, against that thread */
    uint32_t n_empty;   /* of that thread: times that it found nothing, since it found something */
    uint32_t n_samples; /* how often the sampler has called, while no interpreter is found */
} CpuSample;

/* Records a sample. */
void cpu_sample_take(CpuSample *state, StrobeWriter *writer, const Sample *sample);

#endif
