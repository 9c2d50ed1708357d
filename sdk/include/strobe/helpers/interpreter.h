/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Describes the Python interpreter of this process, which is found without linking against it. libc
 * only. Since 1.0.
 */
#ifndef STROBE_HELPERS_INTERPRETER_H
#define STROBE_HELPERS_INTERPRETER_H

#include <strobe/plugin.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* State of CPython in the process. */
enum {
    STROBE_INTERPRETER_NONE = 0,
    /* the library of CPython is loaded, but not initialised, or already finalising */
    STROBE_INTERPRETER_IDLE = 1,
    STROBE_INTERPRETER_RUNS = 2
};

/* Returns STROBE_INTERPRETER_*. Any thread; the interpreter's lock is not needed. */
int strobe_interpreter_state(void);

/* Answers the probe of a collector that watches the interpreter. */
void strobe_interpreter_probe(uint32_t question, StrobeProbe *answer);

/* Returns 1 if the process contains a free-threaded CPython (built without the global interpreter
 * lock), otherwise 0. Objects of such a CPython have another layout, even if the lock is switched
 * on at run time. */
int strobe_interpreter_is_free_threaded(void);

/* Writes the version of CPython, such as "3.11.2" (the first word of sys.version), to `text`;
 * writes "" if the process contains no CPython. */
void strobe_interpreter_version(char *text, unsigned long size);

#if defined(__cplusplus)
}
#endif

#endif
