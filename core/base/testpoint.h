/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Named points in the recorder and in recovery at which races may occur. In the installed
 * library they are empty. In a build with STROBE_TESTPOINTS each calls the hook of the test,
 * which may hold the thread, end the process, or count. libc only.
 */
#ifndef STROBE_CORE_TESTPOINT_H
#define STROBE_CORE_TESTPOINT_H

#ifdef STROBE_TESTPOINTS
/* NULL: none. Any thread may call it, also in signal handlers and fork handlers. */
extern void (*strobe_testpoint_hook)(const char *name);

static inline void strobe_testpoint(const char *name)
{
    void (*hook)(const char *) = __atomic_load_n(&strobe_testpoint_hook, __ATOMIC_ACQUIRE);

    if (hook)
        hook(name);
}
#define STROBE_TESTPOINT(name) strobe_testpoint(name)
#else
#define STROBE_TESTPOINT(name) ((void)0)
#endif

#endif
