/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads JSON of any size token by token, in the memory of its longest string.
 *
 * Numbers stay text, since a double does not hold what ids and times need. What is no JSON is an
 * error with its place; reading may go on behind it. libc only. One scanner, one thread. Since 1.0.
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
    STROBE_JSON_END = 0, /* of the file, after a whole value or none */
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
    STROBE_JSON_NON_FINITE = 11, /* NaN, Infinity, -inf ...: see the function that allows them */
    STROBE_JSON_ERROR = -1,      /* see strobe_json_scanner_error */
    STROBE_JSON_IO = -2          /* the file cannot be read: errno */
};

#define STROBE_JSON_STRING_MAX (16u << 20) /* what a longer string has beyond it is left out */
#define STROBE_JSON_LEVELS_MAX 1024u
#define STROBE_JSON_TOO_LONG "something of less than 16 MiB"

/* A token as it stands in the text. */
typedef struct StrobeJsonValue {
    const char *text; /* of a key or string without its quotes, escapes as they are */
    uint32_t length;
    uint8_t type;        /* STROBE_JSON_* */
    uint8_t has_escapes; /* of a whole object or array: a NON_FINITE is in it */
} StrobeJsonValue;

/* Bytes read, 0 at the end, -1 for an error. */
typedef int64_t (*StrobeJsonRead)(void *user, char *bytes, size_t size);

/* Reads from the descriptor (lent) where it stands. NULL: out of memory. */
StrobeJsonScanner *strobe_json_scanner_new(int descriptor);
/* Reads by a function. */
StrobeJsonScanner *strobe_json_scanner_new_reader(StrobeJsonRead read, void *user);
/* Reads the bytes, which must stay. */
StrobeJsonScanner *strobe_json_scanner_new_bytes(const char *bytes, size_t length);
void strobe_json_scanner_free(StrobeJsonScanner *scanner);

/* Takes numbers that JSON does not have, as C and Python print them. */
void strobe_json_scanner_allow_non_finite(StrobeJsonScanner *scanner);
/* The array that was begun last may end with a comma, as programs leave it that append. */
void strobe_json_scanner_allow_last_comma(StrobeJsonScanner *scanner);

/* The next token, STROBE_JSON_*. `text` (may be NULL) is that of a key, string (escapes undone, any
 * bytes, no NUL behind it) or number (as written); valid until the next call. */
int strobe_json_scanner_next(StrobeJsonScanner *scanner, const char **text, size_t *length);

/* The same with the text of every token as it stands. */
int strobe_json_scanner_next_raw(StrobeJsonScanner *scanner, StrobeJsonValue *value);
/* Behind STROBE_JSON_OBJECT or STROBE_JSON_ARRAY: reads on to its end. The text is all of it, at
 * most STROBE_JSON_STRING_MAX. */
int strobe_json_scanner_take_whole(StrobeJsonScanner *scanner, StrobeJsonValue *value);
/* With `keeps` all texts of next_raw stay valid, the one at hand too, until a token is read after
 * the call without. What is read in between is at most STROBE_JSON_STRING_MAX. */
void strobe_json_scanner_keep_texts(StrobeJsonScanner *scanner, int keeps);

/* Undoes the escapes of a raw text; `out` has room for `length`. Its length, SIZE_MAX if an escape
 * is none of JSON. */
size_t strobe_json_unescape(const char *text, size_t length, char *out);

/* Reads on to the end of the object or array that was begun last but `levels` - 1 levels higher
 * (1: that one). As next: STROBE_JSON_END or an error. STROBE_JSON_END here means: done. */
int strobe_json_scanner_skip(StrobeJsonScanner *scanner, uint32_t levels);

/* After an error: keeps no texts, goes to the next '{', or `other`, behind a comma that follows a
 * '}', and returns it; 0: there is none before the end. */
int strobe_json_scanner_seek(StrobeJsonScanner *scanner, char other);
/* The next token is the first one inside of these brackets, as "{[". */
void strobe_json_scanner_set_levels(StrobeJsonScanner *scanner, const char *brackets);

uint32_t strobe_json_scanner_depth(const StrobeJsonScanner *scanner);  /* open objects and arrays */
uint64_t strobe_json_scanner_offset(const StrobeJsonScanner *scanner); /* bytes read */
/* Where the last key, value or begin of one stands. */
uint64_t strobe_json_scanner_token_offset(const StrobeJsonScanner *scanner);
const char *strobe_json_scanner_error(const StrobeJsonScanner *scanner); /* what was expected */
int strobe_json_scanner_is_at_end(const StrobeJsonScanner *scanner); /* is all of the text read? */

#if defined(__cplusplus)
}
#endif

#endif
