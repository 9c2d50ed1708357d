/* SPDX-License-Identifier: Apache-2.0 */
/* Reads texts of CPython (str objects) from another process. */
#ifndef STROBE_CPU_SAMPLE_PYTHON_TEXT_H
#define STROBE_CPU_SAMPLE_PYTHON_TEXT_H

#include "process-memory.h"
#include "python-layout.h"

#define PYTHON_TEXT_MAX 1024 /* maximum number of characters; longer texts are cut off */

/* Writes the text of the str object as UTF-8, NUL-terminated. Returns its length, or -1 if the text
 * cannot be read. Invalid characters are written as U+FFFD. `size` must not be 0. */
int python_text_read(ProcessMemory *memory, const PythonLayout *layout, uint64_t object, char *text,
                     size_t size);

#endif
