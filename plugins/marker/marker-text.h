/* SPDX-License-Identifier: Apache-2.0 */
/* Converts texts of wide characters to UTF-8. */
#ifndef STROBE_PLUGINS_MARKER_TEXT_H
#define STROBE_PLUGINS_MARKER_TEXT_H

#include <stddef.h>
#include <wchar.h>

/* Writes the text as UTF-8 to `out`, cut after a whole character; invalid characters become U+FFFD.
 * Returns `out`, or NULL if `wide` is NULL. */
const char *text_of_wide(const wchar_t *wide, char *out, size_t size);

#endif
