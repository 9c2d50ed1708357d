/* SPDX-License-Identifier: Apache-2.0 */
#include "config-file.h"
#include <string.h>
#include <strobe/helpers/compression.h>
#include "error.h"
#include "recording-settings.h"

struct bad {
    const char *text, *part;
};

static void test_bad(void)
{
    static const struct bad bads[] = {
        {"{", "no valid JSON"},
        {"[1, true]", "expected a JSON object, found [1, true]"},
        {"null", "expected a JSON object, found null"},
        {"{\"shedule\": {}}", "did you mean \"schedule\"?"},
        {"{\"schedule\": 3}", "key \"schedule\": expected an object, found 3"},
        {"{\"schedule\": {\"wait\": 1}}", "\"schedule.active\" is missing"},
        {"{\"schedule\": {\"wait\": -1, \"active\": 1}}", "key \"schedule.wait\""},
        {"{\"schedule\": {\"active\": 0}}", "an integer from 1"},
        {"{\"schedule\": {\"active\": 1.5}}", "found 1.5"},
        {"{\"schedule\": {\"wait\": 9223372036854775807, \"active\": 2}}", "to 10^12"},
        {"{\"schedule\": {\"active\": 1, \"warm_up\": 1}}", "did you mean \"warmup\"?"},
        {"{\"collectors\": {\"gc\": 1}}", "key \"collectors.gc\": expected an object"},
        {"{\"collectors\": {\"gc\": {\"required\": 1}}}", "expected true or false"},
        {"{\"output\": {\"directory\": \"\"}}", "a text that is not empty"},
        {"{\"output\": {\"worker\": \"a/b\"}}", "without '/'"},
        {"{\"buffer\": {\"size\": \"1KB\"}}", "8MB"},
        {"{\"buffer\": {\"size\": 5}}", "a size from"},
        {"{\"buffer\": {\"flush_interval\": \"0ms\"}}", "a duration from"},
        {"{\"output\": {}, \"output\": {}}", "key \"output\" is given twice"},
        {"{\"metadata\": {\"a\": {\"b\": 1, \"b\": 2}}}", "key \"b\" is given twice"},
    };

    for (guint i = 0; i < G_N_ELEMENTS(bads); i++) {
        g_autoptr(GError) error = NULL;
        g_assert_null(strobe_config_parse(bads[i].text, "c.json", &error));
        g_assert_error(error, STROBE_ERROR, STROBE_ERROR_CONFIG);
        g_assert_cmpint(strobe_exit_code(error), ==, 3);
        if (!strstr(error->message, bads[i].part) || !strstr(error->message, "c.json"))
            g_error("\"%s\" lacks \"%s\"", error->message, bads[i].part);
    }
}

static void test_deep(void)
{
    for (guint depth = 60; depth <= 100000; depth = depth * 3 / 2) {
        GString *text = g_string_new("{\"metadata\":{\"a\":");
        g_autoptr(GError) error = NULL;
        for (guint i = 0; i < depth; i++)
            g_string_append_c(text, '[');
        for (guint i = 0; i < depth; i++)
            g_string_append_c(text, ']');
        g_string_append(text, "}}");
        StrobeConfig *config = strobe_config_parse(text->str, "deep", &error);
        if (depth + 2 <= 64)
            g_assert_no_error(error);
        else
            g_assert_error(error, STROBE_ERROR, STROBE_ERROR_CONFIG);
        strobe_config_free(config);
        g_string_free(text, TRUE);
    }
}

static void test_large(void)
{
    GString *text = g_string_new("{\"metadata\":{\"a\":\"");
    g_autoptr(GError) error = NULL;

    for (guint i = 0; i < (1u << 20); i++)
        g_string_append_c(text, 'x');
    g_string_append(text, "\"}}");
    g_assert_null(strobe_config_parse(text->str, "large", &error));
    g_assert_nonnull(strstr(error->message, "at most 1048576"));
    g_string_free(text, TRUE);
}

static void test_compress(void)
{
    g_autoptr(GError) error = NULL;
    StrobeConfig *config = strobe_config_parse("{}", "a", &error);

    g_assert_cmpuint(config->buffer.compress, ==, STROBE_COMPRESS_NONE);
    strobe_config_free(config);
    config = strobe_config_parse("{\"buffer\":{\"compress\":\"zstd\"}}", "a", &error);
    if (strobe_compression_exists()) {
        g_assert_no_error(error);
        g_assert_cmpuint(config->buffer.compress, ==, STROBE_COMPRESS_ZSTD);
        g_autofree char *json = strobe_config_to_json(config);
        g_assert_nonnull(strstr(json, "\"compress\":\"zstd\""));
        strobe_config_free(config);
    } else {
        g_assert_null(config);
        g_assert_nonnull(strstr(error->message, "built without libzstd"));
    }
}

static void test_round_trip(void)
{
    const char *text =
        "{\"schedule\":{\"wait\":1,\"warmup\":2,\"active\":3,\"repeat\":4,\"skip_first\":5},"
        "\"collectors\":{\"gc\":{\"threshold\":\"1ms\",\"required\":true},\"fake\":{}},"
        "\"exporters\":{\"csv\":{}},\"output\":{\"directory\":\"/d\",\"worker\":\"w\"},"
        "\"buffer\":{\"size\":\"16MB\",\"flush_interval\":\"10ms\"},\"metadata\":{\"k\":[1,\"x\"]}"
        "}";
    g_autoptr(GError) error = NULL;
    StrobeConfig *first = strobe_config_parse(text, "a", &error);

    g_assert_no_error(error);
    g_assert_true(strobe_config_set_section(first, "schedule", "active=7,wait=2", &error));
    g_assert_true(strobe_config_add_collector(first, "gc:threshold=2ms", &error));
    g_assert_true(strobe_config_add_exporter(first, "stacks", &error));
    g_autofree char *once = strobe_config_to_json(first);
    StrobeConfig *second = strobe_config_parse(once, "b", &error);
    g_assert_no_error(error);
    g_autofree char *twice = strobe_config_to_json(second);
    g_assert_cmpstr(once, ==, twice);
    g_assert_cmpint(second->schedule.active, ==, 7);
    g_assert_cmpint(second->schedule.warmup, ==, 0);
    g_assert_cmpint(second->buffer.bytes, ==, 16 << 20);
    StrobeConfigComponent *gc = g_ptr_array_index(second->collectors, 0);
    g_assert_cmpstr(json_object_get_string_member(gc->json, "threshold"), ==, "2ms");
    g_assert_true(gc->required);
    strobe_config_free(first);
    strobe_config_free(second);
}

static void test_bad_flags(void)
{
    g_autoptr(GError) error = NULL;
    StrobeConfig *config = strobe_config_parse(NULL, NULL, &error);

    g_assert_false(strobe_config_set_section(config, "schedule", "active=x", &error));
    g_assert_nonnull(strstr(error->message, "--schedule"));
    g_clear_error(&error);
    g_assert_false(strobe_config_set_section(config, "schedule", "wait=1", &error));
    g_clear_error(&error);
    g_assert_false(strobe_config_add_collector(config, "gc:x", &error));
    g_assert_nonnull(strstr(error->message, "--collect"));
    strobe_config_free(config);
}

static gboolean has_exporter(const StrobeConfig *config, const char *exporter)
{
    for (guint i = 0; i < config->exporters->len; i++)
        if (!strcmp(((StrobeConfigComponent *)g_ptr_array_index(config->exporters, i))->name,
                    exporter))
            return TRUE;
    return FALSE;
}

/* The exporters of "export_type" run if "exporters" names none; named exporters replace them. */
static void test_export_type(void)
{
    static const struct {
        const char *json;
        gboolean runs_text, needs_db;
    } cases[] = {
        {"{}", TRUE, FALSE},
        {"{\"export_type\": \"text\"}", TRUE, FALSE},
        {"{\"export_type\": [\"db\"]}", FALSE, TRUE},
        {"{\"export_type\": [\"db\", \"text\", \"db\"]}", TRUE, TRUE},
        {"{\"export_type\": \"text\", \"exporters\": {\"db\": {}}}", FALSE, TRUE},
    };
    static const char *const bad[] = {
        "{\"export_type\": \"csv\"}", "{\"export_type\": []}", "{\"export_type\": [1]}",
        "{\"export_type\": {\"text\": true}}", "{\"export_type\": \"\"}"};

    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        StrobeConfig *config = strobe_config_parse(cases[i].json, "file", NULL);

        g_assert_nonnull(config);
        strobe_config_add_defaults(config);
        g_assert_cmpint(has_exporter(config, "csv"), ==, cases[i].runs_text);
        g_assert_cmpint(has_exporter(config, "chrome_trace"), ==, cases[i].runs_text);
        g_assert_true(!cases[i].needs_db || has_exporter(config, "db"));
        strobe_config_free(config);
    }
    for (gsize i = 0; i < G_N_ELEMENTS(bad); i++) {
        g_autoptr(GError) error = NULL;

        g_assert_null(strobe_config_parse(bad[i], "file", &error));
        g_assert_nonnull(strstr(error->message, "export_type"));
    }
}

static void test_export_type_flag(void)
{
    g_autoptr(GError) error = NULL;
    StrobeConfig *config = strobe_config_parse(NULL, NULL, NULL);

    g_assert_false(strobe_config_set_export_types(config, "text+xml", &error));
    g_assert_nonnull(strstr(error->message, "--export-type: unknown export type \"xml\""));
    g_clear_error(&error);
    g_assert_false(strobe_config_set_export_types(config, "", &error));
    g_clear_error(&error);
    g_assert_true(strobe_config_set_export_types(config, "db", NULL));
    strobe_config_add_defaults(config);
    g_assert_true(has_exporter(config, "db"));
    g_assert_false(has_exporter(config, "csv"));
    strobe_config_free(config);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/config/bad", test_bad);
    g_test_add_func("/config/deep", test_deep);
    g_test_add_func("/config/large", test_large);
    g_test_add_func("/config/round-trip", test_round_trip);
    g_test_add_func("/config/compress", test_compress);
    g_test_add_func("/config/bad-flags", test_bad_flags);
    g_test_add_func("/config/export-type", test_export_type);
    g_test_add_func("/config/export-type-flag", test_export_type_flag);
    return g_test_run();
}
