/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Marks of Python programs: the package `strobe` hands those that the program makes to this
 * library, and marks by itself what the option `ranges` names. Nothing in a process without the
 * package.
 */
#ifndef STROBE_PLUGINS_MARKER_PYTHON_MARKS_H
#define STROBE_PLUGINS_MARKER_PYTHON_MARKS_H

#include <strobe/collector.h>

/* Of the collector that is open, NULL after its close. */
void python_marks_open(const StrobeHost *host, StrobeInstance *self);

/* As a window begins, and before it ends. Wait for the interpreter's lock. Failures are logged. */
void python_marks_begin(void);
void python_marks_end(void);

#endif
