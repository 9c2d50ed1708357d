/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the frames of stack copies by unwind tables (.eh_frame). A separate process does the work
 * (unwind-program.c), because it reads the program's files, which may be damaged or hostile. If
 * that process ends or hangs, it is started again, up to 15 times. One thread at a time. libc only.
 */
#ifndef STROBE_CPU_SAMPLE_UNWINDER_H
#define STROBE_CPU_SAMPLE_UNWINDER_H

#include "sample-tasks.h"
#include "stack-copy.h"

typedef struct Unwinder Unwinder;

/* Starts cpu_sample-unwind, which lies in the plugin's folder. NULL with errno: it cannot be
 * started, or Strobe was built without it (ENOENT). */
Unwinder *unwinder_open(void);
void unwinder_close(Unwinder *unwinder);

/* Returns the sample with a complete chain: the kernel's part and the frames of the stack copy. It
 * is valid until the next call. A sample without a copy is returned as it is; if unwinding fails,
 * the user part is the innermost frame only. */
const Sample *unwinder_chain(Unwinder *unwinder, SampledProcess *process, const Sample *sample);

/* Returns how often the program has ended too early. */
uint32_t unwinder_failures(const Unwinder *unwinder);

#endif
