/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Named points, most of them in the recorder and in recovery, at which races may occur. In the
 * installed library they contain no code. In a build with STROBE_TESTPOINTS each point calls the
 * hook that a test has set, which may stop the thread, end the process, or count the calls. libc
 * only.
 */
#ifndef STROBE_CORE_TESTPOINT_H
#define STROBE_CORE_TESTPOINT_H

#ifdef STROBE_TESTPOINTS
/* The hook that a test has set; NULL: none. Any thread may call the hook, also in signal handlers
 * and fork handlers. */
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
