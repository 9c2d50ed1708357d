/* SPDX-License-Identifier: Apache-2.0 */
/*
 * File and function of a code object, copied while the interpreter's lock is held: a thread that
 * runs the code may read them without it.
 */
#ifndef STROBE_PYTHON_CALL_CODE_TEXT_H
#define STROBE_PYTHON_CALL_CODE_TEXT_H

#include <stddef.h>
#include <stdint.h>

typedef struct CodeText {
    uint64_t serial;  /* unique among all code objects, not 0 */
    uint32_t n_users; /* guarded by the interpreter's lock */
    uint32_t file_length, function_length;
    char bytes[]; /* of the file, then of the function */
} CodeText;

/* With one user; NULL: no memory, or a text of 4 GB. */
CodeText *code_text_new(uint64_t serial, const char *file, size_t file_length, const char *function,
                        size_t function_length);

/* With the interpreter's lock. NULL is no text. */
static inline CodeText *code_text_use(CodeText *text)
{
    if (text)
        text->n_users++;
    return text;
}

void code_text_free(CodeText *text);

/* The last user frees it. */
static inline void code_text_leave(CodeText *text)
{
    if (text && --text->n_users == 0)
        code_text_free(text);
}

#endif
