/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which Python functions a sample was taken in. The frames are read from outside when the sample is
 * seen, so they belong to it only if that is soon, and only if the thread was in the interpreter.
 */
#ifndef STROBE_CPU_SAMPLE_PYTHON_SAMPLES_H
#define STROBE_CPU_SAMPLE_PYTHON_SAMPLES_H

#include "call-chain.h"
#include "sample-event.h"
#include "sample-tasks.h"

#define PYTHON_SAMPLE_AGE_NS 1000000u

typedef struct PythonSamples {
    int is_wanted, has_found; /* found: some process has an interpreter */
    pid_t pid;                /* whose memory is read */
    ProcessMemory memory;
    PythonStack stack;
    PythonCallers callers;
    uint64_t n_joined, n_torn, n_late;
} PythonSamples;

void python_samples_begin(PythonSamples *samples, int is_wanted);

/* The Python frames of a sample, valid until the next call; NULL: it has none that are known. */
const PythonCallers *python_samples_join(PythonSamples *samples, SampledProcess *process,
                                         const Sample *sample);

/* Says, once, why a process that has an interpreter has no Python frames. */
void python_samples_report(const StrobeHost *host, StrobeInstance *self, SampledProcess *process);

/* Records how many samples have Python frames, and why others have none: a "metadata" record, where
 * there was an interpreter. */
void python_samples_record(const PythonSamples *samples, const StrobeHost *host,
                           StrobeInstance *self, StrobeKindId kind, StrobeTrackId track);

#endif
