/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames of stack copies by the tables for unwinding (.eh_frame), in a process of its own
 * (unwind-program.c): it reads the program's files, which may be damaged or hostile. If that
 * process ends or hangs, it is started again some times. One thread at a time. libc only.
 */
#ifndef STROBE_CPU_SAMPLE_UNWINDER_H
#define STROBE_CPU_SAMPLE_UNWINDER_H

#include "sample-tasks.h"
#include "stack-copy.h"

typedef struct Unwinder Unwinder;

/* The program lies beside this plugin. NULL with errno: it cannot be started, or Strobe was built
 * without it (ENOENT). */
Unwinder *unwinder_open(void);
void unwinder_close(Unwinder *unwinder);

/* The sample with a chain of the kernel's part and the frames of its stack copy, valid until the
 * next call; where there is no copy, or unwinding fails, with the innermost frame. */
const Sample *unwinder_chain(Unwinder *unwinder, SampledProcess *process, const Sample *sample);

/* How often the program has ended before it was to. */
uint32_t unwinder_failures(const Unwinder *unwinder);

#endif
