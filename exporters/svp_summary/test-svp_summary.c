/* SPDX-License-Identifier: Apache-2.0 */
#include "../svp/test-svp-fixture.h"

#include <string.h>
#include <strobe/kinds.h>

static const char op_summary[] =
    "Layer Id,Ori Layer Name,Layer Name,Layer Type,Time(us),Time Ratio,Mac Busy Ratio,"
    "Mac Ppen Ratio,Vec Busy Ratio,Vec Ppen Ratio,Dstr Ratio,Dtrans Ratio,DLD Ratio,WLD Ratio,"
    "Memory Bound,DDR Read(byte),DDR Write(byte),DDR Total(byte)\r\n"
    "0,conv1,conv1,Convolution,400.000,40.000,80.000,65.000,5.000,3.000,10.000,2.000,24.000,15.000,"
    "0.300,1048576,524288,1572864\r\n"
    "1,pool1,pool1,Pooling,200.000,20.000,0.000,0.000,90.000,60.000,70.000,1.000,45.000,0.000,"
    "1.167,409600,102400,512000\r\n"
    "2,detect,detect,DetectionOutput,300.000,30.000,N/A,N/A,N/A,N/A,N/A,N/A,N/A,N/A,N/A,N/A,N/A,"
    "N/A\r\n"
    "3,conv2;relu2,conv2+relu2,Convolution,100.000,10.000,50.000,40.000,10.000,0.000,5.000,1.000,"
    "60.000,20.000,1.200,204800,51200,256000\r\n"
    "-,-,-,-,1000.000,100.000,52.857,42.857,30.000,18.857,26.429,1.571,35.143,11.429,0.665,1662976,"
    "677888,2340864\r\n";

static const char op_statistic[] =
    "Task ID,Stream ID,OP Name,Task Type,Total Time Ratio(%),Total Time(us),Count,Avg(us),Max(us),"
    "Min(us)\r\n"
    "0,0,conv1,AA_CORE,40.000,400.000,1,400.000,400.000,400.000\r\n"
    "1,0,pool1,AA_CORE,20.000,200.000,1,200.000,200.000,200.000\r\n"
    "2,0,detect,AA_CPU,30.000,300.000,1,300.000,300.000,300.000\r\n"
    "3,0,conv2+relu2,AA_CORE,10.000,100.000,1,100.000,100.000,100.000\r\n";

static const char acl_statistic[] =
    "Process ID,Thread ID,Type,Name,Total Time Ratio(%),Total Time(us),Count,Avg(us),Max(us),"
    "Min(us)\r\n"
    "4242,4242,model,svp_acl_mdl_execute,55.499,37489.000,2,18744.500,23299.000,14190.000\r\n"
    "4242,4242,model,svp_acl_mdl_load_from_mem,44.412,30000.000,1,30000.000,30000.000,30000.000\r\n"
    "4242,4242,runtime,svp_acl_rt_malloc,0.089,60.000,3,20.000,30.000,10.000\r\n";

static void run_mock(SvpFixture *f)
{
    g_assert_cmpint(strobe_mock_run(f->mock), ==, STROBE_OK);
    g_assert_cmpstr(strobe_mock_error(f->mock), ==, "");
}

static void check_csv(SvpFixture *f, const char *name, const char *text)
{
    g_autofree char *found = svp_fixture_take(f, name);

    g_assert_cmpstr(found, ==, text);
}

static void test_example(SvpFixture *f, gconstpointer unused)
{
    svp_fixture_add_layers(f, "resnet50", 1, 1041000000);
    svp_fixture_add_calls(f);
    svp_fixture_add_frequency(f, 1000000000, 1000);
    run_mock(f);
    check_csv(f, "op_summary_0.resnet50.1.1.1.0.3_25.1000.csv", op_summary);
    check_csv(f, "op_statistic_0_1_0_1.csv", op_statistic);
    check_csv(f, "acl_statistic_0_1_1.csv", acl_statistic);
}

/* The clock is the mean of the samples in the capture, weighted by time; if there are no samples,
 * it is the value in the run's data. */
static void test_frequency(SvpFixture *f, gconstpointer unused)
{
    svp_fixture_add_layers(f, "resnet50", 1, 1000000);
    svp_fixture_add_frequency(f, 0, 500);
    svp_fixture_add_frequency(f, 1750000, 1000);
    run_mock(f);
    check_csv(f, "op_summary_0.resnet50.1.1.1.0.3_25.625.csv", op_summary);
    check_csv(f, "op_statistic_0_1_0_1.csv", op_statistic);
}

static void test_reported_frequency(SvpFixture *f, gconstpointer unused)
{
    strobe_mock_metadata_entry(f->mock, "svp.frequency_mhz", "800");
    svp_fixture_add_layers(f, "resnet50", 1, 1000000);
    run_mock(f);
    check_csv(f, "op_summary_0.resnet50.1.1.1.0.3_25.800.csv", op_summary);
    check_csv(f, "op_statistic_0_1_0_1.csv", op_statistic);
}

static void test_json(SvpFixture *f, gconstpointer unused)
{
    strobe_mock_option(f->mock, "format", "json");
    svp_fixture_add_layers(f, "resnet50", 1, 1000000);
    run_mock(f);
    g_autofree char *text = svp_fixture_take(f, "op_summary_0.resnet50.1.1.1.0.3_25.NA.json");
    g_assert_nonnull(strstr(text, "{\"Layer Id\":0,\"Ori Layer Name\":\"conv1\","));
    g_assert_nonnull(strstr(text, "\"Time Ratio\":40.000,\"Mac Busy Ratio\":80.000,"));
    g_assert_nonnull(strstr(text, "\"Layer Name\":\"detect\",\"Layer Type\":\"DetectionOutput\","
                                  "\"Time(us)\":300.000,\"Time Ratio\":30.000,"
                                  "\"Mac Busy Ratio\":\"N/A\""));
    g_assert_nonnull(strstr(text, "{\"Layer Id\":\"-\","));
    g_autofree char *statistic = svp_fixture_take(f, "op_statistic_0_1_0_1.json");
    g_assert_nonnull(strstr(statistic, "\"OP Name\":\"conv2+relu2\",\"Task Type\":\"AA_CORE\""));
}

/* Each capture has its own files; the details show which capture is the first. */
static void test_captures(SvpFixture *f, gconstpointer unused)
{
    strobe_mock_option(f->mock, "details", "true");
    svp_fixture_add_layers(f, "resnet50", 1, 1000000);
    svp_fixture_add_layers(f, "resnet50", 2, 5000000);
    run_mock(f);
    check_csv(f, "op_summary_0.resnet50.1.1.1.0.3_25.NA.csv", op_summary);
    check_csv(f, "op_summary_0.resnet50.1.1.1.200.3_25.NA.csv", op_summary);
    check_csv(f, "op_statistic_0_1_0_1.csv", op_statistic);
    check_csv(f, "op_statistic_0_1_200_2.csv", op_statistic);
    check_csv(f, "captures.csv",
              "Capture,Device ID,Model ID,Current Pic Count,First,Whole\r\n"
              "1,0,1,0,1,1\r\n2,0,1,200,0,1\r\n");
}

/* Without counters there is no op_summary. A layer that runs several times has one row. */
static void test_repeated(SvpFixture *f, gconstpointer unused)
{
    StrobeTrackId track = strobe_mock_track(f->mock, STROBE_TRACK_STREAM, 0, NULL, NULL, 0);
    const struct svp_capture capture = {
        .id = 5, .model = 3, .number = 1, .batch = 1, .pics = 1, .tasks = 3};

    for (guint i = 0; i < 3; i++) {
        const struct strobe_device_task task = {.task = i + 1,
                                                .connection = 5,
                                                .task_id = i,
                                                .core = strobe_mock_string(f->mock, "AA_CORE")};
        strobe_mock_add(f->mock, &strobe_kind_device_task, track,
                        strobe_mock_string(f->mock, i == 1 ? "b,\"x\"" : "a"), i * 10, i * 10 + 4,
                        &task);
    }
    strobe_mock_add(f->mock, &svp_kind_capture, track, strobe_mock_string(f->mock, "m"), 0, 30,
                    &capture);
    run_mock(f);
    check_csv(
        f, "op_statistic_0_3_0_1.csv",
        "Task ID,Stream ID,OP Name,Task Type,Total Time Ratio(%),Total Time(us),Count,Avg(us),"
        "Max(us),Min(us)\r\n"
        "0,0,a,AA_CORE,66.667,0.008,2,0.004,0.004,0.004\r\n"
        "1,0,\"b,\"\"x\"\"\",AA_CORE,33.333,0.004,1,0.004,0.004,0.004\r\n");
}

/* If data was moved but nothing was computed, the bound has no value. If no data was moved either,
 * the bound is 0. Without cycles there is no ratio. */
static void test_bounds(SvpFixture *f, gconstpointer unused)
{
    static const double counters[][SVP_COUNTERS] = {{100, 0, 0, 0, 0, 50, 0, 0, 0, 1, 2},
                                                    {100, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2},
                                                    {0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2}};
    StrobeTrackId track = strobe_mock_track(f->mock, STROBE_TRACK_STREAM, 0, NULL, NULL, 0);
    const struct svp_capture capture = {
        .id = 5, .model = 3, .number = 1, .batch = 1, .pics = 1, .tasks = 3};

    for (guint i = 0; i < 3; i++) {
        const struct strobe_device_task task = {.task = i + 1, .connection = 5, .task_id = i};
        struct strobe_device_pmu pmu = {
            .task = i + 1,
            .metrics = strobe_mock_string(f->mock, "cycles;mac_busy;mac_ppen;vec_busy;vec_ppen;"
                                                   "dstr;dtrans;dld;wld;ddr_read_bytes;"
                                                   "ddr_write_bytes;unknown")};
        memcpy(pmu.value, counters[i], sizeof counters[i]);
        strobe_mock_add(f->mock, &strobe_kind_device_task, track, strobe_mock_string(f->mock, "a"),
                        i, i + 1, &task);
        strobe_mock_add(f->mock, &strobe_kind_device_pmu, track, 0, i, i + 1, &pmu);
    }
    strobe_mock_add(f->mock, &svp_kind_capture, track, strobe_mock_string(f->mock, "m"), 0, 30,
                    &capture);
    run_mock(f);
    g_autofree char *text = svp_fixture_take(f, "op_summary_0.m.3.1.1.0.NA.NA.csv");
    g_autofree char *statistic = svp_fixture_take(f, "op_statistic_0_3_0_1.csv");
    g_auto(GStrv) lines = g_strsplit(text, "\r\n", -1);
    g_assert_true(g_str_has_suffix(lines[1], ",50.000,0.000,0.000,0.000,N/A,1,2,3"));
    g_assert_true(g_str_has_suffix(lines[2], ",0.000,0.000,0.000,0.000,0.000,1,2,3"));
    g_assert_true(g_str_has_suffix(lines[3], ",N/A,N/A,N/A,N/A,N/A,1,2,3"));
    g_assert_nonnull(statistic);
}

/* Calls are summed up for each thread and, if requested, for each capture. */
static void test_calls(SvpFixture *f, gconstpointer unused)
{
    strobe_mock_option(f->mock, "per_iter", "true");
    svp_fixture_add_call(f, "svp_acl_init", "others", STROBE_ABSENT_U32, 8, 0, 500);
    svp_fixture_add_call(f, "svp_acl_mdl_execute", "model", 1, 7, 1000, 2000000);
    svp_fixture_add_call(f, "svp_acl_mdl_execute", "model", 1, 7, 5000000, 3000000);
    svp_fixture_add_layers(f, "resnet50", 1, 2000);
    svp_fixture_add_layers(f, "resnet50", 2, 6000000);
    run_mock(f);
    static const char head[] = "Process ID,Thread ID,Type,Name,Total Time Ratio(%),Total Time(us),"
                               "Count,Avg(us),Max(us),Min(us)\r\n";
    g_autofree char *first = g_strconcat(
        head,
        "4242,7,model,svp_acl_mdl_execute,99.975,2000.000,1,2000.000,2000.000,2000.000\r\n"
        "4242,8,others,svp_acl_init,0.025,0.500,1,0.500,0.500,0.500\r\n",
        NULL);
    g_autofree char *second = g_strconcat(
        head, "4242,7,model,svp_acl_mdl_execute,100.000,3000.000,1,3000.000,3000.000,3000.000\r\n",
        NULL);
    check_csv(f, "acl_statistic_0_1_1.csv", first);
    check_csv(f, "acl_statistic_0_1_2.csv", second);
    check_csv(f, "op_summary_0.resnet50.1.1.1.0.3_25.NA.csv", op_summary);
    check_csv(f, "op_summary_0.resnet50.1.1.1.200.3_25.NA.csv", op_summary);
    check_csv(f, "op_statistic_0_1_0_1.csv", op_statistic);
    check_csv(f, "op_statistic_0_1_200_2.csv", op_statistic);
}

#define TEST(name, function)                                                                       \
    g_test_add("/svp_summary/" name, SvpFixture, NULL, svp_fixture_set_up, function,               \
               svp_fixture_tear_down)

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    TEST("example", test_example);
    TEST("frequency", test_frequency);
    TEST("told-frequency", test_reported_frequency);
    TEST("json", test_json);
    TEST("captures", test_captures);
    TEST("repeated", test_repeated);
    TEST("bounds", test_bounds);
    TEST("calls", test_calls);
    return g_test_run();
}
