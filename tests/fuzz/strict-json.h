/* SPDX-License-Identifier: Apache-2.0 */
/* A judge of JSON that shares nothing with the writer and the parser of Strobe. */
#ifndef STROBE_TESTS_STRICT_JSON_H
#define STROBE_TESTS_STRICT_JSON_H

#include <glib.h>

/* Is this one JSON value by RFC 8259, in valid UTF-8, and nothing behind it? */
gboolean strict_json_is_valid(const char *text, gsize n);

#endif
