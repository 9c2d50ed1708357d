/* SPDX-License-Identifier: Apache-2.0 */
/* The processes whose stacks are unwound, each with its objects in libdwfl. One thread. */
#ifndef STROBE_CPU_SAMPLE_UNWIND_PROCESS_H
#define STROBE_CPU_SAMPLE_UNWIND_PROCESS_H

#include <sys/types.h>

#include "unwind-message.h"

typedef struct UnwindProcess UnwindProcess;

/* Call it first. -1: libdwfl cannot unwind for this machine. */
int unwind_process_prepare(void);

/* Returns the process with this id; creates it if it is new. If there are too many, the least
 * recently used one is dropped. NULL: no memory. */
UnwindProcess *unwind_process_find(pid_t pid);

/* Replace the mappings of a process: begin, then one call for each mapping, then end. -1: no
 * memory. */
int unwind_process_begin(UnwindProcess *process);
void unwind_process_map(UnwindProcess *process, const UnwindMapping *mapping, const char *path);
void unwind_process_end(UnwindProcess *process);

/* Writes the addresses of the frames, innermost first; returns how many, at least one. */
size_t unwind_process_unwind(UnwindProcess *process, const UnwindRegisters *registers,
                             const char *stack, size_t n_stack, uint64_t *addresses, size_t room);

#endif
