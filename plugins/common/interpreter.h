/* SPDX-License-Identifier: Apache-2.0 */
/* The Python interpreter of this process, found without linking against it. */
#ifndef STROBE_PLUGINS_INTERPRETER_H
#define STROBE_PLUGINS_INTERPRETER_H

#include <strobe/plugin.h>

/* State of CPython in the process. */
enum {
    STROBE_INTERPRETER_NONE = 0,
    STROBE_INTERPRETER_IDLE = 1, /* its library is loaded; not initialised, or already finalising */
    STROBE_INTERPRETER_RUNS = 2
};

/* Any thread, without the interpreter's lock. */
int strobe_interpreter_state(void);

/* The probe of a collector that watches the interpreter. */
void strobe_interpreter_probe(uint32_t question, StrobeProbe *answer);

/* Is CPython there, built without the global interpreter lock? Its objects are laid out otherwise,
 * whether the lock is switched on or not. */
int strobe_interpreter_is_free_threaded(void);

/* "3.11.2" (the first word of sys.version) into `text`, "" without CPython. */
void strobe_interpreter_version(char *text, unsigned long size);

#endif
