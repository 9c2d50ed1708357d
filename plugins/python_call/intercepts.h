/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Replaces functions of the interpreter: libraries that call them call the collector's functions
 * instead (strobe/helpers/import-slots.h).
 */
#ifndef STROBE_PYTHON_CALL_INTERCEPTS_H
#define STROBE_PYTHON_CALL_INTERCEPTS_H

/* Covers the libraries that are loaded now: makes them call the collector's functions. Call it with
 * the interpreter's lock. Cheap if no library was loaded since the last call. */
void intercepts_cover_libraries(void);

/* Call it at the end of a session: libraries then enter the interpreter directly again. Their calls
 * of PyEval_SetProfile stay replaced, because a C function that began in the session may return
 * much later. */
void intercepts_uncover_entries(void);

#endif
