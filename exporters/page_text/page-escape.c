/* SPDX-License-Identifier: Apache-2.0 */
#include "page-escape.h"

#include <string.h>
#include <strobe/helpers/safe-file.h>

#define ESCAPED_MARK "\\u003c"

int page_write_escaped(void *file, const char *bytes, size_t length)
{
    int error = 0;

    while (length && !error) {
        const char *mark = memchr(bytes, '<', length);
        size_t part = mark ? (size_t)(mark - bytes) : length;

        error = strobe_safe_file_write(file, bytes, part);
        if (mark && !error)
            error = strobe_safe_file_puts(file, ESCAPED_MARK);
        bytes += part + (mark != NULL);
        length -= part + (mark != NULL);
    }
    return error;
}

size_t page_escaped_length(const char *bytes, size_t length)
{
    size_t escaped = length;

    for (size_t i = 0; i < length; i++)
        if (bytes[i] == '<')
            escaped += sizeof ESCAPED_MARK - 2;
    return escaped;
}
