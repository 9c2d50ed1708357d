/* SPDX-License-Identifier: Apache-2.0 */
/* The processes whose stacks are unwound, each with its objects in libdwfl. Only one thread may use
 * it. */
#ifndef STROBE_CPU_SAMPLE_UNWIND_PROCESS_H
#define STROBE_CPU_SAMPLE_UNWIND_PROCESS_H

#include <sys/types.h>

#include "unwind-message.h"

typedef struct UnwindProcess UnwindProcess;

/* Must be called first. Returns -1 if libdwfl cannot unwind on this machine. */
int unwind_process_prepare(void);

/* Returns the process with this id; adds it if it is new. If there are too many processes, drops
 * the least recently used one. Returns NULL if out of memory. */
UnwindProcess *unwind_process_find(pid_t pid);

/* Replace the mappings of a process. The caller must call unwind_process_begin, then
 * unwind_process_map for each mapping, then unwind_process_end. Return -1 if out of memory. */
int unwind_process_begin(UnwindProcess *process);
void unwind_process_map(UnwindProcess *process, const UnwindMapping *mapping, const char *path);
void unwind_process_end(UnwindProcess *process);

/* Writes the addresses of the frames to `addresses`, innermost first. Returns their number, which
 * is at least 1. */
size_t unwind_process_unwind(UnwindProcess *process, const UnwindRegisters *registers,
                             const char *stack, size_t n_stack, uint64_t *addresses, size_t room);

#endif
