/* SPDX-License-Identifier: Apache-2.0 */
#include "json-text.h"
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include "error.h"
#include "support.h"

static void check_value(const char *text, gboolean ok)
{
    g_autoptr(GError) error = NULL;
    JsonNode *node = strobe_json_parse_value(text, strlen(text), "t", &error);

    g_assert_cmpint(node != NULL, ==, ok);
    g_assert_cmpint(error == NULL, ==, ok);
    g_clear_pointer(&node, json_node_unref);
}

static void test_values(void)
{
    check_value("{}", TRUE);
    check_value("\"a\"", TRUE);
    check_value("[1, 2.5, null, true]", TRUE);
    check_value("", FALSE);
    check_value("{\"a\":}", FALSE);
    check_value("{\"a\": \"\\\"b\\\\\", \"c\": 1}", TRUE);
    check_value("{\"a\": [\"a\", \"a\"]}", TRUE);
    check_value("{\"a\": {\"a\": 1}}", TRUE);
    check_value("[{\"a\": 1}, {\"a\": 1}]", TRUE);
    check_value("{\"a\": 1, \"a\": 1}", FALSE);
    check_value("{\"a\": 1, \"\\u0061\": 1}", FALSE);
    /* texts that json-glib accepts although they are no JSON */
    check_value("/* \" */ {}", FALSE);
    check_value("{'a': 1}", FALSE);
    check_value("# x\n{}", FALSE);
}

static void check_message(const char *text, const char *message)
{
    g_autoptr(GError) error = NULL;
    JsonNode *node = strobe_json_parse_value(text, strlen(text), "t", &error);

    g_assert_null(node);
    g_assert_cmpstr(error->message, ==, message);
}

static void test_messages(void)
{
    g_autofree char *deep = g_strnfill(100000, '[');

    check_message("{\n  \"a\": 1,\n  \"b\": oops}", "t: no valid JSON, line 3:8: expected a value");
    check_message("{\"a\": 1",
                  "t: no valid JSON, line 1:8: expected a comma or the end of an object "
                  "or array");
    check_message("{\"a\": {\"b\": 1, \"b\": 2}}", "t: key \"b\" is given twice in one object");
    check_message(deep, "t: nested deeper than 64 at offset 64");
}

/* A text that is damaged at any offset causes neither a crash nor a hang. */
static void test_damage(void)
{
    const char *text = "{\"a\": [1, {\"b\": \"x\\u00e4\"}], \"c\": -1.5e3, \"d\": null}";

    for (gsize i = 0; i < strlen(text); i++)
        for (guint bit = 0; bit < 8; bit++) {
            g_autofree char *copy = g_strdup(text);
            copy[i] = (char)(copy[i] ^ (1 << bit));
            g_autoptr(JsonNode) node = strobe_json_parse(copy, strlen(text), "t", NULL);
            (void)node;
        }
}

static void test_write(void)
{
    const char *text = "{\"b\":[1,-2,0.5,\"x\\\"y\\n\",null,true,{}],\"a\":{\"z\":\"\"}}";
    g_autoptr(JsonNode) node = strobe_json_parse(text, strlen(text), "t", NULL);
    g_autofree char *compact = strobe_json_to_text(node, 0);
    g_autofree char *spaced = strobe_json_to_text(node, STROBE_JSON_SPACED);

    g_assert_cmpstr(compact, ==, text);
    g_assert_nonnull(strstr(spaced, "\"b\": [1, -2, 0.5"));
}

static gboolean can_read(int folder, const char *name)
{
    g_autoptr(JsonNode) node = strobe_json_read_file(folder, name);

    return node != NULL;
}

static void test_file(void)
{
    char *folder = scratch_new();
    g_autofree char *path = g_build_filename(folder, "good", NULL);
    g_autofree char *link = g_build_filename(folder, "link", NULL);
    g_autofree char *bad = g_build_filename(folder, "bad", NULL);
    g_autofree char *large = g_build_filename(folder, "large", NULL);
    g_autofree char *spaces = g_strnfill(STROBE_JSON_MAX_BYTES, ' ');
    g_autofree char *text = g_strconcat("{}", spaces, NULL);
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    g_assert_true(g_file_set_contents(path, "{\"a\": 1}", -1, NULL));
    g_assert_true(g_file_set_contents(bad, "[1]", -1, NULL));
    g_assert_true(g_file_set_contents(large, text, -1, NULL));
    g_assert_cmpint(symlink(path, link), ==, 0);
    g_assert_true(can_read(fd, "good"));
    g_assert_false(can_read(fd, "link"));
    g_assert_false(can_read(fd, "bad"));
    g_assert_false(can_read(fd, "large"));
    g_assert_false(can_read(fd, "."));
    g_assert_false(can_read(fd, "none"));
    close(fd);
    scratch_remove(folder);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/json-text/values", test_values);
    g_test_add_func("/json-text/messages", test_messages);
    g_test_add_func("/json-text/damage", test_damage);
    g_test_add_func("/json-text/write", test_write);
    g_test_add_func("/json-text/file", test_file);
    return g_test_run();
}
