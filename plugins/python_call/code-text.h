/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file and the function of a code object, copied while the interpreter's lock is held, so that
 * a thread that runs the code can read them without the lock.
 */
#ifndef STROBE_PYTHON_CALL_CODE_TEXT_H
#define STROBE_PYTHON_CALL_CODE_TEXT_H

#include <stddef.h>
#include <stdint.h>

typedef struct CodeText {
    uint64_t serial;  /* unique among all code objects, not 0 */
    uint32_t n_users; /* protected by the interpreter's lock */
    uint32_t file_length, function_length;
    char bytes[]; /* the name of the file, followed by the name of the function */
} CodeText;

/* Returns a new text with one user; NULL: out of memory, or the text exceeds 4 GB. */
CodeText *code_text_new(uint64_t serial, const char *file, size_t file_length, const char *function,
                        size_t function_length);

/* Adds a user of the text. The caller must hold the interpreter's lock. `text` may be NULL. */
static inline CodeText *code_text_use(CodeText *text)
{
    if (text)
        text->n_users++;
    return text;
}

void code_text_free(CodeText *text);

/* Removes a user of the text, and frees the text if it has no more users. The caller must hold the
 * interpreter's lock. `text` may be NULL. */
static inline void code_text_leave(CodeText *text)
{
    if (text && --text->n_users == 0)
        code_text_free(text);
}

#endif
