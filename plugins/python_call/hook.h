/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls by the profile function that CPython has for each thread (up to 3.11; later ones have
 * monitoring.c). A thread in which the program or another profiler has set one is left to that.
 * With the interpreter's lock.
 */
#ifndef STROBE_PYTHON_CALL_HOOK_H
#define STROBE_PYTHON_CALL_HOOK_H

/* Sets it in all threads, and in those that the module threading starts from now on. Returns NULL,
 * or what went wrong. */
const char *hook_install(void);
/* Takes it out of all threads where it still is. */
void hook_remove(void);

#endif
