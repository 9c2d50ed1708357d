/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the programs that Strobe starts beside itself. libc only. */
#ifndef STROBE_CORE_OWN_PROGRAM_H
#define STROBE_CORE_OWN_PROGRAM_H

#include <limits.h>

/* The path of a program of this Strobe: beside the library in a wheel and in the build tree, where
 * the command lies in another folder; else where the plugins are. Returns 0 or an errno value. */
int strobe_find_own_program(const char *name, char path[PATH_MAX]);

#endif
