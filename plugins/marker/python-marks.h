/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Marks of Python programs: the package `strobe` passes the program's marks to this library, and
 * makes the marks that the option `ranges` names. Without the package these functions do nothing.
 */
#ifndef STROBE_PLUGINS_MARKER_PYTHON_MARKS_H
#define STROBE_PLUGINS_MARKER_PYTHON_MARKS_H

#include <strobe/collector.h>

/* Sets the host and instance of the open collector; NULL after it is closed. */
void python_marks_open(const StrobeHost *host, StrobeInstance *self);

/* Begin and end the marks of a window. python_marks_begin must be called when a window begins,
 * python_marks_end before it ends. Both wait for the interpreter's lock, and log failures. */
void python_marks_begin(void);
void python_marks_end(void);

#endif
