/* SPDX-License-Identifier: Apache-2.0 */
/* Tests files of Ascend's tools as configurations: the options that follow from each key, and the
 * values that are replaced or refused. */
#include "config-file.h"

#include <string.h>
#include "error.h"

#define EXPERIMENTAL(members) "{\"experimental_config\": {" members "}}"
#define ACL(members) "{\"profiler\": {\"switch\": \"on\"" members "}}"

static char *warnings_of(const StrobeConfig *config)
{
    g_ptr_array_add(config->warnings, NULL);
    char *text = g_strjoinv("\n", (char **)config->warnings->pdata);
    g_ptr_array_set_size(config->warnings, (gint)config->warnings->len - 1);
    return text;
}

static StrobeConfig *parse_config(const char *text)
{
    g_autoptr(GError) error = NULL;
    StrobeConfig *config = strobe_config_parse(text, "c.json", &error);

    if (!config)
        g_error("%s is refused: %s", text, error->message);
    return config;
}

/* A case: the configuration that is made from `text` contains this part as JSON, and causes this
 * warning ("": none). */
struct mapped {
    const char *text, *part, *warning;
};

static void check_mapped(const struct mapped *cases, guint n)
{
    for (guint i = 0; i < n; i++) {
        StrobeConfig *config = parse_config(cases[i].text);
        g_autofree char *json = strobe_config_to_json(config);
        g_autofree char *warnings = warnings_of(config);
        if (!strstr(json, cases[i].part))
            g_error("%s: %s lacks %s", cases[i].text, json, cases[i].part);
        if (*cases[i].warning ? !strstr(warnings, cases[i].warning) : *warnings)
            g_error("%s warns \"%s\", not \"%s\"", cases[i].text, warnings, cases[i].warning);
        if (*warnings)
            g_assert_true(g_str_has_prefix(warnings, "c.json"));
        strobe_config_free(config);
    }
}

#define CHECK_MAPPED(cases) check_mapped(cases, G_N_ELEMENTS(cases))

static void test_common(void)
{
    static const struct mapped cases[] = {
        {"{\"active\": 2, \"warmup\": 1, \"start_step\": 4}",
         "{\"wait\":0,\"active\":2,\"warmup\":1,\"repeat\":1,\"skip_first\":4", ""},
        {"{\"start_step\": -1}", "\"active\":1,\"warmup\":0,\"repeat\":1,\"skip_first\":0", ""},
        {"{\"start_step\": -2}", "\"skip_first\":0", "integer from -1, found -2; it is reset to 0"},
        {"{\"active\": 0}", "\"active\":1", "\"active\": expected an integer from 1, found 0"},
        {"{\"active\": true}", "\"active\":1", "found true; it is reset to 1"},
        {"{\"warmup\": \"2\"}", "\"warmup\":0", "key \"warmup\""},
        {"{\"prof_dir\": \"/r\"}", "\"output\":{\"directory\":\"/r\"}", ""},
        {"{\"prof_dir\": 3}", "\"output\":{}", "key \"prof_dir\": expected the name of a folder"},
        {"{\"analyse\": false}", "\"exporters\":{}", ""},
        {"{\"async_mode\": true}", "", "\"async_mode\" has no effect"},
        {"{\"active\": 1, \"metadata\": {\"k\": [1]}}", "\"metadata\":{\"k\":[1]}", ""},
        {"{\"active\": 1, \"metadata\": 7}", "\"metadata\":{}", "key \"metadata\""},
        {"{\"is_rank\": true, \"rank_list\": [0, 2, -1]}", "\"ranks\":[0,2]", "found -1"},
        {"{\"is_rank\": true}", "\"ranks\":[]", "names no rank"},
        {"{\"is_rank\": 1, \"rank_list\": [0]}", "\"metadata\"", "expected true or false, found 1"},
        {"{\"active\": 1, \"with_stak\": true}", "",
         "unknown key \"with_stak\", did you mean \"with_stack\"?"},
        {"{\"experimental_config\": []}", "", "key \"experimental_config\": expected an object"},
    };

    CHECK_MAPPED(cases);
}

static void test_collectors(void)
{
    static const struct mapped cases[] = {
        {"{\"activities\": [\"cpu\"]}",
         "\"collectors\":{\"metadata\":{},\"cpu_op\":{}},\"exporters\"", ""},
        {"{\"activities\": [\"NPU\"]}",
         "\"collectors\":{\"metadata\":{},\"npu_task\":{\"profiler_level\":\"Level0\",", ""},
        {"{\"activities\": [\"GPU\"]}", "\"cpu_op\":{},\"npu_task\"", "found \"GPU\""},
        {"{\"activities\": 3}", "\"cpu_op\":{},\"npu_task\"", "expected an array, found 3"},
        {"{\"record_shapes\": true}", "\"cpu_op\":{\"shapes\":true}", ""},
        {"{\"record_shapes\": 1}", "\"cpu_op\":{}", "expected true or false, found 1"},
        {"{\"with_flops\": true}", "\"cpu_op\":{\"shapes\":true,\"flops\":true}", ""},
        {"{\"with_stack\": true}", "{\"stack\":true},\"python_call\":{}", ""},
        {"{\"profile_memory\": true}", "\"memory\":{}", ""},
        {"{\"profile_memory\": true}", "\"task_memory\":true", ""},
        {EXPERIMENTAL("\"gc_detect_threshold\": 1.5"), "\"gc\":{\"threshold\":\"1500000ns\"}", ""},
        {EXPERIMENTAL("\"gc_detect_threshold\": 1e300"), "\"threshold\":\"3600000000000ns\"", ""},
        {EXPERIMENTAL("\"mstx\": true, \"mstx_domain_include\": [\"a\", \"b\", \"a\"]"),
         "\"marker\":{\"domain_include\":\"a+b\"}", ""},
        {EXPERIMENTAL("\"host_sys\": [\"mem\", \"osrt\"]"),
         "\"host_sys\":{\"items\":\"mem\"},\"osrt\":{}", ""},
        {EXPERIMENTAL("\"gc_detect_threshold\": true"), "\"gc\":{\"threshold\":\"1000000ns\"}", ""},
        {EXPERIMENTAL("\"gc_detect_threshold\": false"), "\"gc\":{\"threshold\":\"0ns\"}", ""},
        {EXPERIMENTAL("\"host_sys\": [\"numa\"]"),
         "\"optional\":{\"backend\":\"auto\",\"aic_metrics\":\"none\",\"host_sys\":\"numa\"}", ""},
        {"{\"activities\": [\"CPU\"], \"experimental_config\": {\"host_sys\": [\"numa\"]}}", "",
         "\"numa\" needs the activity NPU"},
        {EXPERIMENTAL("\"mstx\": true"), "\"aic_metrics\":\"none\",\"msproftx\":true}", ""},
        {"{\"record_shapes\": true}", "\"aic_metrics\":\"none\",\"details\":\"shapes\"}", ""},
        {"{\"record_shapes\": true, \"experimental_config\": {\"profiler_level\": \"Level_none\"}}",
         "\"aic_metrics\":\"none\",\"msproftx\":true}", "mstx is set to True"},
        {EXPERIMENTAL("\"sys_io\": true"), "\"sys_io\":{\"interval\":\"10ms\"}", ""},
        {EXPERIMENTAL("\"l2_cache\": true, \"sys_io\": true, \"sys_interconnection\": true"),
         "\"l2_cache\":true,\"sys_io\":true,\"sys_interconnection\":true}}}", ""},
        {EXPERIMENTAL("\"sys_interconnection\": true"), "\"interconnect\":{\"interval\":\"20ms\"}",
         ""},
        {EXPERIMENTAL("\"record_op_args\": true"), "\"cpu_op\":{\"shapes\":true,\"values\":true}",
         "only strobe.profiler writes the folder"},
        {EXPERIMENTAL("\"profiler_level\": \"Level2\", \"aic_metrics\": \"Memory\", "
                      "\"l2_cache\": true"),
         "\"npu_task\":{\"profiler_level\":\"Level2\",\"optional\":{\"backend\":\"auto\","
         "\"aic_metrics\":\"Memory\",\"l2_cache\":true}}",
         ""},
    };

    CHECK_MAPPED(cases);
}

/* Checks the rows of the table. */
static void test_experimental(void)
{
    static const struct mapped cases[] = {
        {EXPERIMENTAL(""), "\"_profiler_level\":\"Level0\",\"_aic_metrics\":\"ACL_AICORE_NONE\"",
         ""},
        {EXPERIMENTAL("\"aic_metrics\": \"Memory\""), "\"ACL_AICORE_NONE\"",
         "Please use level1 or level2"},
        {EXPERIMENTAL("\"profiler_level\": \"Level1\", \"aic_metrics\": \"ACL_AICORE_L2_CACHE\""),
         "\"_aic_metrics\":\"ACL_AICORE_L2_CACHE\"", ""},
        {EXPERIMENTAL("\"profiler_level\": \"Level1\", \"aic_metrics\": \"Memry\""),
         "\"_aic_metrics\":\"ACL_AICORE_PIPE_UTILIZATION\"", "found \"Memry\""},
        {EXPERIMENTAL("\"profiler_level\": \"Level1\""), "\"_aic_metrics\":\"ACL_AICORE_NONE\"",
         ""},
        {EXPERIMENTAL("\"profiler_level\": \"Level9\""), "\"_profiler_level\":\"Level0\"",
         "found \"Level9\"; it is reset to Level0"},
        {EXPERIMENTAL("\"profiler_level\": \"Level_none\""), "\"_mstx\":true",
         "mstx is set to True"},
        {EXPERIMENTAL("\"l2_cache\": \"yes\""), "\"_l2_cache\":false",
         "\"experimental_config.l2_cache\": expected true or false, found \"yes\""},
        {EXPERIMENTAL("\"msprof_tx\": true"), "\"_msprof_tx\":true", "please use mstx"},
        {EXPERIMENTAL("\"data_simplification\": null"), "\"_data_simplification\":true", ""},
        {EXPERIMENTAL("\"data_simplification\": 0"), "\"_data_simplification\":true", "found 0"},
        {EXPERIMENTAL("\"export_type\": \"db\""), "\"_export_type\":[\"db\"]", ""},
        {EXPERIMENTAL("\"export_type\": [\"db\", \"text\"]"), "[\"text\",\"db\"]", ""},
        {EXPERIMENTAL("\"export_type\": [\"xml\"]"), "\"_export_type\":[\"text\"]",
         "reset to \"text\""},
        {EXPERIMENTAL("\"op_attr\": true"), "\"_op_attr\":false", "op_attr switch is invalid"},
        {EXPERIMENTAL("\"op_attr\": true, \"export_type\": \"db\""), "\"op_attr\":true", ""},
        {EXPERIMENTAL("\"gc_detect_threshold\": -1"), "\"_gc_detect_threshold\":null", "found -1"},
        {EXPERIMENTAL("\"gc_detect_threshold\": null"), "\"_gc_detect_threshold\":null", ""},
        {EXPERIMENTAL("\"mstx_domain_include\": [\"a\"]"), "\"_mstx_domain_include\":[]",
         "need mstx"},
        {EXPERIMENTAL("\"mstx\": true, \"mstx_domain_include\": [\"a\"], "
                      "\"mstx_domain_exclude\": [\"b\"]"),
         "\"_mstx_domain_include\":[\"a\"],\"_mstx_domain_exclude\":[]", "is ignored"},
        {EXPERIMENTAL("\"mstx\": true, \"mstx_domain_include\": [1]"),
         "\"_mstx_domain_include\":[]", "expected an array of texts"},
        {EXPERIMENTAL("\"host_sys\": [\"cpu\", \"cup\"]"), "\"_host_sys\":[]", "cup"},
        {EXPERIMENTAL("\"profile_level\": 1"), "",
         "\"experimental_config.profile_level\", did you mean \"profiler_level\"?"},
    };

    CHECK_MAPPED(cases);
}

static void test_acl(void)
{
    static const struct mapped cases[] = {
        {ACL(""),
         "\"collectors\":{\"metadata\":{},\"npu_task\":{\"profiler_level\":\"Level2\","
         "\"optional\":{\"backend\":\"auto\",\"aic_metrics\":\"PipeUtilization\"}}}",
         ""},
        {ACL(", \"runtime_api\": \"off\""), "\"profiler_level\":\"Level1\"", ""},
        {ACL(", \"task_time\": \"l0\""),
         "\"profiler_level\":\"Level0\",\"optional\":{\"backend\":\"auto\"}", ""},
        {ACL(", \"task_time\": \"off\""), "\"profiler_level\":\"Level_none\"", ""},
        {ACL(", \"l2\": \"on\", \"hccl\": \"on\", \"aic_metrics\": \"MemoryUB\""),
         "\"aic_metrics\":\"MemoryUB\",\"l2_cache\":true}", ""},
        {ACL(", \"sys_hardware_mem_freq\": 5, \"storage_limit\": \"200MB\""),
         "\"hardware_mem_freq\":5,\"storage_limit\":\"200MB\"", ""},
        {ACL(", \"msproftx\": \"on\""), "\"marker\":{}", ""},
        {ACL(", \"sys_io_sampling_freq\": 50"), "\"sys_io\":{\"interval\":\"20000000ns\"}", ""},
        {ACL(", \"sys_interconnection_freq\": 10"),
         "\"interconnect\":{\"interval\":\"100000000ns\"}", ""},
        {ACL(", \"host_sys\": \"cpu, osrt\", \"host_sys_usage\": \"cpu,mem\", "
             "\"host_sys_usage_freq\": 10"),
         "\"host_sys\":{\"items\":\"cpu+mem\",\"interval\":\"100000000ns\"},\"osrt\":{}", ""},
        {ACL(", \"output\": \"/o\""), "\"output\":{\"directory\":\"/o\"}", ""},
        {"{\"profiler\": {\"switch\": \"on\"}, \"dump\": {\"dump_path\": \"x\"}}", "npu_task", ""},
    };

    CHECK_MAPPED(cases);
}

static void test_refused(void)
{
    static const struct {
        const char *text, *part;
    } bads[] = {
        {"{\"profiler\": {}}", "key \"profiler.switch\" is not \"on\""},
        {"{\"profiler\": {\"switch\": \"off\"}}", "asks for no profile"},
        {"{\"profiler\": 3}", "key \"profiler\": expected an object"},
        {ACL(", \"l3\": \"on\""), "unknown key \"profiler.l3\", did you mean \"l2\"?"},
        {ACL(", \"l2\": true"), "expected \"on\" or \"off\", found true"},
        {ACL(", \"sys_io_sampling_freq\": \"50\""), "an integer from 1 to 100, found \"50\""},
        {ACL(", \"sys_io_sampling_freq\": 0"), "an integer from 1 to 100, found 0"},
        {ACL(", \"sys_interconnection_freq\": 51"), "from 1 to 50, found 51"},
        {ACL(", \"aic_metrics\": \"Pipes\""), "the name of metrics"},
        {ACL(", \"host_sys\": \"cpu,cup\""), "joined by commas, found \"cpu,cup\""},
        {"{\"profiler\": {\"switch\": \"on\"}, \"collectors\": {}}", "not a mixture"},
        {"{\"profiler\": {\"switch\": \"on\"}, \"active\": 1}", "not a mixture"},
        {"{\"active\": 1, \"collectors\": {}}", "\"active\" and \"collectors\""},
        {"{\"ranks\": [1, -1]}", "an array of integers from 0"},
        {"{\"ranks\": 1}", "key \"ranks\": expected an array"},
        {"{\"collectors\": {\"gc\": {\"optional\": true}}}", "an object of options, found true"},
    };

    for (guint i = 0; i < G_N_ELEMENTS(bads); i++) {
        g_autoptr(GError) error = NULL;
        g_assert_null(strobe_config_parse(bads[i].text, "c.json", &error));
        g_assert_error(error, STROBE_ERROR, STROBE_ERROR_CONFIG);
        if (!strstr(error->message, bads[i].part) || !strstr(error->message, "c.json"))
            g_error("\"%s\" lacks \"%s\"", error->message, bads[i].part);
    }
}

/* A file with ten thousand faults causes only a few lines of messages, and does not take long. */
static void test_hostile(void)
{
    g_autoptr(GString) text = g_string_new("{\"experimental_config\": {\"mstx\": true, "
                                           "\"mstx_domain_include\": [\"a\"");

    for (guint i = 0; i < 50000; i++)
        g_string_append_printf(text, ",\"d%u\"", i);
    g_string_append(text, "]}, \"activities\": [1");
    for (guint i = 0; i < 100000; i++)
        g_string_append(text, ",1");
    g_string_append(text, "]}");
    StrobeConfig *config = parse_config(text->str);
    g_assert_cmpuint(config->warnings->len, ==, 51);
    strobe_config_free(config);
}

/* A converted file gives the same configuration when its JSON is parsed again. */
static void test_round_trip(void)
{
    StrobeConfig *first = parse_config("{\"active\": 1, \"is_rank\": true, \"rank_list\": [3],"
                                       "\"experimental_config\": {\"mstx\": true}}");
    g_autofree char *once = strobe_config_to_json(first);
    StrobeConfig *second = parse_config(once);
    g_autofree char *twice = strobe_config_to_json(second);

    g_assert_cmpstr(once, ==, twice);
    g_assert_true(strobe_config_records_rank(second, 3));
    g_assert_false(strobe_config_records_rank(second, 0));
    g_assert_false(strobe_config_records_rank(second, -1));
    strobe_config_free(first);
    strobe_config_free(second);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/ascend-config/common", test_common);
    g_test_add_func("/ascend-config/collectors", test_collectors);
    g_test_add_func("/ascend-config/experimental", test_experimental);
    g_test_add_func("/ascend-config/acl", test_acl);
    g_test_add_func("/ascend-config/refused", test_refused);
    g_test_add_func("/ascend-config/hostile", test_hostile);
    g_test_add_func("/ascend-config/round-trip", test_round_trip);
    return g_test_run();
}
