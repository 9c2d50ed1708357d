/* SPDX-License-Identifier: Apache-2.0 */
/* Processes of which stacks are unwound: their objects, as libdwfl has them. One thread. */
#ifndef STROBE_CPU_SAMPLE_UNWIND_PROCESS_H
#define STROBE_CPU_SAMPLE_UNWIND_PROCESS_H

#include <sys/types.h>

#include "unwind-message.h"

typedef struct UnwindProcess UnwindProcess;

/* Before all else. -1: libdwfl cannot unwind for this machine. */
int unwind_process_prepare(void);

/* The process of this number, made where it is new; the one that was not asked for the longest goes
 * where there are many. NULL: no memory. */
UnwindProcess *unwind_process_find(pid_t pid);

/* All that it has mapped follows, one by one; then the end. -1: no memory. */
int unwind_process_begin(UnwindProcess *process);
void unwind_process_map(UnwindProcess *process, const UnwindMapping *mapping, const char *path);
void unwind_process_end(UnwindProcess *process);

/* Addresses of the frames, innermost first; returns how many, at least one. */
size_t unwind_process_unwind(UnwindProcess *process, const UnwindRegisters *registers,
                             const char *stack, size_t n_stack, uint64_t *addresses, size_t room);

#endif
