/* SPDX-License-Identifier: Apache-2.0 */
#include "slice.h"

#include <strobe/helpers/json-scanner.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#define LEVELS_MAX 512u

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

/* Numbers that are none, as Python and C print them, though JSON has no such words. */
static inline gboolean is_odd(const char *p)
{
    return *p == 'N' || *p == 'I' || *p == 'i' || (*p == 'n' && p[1] == 'a') ||
           (*p == '-' && p[1] > '9');
}

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

/* What may come next inside an object or array. */
enum { FIRST, NEXT, COMMA };

/* One token inside of a value with levels. Levels are bits: set for an object. */
typedef struct Levels {
    guint64 bits[LEVELS_MAX / 64];
    guint depth;
    guint8 expect;
    guint8 has_odd;
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
    if (G_UNLIKELY(is_odd(p))) {
        levels->has_odd = TRUE;
        return scan_odd(p, end, &inner, expected);
    }
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
    levels.has_odd = FALSE;
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
    *slice = (Slice){.text = begin,
                     .length = (guint32)(p - begin),
                     .type = *begin == '{' ? SLICE_OBJECT : SLICE_ARRAY,
                     .has_escapes = levels.has_odd};
    return p;
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
    if (G_UNLIKELY(is_odd(p)))
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

/* An object or array in which words stand that are no JSON: they become texts. */
static void append_odd(const Slice *slice, GString *arena)
{
    const char *p = slice->text, *end = p + slice->length, *behind, *expected;
    Slice part;

    while (p < end) {
        behind = *p == '"' ? scan_string(p, end, &part) : NULL;
        if (behind) {
            g_string_append_len(arena, p, behind - p);
        } else if (is_odd(p) && (behind = scan_odd(p, end, &part, &expected))) {
            g_string_append_printf(arena, "\"%.*s\"", (int)part.length, part.text);
        } else {
            behind = p + 1;
            g_string_append_c(arena, *p);
        }
        p = behind;
    }
}

gsize slice_append(const Slice *slice, GString *arena)
{
    gsize at = arena->len;

    if (slice->has_escapes && slice->type != SLICE_STRING)
        append_odd(slice, arena);
    else if (slice->has_escapes)
        unescape(slice, arena);
    else
        g_string_append_len(arena, slice->text, (gssize)slice->length);
    return at;
}
