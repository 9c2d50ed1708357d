/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the user-space registers and the copy of the stack that follow a sample (unwind=dwarf). */
#ifndef STROBE_CPU_SAMPLE_STACK_COPY_H
#define STROBE_CPU_SAMPLE_STACK_COPY_H

#include "sample-event.h"
#include "unwind-message.h"

typedef struct StackCopy {
    UnwindRegisters registers;
    const char *bytes; /* the copy, inside the event */
    size_t n_bytes;
} StackCopy;

/* Returns the mask of registers to copy (SampleWish), or 0 if stacks cannot be unwound on this
 * machine. */
uint64_t stack_copy_registers(void);

/* Reads the copy of the stack from a sample. Returns 1; returns 0 if the sample has no copy (a
 * kernel thread has none), or is shorter than the contents that it declares. */
int stack_copy_read(const Sample *sample, StackCopy *copy);

#endif
