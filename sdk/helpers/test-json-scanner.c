/* SPDX-License-Identifier: Apache-2.0 */
/* Reads JSON token by token: valid and invalid forms, escapes, damage, texts across the end of a
 * buffer. */
#include <glib.h>
#include <string.h>
#include <strobe/helpers/json-scanner.h>
#include <unistd.h>

/* Returns the tokens as one text: a key as "k:", a string as 's', a number as <n>, a bracket as
 * itself; an error as "!" and the expected token. */
static char *tokens_of(StrobeJsonScanner *scanner)
{
    static const char *const plain[] = {"", "{", "}", "[", "]", "", "", "", "t", "f", "n"};
    GString *out = g_string_new(NULL);
    const char *text;
    size_t length;
    int token;

    while ((token = strobe_json_scanner_next(scanner, &text, &length)) > 0) {
        if (token == STROBE_JSON_KEY)
            g_string_append_printf(out, "%.*s:", (int)length, text);
        else if (token == STROBE_JSON_STRING)
            g_string_append_printf(out, "'%.*s'", (int)length, text);
        else if (token == STROBE_JSON_NUMBER)
            g_string_append_printf(out, "<%.*s>", (int)length, text);
        else
            g_string_append(out, plain[token]);
    }
    if (token == STROBE_JSON_ERROR)
        g_string_append_printf(out, "!%s", strobe_json_scanner_error(scanner));
    return g_string_free(out, FALSE);
}

static void check_tokens(const char *json, const char *expected)
{
    StrobeJsonScanner *scanner = strobe_json_scanner_new_bytes(json, strlen(json));
    g_autofree char *tokens = tokens_of(scanner);

    g_assert_cmpstr(tokens, ==, expected);
    strobe_json_scanner_free(scanner);
}

static void test_forms(void)
{
    check_tokens("", "");
    check_tokens(" [ ] ", "[]");
    check_tokens("{}", "{}");
    check_tokens("[{\"a\": 1, \"b\" : [true,false , null]}, \"x\", -0.5e+10]",
                 "[{a:<1>b:[tfn]}'x'<-0.5e+10>]");
    check_tokens("123456789012345678901234567890", "<123456789012345678901234567890>");
    check_tokens("\"\\u00e4\\n\\\"\\\\\\/\\ud83d\\ude00\\ud800x\"",
                 "'\xc3\xa4\n\"\\/\xf0\x9f\x98\x80"
                 "\xef\xbf\xbdx'");
    check_tokens("\"\\ud800\\n\"", "'\xef\xbf\xbd\n'");
}

static void test_damage(void)
{
    check_tokens("[1,]", "[<1>!a value after the comma");
    check_tokens("[1 2]", "[<1>!a comma or the end of an object or array");
    check_tokens("{\"a\" 1}", "{!a colon");
    check_tokens("{1:2}", "{!a key");
    check_tokens("[01]", "[!a number of JSON");
    check_tokens("[1.]", "[!a number of JSON");
    check_tokens("[nul]", "[!a value");
    check_tokens("[\"a", "[!the end of a string");
    check_tokens("[\"\\x\"]", "[!an escape of JSON");
    check_tokens("[\"\\u12g4\"]", "[!an escape of JSON");
    check_tokens("[}", "[!a value");
    check_tokens("[1] 2", "[<1>]!the end of the file");
    check_tokens("[1", "[<1>!a comma or the end of an object or array");
}

/* Checks that the tokens are the same wherever the end of a buffer is. */
static void test_buffer_end(void)
{
    static const char tail[] =
        "{\"key\": \"a \\u00e4 b\", \"n\" : 12345678901234567890.125, \"t\":true}]";
    char name[] = "/tmp/strobe-test-XXXXXX";
    int file = g_mkstemp(name);

    g_assert_cmpint(file, >=, 0);
    unlink(name);
    for (size_t back = 0; back <= sizeof tail; back++) {
        g_autoptr(GString) json = g_string_new("[\"");
        StrobeJsonScanner *scanner;

        while (json->len < 65536 - back - 3)
            g_string_append_c(json, 'x');
        g_string_append(json, "\", ");
        g_string_append(json, tail);
        g_assert_cmpint(ftruncate(file, 0), ==, 0);
        g_assert_cmpint(pwrite(file, json->str, json->len, 0), ==, json->len);
        lseek(file, 0, SEEK_SET);
        scanner = strobe_json_scanner_new(file);
        g_autofree char *tokens = tokens_of(scanner);
        g_assert_true(
            g_str_has_suffix(tokens, "x'{key:'a \xc3\xa4 b'n:<12345678901234567890.125>t:t}]"));
        g_assert_cmpuint(strobe_json_scanner_offset(scanner), ==, json->len);
        strobe_json_scanner_free(scanner);
    }
    close(file);
}

static void test_depth(void)
{
    g_autofree char *deep = g_strnfill(100000, '[');
    StrobeJsonScanner *scanner = strobe_json_scanner_new_bytes(deep, 100000);

    for (unsigned i = 0; i < STROBE_JSON_LEVELS_MAX; i++)
        g_assert_cmpint(strobe_json_scanner_next(scanner, NULL, NULL), ==, STROBE_JSON_ARRAY);
    g_assert_cmpint(strobe_json_scanner_next(scanner, NULL, NULL), ==, STROBE_JSON_ERROR);
    g_assert_cmpstr(strobe_json_scanner_error(scanner), ==, "less depth");
    strobe_json_scanner_free(scanner);
}

static void test_skip(void)
{
    static const char json[] = "[{\"a\": {\"b\": [1, {}]}, \"c\": 2}, 3]";
    StrobeJsonScanner *scanner = strobe_json_scanner_new_bytes(json, strlen(json));

    for (int i = 0; i < 4; i++) /* [ { "a": { */
        strobe_json_scanner_next(scanner, NULL, NULL);
    g_assert_cmpuint(strobe_json_scanner_depth(scanner), ==, 3);
    g_assert_cmpint(strobe_json_scanner_skip(scanner, 1), ==, STROBE_JSON_END);
    g_assert_cmpint(strobe_json_scanner_next(scanner, NULL, NULL), ==, STROBE_JSON_KEY);
    g_assert_cmpint(strobe_json_scanner_skip(scanner, 1), ==, STROBE_JSON_END);
    g_assert_cmpint(strobe_json_scanner_next(scanner, NULL, NULL), ==, STROBE_JSON_NUMBER);
    strobe_json_scanner_free(scanner);
}

static void test_seek(void)
{
    static const char json[] = "[{\"a\":1},{\"b\":oops, \"x\":1},\n {\"c\":3},{\"d\"";
    StrobeJsonScanner *scanner = strobe_json_scanner_new_bytes(json, strlen(json));
    g_autofree char *before = tokens_of(scanner);

    g_assert_cmpstr(before, ==, "[{a:<1>}{b:!a value");
    g_assert_cmpuint(strobe_json_scanner_offset(scanner), ==, strlen("[{\"a\":1},{\"b\":"));
    g_assert_cmpint(strobe_json_scanner_seek(scanner, '{'), ==, '{');
    strobe_json_scanner_set_levels(scanner, "[");
    g_autofree char *behind = tokens_of(scanner);
    g_assert_cmpstr(behind, ==, "{c:<3>}{!a colon");
    g_assert_cmpint(strobe_json_scanner_seek(scanner, '{'), ==, 0);
    strobe_json_scanner_free(scanner);
}

/* After damage in an object, seeks the next key. */
static void test_seek_key(void)
{
    static const char json[] = "{\"a\": {oops}, \"b\": {}}";
    StrobeJsonScanner *scanner = strobe_json_scanner_new_bytes(json, strlen(json));
    g_autofree char *before = tokens_of(scanner);

    g_assert_cmpint(strobe_json_scanner_seek(scanner, '"'), ==, '"');
    strobe_json_scanner_set_levels(scanner, "{");
    g_autofree char *behind = tokens_of(scanner);
    g_assert_cmpstr(behind, ==, "b:{}}");
    strobe_json_scanner_free(scanner);
}

/* ---- unchanged texts ---- */

static void check_raw(StrobeJsonScanner *scanner, int type, const char *text)
{
    StrobeJsonValue value;

    g_assert_cmpint(strobe_json_scanner_next_raw(scanner, &value), ==, type);
    g_assert_cmpint(value.type, ==, type);
    g_assert_cmpmem(value.text, value.length, text, strlen(text));
}

static void test_raw(void)
{
    static const char json[] = "{\"a\\n\" : [1, {\"b\": nan}], \"c\": true}";
    StrobeJsonScanner *scanner = strobe_json_scanner_new_bytes(json, strlen(json));
    StrobeJsonValue value;

    strobe_json_scanner_allow_non_finite(scanner);
    check_raw(scanner, STROBE_JSON_OBJECT, "{");
    check_raw(scanner, STROBE_JSON_KEY, "a\\n");
    g_assert_cmpuint(strobe_json_scanner_token_offset(scanner), ==, 1);
    check_raw(scanner, STROBE_JSON_ARRAY, "[");
    g_assert_cmpint(strobe_json_scanner_take_whole(scanner, &value), ==, STROBE_JSON_ARRAY);
    g_assert_cmpmem(value.text, value.length, "[1, {\"b\": nan}]", 15);
    g_assert_true(value.has_escapes);
    check_raw(scanner, STROBE_JSON_KEY, "c");
    check_raw(scanner, STROBE_JSON_TRUE, "true");
    check_raw(scanner, STROBE_JSON_OBJECT_END, "}");
    g_assert_cmpint(strobe_json_scanner_next_raw(scanner, &value), ==, STROBE_JSON_END);
    strobe_json_scanner_free(scanner);
}

static void test_unescape(void)
{
    char out[16];

    g_assert_cmpuint(strobe_json_unescape("a\\u00e4\\n", 9, out), ==, 4);
    g_assert_cmpmem(out, 4, "a\xc3\xa4\n", 4);
    g_assert_cmpuint(strobe_json_unescape("a\\", 2, out), ==, SIZE_MAX);
    g_assert_cmpuint(strobe_json_unescape("\\u12", 4, out), ==, SIZE_MAX);
}

static void test_last_comma(void)
{
    static const char json[] = "[[1,],]";
    StrobeJsonScanner *scanner = strobe_json_scanner_new_bytes(json, strlen(json));

    check_raw(scanner, STROBE_JSON_ARRAY, "[");
    check_raw(scanner, STROBE_JSON_ARRAY, "[");
    strobe_json_scanner_allow_last_comma(scanner);
    check_raw(scanner, STROBE_JSON_NUMBER, "1");
    check_raw(scanner, STROBE_JSON_ARRAY_END, "]");
    g_autofree char *outside = tokens_of(scanner);
    g_assert_cmpstr(outside, ==, "!a value after the comma");
    strobe_json_scanner_free(scanner);
}

/* ---- reading by a function ---- */

typedef struct Reader {
    const char *text;
    size_t at, length, step;
} Reader;

static int64_t read_some(void *user, char *bytes, size_t size)
{
    Reader *r = user;
    size_t n = MIN(MIN(r->step, size), r->length - r->at);

    memcpy(bytes, r->text + r->at, n);
    r->at += n;
    return (int64_t)n;
}

/* Checks that all values of one object stay valid at the same time, wherever the end of a buffer
 * is. */
static void test_kept_texts(void)
{
    static const char json[] =
        "{\"key\": [1.5, {\"a\": \"b\\\"\"}], \"k\\u0041\" :\"text\", \"n\":-12, \"t\":true}";
    static const char *const texts[] = {
        "key", "[1.5, {\"a\": \"b\\\"\"}]", "k\\u0041", "text", "n", "-12", "t", "true"};

    for (size_t back = 0; back < sizeof json; back++) {
        g_autofree char *blanks = g_strnfill(65536 - back, ' ');
        g_autofree char *text = g_strconcat(blanks, json, NULL);
        Reader reader = {text, 0, strlen(text), 100000};
        StrobeJsonScanner *scanner = strobe_json_scanner_new_reader(read_some, &reader);
        StrobeJsonValue values[G_N_ELEMENTS(texts)];

        strobe_json_scanner_next_raw(scanner, &values[0]);
        strobe_json_scanner_keep_texts(scanner, 1);
        for (guint i = 0; i < G_N_ELEMENTS(texts); i++)
            if (strobe_json_scanner_next_raw(scanner, &values[i]) == STROBE_JSON_ARRAY)
                strobe_json_scanner_take_whole(scanner, &values[i]);
        for (guint i = 0; i < G_N_ELEMENTS(texts); i++)
            g_assert_cmpmem(values[i].text, values[i].length, texts[i], strlen(texts[i]));
        g_assert_cmpuint(strobe_json_scanner_offset(scanner), ==, strlen(text) - 1);
        strobe_json_scanner_free(scanner);
    }
}

/* Checks that an error in a key is found although the key is in an earlier buffer. */
static void test_bad_key_at_end(void)
{
    static const char json[] = "{\"\\x\"   : 1}";

    for (size_t back = 0; back < sizeof json; back++) {
        g_autofree char *blanks = g_strnfill(65536 - back, ' ');
        g_autofree char *text = g_strconcat(blanks, json, NULL);
        Reader reader = {text, 0, strlen(text), 100000};
        StrobeJsonScanner *scanner = strobe_json_scanner_new_reader(read_some, &reader);

        g_assert_cmpint(strobe_json_scanner_next(scanner, NULL, NULL), ==, STROBE_JSON_OBJECT);
        g_assert_cmpint(strobe_json_scanner_next(scanner, NULL, NULL), ==, STROBE_JSON_ERROR);
        g_assert_cmpint(strobe_json_scanner_seek(scanner, '{'), ==, 0);
        strobe_json_scanner_free(scanner);
    }
}

/* Checks that a string above the limit is truncated, and that it is an error while texts are
 * kept. */
static void test_long_string(void)
{
    const size_t length = 3 * (size_t)STROBE_JSON_STRING_MAX;
    g_autofree char *filler = g_strnfill(length, 'x');
    g_autofree char *json = g_strconcat("[\"", filler, "\", 1]", NULL);
    const char *text;
    size_t n;

    for (int keeps = 0; keeps < 2; keeps++) {
        Reader reader = {json, 0, length + 6, 100000};
        StrobeJsonScanner *scanner = strobe_json_scanner_new_reader(read_some, &reader);

        strobe_json_scanner_next(scanner, NULL, NULL);
        strobe_json_scanner_keep_texts(scanner, keeps);
        if (keeps) {
            g_assert_cmpint(strobe_json_scanner_next(scanner, &text, &n), ==, STROBE_JSON_ERROR);
            g_assert_cmpstr(strobe_json_scanner_error(scanner), ==, STROBE_JSON_TOO_LONG);
        } else {
            g_assert_cmpint(strobe_json_scanner_next(scanner, &text, &n), ==, STROBE_JSON_STRING);
            g_assert_cmpuint(n, ==, STROBE_JSON_STRING_MAX);
            g_assert_cmpuint(strobe_json_scanner_offset(scanner), ==, length + 3);
            g_assert_cmpint(strobe_json_scanner_next(scanner, &text, &n), ==, STROBE_JSON_NUMBER);
        }
        strobe_json_scanner_free(scanner);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/json-scanner/forms", test_forms);
    g_test_add_func("/json-scanner/damage", test_damage);
    g_test_add_func("/json-scanner/buffer-end", test_buffer_end);
    g_test_add_func("/json-scanner/depth", test_depth);
    g_test_add_func("/json-scanner/skip", test_skip);
    g_test_add_func("/json-scanner/seek", test_seek);
    g_test_add_func("/json-scanner/seek-key", test_seek_key);
    g_test_add_func("/json-scanner/raw", test_raw);
    g_test_add_func("/json-scanner/unescape", test_unescape);
    g_test_add_func("/json-scanner/last-comma", test_last_comma);
    g_test_add_func("/json-scanner/kept-texts", test_kept_texts);
    g_test_add_func("/json-scanner/bad-key-at-end", test_bad_key_at_end);
    g_test_add_func("/json-scanner/long-string", test_long_string);
    return g_test_run();
}
