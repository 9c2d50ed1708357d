/* SPDX-License-Identifier: Apache-2.0 */
/* Texts of wide characters. */
#ifndef STROBE_PLUGINS_MARKER_TEXT_H
#define STROBE_PLUGINS_MARKER_TEXT_H

#include <stddef.h>
#include <wchar.h>

/* As UTF-8 into `out`, cut at a whole character; what is no character becomes U+FFFD. Returns
 * `out`, NULL for NULL. */
const char *text_of_wide(const wchar_t *wide, char *out, size_t size);

#endif
