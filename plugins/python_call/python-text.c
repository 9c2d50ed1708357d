/* SPDX-License-Identifier: Apache-2.0 */
#include "python-text.h"

#include <stdlib.h>
#include <string.h>

void text_append(TextBuffer *text, const char *bytes, size_t length)
{
    if (text->length + length > text->size) {
        size_t size = 2 * (text->length + length) + 256;
        char *grown = realloc(text->bytes, size);
        if (!grown)
            return;
        text->bytes = grown;
        text->size = size;
    }
    memcpy(text->bytes + text->length, bytes, length);
    text->length += length;
}

void text_append_unicode(TextBuffer *text, PyObject *unicode)
{
    PySize length = 0;
    const char *bytes = python_api.to_text(unicode, &length);
    PyObject *encoded = NULL;

    if (!bytes) {
        python_api.clear_error();
        encoded = python_api.encode(unicode, "utf-8", "surrogatepass");
        bytes = encoded ? python_api.bytes(encoded) : NULL;
        length = bytes ? python_api.bytes_size(encoded) : 0;
    }
    if (bytes && length > 0)
        text_append(text, bytes, (size_t)length);
    python_api.clear_error();
    if (encoded)
        python_api.unref(encoded);
}

void text_free(TextBuffer *text)
{
    free(text->bytes);
    *text = (TextBuffer){NULL, 0, 0};
}
