/* SPDX-License-Identifier: Apache-2.0 */
/* The C library's start of a program has a new symbol since 2.34, which a program that is linked
 * with a newer library names. The start code takes this function instead, and the old symbol calls
 * the constructors only through the function that it is given. */
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
