/* SPDX-License-Identifier: Apache-2.0 */
#include <glib.h>
#include <string.h>

#include "svp-config.h"
#include "svp-names.h"
#include "svp-numbers.h"
#include "svp.h"

static void test_job_names(void)
{
    unsigned char random[SVP_JOB_LETTERS];
    char name[SVP_JOB_NAME_MAX];
    guint32 device = 7;

    for (guint i = 0; i < sizeof random; i++)
        random[i] = (unsigned char)(i * 37);
    svp_job_name(random, name);
    g_assert_cmpuint(strlen(name), ==, 32);
    g_assert_true(g_str_has_prefix(name, "JOB"));
    g_assert_cmpuint(strspn(name, G_CSET_A_2_Z), ==, 32);
    g_assert_true(svp_is_job_name("/a/JOBX/"));
    g_assert_true(svp_is_job_name("JOB_X"));
    g_assert_false(svp_is_job_name("/JOB/a"));
    g_assert_true(svp_info_device("info.json.12", &device));
    g_assert_cmpuint(device, ==, 12);
    g_assert_false(svp_info_device("info.json.", &device));
    g_assert_false(svp_info_device("info.json.-1", &device));
    g_assert_false(svp_info_device("info.json.1x", &device));
    g_assert_false(svp_info_device("info.json.99999999999", &device));
}

static void test_model_names(void)
{
    static const struct {
        const char *text, *name;
    } cases[] = {{"/m/a.b-c.1.om", "a.b-c.1"},
                 {"resnet50.om", "resnet50"},
                 {"a b/c d", "c_d"},
                 {".om", ".om"},
                 {"", "model"},
                 {"dir/", "model"},
                 {"\xe7\xbd\x91.om", "___"}};
    char name[SVP_MODEL_MAX + 1];
    char text[400];

    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        svp_model_name(cases[i].text, strlen(cases[i].text), name);
        g_assert_cmpstr(name, ==, cases[i].name);
    }
    memset(text, 'x', sizeof text);
    svp_model_name(text, sizeof text, name);
    g_assert_cmpuint(strlen(name), ==, 128);
    g_assert_cmpint(name[119], ==, '-');
    svp_model_name(text, 128, name);
    g_assert_cmpuint(strlen(name), ==, 128);
    g_assert_cmpint(name[119], ==, 'x');
}

static void test_file_names(void)
{
    static const char *const others[] = {"AAcore.0.m.1.1.1.0.done",
                                         "AAcore.0.1.1",
                                         "AAcore.0.m.1.1.1.0.tmp",
                                         "AclModule.0.m.1.zip",
                                         "AclModule.x.m.1",
                                         "Freq.a",
                                         ".AclModule.0.m.1",
                                         "m.1.net.info",
                                         "AAcore.0.m.1.1.1.99999999999999999999",
                                         "AclModule.0..1",
                                         "AclModule.4294967296.m.1"};
    SvpFileName file, again;
    char name[SVP_FILE_NAME_MAX];

    g_assert_cmpint(svp_file_name_read("AAcore.0.a.b-c.1.31.100.3.200.slice_11", &file), ==,
                    SVP_FILE_CORE);
    g_assert_cmpstr(file.model, ==, "a.b-c.1");
    g_assert_cmpuint(file.model_id, ==, 31);
    g_assert_cmpuint(file.batch, ==, 100);
    g_assert_cmpuint(file.pics, ==, 3);
    g_assert_cmpuint(file.current_pic, ==, 200);
    g_assert_cmpuint(file.slice, ==, 11);
    svp_file_name_write(&file, name);
    g_assert_cmpstr(name, ==, "AAcore.0.a.b-c.1.31.100.3.200.slice_11");
    g_assert_cmpint(svp_file_name_read("acl_api.2.kws-610-pro.31", &again), ==, SVP_FILE_ACL);
    g_assert_cmpuint(again.device, ==, 2);
    svp_file_name_write(&again, name);
    g_assert_cmpstr(name, ==, "AclModule.2.kws-610-pro.31");
    g_assert_cmpint(svp_file_name_read("aicore.0.kws-610-pro.31.1.1.0", &file), ==, SVP_FILE_CORE);
    g_assert_cmpint(svp_file_name_read("Freq.0", &file), ==, SVP_FILE_FREQUENCY);
    for (guint i = 0; i < G_N_ELEMENTS(others); i++)
        g_assert_cmpint(svp_file_name_read(others[i], &file), ==, SVP_FILE_OTHER);
}

static void test_paths(void)
{
    static const char *const good[] = {"/home/a_1/JOB",      "a/b/../c", "./x", "..",   "",
                                       "../../src/acl_json", "/",        "./",  "a/./b"};
    static const char *const unusual[] = {"a-b",     "a.b", "a+b",   "a@b",       "a,b",
                                          ".hidden", "...", "a/..b", "/mnt/b-1/x"};
    static const char *const forbidden[] = {
        "a b", "a\tb",   "a'b",       "a\"b", "a;b", "a$b", "a`b", "a|b", "a&b", "a\\b", "a*b",
        "a?b", "a\x01z", "a\xc3\xa4", "a\nb", "(a)", "a>b", "a~b", "a#b", "a!b", "a{b"};
    const char *at;

    for (guint i = 0; i < G_N_ELEMENTS(good); i++)
        g_assert_cmpint(svp_path_check(good[i], NULL), ==, SVP_PATH_GOOD);
    for (guint i = 0; i < G_N_ELEMENTS(unusual); i++)
        g_assert_cmpint(svp_path_check(unusual[i], &at), ==, SVP_PATH_UNUSUAL);
    for (guint i = 0; i < G_N_ELEMENTS(forbidden); i++)
        g_assert_cmpint(svp_path_check(forbidden[i], &at), ==, SVP_PATH_FORBIDDEN);
    svp_path_check("a-b c", &at);
    g_assert_cmpint(*at, ==, ' ');
}

static const char *format_ratio(guint64 part, guint64 whole)
{
    static char text[SVP_NUMBER_MAX];

    svp_format_ratio(text, part, whole, 100, 3);
    return text;
}

static void test_numbers(void)
{
    char text[SVP_NUMBER_MAX];

    g_assert_cmpstr(format_ratio(320000, 400000), ==, "80.000");
    g_assert_cmpstr(format_ratio(1, 3), ==, "33.333");
    g_assert_cmpstr(format_ratio(2, 3), ==, "66.667");
    g_assert_cmpstr(format_ratio(1, 200000), ==, "0.001"); /* rounded half away from zero */
    g_assert_cmpstr(format_ratio(0, 5), ==, "0.000");
    g_assert_cmpstr(format_ratio(5, 0), ==, "N/A");
    g_assert_cmpstr(format_ratio(SVP_ABSENT, 5), ==, "N/A");
    g_assert_cmpstr(format_ratio(5, SVP_ABSENT), ==, "N/A");
    g_assert_cmpstr(format_ratio((guint64)1 << 62, (guint64)1 << 62), ==, "100.000");
    svp_format_us(text, 18744500);
    g_assert_cmpstr(text, ==, "18744.500");
    svp_format_us(text, 7);
    g_assert_cmpstr(text, ==, "0.007");
    svp_format_whole(text, SVP_ABSENT);
    g_assert_cmpstr(text, ==, "N/A");
    g_assert_cmpuint(svp_divide(3, 2), ==, 2);
    g_assert_cmpuint(svp_divide(G_MAXUINT64 - 1, 1), ==, G_MAXUINT64 - 1);
}

static void test_counters(void)
{
    g_assert_cmpuint(svp_counter_find("cycles", 6), ==, SVP_CYCLES);
    g_assert_cmpuint(svp_counter_find("icache_miss", 11), ==, SVP_ICACHE_MISSES);
    g_assert_cmpuint(svp_counter_find("ddr_write_bytes", 15), ==, SVP_DDR_WRITE);
    g_assert_cmpuint(svp_counter_find("icache", 6), ==, SVP_COUNTERS);
    g_assert_cmpuint(svp_unit_find("AA_CPU"), ==, SVP_UNIT_CPU);
    g_assert_cmpuint(svp_unit_find("AI_CORE"), ==, SVP_UNIT_CORE);
    g_assert_cmpuint(svp_unit_find("AB_CORE"), ==, SVP_UNITS);
    g_assert_cmpuint(svp_unit_find(""), ==, SVP_UNITS);
}

/* ---- acl.json ---- */

static void keep_reported(void *user, const char *key, const char *why)
{
    g_string_append_printf(user, "%s: %s\n", key, why);
}

static SvpConfig read_config(const char *text, int is_good, const char *reported)
{
    g_autoptr(GString) all = g_string_new(NULL);
    SvpConfig config;

    g_assert_cmpint(svp_config_read(&config, text, strlen(text), keep_reported, all), ==, is_good);
    if (*reported)
        g_assert_nonnull(strstr(all->str, reported));
    else
        g_assert_cmpstr(all->str, ==, "");
    return config;
}

static void test_config(void)
{
    SvpConfig config = read_config(
        "{\"dump\": {}, \"profiler\": {\"output\": \"out\", \"aacpu\": \"off\", "
        "\"aac_metrics\": \"ArithmeticUtilization\", \"interval\": \"2\", \"acl_api\": \"on\", "
        "\"switch\": \"on\"}}",
        1, "");
    g_assert_true(config.is_on && config.has_metrics && config.acl_api && !config.aacpu);
    g_assert_true(config.dumps);
    g_assert_cmpuint(config.interval, ==, 2);
    g_assert_cmpstr(config.output, ==, "out");
    config = read_config("{}", 1, "");
    g_assert_true(!config.is_on && config.aacpu && config.acl_api && !config.has_section);
    config = read_config("\xef\xbb\xbf{\"profiler\": {\"switch\": \"on\"}}", 1, "");
    g_assert_true(config.is_on);
}

/* Checks that only the value "on" switches profiling on. */
static void test_config_switch(void)
{
    static const char *const values[] = {"\"ON\"", "true",    "\"\"",    "1",
                                         "null",   "\"on \"", "[\"on\"]"};

    for (guint i = 0; i < G_N_ELEMENTS(values); i++) {
        g_autofree char *text = g_strdup_printf("{\"profiler\": {\"switch\": %s}}", values[i]);
        g_assert_false(read_config(text, 1, "profiler.switch: neither").is_on);
    }
}

static void test_config_interval(void)
{
    static const char *const bad[] = {"-1",  "1.5",  "\"x\"", "2147483648",
                                      "1e3", "\"\"", "true",  "99999999999999999999"};
    SvpConfig config;

    for (guint i = 0; i < G_N_ELEMENTS(bad); i++) {
        g_autofree char *text = g_strdup_printf("{\"profiler\": {\"interval\": %s}}", bad[i]);
        g_assert_cmpuint(read_config(text, 1, "profiler.interval: not a whole").interval, ==, 0);
    }
    config = read_config("{\"profiler\": {\"interval\": 2147483647}}", 1, "");
    g_assert_cmpuint(config.interval, ==, G_MAXINT32);
    g_assert_cmpuint(config.flush_ms, ==, 500);
    g_assert_true(config.syncs);
    config = read_config("{\"profiler\": {\"strobe_flush_ms\": 60000, \"strobe_sync\": \"off\"}}",
                         1, "");
    g_assert_cmpuint(config.flush_ms, ==, 60000);
    g_assert_false(config.syncs);
    g_assert_cmpuint(config.slice_mb, ==, 64);
    config = read_config("{\"profiler\": {\"strobe_slice_mb\": 0}}", 1, "");
    g_assert_cmpuint(config.slice_mb, ==, 0);
    config = read_config("{\"profiler\": {\"strobe_slice_mb\": 65537}}", 1,
                         "profiler.strobe_slice_mb: not a whole");
    g_assert_cmpuint(config.slice_mb, ==, 64);
    config = read_config("{\"profiler\": {\"acl_api_limit\": 512}}", 1, "");
    g_assert_cmpuint(config.api_limit, ==, 512);
    config = read_config("{\"profiler\": {\"acl_api_limit\": \"-1\"}}", 1,
                         "profiler.acl_api_limit: not a whole");
    g_assert_cmpuint(config.api_limit, ==, 0);
    config = read_config("{\"profiler\": {\"strobe_flush_ms\": 60001}}", 1,
                         "profiler.strobe_flush_ms: not a whole");
    g_assert_cmpuint(config.flush_ms, ==, 500);
}

static void test_config_keys(void)
{
    SvpConfig config = read_config("{\"profiler\": {\"aicpu\": \"off\", \"aic_metrics\": "
                                   "\"ArithmeticUtilization\"}}",
                                   1, "");
    g_assert_true(!config.aacpu && config.has_metrics);
    config =
        read_config("{\"profiler\": {\"aacpu\": \"on\", \"aicpu\": \"off\"}}", 1, "two spellings");
    g_assert_true(config.aacpu);
    config =
        read_config("{\"profiler\": {\"aicpu\": \"off\", \"aacpu\": \"on\"}}", 1, "two spellings");
    g_assert_true(config.aacpu);
    config = read_config("{\"profiler\": {\"interval\": 3, \"interval\": 4}}", 1, "twice");
    g_assert_cmpuint(config.interval, ==, 4);
    read_config("{\"profiler\": {\"wrong\": {\"a\": [1]}, \"switch\": \"on\"}}", 1,
                "profiler.wrong: unknown");
}

/* Checks that text that is not JSON switches profiling off, that the error names the position, and
 * that no text makes the reader crash. */
static void test_config_bad(void)
{
    static const char text[] = "{\"profiler\": {\"switch\": \"on\", \"interval\": \"2\"}}";
    g_autoptr(GString) large = g_string_new(text);

    for (gsize n = 0; n < strlen(text); n++) {
        g_autofree char *cut = g_strndup(text, n);
        g_assert_false(read_config(cut, 0, "not JSON at byte").is_on);
    }
    read_config("{\"profiler\": []}", 0, "profiler: not an object");
    read_config("{\"profiler\": {\"switch\": \"on\"}} x", 0, "not JSON");
    while (large->len <= SVP_CONFIG_BYTES_MAX)
        g_string_append_c(large, ' ');
    read_config(large->str, 0, "over 1 MiB");
}

static void test_config_copy(void)
{
    static const char *const cases[][2] = {
        {"{\"a\": 1, \"profiler\" : {\"switch\" : \"on\", \"x\": {\"switch\": \"on\"}}, \"b\": []}",
         "{\"a\": 1, \"profiler\" : {\"switch\" : \"off\", \"x\": {\"switch\": \"on\"}}, \"b\": "
         "[]}"},
        {"{\"switch\": \"on\"}", "{\"switch\": \"on\"}"},
        {"{}", "{}"},
    };
    char out[256];

    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_assert_cmpuint(svp_config_switch_off(cases[i][0], strlen(cases[i][0]), out, sizeof out),
                         ==, strlen(cases[i][1]));
        g_assert_cmpstr(out, ==, cases[i][1]);
    }
    g_assert_cmpuint(svp_config_switch_off("{}", 2, out, 2), ==, 0);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/formats/svp/job-names", test_job_names);
    g_test_add_func("/formats/svp/model-names", test_model_names);
    g_test_add_func("/formats/svp/file-names", test_file_names);
    g_test_add_func("/formats/svp/paths", test_paths);
    g_test_add_func("/formats/svp/numbers", test_numbers);
    g_test_add_func("/formats/svp/counters", test_counters);
    g_test_add_func("/formats/svp/config", test_config);
    g_test_add_func("/formats/svp/config-switch", test_config_switch);
    g_test_add_func("/formats/svp/config-interval", test_config_interval);
    g_test_add_func("/formats/svp/config-keys", test_config_keys);
    g_test_add_func("/formats/svp/config-bad", test_config_bad);
    g_test_add_func("/formats/svp/config-copy", test_config_copy);
    return g_test_run();
}
