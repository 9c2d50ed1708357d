/* SPDX-License-Identifier: Apache-2.0 */
/* Between osrt.so and osrt-preload.so, which `strobe run` preloads: the one stands in
 * front of functions of the C library, the other records their calls while a window is open. */
#ifndef STROBE_PLUGINS_HOST_SYS_OSRT_GATE_H
#define STROBE_PLUGINS_HOST_SYS_OSRT_GATE_H

#include <stdatomic.h>
#include <stdint.h>

#define OSRT_GATE_SYMBOL "strobe_osrt_gate_1"

/* Valid for the life of the process once it has been put into a gate. */
typedef struct OsrtHooks {
    uint64_t (*now)(void);
    uint64_t threshold; /* ticks of that clock; a shorter call is not told */
    /* Strobe's own code, whose calls are not the program's. */
    struct {
        uintptr_t begin, end;
    } own[2];
    /* One call has returned. `function` is an index of the gate's names; those beyond are system
     * calls that the program made by number. */
    void (*call)(uint32_t function, uint64_t begin, uint64_t end, int64_t status);
} OsrtHooks;

typedef struct OsrtGate {
    uint32_t struct_size;
    uint32_t n_functions;
    const char *const *names;
    _Atomic(const OsrtHooks *) hooks; /* NULL: nobody records */
} OsrtGate;

#endif
