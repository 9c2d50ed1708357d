/* SPDX-License-Identifier: Apache-2.0 */
#include "page-escape.h"

#include <string.h>
#include <strobe/helpers/safe-file.h>

int page_write_escaped(void *file, const char *bytes, size_t length)
{
    int error = 0;

    while (length && !error) {
        const char *mark = memchr(bytes, '<', length);
        size_t part = mark ? (size_t)(mark - bytes) : length;

        error = strobe_safe_file_write(file, bytes, part);
        if (mark && !error)
            error = strobe_safe_file_puts(file, "\\u003c");
        bytes += part + (mark != NULL);
        length -= part + (mark != NULL);
    }
    return error;
}
