/* SPDX-License-Identifier: Apache-2.0 */
/* The input is a script of calls of the JSON writer with arbitrary texts: the first byte has the
 * flags, each following byte is a call, and its text or number follows. The result must be strict
 * JSON. */
#include <stdlib.h>
#include <string.h>
#include <strobe/helpers/json-writer.h>
#include "fuzz.h"
#include "strict-json.h"

const char fuzz_target[] = "json-writer";

#define DEPTH_MAX 20

struct script {
    const guint8 *at, *end;
    /* whether each level is an object; level 0 is the outermost array */
    gboolean is_object[DEPTH_MAX + 1];
    guint depth;
};

static int append_bytes(void *user, const char *bytes, size_t n)
{
    g_string_append_len(user, bytes, (gssize)n);
    return 0;
}

/* Returns the next text of the script, which has a byte for the length (255: a hundred times as
 * long) and its bytes. */
static const char *next_text(struct script *s, gsize *n)
{
    gsize wanted = s->at < s->end ? *s->at++ : 0;

    if (wanted == 255)
        wanted *= 100;
    *n = MIN(wanted, (gsize)(s->end - s->at));
    const char *text = (const char *)s->at;
    s->at += *n;
    return text;
}

static guint64 next_number(struct script *s)
{
    guint64 value = 0;
    gsize n = MIN(sizeof value, (gsize)(s->end - s->at));

    memcpy(&value, s->at, n);
    s->at += n;
    return value;
}

static void put_key(StrobeJsonWriter *json, struct script *s)
{
    gsize n;

    if (!s->is_object[s->depth])
        return;
    const char *key = next_text(s, &n);
    strobe_json_key_text(json, key, n);
}

static void begin_level(StrobeJsonWriter *json, struct script *s, gboolean is_object)
{
    if (s->depth == DEPTH_MAX)
        strobe_json_null(json);
    else if (is_object)
        strobe_json_begin_object(json);
    else
        strobe_json_begin_array(json);
    if (s->depth < DEPTH_MAX)
        s->is_object[++s->depth] = is_object;
}

static void end_level(StrobeJsonWriter *json, struct script *s)
{
    if (s->is_object[s->depth--])
        strobe_json_end_object(json);
    else
        strobe_json_end_array(json);
}

static void put_text(StrobeJsonWriter *json, struct script *s)
{
    gsize n;
    const char *text = next_text(s, &n);
    strobe_json_text(json, text, n);
}

static void put_parts(StrobeJsonWriter *json, struct script *s)
{
    gsize n;

    strobe_json_string_begin(json);
    for (int i = 0; i < 3; i++) {
        const char *part = next_text(s, &n);
        strobe_json_string_part(json, part, n);
    }
    strobe_json_string_end(json);
}

static void put_double(StrobeJsonWriter *json, struct script *s)
{
    guint64 bits = next_number(s);
    double value;

    memcpy(&value, &bits, sizeof value);
    strobe_json_double(json, value);
}

static void put_string(StrobeJsonWriter *json, struct script *s)
{
    gsize n;
    const char *text = next_text(s, &n);
    g_autofree char *terminated = g_strndup(text, n);
    strobe_json_string(json, n ? terminated : NULL);
}

static void run_step(StrobeJsonWriter *json, struct script *s)
{
    guint8 call = *s->at++ % 10;

    if (call == 9) {
        if (s->depth > 0)
            end_level(json, s);
        return;
    }
    put_key(json, s);
    switch (call) {
    case 0:
        put_text(json, s);
        break;
    case 1:
        put_string(json, s);
        break;
    case 2:
        put_parts(json, s);
        break;
    case 3:
        put_double(json, s);
        break;
    case 4:
        strobe_json_int(json, (int64_t)next_number(s));
        break;
    case 5:
        strobe_json_uint(json, next_number(s));
        break;
    case 6:
        strobe_json_bool(json, next_number(s) & 1);
        break;
    case 7:
        begin_level(json, s, TRUE);
        break;
    default:
        begin_level(json, s, FALSE);
        break;
    }
}

int LLVMFuzzerTestOneInput(const guint8 *bytes, gsize n)
{
    struct script script = {.at = bytes, .end = bytes + n};
    g_autoptr(GString) text = g_string_new(NULL);
    StrobeJsonWriter json;

    strobe_json_init(&json, append_bytes, text, n ? *script.at++ & 7 : 0);
    strobe_json_begin_array(&json);
    while (script.at < script.end)
        run_step(&json, &script);
    while (script.depth > 0)
        end_level(&json, &script);
    strobe_json_end_array(&json);
    FUZZ_REQUIRE(strobe_json_flush(&json) == 0);
    FUZZ_REQUIRE(strict_json_is_valid(text->str, text->len));
    return 0;
}
