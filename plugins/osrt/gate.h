/* SPDX-License-Identifier: Apache-2.0 */
/* Connects osrt.so with osrt-preload.so, which `strobe run` preloads. osrt-preload.so wraps
 * functions of the C library; osrt.so records their calls while a window is open. */
#ifndef STROBE_PLUGINS_HOST_SYS_OSRT_GATE_H
#define STROBE_PLUGINS_HOST_SYS_OSRT_GATE_H

#include <stdatomic.h>
#include <stdint.h>

#define OSRT_GATE_SYMBOL "strobe_osrt_gate_1"

/* The functions that the gate calls. After a gate has pointed to an OsrtHooks, it must stay valid
 * until the process ends. */
typedef struct OsrtHooks {
    uint64_t (*now)(void);
    uint64_t threshold; /* in ticks of now(); shorter calls are not reported */
    /* Address ranges of Strobe's own code, whose calls are not recorded. */
    struct {
        uintptr_t begin, end;
    } own[2];
    /* Called when a function has returned. `function` is an index into the gate's names; an index
     * from n_functions on is a system call that the program made by number. */
    void (*call)(uint32_t function, uint64_t begin, uint64_t end, int64_t status);
} OsrtHooks;

typedef struct OsrtGate {
    uint32_t struct_size;
    uint32_t n_functions;
    const char *const *names;
    _Atomic(const OsrtHooks *) hooks; /* NULL: no window records */
} OsrtGate;

#endif
