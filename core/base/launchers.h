/* SPDX-License-Identifier: Apache-2.0 */
/* Programs whose only work is to start another one: they are not recorded, for some of them
 * (timeout) wait for it in a process of their own. libc only. */
#ifndef STROBE_BASE_LAUNCHERS_H
#define STROBE_BASE_LAUNCHERS_H

#include <string.h>

static inline int strobe_is_launcher(const char *name)
{
    static const char *const launchers[] = {"chrt",   "env",     "flock",   "ionice",  "nice",
                                            "nohup",  "numactl", "prlimit", "setarch", "setpriv",
                                            "setsid", "stdbuf",  "taskset", "time",    "timeout"};

    for (unsigned i = 0; i < sizeof launchers / sizeof *launchers; i++)
        if (strcmp(name, launchers[i]) == 0)
            return 1;
    return 0;
}

#endif
