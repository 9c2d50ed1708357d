/* SPDX-License-Identifier: Apache-2.0 */
/* The collector's state, and a function that its parts share. */
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
    StrobeTrackId track; /* track of the metadata records */
    pid_t pid;
    struct perf_event_attr attributes;
    StrobePerfRings *rings; /* NULL: not started, or source=timer is set */
    /* context switches; NULL: off_cpu=false is set, or the kernel refuses them */
    StrobePerfRings *wait_rings;
    TimerReader *timers; /* NULL: not started, or source=perf is set */
    uint32_t n_drains;
    Tasks tasks;
    CallChains chains;
    Unwinder *unwinder; /* NULL: the kernel or the timer finds the callers */
    SampleRate rate;
    PythonSamples python;
    DrainThread *thread; /* reads samples at once, because Python frames must be read soon and stack
                            copies fill the rings fast; NULL: not needed */
    pthread_mutex_t lock; /* protects the members above, which `thread` also uses */
    uint32_t n_empty;     /* number of consecutive times that `thread` found no event */
    uint32_t n_samples;   /* number of calls of the sampler before an interpreter was found */
} CpuSample;

/* Records a sample. */
void cpu_sample_take(CpuSample *state, StrobeWriter *writer, const Sample *sample);

#endif
