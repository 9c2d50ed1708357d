/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Named points in the recorder and in recovery at which a race could be lost. In the library that
 * ships they are nothing. Built with STROBE_TESTPOINTS, for tests, each calls the hook that the
 * test has set: it may hold the thread there, end the process, or count. libc only.
 */
#ifndef STROBE_CORE_TESTPOINT_H
#define STROBE_CORE_TESTPOINT_H

#ifdef STROBE_TESTPOINTS
/* NULL: none. Called from any thread, in signal handlers and in fork handlers too. */
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
