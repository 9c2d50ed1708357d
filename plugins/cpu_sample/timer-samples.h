/* SPDX-License-Identifier: Apache-2.0 */
/* Records the samples that timers in the program take (source=timer). */
#ifndef STROBE_CPU_SAMPLE_TIMER_SAMPLES_H
#define STROBE_CPU_SAMPLE_TIMER_SAMPLES_H

#include "cpu-sample-state.h"

StrobeStatus timer_samples_start(CpuSample *state);
void timer_samples_stop(CpuSample *state);

/* Records the samples in the rings. Returns their number. */
int timer_samples_drain(CpuSample *state);
/* Looks for the rings of new processes, and records the samples in all rings. */
void timer_samples_look(CpuSample *state);

#endif
