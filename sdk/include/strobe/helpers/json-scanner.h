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
    STROBE_JSON_ERROR = -1, /* see strobe_json_scanner_error */
    STROBE_JSON_IO = -2     /* the file cannot be read: errno */
};

#define STROBE_JSON_STRING_MAX (16u << 20) /* what a longer string has beyond it is left out */
#define STROBE_JSON_LEVELS_MAX (1u << 20)

/* Reads from the descriptor (lent) where it stands. NULL: out of memory. */
StrobeJsonScanner *strobe_json_scanner_new(int descriptor);
/* Reads the bytes, which must stay. */
StrobeJsonScanner *strobe_json_scanner_new_bytes(const char *bytes, size_t length);
void strobe_json_scanner_free(StrobeJsonScanner *scanner);

/* The next token, STROBE_JSON_*. `text` (may be NULL) is that of a key, string (escapes undone, any
 * bytes, no NUL behind it) or number (as written); valid until the next call. */
int strobe_json_scanner_next(StrobeJsonScanner *scanner, const char **text, size_t *length);

/* Reads on to the end of the object or array that was begun last but `levels` - 1 levels higher
 * (1: that one). As next: STROBE_JSON_END or an error. STROBE_JSON_END here means: done. */
int strobe_json_scanner_skip(StrobeJsonScanner *scanner, uint32_t levels);

/* After an error: reads on to the next place where an object begins behind a comma, as an element
 * of the outermost array, and goes on there. 0 if there is none before the end. */
int strobe_json_scanner_resume(StrobeJsonScanner *scanner);

uint32_t strobe_json_scanner_depth(const StrobeJsonScanner *scanner);  /* open objects and arrays */
uint64_t strobe_json_scanner_offset(const StrobeJsonScanner *scanner); /* bytes read */
const char *strobe_json_scanner_error(const StrobeJsonScanner *scanner); /* what was expected */

#if defined(__cplusplus)
}
#endif

#endif
