/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The JSON writer of all exporters. It writes a stream, escapes texts and allocates no memory for
 * a value.
 *
 * Text is checked: every maximal invalid UTF-8 part becomes U+FFFD, control characters are escaped,
 * everything else is written raw. The writer adds commas, colons and nesting. Only one thread at a
 * time may use a writer. libc only. Since 1.0.
 */
#ifndef STROBE_HELPERS_JSON_WRITER_H
#define STROBE_HELPERS_JSON_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* Takes `length` bytes; returns 0, or an errno value, which the writer remembers. */
typedef int (*StrobeSink)(void *user, const char *bytes, size_t length);

#define STROBE_JSON_DEPTH_MAX 32

enum {
    STROBE_JSON_SPACED = 1u << 0,   /* ", " and ": ", the separators of Python's json module */
    STROBE_JSON_INDENTED = 1u << 1, /* four blanks for each level, one value on each line */
    STROBE_JSON_LINES = 1u << 2     /* a newline after each element of the outermost array */
};

typedef struct StrobeJsonWriter {
    StrobeSink sink;
    void *user;
    int error; /* errno of the first failed write, 0 if none */
    uint32_t flags;
    uint32_t depth;
    uint32_t used;
    bool has_items[STROBE_JSON_DEPTH_MAX + 1];
    bool after_key;
    char buffer[8192];
} StrobeJsonWriter;

void strobe_json_init(StrobeJsonWriter *json, StrobeSink sink, void *user, uint32_t flags);
/* Writes the buffered bytes and returns the first error. */
int strobe_json_flush(StrobeJsonWriter *json);

void strobe_json_begin_object(StrobeJsonWriter *json);
void strobe_json_end_object(StrobeJsonWriter *json);
void strobe_json_begin_array(StrobeJsonWriter *json);
void strobe_json_end_array(StrobeJsonWriter *json);

/* Writes a key: a C literal without characters that need escaping. */
void strobe_json_key(StrobeJsonWriter *json, const char *key);
/* Writes a key that may need escaping. */
void strobe_json_key_text(StrobeJsonWriter *json, const char *bytes, size_t length);

void strobe_json_string(StrobeJsonWriter *json, const char *text); /* NULL writes null */
void strobe_json_text(StrobeJsonWriter *json, const char *bytes, size_t length);
void strobe_json_int(StrobeJsonWriter *json, int64_t value);
void strobe_json_uint(StrobeJsonWriter *json, uint64_t value);
/* Writes the shortest text that reads back as the same double, as Python's repr; null if not
 * finite. */
void strobe_json_double(StrobeJsonWriter *json, double value);
void strobe_json_bool(StrobeJsonWriter *json, bool value);
void strobe_json_null(StrobeJsonWriter *json);
/* Writes bytes that are already valid JSON. */
void strobe_json_raw(StrobeJsonWriter *json, const char *bytes, size_t length);
/* Writes a string in parts: begin, any number of parts, end. A character that is divided between
 * two parts counts as invalid. */
void strobe_json_string_begin(StrobeJsonWriter *json);
void strobe_json_string_part(StrobeJsonWriter *json, const char *bytes, size_t length);
void strobe_json_string_end(StrobeJsonWriter *json);

#if defined(__cplusplus)
}
#endif

#endif
