/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries that are no good plugins; BAD_* says in which way. */
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include <strobe/plugin.h>

#if defined(BAD_ABI)
STROBE_PLUGIN_EXPORT const StrobePlugin strobe_plugin_2 = {.struct_size = sizeof(StrobePlugin)};
#endif

static void __attribute__((constructor)) on_load(void)
{
#if defined(BAD_CRASH)
    raise(SIGSEGV);
#elif defined(BAD_EXIT)
    _exit(0);
#elif defined(BAD_HANG)
    for (;;)
        pause();
#elif defined(BAD_PRINT)
    puts("noise");
    fflush(stdout);
#endif
}
