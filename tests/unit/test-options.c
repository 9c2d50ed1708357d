/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include "error.h"
#include "options.h"

static const char *const metrics[] = {"cpu", "mem", NULL};
static const StrobeOption declared[] = {
    {sizeof(StrobeOption), STROBE_OPTION_BOOL, "shapes", "false", 0, 0, NULL, "s", 0, 0},
    {sizeof(StrobeOption), STROBE_OPTION_INT, "count", "3", 1, 10, NULL, "s", 0, 0},
    {sizeof(StrobeOption), STROBE_OPTION_DOUBLE, "share", "0.5", 0, 1, NULL, "s", 0, 0},
    {sizeof(StrobeOption), STROBE_OPTION_STRING, "text", "", 0, 0, NULL, "s", 0, 0},
    {sizeof(StrobeOption), STROBE_OPTION_ENUM, "metric", "cpu", 0, 0, metrics, "s", 0, 0},
    {sizeof(StrobeOption), STROBE_OPTION_LIST, "items", "cpu+mem", 0, 0, metrics, "s", 0, 0},
    {sizeof(StrobeOption), STROBE_OPTION_DURATION, "interval", "20ms", 1e6, 0, NULL, "s", 0, 0},
    {sizeof(StrobeOption), STROBE_OPTION_BYTES, "size", "1MB", 0, 0, NULL, "s", 0, 0},
    {sizeof(StrobeOption), STROBE_OPTION_KINDS, "kinds", "gc+step", 0, 0, NULL, "s", 0, 0},
};

static StrobeOptions *make_options(void)
{
    g_autoptr(GError) error = NULL;
    StrobeOptions *options =
        strobe_options_new(declared, G_N_ELEMENTS(declared), "collector x", &error);

    g_assert_no_error(error);
    return options;
}

static void test_defaults(void)
{
    StrobeOptions *options = make_options();

    g_assert_false(strobe_options_bool(options, "shapes"));
    g_assert_cmpint(strobe_options_int(options, "count"), ==, 3);
    g_assert_cmpfloat(strobe_options_double(options, "share"), ==, 0.5);
    g_assert_cmpstr(strobe_options_text(options, "items"), ==, "cpu+mem");
    g_assert_cmpint(strobe_options_int(options, "interval"), ==, 20000000);
    g_assert_cmpint(strobe_options_int(options, "size"), ==, 1 << 20);
    g_assert_cmpstr(strobe_options_text(options, "kinds"), ==, "gc+step");
    strobe_options_free(options);
}

/* In JSON a boolean is only true or false; on a command line everything is text. */
static void test_json_booleans(void)
{
    static const char *const bads[] = {"\"yes\"", "\"true\"", "1", "null", "[]"};
    StrobeOptions *options = make_options();
    g_autoptr(JsonNode) good = json_from_string("true", NULL);
    g_autoptr(GError) error = NULL;

    g_assert_true(strobe_options_set_json(options, "shapes", good, "file.json", &error));
    g_assert_true(strobe_options_bool(options, "shapes"));
    for (guint i = 0; i < G_N_ELEMENTS(bads); i++) {
        g_autoptr(JsonNode) node = json_from_string(bads[i], NULL);
        g_autofree char *found = g_strdup_printf("expected true or false, found %s", bads[i]);
        g_assert_false(strobe_options_set_json(options, "shapes", node, "file.json", &error));
        if (!strstr(error->message, found))
            g_error("message \"%s\" lacks \"%s\"", error->message, found);
        g_clear_error(&error);
    }
    strobe_options_free(options);
}

static void test_sizes(void)
{
    static const struct {
        const char *text;
        gint64 bytes;
    } goods[] = {{"0", 0},        {"7B", 7},           {"2K", 2048},          {"2KB", 2048},
                 {"2KiB", 2048},  {"256M", 256 << 20}, {"256 MB", 256 << 20}, {"1.5MiB", 3 << 19},
                 {"1G", 1 << 30}, {"1GB", 1 << 30},    {"1GiB", 1 << 30}};
    static const char *const bads[] = {"7", "M", "7k", "7 m", "7MBs", "7Ki", "", "1e30G", "nanM"};
    gint64 bytes;

    for (guint i = 0; i < G_N_ELEMENTS(goods); i++) {
        g_assert_true(strobe_parse_bytes(goods[i].text, &bytes));
        g_assert_cmpint(bytes, ==, goods[i].bytes);
    }
    for (guint i = 0; i < G_N_ELEMENTS(bads); i++)
        g_assert_false(strobe_parse_bytes(bads[i], &bytes));
}

struct bad {
    const char *name, *text, *part;
};

static void test_bad_values(void)
{
    static const struct bad bads[] = {
        {"shape", "true", "did you mean \"shapes\"?"},
        {"shapes", "maybe", "expected true or false, found \"maybe\""},
        {"count", "0", "1..10"},
        {"count", "11", "1..10"},
        {"count", "3x", "an integer"},
        {"count", "99999999999999999999", "an integer"},
        {"share", "nan", "a number"},
        {"metric", "cup", "did you mean \"cpu\"?"},
        {"items", "cpu+men", "cpu|mem"},
        {"interval", "20", "a number with ns, us, ms, s or min"},
        {"interval", "20 parsecs", "a number with"},
        {"interval", "1us", "from 1ms"},
        {"size", "1e30GB", "a number with B"},
        {"size", "256mb", "did you mean \"MB\"?"},
        {"size", "256GiBB", "did you mean \"GiB\"?"},
        {"interval", "20sec", "a number with"},
    };
    StrobeOptions *options = make_options();

    for (guint i = 0; i < G_N_ELEMENTS(bads); i++) {
        g_autoptr(GError) error = NULL;
        g_assert_false(
            strobe_options_set_text(options, bads[i].name, bads[i].text, "file.json", &error));
        g_assert_error(error, STROBE_ERROR, STROBE_ERROR_CONFIG);
        if (!strstr(error->message, bads[i].part) || !strstr(error->message, "file.json"))
            g_error("message \"%s\" lacks \"%s\"", error->message, bads[i].part);
    }
    strobe_options_free(options);
}

static void test_split(void)
{
    g_autoptr(GPtrArray) pairs = NULL;
    g_autoptr(GError) error = NULL;
    g_autofree char *name = strobe_options_split("gc:a=1,b=x\\,y=z,c=", &pairs, &error);

    g_assert_no_error(error);
    g_assert_cmpstr(name, ==, "gc");
    g_assert_cmpuint(pairs->len, ==, 6);
    g_assert_cmpstr(g_ptr_array_index(pairs, 3), ==, "x,y=z");
    g_assert_cmpstr(g_ptr_array_index(pairs, 5), ==, "");
    g_clear_pointer(&pairs, g_ptr_array_unref);
    g_assert_null(strobe_options_split("gc:novalue", &pairs, &error));
    g_assert_error(error, STROBE_ERROR, STROBE_ERROR_CONFIG);
    g_clear_error(&error);
    g_assert_null(strobe_options_split(":a=1", &pairs, &error));
    g_assert_error(error, STROBE_ERROR, STROBE_ERROR_CONFIG);
}

static void test_json(void)
{
    StrobeOptions *options = make_options();
    g_autoptr(GError) error = NULL;
    g_autoptr(JsonNode) list = json_from_string("[\"mem\"]", NULL);
    g_autoptr(JsonNode) number = json_from_string("7", NULL);
    g_autoptr(JsonNode) object = json_from_string("{}", NULL);

    g_assert_true(strobe_options_set_json(options, "items", list, "f", &error));
    g_assert_cmpstr(strobe_options_text(options, "items"), ==, "mem");
    g_assert_true(strobe_options_set_json(options, "kinds", list, "f", &error));
    g_assert_cmpstr(strobe_options_text(options, "kinds"), ==, "mem");
    g_assert_true(strobe_options_set_json(options, "count", number, "f", &error));
    g_assert_cmpint(strobe_options_int(options, "count"), ==, 7);
    g_assert_false(strobe_options_set_json(options, "shapes", number, "f", &error));
    g_clear_error(&error);
    g_assert_false(strobe_options_set_json(options, "text", object, "f", &error));
    strobe_options_free(options);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/options/defaults", test_defaults);
    g_test_add_func("/options/bad-values", test_bad_values);
    g_test_add_func("/options/sizes", test_sizes);
    g_test_add_func("/options/json-booleans", test_json_booleans);
    g_test_add_func("/options/split", test_split);
    g_test_add_func("/options/json", test_json);
    return g_test_run();
}
