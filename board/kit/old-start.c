/* SPDX-License-Identifier: Apache-2.0 */
/* Replaces __libc_start_main, which has a new symbol version from 2.34 on, so that a program runs
 * with older C libraries. The start code calls this function, which calls the old version. The old
 * version calls the constructors only through a function that it gets as an argument. */
#include <stddef.h>

#include "old-glibc.h"

typedef int Main(int, char **, char **);
typedef void Init(int, char **, char **);

int old_libc_start_main(Main *main, int argc, char **argv, Init *init, void (*fini)(void),
                        void (*rtld_fini)(void), void *stack_end);
__asm__(".symver old_libc_start_main,__libc_start_main@" STROBE_OLDEST);

int __libc_start_main(Main *main, int argc, char **argv, Init *init, void (*fini)(void),
                      void (*rtld_fini)(void), void *stack_end);

extern Init *__init_array_start[], *__init_array_end[];

static void call_constructors(int argc, char **argv, char **environment)
{
    const size_t n = (size_t)(__init_array_end - __init_array_start);

    for (size_t i = 0; i < n; i++)
        __init_array_start[i](argc, argv, environment);
}

int __libc_start_main(Main *main, int argc, char **argv, Init *init, void (*fini)(void),
                      void (*rtld_fini)(void), void *stack_end)
{
    return old_libc_start_main(main, argc, argv, call_constructors, NULL, rtld_fini, stack_end);
}
