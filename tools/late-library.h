/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Libraries that a process loads when it runs already and that are a reason to record it: CANN, and
 * libtorch outside of Python. The preloaded library stands in front of dlopen and dlsym for it.
 * libc only.
 */
#ifndef STROBE_TOOLS_LATE_LIBRARY_H
#define STROBE_TOOLS_LATE_LIBRARY_H

/* From now on the first such library has `found` called, once, in a thread that begins for it. */
void late_library_await(void (*found)(void), int (*is_python)(void));

#endif
