/* SPDX-License-Identifier: Apache-2.0 */
/* Texts of CPython (str), read from another process. */
#ifndef STROBE_CPU_SAMPLE_PYTHON_TEXT_H
#define STROBE_CPU_SAMPLE_PYTHON_TEXT_H

#include "process-memory.h"
#include "python-layout.h"

#define PYTHON_TEXT_MAX 1024 /* characters; what follows is left out */

/* Writes the object's text as UTF-8, NUL-terminated; returns its length, or -1: there is no text.
 * What is no character is written as U+FFFD. `size` > 0. */
int python_text_read(ProcessMemory *memory, const PythonLayout *layout, uint64_t object, char *text,
                     size_t size);

#endif
