/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/helpers/json-writer.h>

#include <errno.h>
#include <math.h>
#include <string.h>

#include <strobe/helpers/number.h>
#include <strobe/helpers/utf8.h>

void strobe_json_init(StrobeJsonWriter *json, StrobeSink sink, void *user, uint32_t flags)
{
    json->sink = sink;
    json->user = user;
    json->error = 0;
    json->flags = flags;
    json->depth = 0;
    json->used = 0;
    json->after_key = false;
    memset(json->has_items, 0, sizeof json->has_items);
}

static void set_error(StrobeJsonWriter *json, int error)
{
    if (!json->error)
        json->error = error;
}

static void hand_on(StrobeJsonWriter *json, const char *bytes, size_t length)
{
    if (!json->error && length)
        json->error = json->sink(json->user, bytes, length);
}

int strobe_json_flush(StrobeJsonWriter *json)
{
    hand_on(json, json->buffer, json->used);
    json->used = 0;
    return json->error;
}

static void put_bytes(StrobeJsonWriter *json, const char *bytes, size_t length)
{
    if (length > sizeof json->buffer - json->used) {
        strobe_json_flush(json);
        if (length > sizeof json->buffer) {
            hand_on(json, bytes, length);
            return;
        }
    }
    memcpy(json->buffer + json->used, bytes, length);
    json->used += (uint32_t)length;
}

static void put_char(StrobeJsonWriter *json, char byte)
{
    if (json->used == sizeof json->buffer)
        strobe_json_flush(json);
    json->buffer[json->used++] = byte;
}

static void put_indent(StrobeJsonWriter *json)
{
    put_char(json, '\n');
    for (uint32_t i = 0; i < json->depth; i++)
        put_bytes(json, "    ", 4);
}

static void put_separator(StrobeJsonWriter *json)
{
    if (json->after_key) {
        json->after_key = false;
        return;
    }
    if (!json->depth)
        return;
    if (json->has_items[json->depth]) {
        put_char(json, ',');
        if (json->depth == 1 && (json->flags & STROBE_JSON_LINES))
            put_char(json, '\n');
        else if ((json->flags & STROBE_JSON_SPACED) && !(json->flags & STROBE_JSON_INDENTED))
            put_char(json, ' ');
    }
    json->has_items[json->depth] = true;
    if (json->flags & STROBE_JSON_INDENTED)
        put_indent(json);
}

static void begin_container(StrobeJsonWriter *json, char bracket)
{
    put_separator(json);
    put_char(json, bracket);
    if (json->depth == STROBE_JSON_DEPTH_MAX) {
        set_error(json, EOVERFLOW);
        return;
    }
    json->has_items[++json->depth] = false;
}

static void end_container(StrobeJsonWriter *json, char bracket)
{
    bool had_items;

    if (!json->depth) {
        set_error(json, EINVAL);
        return;
    }
    had_items = json->has_items[json->depth--];
    if (had_items && (json->flags & STROBE_JSON_INDENTED))
        put_indent(json);
    else if (had_items && !json->depth && (json->flags & STROBE_JSON_LINES) && bracket == ']')
        put_char(json, '\n');
    put_char(json, bracket);
}

void strobe_json_begin_object(StrobeJsonWriter *json)
{
    begin_container(json, '{');
}

void strobe_json_end_object(StrobeJsonWriter *json)
{
    end_container(json, '}');
}

void strobe_json_begin_array(StrobeJsonWriter *json)
{
    begin_container(json, '[');
}

void strobe_json_end_array(StrobeJsonWriter *json)
{
    end_container(json, ']');
}

/* Returns the number of bytes at the beginning of the text that need no change. */
static size_t plain_run(const char *bytes, size_t length)
{
    size_t i = 0;

    while (i < length) {
        unsigned char byte = (unsigned char)bytes[i];

        if (byte < 0x20 || byte == '"' || byte == '\\')
            break;
        if (byte < 0x80) {
            i++;
            continue;
        }
        int size = strobe_utf8_next(bytes + i, length - i);

        if (size < 0)
            break;
        i += (size_t)size;
    }
    return i;
}

static void put_control(StrobeJsonWriter *json, unsigned char byte)
{
    static const char hex[] = "0123456789abcdef";
    static const char names[] = "btn\0fr"; /* for 0x08 to 0x0d; 0x0b has no short escape */
    char text[6] = {'\\', 'u', '0', '0', hex[byte >> 4], hex[byte & 15]};

    if (byte == '"' || byte == '\\') {
        text[1] = (char)byte;
        put_bytes(json, text, 2);
    } else if (byte >= 0x08 && byte <= 0x0d && names[byte - 0x08]) {
        text[1] = names[byte - 0x08];
        put_bytes(json, text, 2);
    } else {
        put_bytes(json, text, 6);
    }
}

static void put_escaped(StrobeJsonWriter *json, const char *bytes, size_t length)
{
    while (length) {
        size_t run = plain_run(bytes, length);

        put_bytes(json, bytes, run);
        bytes += run;
        length -= run;
        if (!length)
            break;
        if ((unsigned char)*bytes < 0x80) {
            put_control(json, (unsigned char)*bytes);
            bytes++;
            length--;
        } else {
            size_t part = (size_t)-strobe_utf8_next(bytes, length);

            put_bytes(json, STROBE_UTF8_REPLACEMENT, 3);
            bytes += part;
            length -= part;
        }
    }
}

static void after_key(StrobeJsonWriter *json)
{
    put_char(json, ':');
    if (json->flags & (STROBE_JSON_SPACED | STROBE_JSON_INDENTED))
        put_char(json, ' ');
    json->after_key = true;
}

void strobe_json_key(StrobeJsonWriter *json, const char *key)
{
    put_separator(json);
    put_char(json, '"');
    put_bytes(json, key, strlen(key));
    put_char(json, '"');
    after_key(json);
}

void strobe_json_key_text(StrobeJsonWriter *json, const char *bytes, size_t length)
{
    strobe_json_text(json, bytes, length);
    after_key(json);
}

void strobe_json_string(StrobeJsonWriter *json, const char *text)
{
    if (text)
        strobe_json_text(json, text, strlen(text));
    else
        strobe_json_null(json);
}

void strobe_json_text(StrobeJsonWriter *json, const char *bytes, size_t length)
{
    strobe_json_string_begin(json);
    put_escaped(json, bytes, length);
    strobe_json_string_end(json);
}

void strobe_json_int(StrobeJsonWriter *json, int64_t value)
{
    char text[STROBE_NUMBER_MAX];

    strobe_json_raw(json, text, strobe_format_int(text, value));
}

void strobe_json_uint(StrobeJsonWriter *json, uint64_t value)
{
    char text[STROBE_NUMBER_MAX];

    strobe_json_raw(json, text, strobe_format_uint(text, value));
}

void strobe_json_double(StrobeJsonWriter *json, double value)
{
    char text[STROBE_NUMBER_MAX];

    if (isfinite(value))
        strobe_json_raw(json, text, strobe_format_double(text, value));
    else
        strobe_json_null(json);
}

void strobe_json_bool(StrobeJsonWriter *json, bool value)
{
    if (value)
        strobe_json_raw(json, "true", 4);
    else
        strobe_json_raw(json, "false", 5);
}

void strobe_json_null(StrobeJsonWriter *json)
{
    strobe_json_raw(json, "null", 4);
}

void strobe_json_raw(StrobeJsonWriter *json, const char *bytes, size_t length)
{
    put_separator(json);
    put_bytes(json, bytes, length);
}

void strobe_json_string_begin(StrobeJsonWriter *json)
{
    put_separator(json);
    put_char(json, '"');
}

void strobe_json_string_part(StrobeJsonWriter *json, const char *bytes, size_t length)
{
    put_escaped(json, bytes, length);
}

void strobe_json_string_end(StrobeJsonWriter *json)
{
    put_char(json, '"');
}
