/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the environment of a program that may change its environment at any time. libc only. Since
 * 1.0.
 */
#ifndef STROBE_HELPERS_ENVIRONMENT_H
#define STROBE_HELPERS_ENVIRONMENT_H

#if defined(__cplusplus)
extern "C" {
#endif

/* Returns the value of a variable; NULL: the variable is not set. If `strobe run` makes the session
 * inside a call of the loader, the result is the value before main, and stays valid for ever.
 * Otherwise it is the result of getenv, and getenv's rules apply. Any thread. */
const char *strobe_environment_get(const char *name);

#if defined(__cplusplus)
}
#endif

#endif
