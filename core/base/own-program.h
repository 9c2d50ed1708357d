/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the helper programs of Strobe. libc only. */
#ifndef STROBE_CORE_OWN_PROGRAM_H
#define STROBE_CORE_OWN_PROGRAM_H

#include <limits.h>

/* Writes the path of a program of this Strobe to `path`: next to the library in a wheel and in the
 * build tree, otherwise in the folder of the plugins. Returns 0 or an errno value. */
int strobe_find_own_program(const char *name, char path[PATH_MAX]);

#endif
