/* SPDX-License-Identifier: Apache-2.0 */
/* A checker of JSON that shares no code with Strobe's writer and parser. */
#ifndef STROBE_TESTS_STRICT_JSON_H
#define STROBE_TESTS_STRICT_JSON_H

#include <glib.h>

/* Is this exactly one JSON value by RFC 8259, in valid UTF-8? */
gboolean strict_json_is_valid(const char *text, gsize n);

#endif
