/* SPDX-License-Identifier: Apache-2.0 */
/* A text that grows. If there is no memory, appending has no effect. */
#ifndef STROBE_PYTHON_CALL_TEXT_H
#define STROBE_PYTHON_CALL_TEXT_H

#include <stddef.h>

#include "python-api.h"

typedef struct TextBuffer {
    char *bytes; /* without a NUL */
    size_t length, size;
} TextBuffer;

void text_append(TextBuffer *text, const char *bytes, size_t length);
/* Appends a Python text, which may have lone surrogates. The caller must hold the interpreter's
 * lock. */
void text_append_unicode(TextBuffer *text, PyObject *unicode);
void text_free(TextBuffer *text);

#endif
