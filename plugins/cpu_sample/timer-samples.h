/* SPDX-License-Identifier: Apache-2.0 */
/* source=timer: samples of the timers in the program, as records. */
#ifndef STROBE_CPU_SAMPLE_TIMER_SAMPLES_H
#define STROBE_CPU_SAMPLE_TIMER_SAMPLES_H

#include "cpu-sample-state.h"

StrobeStatus timer_samples_start(CpuSample *state);
void timer_samples_stop(CpuSample *state);

/* Records what the rings hold. Returns how many samples that was. */
int timer_samples_drain(CpuSample *state);
/* The same, and looks for the rings of new processes. */
void timer_samples_look(CpuSample *state);

#endif
