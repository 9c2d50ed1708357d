/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Replaces functions of the interpreter: libraries that call them call the collector's functions
 * instead (strobe/helpers/import-slots.h).
 */
#ifndef STROBE_PYTHON_CALL_INTERCEPTS_H
#define STROBE_PYTHON_CALL_INTERCEPTS_H

/* Makes the libraries that are loaded now call the collector's functions. The caller must hold the
 * interpreter's lock. The call is cheap if no library was loaded since the last call. */
void intercepts_cover_libraries(void);

/* Makes libraries enter the interpreter directly again. Must be called at the end of a session.
 * Calls of PyEval_SetProfile stay replaced, because a C function that began in the session may
 * return much later. */
void intercepts_uncover_entries(void);

#endif
