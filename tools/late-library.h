/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Libraries that a process loads when it runs already and that are a reason to record it: CANN, and
 * libtorch outside of Python. The preloaded library stands in front of dlopen and dlsym for it.
 * libc only.
 */
#ifndef STROBE_TOOLS_LATE_LIBRARY_H
#define STROBE_TOOLS_LATE_LIBRARY_H

/* What is called for the first such library, once. `announce` by the program's thread: 0 is a no;
 * after it `found`, in a thread that begins for it, or `give_up` where none can begin. */
typedef struct LateLibraryCalls {
    int (*is_python)(void);
    int (*announce)(void);
    void (*found)(void);
    void (*give_up)(void);
} LateLibraryCalls;

/* From now on; the calls are copied. Once, before main. */
void late_library_await(const LateLibraryCalls *calls);

#endif
