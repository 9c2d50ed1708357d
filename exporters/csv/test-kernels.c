/* SPDX-License-Identifier: Apache-2.0 */
/* Checks kernel_details.csv: its columns in each generation and level, metrics, and the order of
 * rows. */
#include <ascend.h>
#include <string.h>

#include "test-csv-fixture.h"

#define METRICS "aic_total_time;aic_total_cycles;aic_mac_ratio;aiv_mac_ratio;cube_utilization"

typedef struct strobe_kernel_detail Kernel;

/* Returns a kernel whose fields are all absent. */
static Kernel no_kernel(void)
{
    Kernel kernel = {.task = STROBE_ABSENT_U64,
                     .step = STROBE_ABSENT_I64,
                     .wait = STROBE_ABSENT_F64,
                     .device = 0,
                     .task_id = STROBE_ABSENT_U32,
                     .stream = STROBE_ABSENT_U32,
                     .model = STROBE_ABSENT_U32,
                     .context = STROBE_ABSENT_U32,
                     .block_num = STROBE_ABSENT_U32,
                     .mix_block_num = STROBE_ABSENT_U32,
                     .exact_us = STROBE_ABSENT_F64};

    for (gsize i = 0; i < G_N_ELEMENTS(kernel.value); i++)
        kernel.value[i] = STROBE_ABSENT_F64;
    return kernel;
}

static void add_kernel(Fixture *f, const char *name, gint64 begin, gint64 duration,
                       const Kernel *kernel)
{
    strobe_mock_derived_kind(f->mock, &strobe_kind_kernel_detail);
    strobe_mock_add(f->mock, &strobe_kind_kernel_detail, f->thread,
                    strobe_mock_string(f->mock, name), T0 + begin, T0 + begin + duration, kernel);
}

static Kernel compute_kernel(Fixture *f)
{
    Kernel kernel = no_kernel();

    kernel.step = 50;
    kernel.wait = 104202;
    kernel.task_id = 11052;
    kernel.stream = 2;
    kernel.block_num = 8;
    kernel.mix_block_num = 0;
    kernel.core = strobe_mock_string(f->mock, "AI_CORE");
    kernel.op_type = strobe_mock_string(f->mock, "Conv2D");
    kernel.op_state = strobe_mock_string(f->mock, "dynamic");
    kernel.hf32 = strobe_mock_string(f->mock, "YES");
    kernel.input_shapes = strobe_mock_string(f->mock, "\"64,3,11,11;;8\"");
    kernel.input_types = strobe_mock_string(f->mock, "FLOAT;FLOAT;FLOAT");
    kernel.input_formats = strobe_mock_string(f->mock, "NCHW;ND;ND");
    kernel.output_shapes = strobe_mock_string(f->mock, "\"121,4\"");
    kernel.output_types = strobe_mock_string(f->mock, "FLOAT");
    kernel.output_formats = strobe_mock_string(f->mock, "NC1HWC0:1");
    return kernel;
}

/* Adds, not in order of time, a kernel with metrics, a kernel of another core type, one without
 * metrics, and an operation. */
static void add_all(Fixture *f)
{
    Kernel conv = compute_kernel(f), vector, dsa = no_kernel(), reduce = no_kernel();

    conv.metrics = strobe_mock_string(f->mock, METRICS);
    conv.value[0] = 310734;
    conv.value[1] = 8949133;
    conv.value[2] = 0.5234;
    conv.value[3] = 7;
    conv.value[4] = 66.119;
    conv.exact_us = 6.2800004;
    vector = conv;
    vector.value[0] = vector.value[1] = vector.value[2] = vector.value[4] = 0;
    vector.wait = STROBE_ABSENT_F64;
    reduce.core = strobe_mock_string(f->mock, "HCCL");
    reduce.op_type = strobe_mock_string(f->mock, "hcom_allReduce_");
    reduce.wait = 0;
    dsa.core = strobe_mock_string(f->mock, "DSA_SQE");
    dsa.step = 51;
    add_kernel(f, "late", 9000000, 53741, &dsa);
    add_kernel(f, "hcom_allReduce__586_0_1", 2000, 56083720, &reduce);
    add_kernel(f, "Conv2D", 1000, 6280, &conv);
    add_kernel(f, "first", 0, 500, &vector);
}

#define SHAPES                                                                                     \
    "\"\"\"64,3,11,11;;8\"\"\",FLOAT;FLOAT;FLOAT,NCHW;ND;ND,\"\"\"121,4\"\"\",FLOAT,NC1HWC0:1"
#define SHAPES_TITLES                                                                              \
    "Input Shapes,Input Data Types,Input Formats,Output Shapes,Output Data Types,Output Formats"
#define SIX_NA "N/A,N/A,N/A,N/A,N/A,N/A"

static void test_first_generation(Fixture *f, gconstpointer unused)
{
    begin_case(f, 1, 1);
    add_all(f);
    g_assert_cmpint(strobe_mock_run(f->mock), ==, STROBE_OK);
    check_file(f, "kernel_details.csv",
               "Step Id,Model ID,Task ID,Stream ID,Name,Type,OP State,Accelerator Core,"
               "Start Time(us),Duration(us),Wait Time(us),Block Dim,Mix Block Dim,HF32 "
               "Eligible," SHAPES_TITLES ",Context ID,aicore_time(us),aic_total_cycles,"
               "aic_mac_ratio,cube_utilization(%)\r\n"
               "50,4294967295,11052,2,first,Conv2D,dynamic,AI_CORE,1736412474721516.710\t,6.28,0,8,"
               "0,YES," SHAPES ",N/A,0.0,0,0.0,0\r\n"
               "50,4294967295,11052,2,Conv2D,Conv2D,dynamic,AI_CORE,1736412474721517.710\t,6.28,"
               "104.202,8,0,YES," SHAPES ",N/A,310.734,8949133,0.523,66.119\r\n"
               ",4294967295,N/A,N/A,hcom_allReduce__586_0_1,hcom_allReduce_,N/A,HCCL,"
               "1736412474721518.710\t,56083.72,0.0,0,N/A,N/A," SIX_NA ",N/A,N/A,N/A,N/A,N/A\r\n"
               "51,4294967295,N/A,N/A,late,N/A,N/A,DSA_SQE,1736412474730516.710\t,53.741,0,0,N/A,"
               "N/A," SIX_NA ",N/A,N/A,N/A,N/A,N/A\r\n");
}

static void test_third_generation(Fixture *f, gconstpointer unused)
{
    begin_case(f, 3, 2);
    add_all(f);
    g_assert_cmpint(strobe_mock_run(f->mock), ==, STROBE_OK);
    check_file(
        f, "kernel_details.csv",
        "Step Id,Device_id,Model ID,Task ID,Stream ID,Name,Type,OP State,Accelerator Core,"
        "Start Time(us),Duration(us),Wait Time(us),Block Num,Mix Block Num,HF32 "
        "Eligible," SHAPES_TITLES ",Context ID,aicore_time(us),aic_total_cycles,"
        "aic_mac_ratio,cube_utilization(%)\r\n"
        "50,0,4294967295,11052,2,first,Conv2D,dynamic,AI_CORE,1736412474721516.710\t,6.280,0,8,"
        "0,YES," SHAPES ",N/A,0,0,0,0.000\r\n"
        "50,0,4294967295,11052,2,Conv2D,Conv2D,dynamic,AI_CORE,1736412474721517.710\t,6.280,"
        "104.202000,8,0,YES," SHAPES ",N/A,310.734,8949133,0.523,66.119\r\n"
        ",0,4294967295,N/A,N/A,hcom_allReduce__586_0_1,hcom_allReduce_,N/A,"
        "COMMUNICATION,1736412474721518.710\t,56083.720,0.000000,0,N/A,N/A," SIX_NA
        ",N/A,N/A,N/A,N/A,N/A\r\n"
        "51,0,4294967295,N/A,N/A,late,N/A,N/A,DSA_SQE,1736412474730516.710\t,53.741,0,0,N/A,N/A,"
        "" SIX_NA ",N/A,N/A,N/A,N/A,N/A\r\n");
}

/* Returns the line that has the titles. */
static char *header_of(Fixture *f)
{
    g_autofree char *path = g_build_filename(f->folder, "kernel_details.csv", NULL);
    char *text = NULL;

    g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
    *strchr(text, '\r') = '\0';
    return text;
}

static void check_header(Fixture *f, const char *expected)
{
    g_autofree char *header = NULL;

    g_assert_cmpint(strobe_mock_run(f->mock), ==, STROBE_OK);
    header = header_of(f);
    g_assert_cmpstr(header, ==, expected);
}

#define G2_HEAD                                                                                    \
    "Device_id,Model ID,Task ID,Stream ID,Name,Type,OP State,Accelerator Core,Start Time(us),"     \
    "Duration(us),Wait Time(us),Block Dim,"

/* Without steps there is no column for steps; without fused tasks there are no columns for fused
 * tasks. */
static void test_left_out(Fixture *f, gconstpointer unused)
{
    Kernel kernel = no_kernel();

    begin_case(f, 2, 1);
    kernel.mix_block_num = 0;
    add_kernel(f, "kernel", 0, 1, &kernel);
    check_header(f, G2_HEAD "Mix Block Dim,HF32 Eligible," SHAPES_TITLES ",Context ID");

    begin_case(f, 2, 1);
    kernel.mix_block_num = STROBE_ABSENT_U32;
    add_kernel(f, "kernel", 0, 1, &kernel);
    g_assert_cmpint(strobe_mock_run(f->mock), ==, STROBE_OK);
    check_file(f, "kernel_details.csv",
               G2_HEAD "HF32 Eligible," SHAPES_TITLES
                       "\r\n0,4294967295,N/A,N/A,kernel,N/A,N/A,N/A,1736412474721516.710\t,0.001,0,"
                       "0,N/A," SIX_NA "\r\n");
}

static void test_level_0(Fixture *f, gconstpointer unused)
{
    Kernel kernel = no_kernel();

    kernel.step = 50;
    begin_case(f, 1, 0);
    add_kernel(f, "kernel", 0, 6280, &kernel);
    g_assert_cmpint(strobe_mock_run(f->mock), ==, STROBE_OK);
    check_file(f, "kernel_details.csv",
               "Step Id,Name,Type,Accelerator Core,Start Time(us),Duration(us),Wait Time(us),Block "
               "Dim\r\n50,kernel,N/A,N/A,1736412474721516.710\t,6.28,0,0\r\n");

    begin_case(f, 3, 0);
    add_kernel(f, "kernel", 0, 6280, &kernel);
    g_assert_cmpint(strobe_mock_run(f->mock), ==, STROBE_OK);
    check_file(f, "kernel_details.csv",
               "Step Id,Device_id,Name,Type,Accelerator Core,Start Time(us),Duration(us),Wait "
               "Time(us),Block Num\r\n50,0,kernel,N/A,N/A,1736412474721516.710\t,6.280,0,0\r\n");

    /* In newer generations the shapes are also written at this level. */
    begin_case(f, 3, 0);
    kernel.input_shapes = strobe_mock_string(f->mock, "\"1,2\"");
    kernel.output_formats = strobe_mock_string(f->mock, "ND");
    add_kernel(f, "kernel", 0, 6280, &kernel);
    kernel.input_shapes = kernel.output_formats = 0;
    add_kernel(f, "other", 10, 6280, &kernel);
    g_assert_cmpint(strobe_mock_run(f->mock), ==, STROBE_OK);
    check_file(f, "kernel_details.csv",
               "Step Id,Device_id,Name,Type,Accelerator Core,Start Time(us),Duration(us),Wait "
               "Time(us),Block Num,Input Shapes,Output Formats\r\n"
               "50,0,kernel,N/A,N/A,1736412474721516.710\t,6.280,0,0,\"\"\"1,2\"\"\",ND\r\n"
               "50,0,other,N/A,N/A,1736412474721516.720\t,6.280,0,0,N/A,N/A\r\n");
}

/* Rows are sorted by the text of the device's number, then by begin. */
static void test_devices(Fixture *f, gconstpointer unused)
{
    static const gint32 devices[] = {2, 10, 0, 2};
    Kernel kernel = no_kernel();

    begin_case(f, 3, 0);
    for (gsize i = 0; i < G_N_ELEMENTS(devices); i++) {
        kernel.device = devices[i];
        add_kernel(f, "kernel", 100 - (gint64)i, 1000, &kernel);
    }
    g_assert_cmpint(strobe_mock_run(f->mock), ==, STROBE_OK);
    check_file(f, "kernel_details.csv",
               "Device_id,Name,Type,Accelerator Core,Start Time(us),Duration(us),Wait Time(us),"
               "Block Num\r\n"
               "0,kernel,N/A,N/A,1736412474721516.808\t,1.000,0,0\r\n"
               "10,kernel,N/A,N/A,1736412474721516.809\t,1.000,0,0\r\n"
               "2,kernel,N/A,N/A,1736412474721516.807\t,1.000,0,0\r\n"
               "2,kernel,N/A,N/A,1736412474721516.810\t,1.000,0,0\r\n");
}

/* Checks each set of metrics. The names are as a database may have them: in reverse order, and with
 * a metric that the unit cannot have. */
static void test_metric_sets(Fixture *f, gconstpointer unused)
{
    for (guint32 i = 0; i < n_ascend_metric_sets; i++) {
        g_auto(GStrv) names = g_strsplit(ascend_metric_sets[i].metrics, ";", -1);
        const guint n = g_strv_length(names);
        g_autoptr(GString) metrics = g_string_new("aiv_mte1_time"), titles = g_string_new(NULL);
        Kernel kernel = no_kernel();

        for (guint k = 0; k < n; k++) {
            char title[128];

            g_string_append_printf(metrics, ";%s", names[n - 1 - k]);
            ascend_metric_title(names[k], title, sizeof title);
            g_string_append_printf(titles, ",%s", title);
        }
        begin_case(f, 3, 1);
        kernel.metrics = strobe_mock_string(f->mock, metrics->str);
        add_kernel(f, "kernel", 0, 1, &kernel);
        g_assert_cmpint(strobe_mock_run(f->mock), ==, STROBE_OK);
        g_autofree char *header = header_of(f);

        g_assert_true(g_str_has_suffix(header, titles->str));
        g_assert_null(strstr(header, "aiv_mte1"));
    }
}

/* Some kernels have other metrics than the first one: the columns of these metrics are appended,
 * and the other rows get empty cells in them. */
static void test_more_metrics(Fixture *f, gconstpointer unused)
{
    Kernel kernel = no_kernel();

    begin_case(f, 2, 0);
    strobe_mock_metadata(f->mock)->level = -1;
    kernel.mix_block_num = 0;
    add_kernel(f, "none", 0, 1000, &kernel);
    kernel.metrics = strobe_mock_string(f->mock, "a_ratio");
    kernel.value[0] = 1.0006;
    add_kernel(f, "one", 1000, 1000, &kernel);
    kernel.metrics = strobe_mock_string(f->mock, "b_bw;a_ratio");
    kernel.value[1] = 0.25;
    add_kernel(f, "two", 2000, 1000, &kernel);
    g_assert_cmpint(strobe_mock_run(f->mock), ==, STROBE_OK);
#define ROW(name, start, metrics)                                                                  \
    "0,4294967295,N/A,N/A," name ",N/A,N/A,N/A," start "\t,1.000,0,0,0,N/A," SIX_NA                \
    ",N/A," metrics "\r\n"
    check_file(f, "kernel_details.csv",
               G2_HEAD
               "Mix Block Dim,HF32 Eligible," SHAPES_TITLES
               ",Context ID,a_ratio,b_bw(GB/s)\r\n" ROW("none", "1736412474721516.710", "N/A,N/A")
                   ROW("one", "1736412474721517.710", "1.001,N/A")
                       ROW("two", "1736412474721518.710", "0.25,1.001"));
}

#define MANY 300

/* The way in which the 200th of many kernels differs from the others. */
enum { STAYS_IN_ORDER, COMES_LATE, IS_OF_ANOTHER_DEVICE, HAS_MORE_METRICS, HAS_AN_OPTIONAL, CASES };

static char *table_of_many(Fixture *f, guint happens, guint64 sorter_bytes)
{
    g_autofree char *path = g_build_filename(f->folder, "kernel_details.csv", NULL);
    char *text = NULL;

    begin_case(f, 3, 1);
    strobe_mock_table(f->mock)->storage(f->mock)->sorter_bytes = sorter_bytes;
    for (gint i = 0; i < MANY; i++) {
        Kernel kernel = compute_kernel(f);
        gboolean is_it = i == 200;

        if (i > 2) /* earlier rows have no value, and get empty cells */
            kernel.metrics = strobe_mock_string(f->mock, "a_ratio");
        if (is_it && happens == HAS_MORE_METRICS)
            kernel.metrics = strobe_mock_string(f->mock, "b_bw;a_ratio");
        if (!is_it && happens == HAS_AN_OPTIONAL)
            kernel.step = STROBE_ABSENT_I64;
        kernel.device = is_it && happens == IS_OF_ANOTHER_DEVICE ? 10 : 2;
        kernel.value[0] = i;
        kernel.value[1] = 0.5;
        add_kernel(f, "kernel, with a comma", is_it && happens == COMES_LATE ? 5 : i * 1000, 500,
                   &kernel);
    }
    g_assert_cmpint(strobe_mock_run(f->mock), ==, STROBE_OK);
    g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
    return text;
}

/* Checks that the same file is written with little memory as with much memory. */
static void test_sorted(Fixture *f, gconstpointer unused)
{
    for (guint happens = 0; happens < CASES; happens++) {
        g_autofree char *expected = table_of_many(f, happens, 1 << 26);

        g_assert_cmpuint(strlen(expected), >, MANY * 60);
        for (guint64 memory = 256; memory < 1 << 20; memory *= 4) {
            g_autofree char *text = table_of_many(f, happens, memory);

            g_assert_cmpstr(text, ==, expected);
            g_assert_cmpuint(clear_folder(f), ==, 1);
        }
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(path, function)                                                                        \
    g_test_add("/csv/kernels/" path, Fixture, NULL, set_up, function, tear_down)
    ADD("first-generation", test_first_generation);
    ADD("third-generation", test_third_generation);
    ADD("left-out", test_left_out);
    ADD("level-0", test_level_0);
    ADD("devices", test_devices);
    ADD("metric-sets", test_metric_sets);
    ADD("more-metrics", test_more_metrics);
    ADD("sorted", test_sorted);
    return g_test_run();
}
