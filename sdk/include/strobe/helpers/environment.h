/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The environment of somebody else's program, which may change it at any time. libc only. Since
 * 1.0.
 */
#ifndef STROBE_HELPERS_ENVIRONMENT_H
#define STROBE_HELPERS_ENVIRONMENT_H

#if defined(__cplusplus)
extern "C" {
#endif

/* The value of a variable, NULL: it is not set. Where `strobe run` makes the session in a
 * call of the loader, as it was before main, and valid for ever; anywhere else as getenv, whose
 * rules hold. Any thread. */
const char *strobe_environment_get(const char *name);

#if defined(__cplusplus)
}
#endif

#endif
