/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the user-space registers and the copy of the stack that follow a sample (unwind=dwarf). */
#ifndef STROBE_CPU_SAMPLE_STACK_COPY_H
#define STROBE_CPU_SAMPLE_STACK_COPY_H

#include "sample-event.h"
#include "unwind-message.h"

typedef struct StackCopy {
    UnwindRegisters registers;
    const char *bytes; /* in the event */
    size_t n_bytes;
} StackCopy;

/* Returns the mask of registers to copy (SampleWish); 0: stacks cannot be unwound on this
 * machine. */
uint64_t stack_copy_registers(void);

/* Returns 1, or 0: the sample has no copy (for example of a kernel thread), or is too short for its
 * own contents. */
int stack_copy_read(const Sample *sample, StackCopy *copy);

#endif
