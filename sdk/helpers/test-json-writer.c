/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <glib.h>
#include <string.h>
#include <strobe/helpers/json-writer.h>

static int to_string(void *user, const char *bytes, size_t length)
{
    g_string_append_len(user, bytes, (gssize)length);
    return 0;
}

/* Returns the text of one JSON string made from `bytes`. */
static char *escape_text(const char *bytes, size_t length)
{
    GString *out = g_string_new(NULL);
    StrobeJsonWriter json;

    strobe_json_init(&json, to_string, out, 0);
    strobe_json_text(&json, bytes, length);
    g_assert_cmpint(strobe_json_flush(&json), ==, 0);
    return g_string_free(out, FALSE);
}

static void check_escaped(const char *bytes, const char *expected)
{
    g_autofree char *text = escape_text(bytes, strlen(bytes));

    g_assert_cmpstr(text, ==, expected);
}

static void test_escapes(void)
{
    check_escaped("plain \xc3\xa9 \xe2\x82\xac", "\"plain \xc3\xa9 \xe2\x82\xac\"");
    check_escaped("q\" b\\ s/ \x7f", "\"q\\\" b\\\\ s/ \x7f\"");
    check_escaped("\b\t\n\v\f\r\x01\x1f", "\"\\b\\t\\n\\u000b\\f\\r\\u0001\\u001f\"");
    g_autofree char *nul = escape_text("a\0b", 3);

    g_assert_cmpstr(nul, ==, "\"a\\u0000b\"");
}

#define R "\xef\xbf\xbd"

static void test_invalid_utf8(void)
{
    check_escaped("a\x80z", "\"a" R "z\"");
    check_escaped("\xe2\x82(", "\"" R "(\"");
    check_escaped("\xf0\x9f\x98\xf0\x9f\x98\x80", "\"" R "\xf0\x9f\x98\x80\"");
    check_escaped("\xed\xa0\x80", "\"" R R R "\"");
    check_escaped("\xc0\xaf\xff", "\"" R R R "\"");
    check_escaped("end\xe2\x82", "\"end" R "\"");
    check_escaped("\xe2\"", "\"" R "\\\"\"");
}

static void test_long_name(void)
{
    g_autofree char *name = g_strnfill(100 * 1024, 'x');

    name[0] = '"';
    name[50000] = '\n';
    name[102399] = '\xff';
    g_autofree char *text = escape_text(name, 102400);

    /* Two escapes of two characters, one replacement of three bytes, two quotes. */
    g_assert_cmpuint(strlen(text), ==, 102400 + 1 + 1 + 2 + 2);
    g_assert_true(g_str_has_prefix(text, "\"\\\"xxx"));
    g_assert_true(g_str_has_suffix(text, "xxx" R "\""));
}

static void write_sample(StrobeJsonWriter *json)
{
    strobe_json_begin_array(json);
    strobe_json_begin_object(json);
    strobe_json_key(json, "a");
    strobe_json_int(json, -1);
    strobe_json_key_text(json, "k\"\xff", 3);
    strobe_json_begin_array(json);
    strobe_json_double(json, 0.1);
    strobe_json_double(json, 1.0 / 0.0);
    strobe_json_bool(json, true);
    strobe_json_end_array(json);
    strobe_json_key(json, "e");
    strobe_json_begin_object(json);
    strobe_json_end_object(json);
    strobe_json_end_object(json);
    strobe_json_uint(json, UINT64_MAX);
    strobe_json_string(json, NULL);
    strobe_json_string_begin(json);
    strobe_json_string_part(json, "x;", 2);
    strobe_json_string_part(json, "\r\n", 2);
    strobe_json_string_end(json);
    strobe_json_end_array(json);
}

static void check_sample(uint32_t flags, const char *expected)
{
    GString *out = g_string_new(NULL);
    StrobeJsonWriter json;

    strobe_json_init(&json, to_string, out, flags);
    write_sample(&json);
    g_assert_cmpint(strobe_json_flush(&json), ==, 0);
    g_assert_cmpstr(out->str, ==, expected);
    g_string_free(out, TRUE);
}

static void test_layouts(void)
{
    check_sample(0, "[{\"a\":-1,\"k\\\"" R "\":[0.1,null,true],\"e\":{}},18446744073709551615,null,"
                    "\"x;\\r\\n\"]");
    check_sample(STROBE_JSON_SPACED, "[{\"a\": -1, \"k\\\"" R "\": [0.1, null, true], \"e\": {}}, "
                                     "18446744073709551615, null, \"x;\\r\\n\"]");
    check_sample(STROBE_JSON_LINES,
                 "[{\"a\":-1,\"k\\\"" R "\":[0.1,null,true],\"e\":{}},\n18446744073709551615,\n"
                 "null,\n\"x;\\r\\n\"\n]");
    check_sample(STROBE_JSON_INDENTED,
                 "[\n    {\n        \"a\": -1,\n        \"k\\\"" R
                 "\": [\n            0.1,\n            null,\n            true\n        ],\n"
                 "        \"e\": {}\n    },\n    18446744073709551615,\n    null,\n"
                 "    \"x;\\r\\n\"\n]");
}

static int refuse_bytes(void *user, const char *bytes, size_t length)
{
    return ENOSPC;
}

static void test_errors(void)
{
    StrobeJsonWriter json;
    GString *out = g_string_new(NULL);

    strobe_json_init(&json, refuse_bytes, NULL, 0);
    for (int i = 0; i < 10000; i++)
        strobe_json_string(&json, "value");
    g_assert_cmpint(strobe_json_flush(&json), ==, ENOSPC);

    strobe_json_init(&json, to_string, out, 0);
    for (int i = 0; i < 2 * STROBE_JSON_DEPTH_MAX; i++)
        strobe_json_begin_array(&json);
    g_assert_cmpint(strobe_json_flush(&json), ==, EOVERFLOW);

    strobe_json_init(&json, to_string, out, 0);
    strobe_json_end_array(&json);
    g_assert_cmpint(strobe_json_flush(&json), ==, EINVAL);
    g_string_free(out, TRUE);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/json-writer/escapes", test_escapes);
    g_test_add_func("/json-writer/invalid-utf8", test_invalid_utf8);
    g_test_add_func("/json-writer/long-name", test_long_name);
    g_test_add_func("/json-writer/layouts", test_layouts);
    g_test_add_func("/json-writer/errors", test_errors);
    return g_test_run();
}
