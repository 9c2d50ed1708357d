/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/helpers/json-scanner.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BUFFER_BYTES (256u << 10)

/* What may come next. */
enum { EXPECT_VALUE, EXPECT_FIRST, EXPECT_KEY, EXPECT_COMMA, EXPECT_NOTHING };

struct StrobeJsonScanner {
    int descriptor; /* -1: all bytes are in the buffer */
    char *own;      /* BUFFER_BYTES, NULL for bytes that are lent */
    const char *buffer;
    size_t at, used;
    uint64_t base; /* offset of the buffer in the file */
    int is_end, io_error;

    char *text; /* of a string that is not whole in the buffer, or has escapes */
    size_t length, room;

    uint8_t *is_object; /* one a level */
    uint32_t depth, levels_room;
    int expect;
    const char *error;
};

StrobeJsonScanner *strobe_json_scanner_new(int descriptor)
{
    StrobeJsonScanner *s = calloc(1, sizeof *s);

    if (!s)
        return NULL;
    s->descriptor = descriptor;
    s->own = malloc(BUFFER_BYTES);
    s->buffer = s->own;
    if (s->own)
        return s;
    free(s);
    return NULL;
}

StrobeJsonScanner *strobe_json_scanner_new_bytes(const char *bytes, size_t length)
{
    StrobeJsonScanner *s = calloc(1, sizeof *s);

    if (!s)
        return NULL;
    s->descriptor = -1;
    s->buffer = bytes;
    s->used = length;
    return s;
}

void strobe_json_scanner_free(StrobeJsonScanner *s)
{
    if (!s)
        return;
    free(s->own);
    free(s->text);
    free(s->is_object);
    free(s);
}

/* ---- bytes ---- */

/* Another bufferful; 0 at the end of the file. */
static int refill(StrobeJsonScanner *s)
{
    ssize_t n;

    if (s->descriptor < 0 || s->is_end)
        return 0;
    do
        n = read(s->descriptor, s->own, BUFFER_BYTES);
    while (n < 0 && errno == EINTR);
    s->base += s->used;
    s->at = 0;
    s->used = n > 0 ? (size_t)n : 0;
    s->is_end = n <= 0;
    s->io_error = n < 0;
    return n > 0;
}

/* The byte at hand, -1 at the end. */
static int peek(StrobeJsonScanner *s)
{
    if (s->at == s->used && !refill(s))
        return -1;
    return (unsigned char)s->buffer[s->at];
}

static int skip_blanks(StrobeJsonScanner *s)
{
    int c;

    while ((c = peek(s)) == ' ' || c == '\n' || c == '\r' || c == '\t')
        s->at++;
    return c;
}

static int fail(StrobeJsonScanner *s, const char *expected)
{
    if (s->io_error)
        return STROBE_JSON_IO;
    s->error = expected;
    return STROBE_JSON_ERROR;
}

/* ---- texts ---- */

/* Bytes beyond the greatest length are left out. */
static int append(StrobeJsonScanner *s, const char *bytes, size_t n)
{
    if (n > STROBE_JSON_STRING_MAX - s->length)
        n = STROBE_JSON_STRING_MAX - s->length;
    if (s->length + n > s->room) {
        size_t room = s->room ? s->room : 256;
        char *text;

        while (room < s->length + n)
            room *= 2;
        text = realloc(s->text, room);
        if (!text)
            return -1;
        s->text = text;
        s->room = room;
    }
    if (n)
        memcpy(s->text + s->length, bytes, n);
    s->length += n;
    return 0;
}

static int append_code(StrobeJsonScanner *s, uint32_t code)
{
    char out[4];
    size_t n = 0;

    if (code >= 0xd800 && code < 0xe000)
        code = 0xfffd; /* half of a pair */
    if (code < 0x80) {
        out[n++] = (char)code;
    } else if (code < 0x800) {
        out[n++] = (char)(0xc0 | code >> 6);
        out[n++] = (char)(0x80 | (code & 0x3f));
    } else if (code < 0x10000) {
        out[n++] = (char)(0xe0 | code >> 12);
        out[n++] = (char)(0x80 | (code >> 6 & 0x3f));
        out[n++] = (char)(0x80 | (code & 0x3f));
    } else {
        out[n++] = (char)(0xf0 | code >> 18);
        out[n++] = (char)(0x80 | (code >> 12 & 0x3f));
        out[n++] = (char)(0x80 | (code >> 6 & 0x3f));
        out[n++] = (char)(0x80 | (code & 0x3f));
    }
    return append(s, out, n);
}

/* Four hexadecimal digits, -1 if they are none. */
static int32_t take_hex(StrobeJsonScanner *s)
{
    int32_t value = 0;

    for (int i = 0; i < 4; i++) {
        int c = peek(s);
        int digit = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : -1;
        if (digit < 0)
            return -1;
        value = value * 16 + digit;
        s->at++;
    }
    return value;
}

/* Behind "\u". A first half is joined with a second one behind it. */
static int take_unicode(StrobeJsonScanner *s)
{
    int32_t code = take_hex(s), low;

    while (code >= 0xd800 && code < 0xdc00 && peek(s) == '\\') {
        s->at++;
        if (peek(s) != 'u')
            return append_code(s, (uint32_t)code) ? -1 : 1; /* the backslash is still to be read */
        s->at++;
        low = take_hex(s);
        if (low < 0)
            return -1;
        if (low >= 0xdc00 && low < 0xe000)
            return append_code(s, 0x10000 + (((uint32_t)code & 0x3ff) << 10) +
                                      ((uint32_t)low & 0x3ff));
        if (append_code(s, (uint32_t)code))
            return -1;
        code = low;
    }
    return code < 0 ? -1 : append_code(s, (uint32_t)code);
}

/* Behind a backslash. */
static int take_escape(StrobeJsonScanner *s)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";

    for (;;) {
        int c = peek(s);
        const char *known = c > 0 ? strchr(from, c) : NULL;
        int more;

        if (c < 0 || (!known && c != 'u'))
            return -1;
        s->at++;
        if (known)
            return append(s, &to[known - from], 1);
        more = take_unicode(s);
        if (more <= 0)
            return more;
    }
}

/* Behind the opening quote. A string without escapes that is whole in the buffer is not copied. */
static int take_string(StrobeJsonScanner *s, const char **text, size_t *length)
{
    s->length = 0;
    for (int is_first = 1;; is_first = 0) {
        size_t from = s->at;
        int c = peek(s);

        if (c < 0)
            return fail(s, "the end of a string");
        from = s->at;
        while (s->at < s->used && s->buffer[s->at] != '"' && s->buffer[s->at] != '\\')
            s->at++;
        if (is_first && s->at < s->used && s->buffer[s->at] == '"') {
            *text = s->buffer + from;
            *length = s->at++ - from;
            return STROBE_JSON_STRING;
        }
        if (append(s, s->buffer + from, s->at - from))
            return fail(s, "memory for a string");
        if (s->at == s->used)
            continue;
        if (s->buffer[s->at++] == '"')
            break;
        if (take_escape(s))
            return fail(s, "an escape of JSON");
    }
    *text = s->text;
    *length = s->length;
    return STROBE_JSON_STRING;
}

static int is_of_number(int c)
{
    return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
}

/* Is the text a number of JSON? */
static int is_number(const char *p, size_t n)
{
    const char *end = p + n;

    p += p < end && *p == '-';
    if (p == end || *p < '0' || *p > '9')
        return 0;
    if (*p++ != '0')
        while (p < end && *p >= '0' && *p <= '9')
            p++;
    if (p < end && *p == '.') {
        const char *digits = ++p;
        while (p < end && *p >= '0' && *p <= '9')
            p++;
        if (p == digits)
            return 0;
    }
    if (p < end && (*p == 'e' || *p == 'E')) {
        const char *digits;
        p++;
        p += p < end && (*p == '-' || *p == '+');
        digits = p;
        while (p < end && *p >= '0' && *p <= '9')
            p++;
        if (p == digits)
            return 0;
    }
    return p == end;
}

static int take_number(StrobeJsonScanner *s, const char **text, size_t *length)
{
    s->length = 0;
    for (;;) {
        size_t from = s->at;

        while (s->at < s->used && is_of_number((unsigned char)s->buffer[s->at]))
            s->at++;
        if (s->at < s->used && s->length == 0) {
            *text = s->buffer + from;
            *length = s->at - from;
            break;
        }
        if (append(s, s->buffer + from, s->at - from))
            return fail(s, "memory for a number");
        if (s->at < s->used || peek(s) < 0) {
            *text = s->text;
            *length = s->length;
            break;
        }
    }
    return is_number(*text, *length) ? STROBE_JSON_NUMBER : fail(s, "a number of JSON");
}

static int take_word(StrobeJsonScanner *s, const char *word, int token)
{
    for (; *word; word++, s->at++)
        if (peek(s) != *word)
            return fail(s, "true, false or null");
    return token;
}

/* ---- tokens ---- */

static int open_level(StrobeJsonScanner *s, int is_object)
{
    s->at++;
    if (s->depth == STROBE_JSON_LEVELS_MAX)
        return fail(s, "less depth");
    if (s->depth == s->levels_room) {
        uint32_t room = s->levels_room ? 2 * s->levels_room : 64;
        uint8_t *levels = realloc(s->is_object, room);

        if (!levels)
            return fail(s, "memory for a level");
        s->is_object = levels;
        s->levels_room = room;
    }
    s->is_object[s->depth++] = (uint8_t)is_object;
    s->expect = is_object ? EXPECT_KEY : EXPECT_FIRST;
    return is_object ? STROBE_JSON_OBJECT : STROBE_JSON_ARRAY;
}

static int close_level(StrobeJsonScanner *s)
{
    int was_object = s->is_object[--s->depth];

    s->at++;
    s->expect = s->depth ? EXPECT_COMMA : EXPECT_NOTHING;
    return was_object ? STROBE_JSON_OBJECT_END : STROBE_JSON_ARRAY_END;
}

static int take_value(StrobeJsonScanner *s, int c, const char **text, size_t *length)
{
    int token;

    if (c == '{' || c == '[')
        return open_level(s, c == '{');
    s->expect = s->depth ? EXPECT_COMMA : EXPECT_NOTHING;
    switch (c) {
    case '"':
        s->at++;
        token = take_string(s, text, length);
        break;
    case 't':
        token = take_word(s, "true", STROBE_JSON_TRUE);
        break;
    case 'f':
        token = take_word(s, "false", STROBE_JSON_FALSE);
        break;
    case 'n':
        token = take_word(s, "null", STROBE_JSON_NULL);
        break;
    default:
        token =
            c == '-' || (c >= '0' && c <= '9') ? take_number(s, text, length) : fail(s, "a value");
    }
    return token;
}

static int take_key(StrobeJsonScanner *s, const char **text, size_t *length)
{
    const char *key;
    int token;

    s->at++;
    token = take_string(s, text, length);
    if (token != STROBE_JSON_STRING)
        return token;
    key = *text;
    if (s->at < s->used && s->buffer[s->at] == ':') {
        s->at++;
    } else {
        /* Blanks may cross the end of the buffer that the key lies in. */
        if (key != s->text) {
            s->length = 0;
            if (append(s, key, *length))
                return fail(s, "memory for a key");
            *text = s->text;
        }
        if (skip_blanks(s) != ':')
            return fail(s, "a colon");
        s->at++;
    }
    s->expect = EXPECT_VALUE;
    return STROBE_JSON_KEY;
}

int strobe_json_scanner_next(StrobeJsonScanner *s, const char **text, size_t *length)
{
    const char *no_text;
    size_t no_length;
    int c = skip_blanks(s);
    int is_object = s->depth && s->is_object[s->depth - 1];

    text = text ? text : &no_text;
    length = length ? length : &no_length;
    *text = "";
    *length = 0;
    if (s->error)
        return STROBE_JSON_ERROR;
    if (c < 0 && !s->io_error && s->depth == 0 && s->expect != EXPECT_COMMA)
        return STROBE_JSON_END;
    if (s->expect == EXPECT_COMMA && c == ',') {
        s->at++;
        c = skip_blanks(s);
        s->expect = is_object ? EXPECT_KEY : EXPECT_VALUE;
        if (c == '}' || c == ']')
            return fail(s, "a value behind the comma");
    } else if (s->expect == EXPECT_COMMA || s->expect == EXPECT_KEY || s->expect == EXPECT_FIRST) {
        if (c == (is_object ? '}' : ']'))
            return close_level(s);
        if (s->expect == EXPECT_COMMA)
            return fail(s, "a comma or the end of an object or array");
    }
    if (s->expect == EXPECT_NOTHING)
        return fail(s, "the end of the file");
    if (s->expect == EXPECT_KEY)
        return c == '"' ? take_key(s, text, length) : fail(s, "a key");
    return take_value(s, c, text, length);
}

int strobe_json_scanner_skip(StrobeJsonScanner *s, uint32_t levels)
{
    uint32_t until = levels < s->depth ? s->depth - levels : 0;

    while (s->depth > until) {
        int token = strobe_json_scanner_next(s, NULL, NULL);

        if (token < 0)
            return token;
    }
    return STROBE_JSON_END;
}

int strobe_json_scanner_resume(StrobeJsonScanner *s)
{
    int c, has_brace = 0, has_comma = 0;

    s->error = NULL;
    while ((c = peek(s)) >= 0) {
        if (c == '{' && has_comma) {
            s->depth = 0;
            s->at--; /* opening a level steps over a byte */
            if (open_level(s, 0) < 0)
                return 0;
            s->expect = EXPECT_VALUE;
            return 1;
        }
        if (c == '}') {
            has_brace = 1;
            has_comma = 0;
        } else if (c == ',' && has_brace) {
            has_comma = 1;
        } else if (c != ' ' && c != '\n' && c != '\r' && c != '\t') {
            has_brace = has_comma = 0;
        }
        s->at++;
    }
    return 0;
}

uint32_t strobe_json_scanner_depth(const StrobeJsonScanner *s)
{
    return s->depth;
}

uint64_t strobe_json_scanner_offset(const StrobeJsonScanner *s)
{
    return s->base + s->at;
}

const char *strobe_json_scanner_error(const StrobeJsonScanner *s)
{
    return s->error ? s->error : "";
}
