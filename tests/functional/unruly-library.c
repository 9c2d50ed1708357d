/* SPDX-License-Identifier: Apache-2.0 */
/* A library that ends the process that loads it (if it is built with UNRULY_EXIT) or prints a text
 * (with UNRULY_PRINT). */
#include <stdio.h>
#include <unistd.h>

static void __attribute__((constructor)) on_load(void)
{
#if defined(UNRULY_EXIT)
    _exit(0);
#else
    puts("noise");
    fflush(stdout);
#endif
}
