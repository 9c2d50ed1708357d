/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that only start another program. They are not recorded, because some of them (timeout)
 * start the other program in a child process and wait for it. libc only. */
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
