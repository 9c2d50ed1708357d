/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/helpers/json-scanner.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BUFFER_BYTES (64u << 10)
#define WORD_BYTES 9u /* length of the longest word, -Infinity */

/* The expected next token. */
/* EXPECT_FIRST: the first element of an object or array, or the end of it. */
enum { EXPECT_VALUE, EXPECT_FIRST, EXPECT_COMMA, EXPECT_NOTHING };

typedef struct Buffer {
    struct Buffer *older; /* contains texts that are still valid */
    char bytes[];
} Buffer;

/* A token is always in one buffer: a token that crosses the end of a buffer is copied into the next
 * buffer. */
struct StrobeJsonScanner {
    StrobeJsonRead read; /* NULL: all bytes are in the buffer */
    void *user;
    int descriptor;
    Buffer *newest; /* NULL if the scanner reads lent bytes */
    const char *begin, *at, *end;
    const char *from; /* begin of the current token, or of the value that take_whole reads */
    uint64_t base;    /* offset of `begin` in the file */
    uint64_t token_offset, kept_from;
    uint8_t is_over, is_whole, keeps_texts, allows_non_finite;
    int io_error;

    char *text; /* buffer for an unescaped string */
    size_t room;

    uint8_t is_object[STROBE_JSON_LEVELS_MAX];
    uint32_t depth, last_comma_depth;
    int expect;
    const char *error;
};

/* ---- buffers ---- */

static int64_t read_descriptor(void *user, char *bytes, size_t size)
{
    const StrobeJsonScanner *s = user;
    ssize_t n;

    do
        n = read(s->descriptor, bytes, size);
    while (n < 0 && errno == EINTR);
    return n;
}

StrobeJsonScanner *strobe_json_scanner_new_bytes(const char *bytes, size_t length)
{
    StrobeJsonScanner *s = calloc(1, sizeof *s);

    if (!s)
        return NULL;
    s->begin = s->at = s->from = bytes;
    s->end = bytes + length;
    return s;
}

StrobeJsonScanner *strobe_json_scanner_new_reader(StrobeJsonRead read, void *user)
{
    StrobeJsonScanner *s = strobe_json_scanner_new_bytes("", 0);

    if (!s)
        return NULL;
    s->read = read;
    s->user = user;
    return s;
}

StrobeJsonScanner *strobe_json_scanner_new(int descriptor)
{
    StrobeJsonScanner *s = strobe_json_scanner_new_reader(read_descriptor, NULL);

    if (!s)
        return NULL;
    s->user = s;
    s->descriptor = descriptor;
    return s;
}

/* Frees all buffers except the newest. */
static void free_older(StrobeJsonScanner *s)
{
    Buffer *older = s->newest ? s->newest->older : NULL;

    if (!older)
        return;
    s->newest->older = NULL;
    for (Buffer *next; older; older = next) {
        next = older->older;
        free(older);
    }
}

void strobe_json_scanner_free(StrobeJsonScanner *s)
{
    if (!s)
        return;
    free_older(s);
    free(s->newest);
    free(s->text);
    free(s);
}

void strobe_json_scanner_allow_non_finite(StrobeJsonScanner *s)
{
    s->allows_non_finite = 1;
}

static int set_error(StrobeJsonScanner *s, const char *expected)
{
    if (s->io_error && s->at == s->end)
        return STROBE_JSON_IO;
    if (!s->error)
        s->error = expected;
    return STROBE_JSON_ERROR;
}

uint64_t strobe_json_scanner_offset(const StrobeJsonScanner *s)
{
    return s->base + (uint64_t)(s->at - s->begin);
}

/* Returns the number of bytes at the end of the buffer that must be in one buffer with the next
 * bytes. */
static uint64_t held_bytes(const StrobeJsonScanner *s)
{
    if (s->keeps_texts)
        return strobe_json_scanner_offset(s) + (uint64_t)(s->end - s->at) - s->kept_from;
    return s->is_whole ? (uint64_t)(s->end - s->from) : 0;
}

/* Reads until the buffer is full or the text ends: if the buffer were refilled with few bytes each
 * time, tokens would be copied again and again. */
static size_t read_full(StrobeJsonScanner *s, char *bytes, size_t size)
{
    size_t used = 0;

    while (used < size && !s->is_over) {
        int64_t n = s->read(s->user, bytes + used, size - used);

        s->is_over = n <= 0;
        s->io_error = n < 0;
        used += n > 0 ? (size_t)n : 0;
    }
    return used;
}

/* Reads further bytes after the current token into a new buffer; 0: the end, or no memory. */
static int refill_buffer(StrobeJsonScanner *s)
{
    const size_t kept = (size_t)(s->end - s->from);
    const size_t size = kept < BUFFER_BYTES ? BUFFER_BYTES : kept;
    const uint64_t base = s->base + (uint64_t)(s->from - s->begin);
    Buffer *buffer;
    size_t n;

    if (!s->read || s->is_over || s->error)
        return 0;
    if (held_bytes(s) > STROBE_JSON_STRING_MAX)
        return set_error(s, STROBE_JSON_TOO_LONG), 0;
    buffer = malloc(sizeof *buffer + kept + size);
    if (!buffer)
        return set_error(s, "memory for a value"), 0;
    n = read_full(s, buffer->bytes + kept, size);
    if (!n) {
        free(buffer);
        return 0;
    }
    memcpy(buffer->bytes, s->from, kept);
    buffer->older = s->newest;
    s->newest = buffer;
    s->base = base;
    s->at = buffer->bytes + (s->at - s->from);
    s->begin = s->from = buffer->bytes;
    s->end = s->begin + kept + n;
    return 1;
}

static inline int is_blank(char c)
{
    return (unsigned char)c <= ' ' && (c == ' ' || c == '\n' || c == '\r' || c == '\t');
}

/* Returns the next non-blank byte, -1 at the end. A token begins there, unless take_whole is
 * reading a value. */
static inline int skip_blanks(StrobeJsonScanner *s)
{
    do {
        const char *p = s->at, *end = s->end;

        while (p < end && is_blank(*p))
            p++;
        s->at = p;
        if (!s->is_whole)
            s->from = p;
        if (p < end)
            return (unsigned char)*p;
    } while (refill_buffer(s));
    return -1;
}

/* ---- escapes ---- */

static char *put_code(char *out, uint32_t code)
{
    if (code >= 0xd800 && code < 0xe000)
        code = 0xfffd; /* replaces half of a surrogate pair, which is invalid */
    if (code < 0x80) {
        *out++ = (char)code;
    } else if (code < 0x800) {
        *out++ = (char)(0xc0 | code >> 6);
        *out++ = (char)(0x80 | (code & 0x3f));
    } else if (code < 0x10000) {
        *out++ = (char)(0xe0 | code >> 12);
        *out++ = (char)(0x80 | (code >> 6 & 0x3f));
        *out++ = (char)(0x80 | (code & 0x3f));
    } else {
        *out++ = (char)(0xf0 | code >> 18);
        *out++ = (char)(0x80 | (code >> 12 & 0x3f));
        *out++ = (char)(0x80 | (code >> 6 & 0x3f));
        *out++ = (char)(0x80 | (code & 0x3f));
    }
    return out;
}

/* Reads "\u" and four hexadecimal digits; -1 if they are invalid. */
static int32_t read_unit(const char *p, const char *end)
{
    int32_t value = 0;

    if (end - p < 6 || p[0] != '\\' || p[1] != 'u')
        return -1;
    for (int i = 2; i < 6; i++) {
        char c = p[i];
        int digit = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : -1;
        if (digit < 0)
            return -1;
        value = value * 16 + digit;
    }
    return value;
}

/* Undoes the escape at the backslash `p`; returns its end, NULL if it is invalid. */
static const char *undo_escape(const char *p, const char *end, char **out)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    const char *known = end - p > 1 && p[1] ? strchr(from, p[1]) : NULL;
    int32_t code, low;

    if (known) {
        *(*out)++ = to[known - from];
        return p + 2;
    }
    code = read_unit(p, end);
    if (code < 0)
        return NULL;
    p += 6;
    low = code >= 0xd800 && code < 0xdc00 ? read_unit(p, end) : -1;
    if (low >= 0xdc00 && low < 0xe000) {
        code = 0x10000 + ((code & 0x3ff) << 10) + (low & 0x3ff);
        p += 6;
    }
    *out = put_code(*out, (uint32_t)code);
    return p;
}

/* Like strobe_json_unescape; `place` is the position of an invalid escape. */
static size_t unescape_text(const char *text, size_t length, char *out, const char **place)
{
    const char *p = text, *end = text + length;
    char *begin = out;

    while (p < end) {
        const char *stop = memchr(p, '\\', (size_t)(end - p));
        size_t plain = (size_t)((stop ? stop : end) - p);

        memmove(out, p, plain);
        out += plain;
        p += plain;
        *place = p;
        if (stop && !(p = undo_escape(p, end, &out)))
            return SIZE_MAX;
    }
    return (size_t)(out - begin);
}

size_t strobe_json_unescape(const char *text, size_t length, char *out)
{
    const char *place;

    return unescape_text(text, length, out, &place);
}

/* ---- values ---- */

static void set_value(StrobeJsonScanner *s, StrobeJsonValue *value, int type, size_t begin)
{
    value->text = s->from + begin;
    value->length = (uint32_t)(s->at - value->text);
    value->type = (uint8_t)type;
    value->has_escapes = 0;
}

/* Drops the bytes of a string above the maximum length. */
static void drop_excess(StrobeJsonScanner *s, size_t begin)
{
    const size_t most = begin + STROBE_JSON_STRING_MAX;

    if (s->is_whole || s->at < s->end || (size_t)(s->at - s->from) <= most)
        return;
    s->base += (uint64_t)(s->at - s->from) - most;
    s->at = s->end = s->from + most;
}

/* Finds the quote that ends the string whose text begins at `begin`; 0: there is none. */
static int find_quote(StrobeJsonScanner *s, size_t begin, uint8_t *has_escapes)
{
    for (;;) {
        const char *p = s->at, *end = s->end;

        while (p < end && *p != '"' && *p != '\\')
            p++;
        s->at = p;
        if (p < end && *p == '"')
            return 1;
        *has_escapes |= p < end;
        if (end - p >= 2) {
            s->at += 2;
            continue;
        }
        drop_excess(s, begin);
        if (!refill_buffer(s))
            return 0;
    }
}

static int take_string(StrobeJsonScanner *s, StrobeJsonValue *value, int type)
{
    const size_t begin = (size_t)(++s->at - s->from);
    uint8_t has_escapes = 0;

    if (!find_quote(s, begin, &has_escapes)) {
        s->at = s->end;
        return set_error(s, "the end of a string");
    }
    set_value(s, value, type, begin);
    if (value->length > STROBE_JSON_STRING_MAX)
        value->length = STROBE_JSON_STRING_MAX;
    value->has_escapes = has_escapes;
    s->at++;
    return type;
}

static const char *skip_digits(const char *p, const char *end)
{
    while (p < end && (unsigned char)(*p - '0') < 10)
        p++;
    return p;
}

/* Moves past the number at `*p`, as far as it is valid; returns whether it is valid. */
static int skip_number(const char **p, const char *end)
{
    const char *at = *p + (**p == '-'), *digits = at;

    at = *p = skip_digits(at, end);
    if (at == digits || (*digits == '0' && at - digits > 1))
        return 0;
    if (at < end && *at == '.') {
        digits = at + 1;
        at = *p = skip_digits(digits, end);
        if (at == digits)
            return 0;
    }
    if (at < end && (*at == 'e' || *at == 'E')) {
        digits = at + 1;
        digits += digits < end && (*digits == '-' || *digits == '+');
        *p = skip_digits(digits, end);
        return *p != digits;
    }
    return 1;
}

static int take_number(StrobeJsonScanner *s, StrobeJsonValue *value)
{
    const size_t begin = (size_t)(s->at - s->from);
    const char *p;
    int is_number;

    do {
        p = s->from + begin;
        is_number = skip_number(&p, s->end);
    } while (p == s->end && refill_buffer(s));
    s->at = p;
    if (!is_number)
        return set_error(s, "a number of JSON");
    set_value(s, value, STROBE_JSON_NUMBER, begin);
    return STROBE_JSON_NUMBER;
}

static int take_word(StrobeJsonScanner *s, StrobeJsonValue *value)
{
    static const struct {
        const char *text;
        int type;
    } words[] = {
        {"true", STROBE_JSON_TRUE},       {"false", STROBE_JSON_FALSE},
        {"null", STROBE_JSON_NULL},       {"NaN", STROBE_JSON_NON_FINITE},
        {"nan", STROBE_JSON_NON_FINITE},  {"Infinity", STROBE_JSON_NON_FINITE},
        {"inf", STROBE_JSON_NON_FINITE},  {"-Infinity", STROBE_JSON_NON_FINITE},
        {"-inf", STROBE_JSON_NON_FINITE},
    };
    const size_t begin = (size_t)(s->at - s->from), n = sizeof words / sizeof *words;

    while ((size_t)(s->end - s->at) < WORD_BYTES && refill_buffer(s))
        continue;
    for (size_t i = 0; i < (s->allows_non_finite ? n : 3); i++) {
        const size_t length = strlen(words[i].text), left = (size_t)(s->end - s->at);

        if (memcmp(s->at, words[i].text, left < length ? left : length) != 0)
            continue;
        s->at += left < length ? left : length;
        set_value(s, value, words[i].type, begin);
        return left < length ? set_error(s, "a value") : words[i].type;
    }
    return set_error(s, "a value");
}

/* ---- tokens ---- */

static void push_level(StrobeJsonScanner *s, int is_object)
{
    s->is_object[s->depth++] = (uint8_t)is_object;
    s->expect = EXPECT_FIRST;
}

static int open_level(StrobeJsonScanner *s, StrobeJsonValue *value)
{
    const int is_object = *s->at == '{';
    const int type = is_object ? STROBE_JSON_OBJECT : STROBE_JSON_ARRAY;

    if (s->depth == STROBE_JSON_LEVELS_MAX)
        return set_error(s, "less depth");
    s->at++;
    set_value(s, value, type, (size_t)(s->at - s->from) - 1);
    push_level(s, is_object);
    return type;
}

static int close_level(StrobeJsonScanner *s, StrobeJsonValue *value)
{
    const int was_object = s->is_object[--s->depth];
    const int type = was_object ? STROBE_JSON_OBJECT_END : STROBE_JSON_ARRAY_END;

    s->at++;
    s->expect = s->depth ? EXPECT_COMMA : EXPECT_NOTHING;
    set_value(s, value, type, (size_t)(s->at - s->from) - 1);
    return type;
}

/* Reads the value that begins with `c`, the next byte. */
static int take_value(StrobeJsonScanner *s, int c, StrobeJsonValue *value)
{
    s->token_offset = strobe_json_scanner_offset(s);
    if (c == '{' || c == '[')
        return open_level(s, value);
    s->expect = s->depth ? EXPECT_COMMA : EXPECT_NOTHING;
    if (c == '"')
        return take_string(s, value, STROBE_JSON_STRING);
    if (c < 0)
        return set_error(s, "a value");
    if (c == '-' && s->end - s->at < 2)
        refill_buffer(s);
    if ((c >= '0' && c <= '9') || (c == '-' && !(s->end - s->at > 1 && s->at[1] > '9')))
        return take_number(s, value);
    return take_word(s, value);
}

static int take_key(StrobeJsonScanner *s, StrobeJsonValue *value)
{
    int type;

    s->token_offset = strobe_json_scanner_offset(s);
    type = take_string(s, value, STROBE_JSON_KEY);
    if (type != STROBE_JSON_KEY)
        return type;
    if ((s->at == s->end || *s->at != ':') && skip_blanks(s) != ':')
        return set_error(s, "a colon");
    s->at++;
    s->expect = EXPECT_VALUE;
    return type;
}

/* Reads the key or value after a comma. */
static int take_next(StrobeJsonScanner *s, int is_object, StrobeJsonValue *value)
{
    const int c = skip_blanks(s);

    if (c == ']' && s->depth == s->last_comma_depth)
        return close_level(s, value);
    if (c == '}' || c == ']')
        return set_error(s, "a value after the comma");
    if (!is_object)
        return take_value(s, c, value);
    return c == '"' ? take_key(s, value) : set_error(s, "a key");
}

static inline int take_token(StrobeJsonScanner *s, StrobeJsonValue *value)
{
    const int c = skip_blanks(s);
    const int is_object = s->depth && s->is_object[s->depth - 1];

    if (s->error)
        return STROBE_JSON_ERROR;
    switch (s->expect) {
    case EXPECT_COMMA:
        if (c == ',') {
            s->at++;
            return take_next(s, is_object, value);
        }
        if (c == (is_object ? '}' : ']'))
            return close_level(s, value);
        return set_error(s, "a comma or the end of an object or array");
    case EXPECT_FIRST:
        if (c == (is_object ? '}' : ']'))
            return close_level(s, value);
        if (is_object)
            return c == '"' ? take_key(s, value) : set_error(s, "a key");
        break;
    case EXPECT_NOTHING:
        return c < 0 && !s->io_error ? STROBE_JSON_END : set_error(s, "the end of the file");
    default:
        if (c < 0 && !s->io_error && s->depth == 0)
            return STROBE_JSON_END;
    }
    return take_value(s, c, value);
}

int strobe_json_scanner_next_raw(StrobeJsonScanner *s, StrobeJsonValue *value)
{
    if (!s->keeps_texts)
        free_older(s);
    return take_token(s, value);
}

/* Unescapes the text of `value` into the scanner's memory. */
static int undo_escapes(StrobeJsonScanner *s, StrobeJsonValue *value)
{
    const char *place;
    size_t length;

    if (s->room < value->length) {
        char *text = realloc(s->text, value->length);

        if (!text)
            return set_error(s, "memory for a string");
        s->text = text;
        s->room = value->length;
    }
    length = unescape_text(value->text, value->length, s->text, &place);
    if (length == SIZE_MAX) {
        /* `value` is a key, which may be in an older buffer */
        if (value->type == STROBE_JSON_STRING)
            s->at = place;
        return set_error(s, "an escape of JSON");
    }
    value->text = s->text;
    value->length = (uint32_t)length;
    return value->type;
}

int strobe_json_scanner_next(StrobeJsonScanner *s, const char **text, size_t *length)
{
    StrobeJsonValue value;
    int type = strobe_json_scanner_next_raw(s, &value), has_text;

    has_text = type == STROBE_JSON_KEY || type == STROBE_JSON_STRING || type == STROBE_JSON_NUMBER;
    if (has_text && value.has_escapes)
        type = undo_escapes(s, &value);
    if (text)
        *text = has_text ? value.text : "";
    if (length)
        *length = has_text ? value.length : 0;
    return type;
}

int strobe_json_scanner_take_whole(StrobeJsonScanner *s, StrobeJsonValue *value)
{
    const uint32_t depth = s->depth - 1;
    const int type = s->is_object[depth] ? STROBE_JSON_OBJECT : STROBE_JSON_ARRAY;
    uint8_t has_non_finite = 0;
    StrobeJsonValue inner;
    int token;

    s->is_whole = 1;
    do {
        token = take_token(s, &inner);
        has_non_finite |= token == STROBE_JSON_NON_FINITE;
    } while (token > 0 && s->depth > depth);
    s->is_whole = 0;
    if (token < 0)
        return token;
    set_value(s, value, type, 0);
    value->has_escapes = has_non_finite;
    return type;
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

void strobe_json_scanner_keep_texts(StrobeJsonScanner *s, int keeps)
{
    s->keeps_texts = keeps != 0;
    s->kept_from = strobe_json_scanner_offset(s);
}

/* ---- continuing after damage ---- */

int strobe_json_scanner_seek(StrobeJsonScanner *s, char other)
{
    int has_brace = 0, has_comma = 0;

    s->error = NULL;
    s->keeps_texts = 0;
    free_older(s);
    for (;; s->at++) {
        char c;

        s->from = s->at;
        if (s->at == s->end && !refill_buffer(s))
            return 0;
        c = *s->at;
        if (has_comma && (c == '{' || c == other))
            return c;
        if (is_blank(c))
            continue;
        has_comma = c == ',' && has_brace;
        has_brace = c == '}';
    }
}

void strobe_json_scanner_set_levels(StrobeJsonScanner *s, const char *brackets)
{
    for (s->depth = 0; *brackets; brackets++)
        push_level(s, *brackets == '{');
}

void strobe_json_scanner_allow_last_comma(StrobeJsonScanner *s)
{
    s->last_comma_depth = s->depth;
}

uint32_t strobe_json_scanner_depth(const StrobeJsonScanner *s)
{
    return s->depth;
}

uint64_t strobe_json_scanner_token_offset(const StrobeJsonScanner *s)
{
    return s->token_offset;
}

const char *strobe_json_scanner_error(const StrobeJsonScanner *s)
{
    return s->error ? s->error : "";
}

int strobe_json_scanner_is_at_end(const StrobeJsonScanner *s)
{
    return s->at == s->end && (s->is_over || !s->read);
}
