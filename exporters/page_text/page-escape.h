/* SPDX-License-Identifier: Apache-2.0 */
/* Escapes JSON that is part of an HTML page. */
#ifndef STROBE_EXPORTERS_PAGE_ESCAPE_H
#define STROBE_EXPORTERS_PAGE_ESCAPE_H

#include <stddef.h>

/* The write function of a JSON writer whose `file` is a StrobeSafeFile. Escapes '<', so that
 * recorded texts cannot end the script element that contains the JSON. Returns 0 or an errno
 * value. */
int page_write_escaped(void *file, const char *bytes, size_t length);
/* Returns the number of bytes that page_write_escaped() writes for these bytes. */
size_t page_escaped_length(const char *bytes, size_t length);

#endif
