/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages between the collector and cpu_sample-unwind, over one socket. The collector sends the
 * mappings of a process whenever they have changed, and copies of stacks; cpu_sample-unwind answers
 * each copy with the addresses of its frames. Both programs come from the same build, so the layout
 * needs no version. This header needs only libc.
 */
#ifndef STROBE_CPU_SAMPLE_UNWIND_MESSAGE_H
#define STROBE_CPU_SAMPLE_UNWIND_MESSAGE_H

#include <stdint.h>
#include <strobe/helpers/native-frame.h>

#define UNWIND_FRAMES_MAX 256u
#define UNWIND_STACK_MAX 65528u /* maximum size of a stack copy that fits in a perf event */
#define UNWIND_SPACE_MAX 65536u /* maximum number of mappings of a process */
#define UNWIND_PATH_MAX 4096u
#define UNWIND_REGISTERS 33u

enum { UNWIND_SPACE = 1, UNWIND_STACK = 2 };

typedef struct UnwindRequest {
    uint32_t type; /* UNWIND_* */
    uint32_t pid;
    /* UNWIND_SPACE: number of all mappings of the process, which follow; UNWIND_STACK: number of
     * bytes of the stack */
    uint64_t n;
} UnwindRequest;

/* A mapping of the process. Its path follows, with `path_length` bytes. */
typedef struct UnwindMapping {
    uint64_t begin, end;
    uint64_t bias; /* address in the process minus address in the object's program headers */
    StrobeBuildId build_id;
    uint32_t path_length;
} UnwindMapping;

/* Registers of x86-64 or AArch64 in the order of DWARF's numbers. The copy of the stack follows,
 * from the stack pointer on. */
typedef struct UnwindRegisters {
    uint64_t values[UNWIND_REGISTERS];
    uint64_t stack, pc;
} UnwindRegisters;

/* The answer to a stack. The addresses of the frames follow, innermost first. */
typedef struct UnwindAnswer {
    uint64_t n;
} UnwindAnswer;

#if defined(__x86_64__)
#define UNWIND_REGISTERS_SENT 17u
#elif defined(__aarch64__)
#define UNWIND_REGISTERS_SENT 32u
#else
#define UNWIND_REGISTERS_SENT 0u /* stacks are not unwound */
#endif

#endif
