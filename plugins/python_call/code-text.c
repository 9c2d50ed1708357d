/* SPDX-License-Identifier: Apache-2.0 */
#include "code-text.h"

#include <stdlib.h>
#include <string.h>

CodeText *code_text_new(uint64_t serial, const char *file, size_t file_length, const char *function,
                        size_t function_length)
{
    size_t length = file_length + function_length;
    CodeText *text = length <= UINT32_MAX ? malloc(sizeof *text + length) : NULL;

    if (!text)
        return NULL;
    text->serial = serial;
    text->n_users = 1;
    text->file_length = (uint32_t)file_length;
    text->function_length = (uint32_t)function_length;
    memcpy(text->bytes, file, file_length);
    memcpy(text->bytes + file_length, function, function_length);
    return text;
}

void code_text_free(CodeText *text)
{
    free(text);
}
