/* SPDX-License-Identifier: Apache-2.0 */
/* Converts values of an event to texts and numbers. */
#ifndef STROBE_CHROME_TRACE_JSON_VALUE_H
#define STROBE_CHROME_TRACE_JSON_VALUE_H

#include <glib.h>
#include <string.h>
#include <strobe/helpers/json-scanner.h>

/* Appends the text of a value, unescaped, and a NUL. Inside objects and arrays, numbers that JSON
 * does not have, for example NaN, become texts. */
void value_append(const StrobeJsonValue *value, GString *out);

/* Converts a number of microseconds, or a string that contains such a number, to ns, and rounds it.
 * Returns FALSE if it is not a number, or exceeds 64 bits. Sets `is_exact` (may be NULL) if the
 * result was not rounded. */
gboolean value_to_us(const StrobeJsonValue *value, gint64 *ns, gboolean *is_exact);
/* Converts a number to a whole number; a fraction is rounded. */
gboolean value_to_int(const StrobeJsonValue *json, gint64 *value);
gboolean value_to_uint(const StrobeJsonValue *json, guint64 *value);
gboolean value_to_double(const StrobeJsonValue *json, double *value);

static inline gboolean value_equals(const StrobeJsonValue *value, const char *text, gsize length)
{
    return value->length == length && memcmp(value->text, text, length) == 0;
}

#define VALUE_IS(value_, literal_) value_equals(value_, literal_, sizeof(literal_) - 1)

#endif
