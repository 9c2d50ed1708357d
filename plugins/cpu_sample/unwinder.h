/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the frames of stack copies by unwind tables (.eh_frame). A separate process does the work
 * (unwind-program.c), because it reads the program's files, which may be damaged or prepared for an
 * attack. If that process ends or hangs, it is started again, up to 15 times. Only one thread at a
 * time may use an unwinder. This header needs only libc.
 */
#ifndef STROBE_CPU_SAMPLE_UNWINDER_H
#define STROBE_CPU_SAMPLE_UNWINDER_H

#include "sample-tasks.h"
#include "stack-copy.h"

typedef struct Unwinder Unwinder;

/* Starts cpu_sample-unwind, which is in the plugin's folder. Returns NULL with errno if the program
 * cannot be started; ENOENT: Strobe was built without it. */
Unwinder *unwinder_open(void);
void unwinder_close(Unwinder *unwinder);

/* Returns the sample with a complete chain: the kernel's part and the frames of the stack copy. The
 * result is valid until the next call. A sample without a copy is returned unchanged; if unwinding
 * fails, the user part has only the innermost frame. */
const Sample *unwinder_chain(Unwinder *unwinder, SampledProcess *process, const Sample *sample);

/* Returns the number of times that cpu_sample-unwind has ended unexpectedly. */
uint32_t unwinder_failures(const Unwinder *unwinder);

#endif
