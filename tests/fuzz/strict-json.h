/* SPDX-License-Identifier: Apache-2.0 */
/* Checks JSON, with no code that Strobe's writer or parser has. */
#ifndef STROBE_TESTS_STRICT_JSON_H
#define STROBE_TESTS_STRICT_JSON_H

#include <glib.h>

/* Whether the text is exactly one JSON value according to RFC 8259, in valid UTF-8. */
gboolean strict_json_is_valid(const char *text, gsize n);

#endif
