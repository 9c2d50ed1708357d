/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads JSON of any size token by token; needs memory for the longest string.
 *
 * Numbers stay text, because a double is too inexact for ids and times. Invalid JSON is an error
 * with a position; reading may continue after the error. Only one thread at a time may use a
 * scanner. libc only. Since 1.0.
 */
#ifndef STROBE_HELPERS_JSON_SCANNER_H
#define STROBE_HELPERS_JSON_SCANNER_H

#include <stddef.h>
#include <stdint.h>

#if defined(__cplusplus)
extern "C" {
#endif

typedef struct StrobeJsonScanner StrobeJsonScanner;

enum {
    STROBE_JSON_END = 0, /* end of the file, after a complete value or in an empty file */
    STROBE_JSON_OBJECT = 1,
    STROBE_JSON_OBJECT_END = 2,
    STROBE_JSON_ARRAY = 3,
    STROBE_JSON_ARRAY_END = 4,
    STROBE_JSON_KEY = 5,
    STROBE_JSON_STRING = 6,
    STROBE_JSON_NUMBER = 7,
    STROBE_JSON_TRUE = 8,
    STROBE_JSON_FALSE = 9,
    STROBE_JSON_NULL = 10,
    STROBE_JSON_NON_FINITE = 11, /* NaN, Infinity, -inf ...: only with
                                  * strobe_json_scanner_allow_non_finite */
    STROBE_JSON_ERROR = -1,      /* invalid JSON, see strobe_json_scanner_error */
    STROBE_JSON_IO = -2          /* an error of read(); see errno */
};

#define STROBE_JSON_STRING_MAX (16u << 20) /* longer strings are truncated */
#define STROBE_JSON_LEVELS_MAX 1024u
#define STROBE_JSON_TOO_LONG "something of less than 16 MiB"

/* A token as written in the text. */
typedef struct StrobeJsonValue {
    const char *text; /* without quotes; escapes unchanged */
    uint32_t length;
    uint8_t type;        /* STROBE_JSON_* */
    uint8_t has_escapes; /* the text contains escapes; for a whole object or array: it contains a
                            NON_FINITE number */
} StrobeJsonValue;

/* Returns the number of bytes read, 0 at the end, -1 for an error. */
typedef int64_t (*StrobeJsonRead)(void *user, char *bytes, size_t size);

/* Makes a scanner that reads from the current position of the descriptor (lent). NULL: out of
 * memory. */
StrobeJsonScanner *strobe_json_scanner_new(int descriptor);
/* Makes a scanner that reads by calling `read`. */
StrobeJsonScanner *strobe_json_scanner_new_reader(StrobeJsonRead read, void *user);
/* Makes a scanner of the bytes, which must stay valid until the scanner is freed. */
StrobeJsonScanner *strobe_json_scanner_new_bytes(const char *bytes, size_t length);
void strobe_json_scanner_free(StrobeJsonScanner *scanner);

/* Accepts non-finite numbers, which JSON does not have, as C and Python print them. */
void strobe_json_scanner_allow_non_finite(StrobeJsonScanner *scanner);
/* Accepts a comma after the last element of the array that was begun last: a program that appends
 * elements to a file may leave such a comma. */
void strobe_json_scanner_allow_last_comma(StrobeJsonScanner *scanner);

/* Reads the next token and returns its type, STROBE_JSON_*. `text` (may be NULL) receives the text
 * of a key, string (unescaped, any bytes, no NUL after it) or number (as written); valid until the
 * next call. */
int strobe_json_scanner_next(StrobeJsonScanner *scanner, const char **text, size_t *length);

/* Like strobe_json_scanner_next, but `value` receives the unchanged text of every token. */
int strobe_json_scanner_next_raw(StrobeJsonScanner *scanner, StrobeJsonValue *value);
/* To be called after STROBE_JSON_OBJECT or STROBE_JSON_ARRAY: reads to the end of this object or
 * array. `value` receives the text of the whole object or array, at most STROBE_JSON_STRING_MAX
 * bytes. */
int strobe_json_scanner_take_whole(StrobeJsonScanner *scanner, StrobeJsonValue *value);
/* After a call with `keeps` 1, all texts of strobe_json_scanner_next_raw stay valid, including the
 * current text, until the first token after a call with `keeps` 0. Between the two calls at most
 * STROBE_JSON_STRING_MAX bytes may be read. */
void strobe_json_scanner_keep_texts(StrobeJsonScanner *scanner, int keeps);

/* Unescapes a raw text; `out` has room for `length`. Returns the length, SIZE_MAX for an invalid
 * escape. */
size_t strobe_json_unescape(const char *text, size_t length, char *out);

/* Reads to the end of the enclosing object or array; `levels` counts outwards, 1 is the
 * innermost. Returns STROBE_JSON_END when done, or an error. */
int strobe_json_scanner_skip(StrobeJsonScanner *scanner, uint32_t levels);

/* Continues after an error: drops kept texts and skips to the next '{' or `other` that follows a
 * '}' and a comma. Returns that character; 0: there is none in the rest of the file. */
int strobe_json_scanner_seek(StrobeJsonScanner *scanner, char other);
/* Continues as if these brackets, such as "{[", had just been opened: the next token is the first
 * token inside them. */
void strobe_json_scanner_set_levels(StrobeJsonScanner *scanner, const char *brackets);

uint32_t strobe_json_scanner_depth(const StrobeJsonScanner *scanner);  /* number of open objects and
                                                                        * arrays */
uint64_t strobe_json_scanner_offset(const StrobeJsonScanner *scanner); /* number of bytes read */
/* Returns the offset of the last token that is a key, a value or the begin of an object or
 * array. */
uint64_t strobe_json_scanner_token_offset(const StrobeJsonScanner *scanner);
/* Returns a text that says what was expected. */
const char *strobe_json_scanner_error(const StrobeJsonScanner *scanner);
int strobe_json_scanner_is_at_end(const StrobeJsonScanner *scanner); /* 1: the whole text is read */

#if defined(__cplusplus)
}
#endif

#endif
