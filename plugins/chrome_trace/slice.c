/* SPDX-License-Identifier: Apache-2.0 */
#include "slice.h"

#include <errno.h>
#include <math.h>
#include <strobe/helpers/cell-number.h>
#include <strobe/helpers/json-scanner.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#define LEVELS_MAX 512u
#define US_MAX 9200000000000000u /* in ns it is below 2^63 */

/* The next '"' or '\\'. A '"' stands behind the buffer. */
static inline const char *find_quote(const char *p)
{
#if defined(__SSE2__)
    const __m128i quote = _mm_set1_epi8('"'), backslash = _mm_set1_epi8('\\');

    for (;; p += 16) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)p);
        __m128i hits = _mm_or_si128(_mm_cmpeq_epi8(bytes, quote), _mm_cmpeq_epi8(bytes, backslash));
        int mask = _mm_movemask_epi8(hits);

        if (mask)
            return p + __builtin_ctz((unsigned)mask);
    }
#else
    while (*p != '"' && *p != '\\')
        p++;
    return p;
#endif
}

static const char *scan_string(const char *p, const char *end, Slice *slice)
{
    const char *begin = ++p;

    slice->type = SLICE_STRING;
    slice->has_escapes = 0;
    while (*(p = find_quote(p)) == '\\') {
        slice->has_escapes = 1;
        p += 2;
        if (p > end)
            return NULL;
    }
    if (p >= end)
        return NULL;
    slice->text = begin;
    slice->length = (guint32)(p - begin);
    return p + 1;
}

/* Behind the digits, signs, points and exponents of a number: how long it is can hardly be guessed,
 * so sixteen bytes are looked at together. */
static inline const char *skip_number(const char *p)
{
#if defined(__SSE2__)
    for (;; p += 16) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)p);
        __m128i digits = _mm_sub_epi8(bytes, _mm_set1_epi8('0'));
        __m128i lower = _mm_or_si128(bytes, _mm_set1_epi8(0x20));
        __m128i good = _mm_cmpeq_epi8(_mm_min_epu8(digits, _mm_set1_epi8(9)), digits);
        guint others;

        good = _mm_or_si128(good, _mm_cmpeq_epi8(bytes, _mm_set1_epi8('.')));
        good = _mm_or_si128(good, _mm_cmpeq_epi8(bytes, _mm_set1_epi8('-')));
        good = _mm_or_si128(good, _mm_cmpeq_epi8(bytes, _mm_set1_epi8('+')));
        good = _mm_or_si128(good, _mm_cmpeq_epi8(lower, _mm_set1_epi8('e')));
        others = 0xffffu ^ (guint)_mm_movemask_epi8(good);
        if (others)
            return p + __builtin_ctz(others);
    }
#else
    while ((*p >= '0' && *p <= '9') || *p == '-' || *p == '+' || *p == '.' || *p == 'e' ||
           *p == 'E')
        p++;
    return p;
#endif
}

static const char *scan_word(const char *p, const char *end, Slice *slice, const char **expected)
{
    static const char *const words[] = {"true", "false", "null"};

    for (guint i = 0; i < G_N_ELEMENTS(words); i++) {
        gsize length = strlen(words[i]);

        if (*p != words[i][0])
            continue;
        if ((gsize)(end - p) < length && memcmp(p, words[i], (gsize)(end - p)) == 0)
            return NULL;
        if (memcmp(p, words[i], MIN(length, (gsize)(end - p))) != 0)
            break;
        *slice = (Slice){p, (guint32)length, SLICE_WORD, 0};
        return p + length;
    }
    *expected = "a value";
    return NULL;
}

/* What is neither an object nor an array. */
static inline const char *scan_plain(const char *p, const char *end, Slice *slice,
                                     const char **expected)
{
    const char *begin = p;

    if (*p == '"')
        return p < end ? scan_string(p, end, slice) : NULL;
    if (*p != '-' && (*p < '0' || *p > '9'))
        return scan_word(p, end, slice, expected);
    p = skip_number(p);
    if (p >= end)
        return NULL;
    *slice = (Slice){begin, (guint32)(p - begin), SLICE_NUMBER, 0};
    return p;
}

/* What may come next inside an object or array. */
enum { FIRST, NEXT, COMMA };

/* One token inside of a value with levels. Levels are bits: set for an object. */
typedef struct Levels {
    guint64 bits[LEVELS_MAX / 64];
    guint depth;
    guint8 expect;
} Levels;

static gboolean is_object(const Levels *levels)
{
    guint at = levels->depth - 1;

    return levels->bits[at / 64] >> (at % 64) & 1;
}

static gboolean open_level(Levels *levels, gboolean object, const char **expected)
{
    guint at = levels->depth;

    if (at == LEVELS_MAX) {
        *expected = "less depth";
        return FALSE;
    }
    if (at % 64 == 0)
        levels->bits[at / 64] = 0;
    levels->bits[at / 64] &= ~((guint64)1 << (at % 64));
    levels->bits[at / 64] |= (guint64)(object != FALSE) << (at % 64);
    levels->depth++;
    levels->expect = FIRST;
    return TRUE;
}

/* "key": of an object. */
static const char *scan_key(const char *p, const char *end, const char **expected)
{
    Slice key;

    if (*p != '"') {
        *expected = "a key";
        return NULL;
    }
    p = p < end ? scan_string(p, end, &key) : NULL;
    if (!p)
        return NULL;
    p = slice_skip_blanks(p);
    if (p >= end)
        return NULL;
    if (*p != ':') {
        *expected = "a colon";
        return NULL;
    }
    return slice_skip_blanks(p + 1);
}

static const char *scan_member(const char *p, const char *end, Levels *levels,
                               const char **expected)
{
    Slice inner;

    if (is_object(levels) && !(p = scan_key(p, end, expected)))
        return NULL;
    if (p >= end)
        return NULL;
    levels->expect = COMMA;
    if (*p == '{' || *p == '[')
        return open_level(levels, *p == '{', expected) ? p + 1 : NULL;
    return scan_plain(p, end, &inner, expected);
}

/* Behind an array of numbers, strings and such arrays, from behind its bracket on: the values of
 * shapes and strides. NULL: it holds something else, or is for scan_nested to complain about. What
 * stands behind the buffer ends it. */
static const char *scan_list(const char *p)
{
    guint depth = 1;

    for (gboolean is_first = TRUE;;) {
        p = slice_skip_blanks(p);
        if (is_first && *p == ']') {
            ;
        } else if (*p == '[') {
            if (++depth > LEVELS_MAX)
                return NULL;
            p++;
            is_first = TRUE;
            continue;
        } else if (*p == '"') {
            p = find_quote(p + 1);
            if (*p++ == '\\')
                return NULL;
        } else if (*p == '-' || (*p >= '0' && *p <= '9')) {
            p = skip_number(p);
        } else {
            return NULL;
        }
        for (p = slice_skip_blanks(p); *p == ']'; p = slice_skip_blanks(p))
            if (p++, --depth == 0)
                return p;
        if (*p++ != ',')
            return NULL;
        is_first = FALSE;
    }
}

static const char *scan_nested(const char *p, const char *end, Slice *slice, const char **expected,
                               const char **place)
{
    const char *begin = p, *next;
    Levels levels;

    levels.depth = 0;
    open_level(&levels, *p++ == '{', expected);
    while (levels.depth) {
        p = slice_skip_blanks(p);
        if (p >= end)
            return NULL;
        if (levels.expect != NEXT && *p == (is_object(&levels) ? '}' : ']')) {
            levels.depth--;
            levels.expect = COMMA;
            p++;
        } else if (levels.expect == COMMA) {
            if (*p != ',') {
                *expected = "a comma or the end of an object or array";
                *place = p;
                return NULL;
            }
            levels.expect = NEXT;
            p++;
        } else {
            next = scan_member(p, end, &levels, expected);
            if (!next) {
                *place = p;
                return NULL;
            }
            p = next;
        }
    }
    *slice = (Slice){begin, (guint32)(p - begin), *begin == '{' ? SLICE_OBJECT : SLICE_ARRAY, 0};
    return p;
}

/* Numbers that are none, as Python and C print them, though JSON has no such words. */
static const char *scan_odd(const char *p, const char *end, Slice *slice, const char **expected)
{
    static const char *const words[] = {"-Infinity", "Infinity", "-inf", "inf", "nan", "NaN"};
    for (guint i = 0; i < G_N_ELEMENTS(words); i++) {
        gsize length = strlen(words[i]), n = MIN(length, (gsize)(end - p));

        *slice = (Slice){p, (guint32)length, SLICE_ODD, 0, 0};
        if (!memcmp(p, words[i], n))
            return n == length ? p + n : NULL;
    }
    *expected = "a value";
    return NULL;
}

const char *slice_scan(const char *p, const char *end, Slice *slice, const char **expected,
                       const char **place)
{
    *expected = NULL;
    *place = p;
    if (p >= end)
        return NULL;
    if (*p == '[') {
        const char *behind = scan_list(p + 1);

        if (behind && behind <= end) {
            *slice = (Slice){p, (guint32)(behind - p), SLICE_ARRAY, 0, 0};
            return behind;
        }
    }
    if (*p == '{' || *p == '[')
        return scan_nested(p, end, slice, expected, place);
    if (G_UNLIKELY(*p == 'N' || *p == 'I' || *p == 'i' || (*p == 'n' && p[1] == 'a') ||
                   (*p == '-' && p[1] > '9')))
        return scan_odd(p, end, slice, expected);
    return scan_plain(p, end, slice, expected);
}

/* ---- texts ---- */

/* The one place that knows escapes is the scanner. */
static void unescape(const Slice *slice, GString *arena)
{
    g_autofree char *quoted = g_malloc(slice->length + 2u);
    StrobeJsonScanner *scanner;
    const char *text;
    gsize length;

    quoted[0] = quoted[slice->length + 1] = '"';
    memcpy(quoted + 1, slice->text, slice->length);
    scanner = strobe_json_scanner_new_bytes(quoted, slice->length + 2u);
    if (strobe_json_scanner_next(scanner, &text, &length) == STROBE_JSON_STRING)
        g_string_append_len(arena, text, (gssize)length);
    else /* an escape that is none: as it stands */
        g_string_append_len(arena, slice->text, (gssize)slice->length);
    strobe_json_scanner_free(scanner);
}

gsize slice_append(const Slice *slice, GString *arena)
{
    gsize at = arena->len;

    if (slice->has_escapes)
        unescape(slice, arena);
    else
        g_string_append_len(arena, slice->text, (gssize)slice->length);
    return at;
}

/* ---- numbers ---- */

/* The number of eight digits; FALSE: some byte is none. */
static inline gboolean take_eight(const char *p, guint64 *value)
{
    guint64 bytes, pairs;

    memcpy(&bytes, p, sizeof bytes); /* little endian */
    if (((bytes + 0x4646464646464646u) | (bytes - 0x3030303030303030u)) & 0x8080808080808080u)
        return FALSE;
    bytes -= 0x3030303030303030u;
    pairs = bytes * 10 + (bytes >> 8);
    *value = ((pairs & 0x000000ff000000ffu) * 0x000f424000000064u +
              (pairs >> 16 & 0x000000ff000000ffu) * 0x0000271000000001u) >>
             32;
    return TRUE;
}

/* Digits up to the first other character. */
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

/* Anything with an exponent, or too many digits. */
static gboolean slow_us(const Slice *slice, gint64 *ns, gboolean *is_exact)
{
    double value;

    if (slice_double(slice, &value)) {
        value = round(value * 1000);
        if (value >= -9.2e18 && value <= 9.2e18) {
            *ns = (gint64)value;
            *is_exact = FALSE;
            return TRUE;
        }
    }
    return FALSE;
}

/* A value that is not there has no text to step over. */
static const char *end_of(const Slice *slice)
{
    return slice->text ? slice->text + slice->length : NULL;
}

gboolean slice_us(const Slice *slice, gint64 *ns, gboolean *is_exact)
{
    static const guint32 scale[] = {1000, 100, 10, 1};
    const char *p = slice->text, *end = end_of(slice), *digits;
    gboolean is_negative = p < end && *p == '-', unused;
    guint64 whole, part = 0;

    is_exact = is_exact ? is_exact : &unused;
    *is_exact = TRUE;
    if (slice->type != SLICE_NUMBER && slice->type != SLICE_STRING)
        return FALSE;
    p += is_negative;
    digits = p;
    p = take_digits(p, end, &whole);
    if (p == digits || p - digits > 16 || whole > US_MAX)
        return slow_us(slice, ns, is_exact);
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
        return slow_us(slice, ns, is_exact);
    *ns = (gint64)(whole * 1000 + part) * (is_negative ? -1 : 1);
    return TRUE;
}

/* Up to 15 digits and 22 decimals: the quotient of two doubles that are exact is rounded once. */
static gboolean fast_double(const Slice *slice, double *value)
{
    static const double powers[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    const char *p = slice->text, *end = end_of(slice), *point = NULL;
    guint64 digits = 0;

    if (slice->length == 0 || slice->length > 16)
        return FALSE;
    for (; p < end; p++) {
        if ((guchar)(*p - '0') < 10)
            digits = digits * 10 + (guint64)(*p - '0');
        else if (*p == '.' && !point && p > slice->text && p + 1 < end)
            point = p;
        else
            return FALSE;
    }
    if (!point && slice->length > 15)
        return FALSE;
    *value = (double)digits / powers[point ? end - point - 1 : 0];
    return TRUE;
}

gboolean slice_double(const Slice *slice, double *value)
{
    char text[64], *end;

    if ((slice->type == SLICE_NUMBER || slice->type == SLICE_STRING) && fast_double(slice, value))
        return TRUE;
    if ((slice->type != SLICE_NUMBER && slice->type != SLICE_STRING) || slice->length == 0 ||
        slice->length >= sizeof text)
        return FALSE;
    memcpy(text, slice->text, slice->length);
    text[slice->length] = 0;
    *value = g_ascii_strtod(text, &end);
    return *end == 0 && isfinite(*value);
}

gboolean slice_uint(const Slice *slice, guint64 *value)
{
    const char *end = end_of(slice);
    gint64 number;

    if ((slice->type == SLICE_NUMBER || slice->type == SLICE_STRING) && slice->length > 0 &&
        slice->length < 20 && take_digits(slice->text, end, value) == end)
        return TRUE;
    if (slice->length == 20) { /* beyond 63 bits, maybe */
        char text[24];

        memcpy(text, slice->text, 20);
        text[20] = 0;
        return g_ascii_string_to_unsigned(text, 10, 0, G_MAXUINT64, value, NULL);
    }
    if (!slice_int(slice, &number) || number < 0)
        return FALSE;
    *value = (guint64)number;
    return TRUE;
}

gboolean slice_int(const Slice *slice, gint64 *value)
{
    const char *p = slice->text, *end = end_of(slice);
    gboolean is_negative = slice->length > 0 && *p == '-';
    guint64 digits;
    double real;

    if (slice->type != SLICE_NUMBER && slice->type != SLICE_STRING)
        return FALSE;
    p += is_negative;
    if (p < end && end - p < 20 && take_digits(p, end, &digits) == end && digits <= G_MAXINT64) {
        *value = is_negative ? -(gint64)digits : (gint64)digits;
        return TRUE;
    }
    if (!slice_double(slice, &real) || fabs(real) > 9.2e18)
        return FALSE;
    *value = (gint64)round(real);
    return TRUE;
}
