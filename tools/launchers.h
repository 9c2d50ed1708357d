/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that only start another program. They are not recorded, because some of them
 * (timeout) run it in a separate process. libc only. */
#ifndef STROBE_TOOLS_LAUNCHERS_H
#define STROBE_TOOLS_LAUNCHERS_H

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
