/* SPDX-License-Identifier: Apache-2.0 */
/* JSON token by token: forms, escapes, damage, texts across the end of a buffer. */
#include <glib.h>
#include <string.h>
#include <strobe/helpers/json-scanner.h>
#include <unistd.h>

/* The tokens as one text: keys "k:", strings 's', numbers as they are, brackets; "!" and what was
 * expected for an error. */
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

static void check(const char *json, const char *expected)
{
    StrobeJsonScanner *scanner = strobe_json_scanner_new_bytes(json, strlen(json));
    g_autofree char *tokens = tokens_of(scanner);

    g_assert_cmpstr(tokens, ==, expected);
    strobe_json_scanner_free(scanner);
}

static void test_forms(void)
{
    check("", "");
    check(" [ ] ", "[]");
    check("{}", "{}");
    check("[{\"a\": 1, \"b\" : [true,false , null]}, \"x\", -0.5e+10]",
          "[{a:<1>b:[tfn]}'x'<-0.5e+10>]");
    check("123456789012345678901234567890", "<123456789012345678901234567890>");
    check("\"\\u00e4\\n\\\"\\\\\\/\\ud83d\\ude00\\ud800x\"", "'\xc3\xa4\n\"\\/\xf0\x9f\x98\x80"
                                                             "\xef\xbf\xbdx'");
    check("\"\\ud800\\n\"", "'\xef\xbf\xbd\n'");
}

static void test_damage(void)
{
    check("[1,]", "[<1>!a value behind the comma");
    check("[1 2]", "[<1>!a comma or the end of an object or array");
    check("{\"a\" 1}", "{!a colon");
    check("{1:2}", "{!a key");
    check("[01]", "[!a number of JSON");
    check("[1.]", "[!a number of JSON");
    check("[nul]", "[!true, false or null");
    check("[\"a", "[!the end of a string");
    check("[\"\\x\"]", "[!an escape of JSON");
    check("[\"\\u12g4\"]", "[!an escape of JSON");
    check("[}", "[!a value");
    check("[1] 2", "[<1>]!the end of the file");
    check("[1", "[<1>!a comma or the end of an object or array");
}

/* Every split of the file into reads gives the same tokens: the buffer's end is anywhere. */
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

        while (json->len < 262144 - back - 3)
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

    for (int i = 0; i < 100000; i++)
        g_assert_cmpint(strobe_json_scanner_next(scanner, NULL, NULL), ==, STROBE_JSON_ARRAY);
    g_assert_cmpint(strobe_json_scanner_next(scanner, NULL, NULL), ==, STROBE_JSON_ERROR);
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

static void test_resume(void)
{
    static const char json[] = "[{\"a\":1},{\"b\":oops, \"x\":1},\n {\"c\":3},{\"d\"";
    StrobeJsonScanner *scanner = strobe_json_scanner_new_bytes(json, strlen(json));
    g_autofree char *before = tokens_of(scanner);

    g_assert_cmpstr(before, ==, "[{a:<1>}{b:!a value");
    g_assert_true(strobe_json_scanner_resume(scanner));
    g_autofree char *behind = tokens_of(scanner);
    g_assert_cmpstr(behind, ==, "{c:<3>}{!a colon");
    g_assert_false(strobe_json_scanner_resume(scanner));
    strobe_json_scanner_free(scanner);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/json-scanner/forms", test_forms);
    g_test_add_func("/json-scanner/damage", test_damage);
    g_test_add_func("/json-scanner/buffer-end", test_buffer_end);
    g_test_add_func("/json-scanner/depth", test_depth);
    g_test_add_func("/json-scanner/skip", test_skip);
    g_test_add_func("/json-scanner/resume", test_resume);
    return g_test_run();
}
