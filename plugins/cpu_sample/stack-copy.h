/* SPDX-License-Identifier: Apache-2.0 */
/* The user's registers and the copy of its stack behind a sample (unwind=dwarf). */
#ifndef STROBE_CPU_SAMPLE_STACK_COPY_H
#define STROBE_CPU_SAMPLE_STACK_COPY_H

#include "sample-event.h"
#include "unwind-message.h"

typedef struct StackCopy {
    UnwindRegisters registers;
    const char *bytes; /* in the event */
    size_t n_bytes;
} StackCopy;

/* The registers that the event is to copy (SampleWish); 0: there is no unwinder for this machine.
 */
uint64_t stack_copy_registers(void);

/* 0: the sample has none (of a thread of the kernel), or is shorter than it says. */
int stack_copy_read(const Sample *sample, StackCopy *copy);

#endif
