/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The environment of a program that may change it at any time. libc only. Since 1.0.
 */
#ifndef STROBE_HELPERS_ENVIRONMENT_H
#define STROBE_HELPERS_ENVIRONMENT_H

#if defined(__cplusplus)
extern "C" {
#endif

/* The value of a variable; NULL: it is not set. If `strobe run` makes the session inside a call
 * of the loader, it is the value before main and stays valid for ever. Otherwise it is the
 * result of getenv, with its rules. Any thread. */
const char *strobe_environment_get(const char *name);

#if defined(__cplusplus)
}
#endif

#endif
