/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the Python functions that were running when a sample was taken. The frames are read from
 * outside the process, after the sample was taken. So they belong to the sample only if they are
 * read soon after it, and only if the sample's stack contains the interpreter's code.
 */
#ifndef STROBE_CPU_SAMPLE_PYTHON_SAMPLES_H
#define STROBE_CPU_SAMPLE_PYTHON_SAMPLES_H

#include "call-chain.h"
#include "sample-event.h"
#include "sample-tasks.h"

#define PYTHON_SAMPLE_AGE_NS 1000000u

typedef struct PythonSamples {
    int is_wanted, has_found; /* has_found: an interpreter was found in a process */
    pid_t pid;                /* process whose memory is read */
    ProcessMemory memory;
    PythonStack stack;
    PythonCallers callers;
    uint64_t n_joined, n_torn, n_late;
} PythonSamples;

void python_samples_begin(PythonSamples *samples, int is_wanted);

/* Returns the Python frames of a sample, valid until the next call; NULL: the sample has none, or
 * they could not be read. */
const PythonCallers *python_samples_join(PythonSamples *samples, SampledProcess *process,
                                         const Sample *sample);

/* Logs, once for each process, why its Python frames cannot be read although it has an
 * interpreter. */
void python_samples_report(const StrobeHost *host, StrobeInstance *self, SampledProcess *process);

/* If an interpreter was found, records as "metadata" how many samples have Python frames, and how
 * many have none, by reason. */
void python_samples_record(const PythonSamples *samples, const StrobeHost *host,
                           StrobeInstance *self, StrobeKindId kind, StrobeTrackId track);

#endif
