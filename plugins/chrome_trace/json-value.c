/* SPDX-License-Identifier: Apache-2.0 */
/* Converts values of an event to texts and numbers. */
#include "json-value.h"

#include <math.h>

/* ---- texts ---- */

/* Appends the text without its escapes. Appends a text with an invalid escape unchanged. */
static void append_unescaped(const StrobeJsonValue *value, GString *out)
{
    const gsize at = out->len;
    gsize length;

    g_string_set_size(out, at + value->length);
    length = strobe_json_unescape(value->text, value->length, out->str + at);
    if (length == SIZE_MAX)
        memcpy(out->str + at, value->text, value->length);
    else
        g_string_truncate(out, at + length);
}

static void append_with_texts(const StrobeJsonValue *value, GString *out)
{
    StrobeJsonScanner *scanner = strobe_json_scanner_new_bytes(value->text, value->length);
    const char *at = value->text;
    StrobeJsonValue part;
    int token;

    strobe_json_scanner_allow_non_finite(scanner);
    while ((token = strobe_json_scanner_next_raw(scanner, &part)) > 0) {
        if (token != STROBE_JSON_NON_FINITE)
            continue;
        g_string_append_len(out, at, part.text - at);
        g_string_append_printf(out, "\"%.*s\"", (int)part.length, part.text);
        at = part.text + part.length;
    }
    g_string_append_len(out, at, value->text + value->length - at);
    strobe_json_scanner_free(scanner);
}

void value_append(const StrobeJsonValue *value, GString *out)
{
    if (value->has_escapes && value->type != STROBE_JSON_OBJECT && value->type != STROBE_JSON_ARRAY)
        append_unescaped(value, out);
    else if (value->has_escapes)
        append_with_texts(value, out);
    else
        g_string_append_len(out, value->text, (gssize)value->length);
}

/* ---- numbers ---- */

#define US_MAX 9200000000000000u /* greatest number of us whose ns are below 2^63 */

/* Converts eight digits in one step. Returns FALSE if one of the bytes is not a digit. */
static inline gboolean take_eight(const char *p, guint64 *value)
{
    guint64 bytes, pairs;

    memcpy(&bytes, p, sizeof bytes); /* assumes a little-endian machine */
    if (((bytes + 0x4646464646464646u) | (bytes - 0x3030303030303030u)) & 0x8080808080808080u)
        return FALSE;
    bytes -= 0x3030303030303030u;
    pairs = bytes * 10 + (bytes >> 8);
    *value = ((pairs & 0x000000ff000000ffu) * 0x000f424000000064u +
              (pairs >> 16 & 0x000000ff000000ffu) * 0x0000271000000001u) >>
             32;
    return TRUE;
}

/* Converts the digits before the first other character. Returns the position after them. */
static inline const char *take_digits(const char *p, const char *end, guint64 *value)
{
    guint64 n = 0;

    if (end - p >= 8 && take_eight(p, &n))
        p += 8;
    for (; p < end && (guchar)(*p - '0') < 10; p++)
        n = n * 10 + (guint64)(*p - '0');
    *value = n;
    return p;
}

/* Converts numbers that have an exponent or too many digits. */
static gboolean slow_us(const StrobeJsonValue *json, gint64 *ns, gboolean *is_exact)
{
    double value;

    if (value_to_double(json, &value)) {
        value = round(value * 1000);
        if (value >= -9.2e18 && value <= 9.2e18) {
            *ns = (gint64)value;
            *is_exact = FALSE;
            return TRUE;
        }
    }
    return FALSE;
}

/* Returns the end of the value's text; NULL: the value is missing and has no text. */
static const char *end_of(const StrobeJsonValue *json)
{
    return json->text ? json->text + json->length : NULL;
}

gboolean value_to_us(const StrobeJsonValue *json, gint64 *ns, gboolean *is_exact)
{
    static const guint32 scale[] = {1000, 100, 10, 1};
    const char *p = json->text, *end = end_of(json), *digits;
    gboolean is_negative = p < end && *p == '-', unused;
    guint64 whole, part = 0;

    is_exact = is_exact ? is_exact : &unused;
    *is_exact = TRUE;
    if (json->type != STROBE_JSON_NUMBER && json->type != STROBE_JSON_STRING)
        return FALSE;
    p += is_negative;
    digits = p;
    p = take_digits(p, end, &whole);
    if (p == digits || p - digits > 16 || whole > US_MAX)
        return slow_us(json, ns, is_exact);
    if (p < end && *p == '.') {
        const char *stop = MIN(end, p + 4);

        digits = ++p;
        p = take_digits(p, stop, &part);
        part *= scale[p - digits];
        if (p < end && (guchar)(*p - '0') < 10) {
            part += *p >= '5';
            *is_exact = FALSE;
            while (p < end && (guchar)(*p - '0') < 10)
                p++;
        }
    }
    if (p != end)
        return slow_us(json, ns, is_exact);
    *ns = (gint64)(whole * 1000 + part) * (is_negative ? -1 : 1);
    return TRUE;
}

/* Converts numbers of up to 15 digits. The digits and the power of ten are exact doubles, so their
 * quotient is rounded only once. */
static gboolean fast_double(const StrobeJsonValue *json, double *value)
{
    static const double powers[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    const char *p = json->text, *end = end_of(json), *point = NULL;
    guint64 digits = 0;

    if (json->length == 0 || json->length > 16)
        return FALSE;
    for (; p < end; p++) {
        if ((guchar)(*p - '0') < 10)
            digits = digits * 10 + (guint64)(*p - '0');
        else if (*p == '.' && !point && p > json->text && p + 1 < end)
            point = p;
        else
            return FALSE;
    }
    if (!point && json->length > 15)
        return FALSE;
    *value = (double)digits / powers[point ? end - point - 1 : 0];
    return TRUE;
}

gboolean value_to_double(const StrobeJsonValue *json, double *value)
{
    char text[64], *end;

    if ((json->type == STROBE_JSON_NUMBER || json->type == STROBE_JSON_STRING) &&
        fast_double(json, value))
        return TRUE;
    if ((json->type != STROBE_JSON_NUMBER && json->type != STROBE_JSON_STRING) ||
        json->length == 0 || json->length >= sizeof text)
        return FALSE;
    memcpy(text, json->text, json->length);
    text[json->length] = 0;
    *value = g_ascii_strtod(text, &end);
    return *end == 0 && isfinite(*value);
}

gboolean value_to_uint(const StrobeJsonValue *json, guint64 *value)
{
    const char *end = end_of(json);
    gint64 number;

    if ((json->type == STROBE_JSON_NUMBER || json->type == STROBE_JSON_STRING) &&
        json->length > 0 && json->length < 20 && take_digits(json->text, end, value) == end)
        return TRUE;
    if (json->length == 20) { /* a number of 20 digits may need more than 63 bits */
        char text[24];

        memcpy(text, json->text, 20);
        text[20] = 0;
        return g_ascii_string_to_unsigned(text, 10, 0, G_MAXUINT64, value, NULL);
    }
    if (!value_to_int(json, &number) || number < 0)
        return FALSE;
    *value = (guint64)number;
    return TRUE;
}

gboolean value_to_int(const StrobeJsonValue *json, gint64 *value)
{
    const char *p = json->text, *end = end_of(json);
    gboolean is_negative = json->length > 0 && *p == '-';
    guint64 digits;
    double real;

    if (json->type != STROBE_JSON_NUMBER && json->type != STROBE_JSON_STRING)
        return FALSE;
    p += is_negative;
    if (p < end && end - p < 20 && take_digits(p, end, &digits) == end && digits <= G_MAXINT64) {
        *value = is_negative ? -(gint64)digits : (gint64)digits;
        return TRUE;
    }
    if (!value_to_double(json, &real) || fabs(real) > 9.2e18)
        return FALSE;
    *value = (gint64)round(real);
    return TRUE;
}
