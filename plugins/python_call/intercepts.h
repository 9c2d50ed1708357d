/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions of the interpreter in front of which the collector stands: libraries that call them
 * call the collector's instead (strobe/helpers/import-slots.h).
 */
#ifndef STROBE_PYTHON_CALL_INTERCEPTS_H
#define STROBE_PYTHON_CALL_INTERCEPTS_H

/* Covers the libraries that are loaded by now. With the interpreter's lock. Cheap where none was
 * loaded since the last call. */
void intercepts_cover_libraries(void);

/* The session ends: libraries enter the interpreter directly again. Their profile functions still
 * pass by here: a C function that the session has seen begin may return much later. */
void intercepts_uncover_entries(void);

#endif
