/* SPDX-License-Identifier: Apache-2.0 */
/* Checks every file except kernel_details.csv, for each generation and level. */
#include <ascend.h>
#include <string.h>

#include "test-csv-fixture.h"

extern const StrobePlugin strobe_plugin_1;

#define TIME "1736412474721516.710\t"
#define LATER "1736412474721517.710\t"

/* Adds a record that begins `at` ns after T0. */
static StrobeView *add_record(Fixture *f, const StrobeKind *kind, const char *name, gint64 at,
                              gint64 duration, const void *fields)
{
    return strobe_mock_add(f->mock, kind, f->thread, name ? strobe_mock_string(f->mock, name) : 0,
                           T0 + at, T0 + at + duration, fields);
}

static void run_mock(Fixture *f)
{
    g_assert_cmpint(strobe_mock_run(f->mock), ==, STROBE_OK);
}

/* The kinds that passes derive for the files are in `wants`. */
static void test_wants(Fixture *f, gconstpointer unused)
{
    const char *const *wants = strobe_plugin_1.components[0]->wants;

    for (guint32 i = 0; i < n_ascend_files; i++)
        if (ascend_files[i].flags & ASCEND_FILE_DERIVED &&
            strcmp(ascend_files[i].kind, "device_task") && !ascend_files[i].n_modes)
            g_assert_true(g_strv_contains(wants, ascend_files[i].kind));
}

static void test_op_statistic(Fixture *f, gconstpointer unused)
{
    struct strobe_op_statistic row = {
        .count = 3, .total = 1959000, .min = 624152, .avg = 653026, .max = 706614, .ratio = 22.07};

    for (gint generation = 1; generation <= 3; generation++) {
        begin_case(f, generation, 1);
        row.core = strobe_mock_string(f->mock, "AI_VECTOR_CORE");
        strobe_mock_derived_kind(f->mock, &strobe_kind_op_statistic);
        add_record(f, &strobe_kind_op_statistic, "ForeachAddList", 0, 0, &row);
        run_mock(f);
        check_file(f, "op_statistic.csv",
                   generation == 1
                       ? "OP Type,Core Type,Count,Total Time(us),Min Time(us),Avg Time(us),"
                         "Max Time(us),Ratio(%)\r\n"
                         "ForeachAddList,AI_VECTOR_CORE,3,1959.0,624.152,653.026,706.614,22.07\r\n"
                       : "Device_id,OP Type,Core Type,Count,Total Time(us),Min Time(us),"
                         "Avg Time(us),Max Time(us),Ratio(%)\r\n"
                         "0,ForeachAddList,AI_VECTOR_CORE,3,1959,624.152,653.026,706.614,22.07"
                         "\r\n");
    }
}

static void test_api_statistic(Fixture *f, gconstpointer unused)
{
    struct strobe_api_statistic row = {
        .count = 4, .total = 474.41, .avg = 118.603, .min = 89.18, .max = 138, .variance = 389.155};

    for (gint generation = 1; generation <= 3; generation++) {
        begin_case(f, generation, 2);
        row.level = strobe_mock_string(f->mock, "hccl");
        strobe_mock_derived_kind(f->mock, &strobe_kind_api_statistic);
        add_record(f, &strobe_kind_api_statistic, "Launch_Ffts", 0, 0, &row);
        run_mock(f);
        check_file(f, "api_statistic.csv",
                   generation == 1
                       ? "Level,API Name,Time(us),Count,Avg(us),Min(us),Max(us),Variance\r\n"
                         "hccl,Launch_Ffts,474.41,4,118.603,89.18,138.0,389.155\r\n"
                   : generation == 2
                       ? "Device_id,Level,API Name,Time(us),Count,Avg(us),Min(us),Max(us),"
                         "Variance\r\n"
                         "host,hccl,Launch_Ffts,474.41,4,118.603,89.18,138,389.155\r\n"
                       : "Device_id,Level,API Name,Time(us),Count,Avg(us),Min(us),Max(us),"
                         "Variance\r\n"
                         "host,communication,Launch_Ffts,474.41,4,118.603,89.18,138,389.155\r\n");
    }
}

/* A file that the Ascend profiler makes only at some levels is not written at other levels, under
 * no name. */
static void test_levels(Fixture *f, gconstpointer unused)
{
    static const struct strobe_op_statistic row;
    static const struct strobe_api_statistic call;

    begin_case(f, 3, 0);
    strobe_mock_derived_kind(f->mock, &strobe_kind_op_statistic);
    add_record(f, &strobe_kind_op_statistic, "MatMul", 0, 0, &row);
    /* an import may have this record */
    add_record(f, &strobe_kind_api_statistic, "launch", 0, 0, &call);
    run_mock(f);
    g_assert_cmpuint(clear_folder(f), ==, 0);
}

static void test_step_trace(Fixture *f, gconstpointer unused)
{
    struct strobe_step_trace row = {.step = 50,
                                    .computing = 8827.472999999998,
                                    .communication_not_overlapped = 81515.607,
                                    .overlapped = 4001.281999999992,
                                    .communication = 85516.889,
                                    .free = 25908.102000000003,
                                    .stage = 116251.25,
                                    .bubble = STROBE_ABSENT_F64,
                                    .communication_exclude_receive = 81515.607,
                                    .preparing = 19358};
    static const char titles[] =
        "Step,Computing,Communication(Not Overlapped),Overlapped,Communication,Free,Stage,Bubble,"
        "Communication(Not Overlapped and Exclude Receive),Preparing\r\n";
    static const char cells[] = "8827.472999999998,81515.607,4001.281999999992,85516.889,"
                                "25908.102000000003,116251.25,0,81515.607,19358.0\r\n";
    g_autofree char *first = g_strdup_printf("%s50,%s", titles, cells);
    g_autofree char *second = g_strdup_printf("Device_id,%s1,,%s", titles, cells);

    begin_case(f, 1, 0);
    add_record(f, &strobe_kind_step_trace, NULL, 0, 0, &row);
    run_mock(f);
    check_file(f, "step_trace_time.csv", first);
    begin_case(f, 2, 0);
    row.device = 1;
    row.step = STROBE_ABSENT_I64;
    add_record(f, &strobe_kind_step_trace, NULL, 0, 0, &row);
    run_mock(f);
    check_file(f, "step_trace_time.csv", second);
}

/* ---- device data ---- */

static void add_caches(Fixture *f)
{
    const StrobeTrackId stream = strobe_mock_track(f->mock, STROBE_TRACK_STREAM, 2, NULL, NULL, 1);
    struct strobe_l2_cache row = {.task = STROBE_ABSENT_U64,
                                  .hit_rate = STROBE_ABSENT_F64,
                                  .victim_rate = 0.2226400,
                                  .stream = 2,
                                  .task_id = 11052};

    add_record(f, &strobe_kind_l2_cache, NULL, 1000, 0, &row)->track = stream;
    row.hit_rate = 1;
    row.victim_rate = 1.0000004;
    add_record(f, &strobe_kind_l2_cache, "Conv2D1", 0, 0, &row)->track = stream;
}

static void test_l2_cache(Fixture *f, gconstpointer unused)
{
    begin_case(f, 1, 0);
    add_caches(f);
    run_mock(f);
    check_file(f, "l2_cache.csv",
               "Stream Id,Task Id,Hit Rate,Victim Rate,Op Name\r\n"
               "2,11052,1.0,1.0000004,Conv2D1\r\n2,11052,N/A,0.22264,N/A\r\n");
    begin_case(f, 3, 0);
    add_caches(f);
    run_mock(f);
    check_file(f, "l2_cache.csv",
               "Device_id,Stream Id,Task Id,Hit Rate,Victim Rate,Op Name\r\n"
               "1,2,11052,1,1,Conv2D1\r\n1,2,11052,N/A,0.22264,N/A\r\n");
}

static void test_soc_pmu(Fixture *f, gconstpointer unused)
{
    static const char *const titles[] = {
        "Device_id,Stream Id,Task Id,TLB Hit Rate,TLB Miss Rate\r\n",
        "Device_id,Stream Id,Task Id,TLB Hit Rate,TLB Miss Rate,Op Name\r\n"};
    const struct strobe_soc_pmu row = {
        .task = 1, .tlb_hit_rate = 0.75, .tlb_miss_rate = 0.25, .stream = 2, .task_id = 7};

    for (guint named = 0; named < 2; named++) {
        g_autofree char *expected =
            g_strdup_printf("%s-1,2,7,0.75,0.25%s\r\n-1,2,7,0.75,0.25%s\r\n", titles[named],
                            named ? ",MatMul" : "", named ? ",N/A" : "");

        begin_case(f, 3, 0);
        add_record(f, &strobe_kind_soc_pmu, named ? "MatMul" : NULL, 0, 0, &row);
        add_record(f, &strobe_kind_soc_pmu, NULL, 10, 0, &row);
        run_mock(f);
        check_file(f, "soc_pmu.csv", expected);
    }
    /* If there is no such file, the kind gets a table of all fields. */
    begin_case(f, 1, 0);
    add_record(f, &strobe_kind_soc_pmu, "MatMul", 0, 0, &row);
    run_mock(f);
    check_file(f, "soc_pmu.csv",
               "Name,Begin(us),Duration(us),Track,task,tlb_hit_rate,tlb_miss_rate,stream,task_id"
               "\r\nMatMul," TIME ",0.0,4711,1,0.75,0.25,2,7\r\n");
}

static void test_task_time(Fixture *f, gconstpointer unused)
{
    struct strobe_device_task task = {.stream = 2, .task_id = 7, .exact_us = STROBE_ABSENT_F64};

    begin_case(f, 3, 0);
    add_record(f, &strobe_kind_device_task, NULL, 1000, 2260, &task);
    task.task_type = strobe_mock_string(f->mock, "AI_CORE");
    add_record(f, &strobe_kind_device_task, "MatMul", 0, 2260, &task);
    run_mock(f);
    check_file(f, "task_time.csv",
               "Device_id,kernel_name,kernel_type,stream_id,task_id,task_time(us),task_start(us),"
               "task_stop(us)\r\n"
               "-1,MatMul,AI_CORE,2,7,2.260," TIME ",1736412474721518.970\t\r\n"
               "-1,N/A,N/A,2,7,2.260," LATER ",1736412474721519.970\t\r\n");
    g_assert_false(has_file(f, "device_task.csv"));

    begin_case(f, 2, 0);
    add_record(f, &strobe_kind_device_task, NULL, 1000, 2260, &task);
    run_mock(f);
    g_assert_true(has_file(f, "device_task.csv"));
    g_assert_false(has_file(f, "task_time.csv"));
}

static void test_data_preprocess(Fixture *f, gconstpointer unused)
{
    const struct strobe_aicpu row = {.compute = 1500,
                                     .copy = 0,
                                     .task_time = 2000,
                                     .dispatch = 20,
                                     .total = 2020,
                                     .stream = 3,
                                     .task_id = 9,
                                     .device = 0};

    begin_case(f, 3, 2);
    add_record(f, &strobe_kind_aicpu, NULL, 1000, 0, &row);
    add_record(f, &strobe_kind_aicpu, "GetNext", 0, 0, &row);
    run_mock(f);
    check_file(f, "data_preprocess.csv",
               "Device_id,Timestamp(us),Node,Compute_time(us),Memcpy_time(us),Task_time(us),"
               "Dispatch_time(us),Total_time(us),Stream ID,Task ID\r\n"
               "0," TIME ",GetNext,1.500,0.000,2.000,0.020,2.020,3,9\r\n"
               "0," LATER ",N/A,1.500,0.000,2.000,0.020,2.020,3,9\r\n");
    begin_case(f, 1, 2);
    add_record(f, &strobe_kind_aicpu, "GetNext", 0, 0, &row);
    run_mock(f);
    check_file(f, "data_preprocess.csv",
               "Timestamp(us),Node,Compute_time(us),Memcpy_time(us),Task_time(us),"
               "Dispatch_time(us),Total_time(us),Stream ID,Task ID\r\n" TIME
               ",GetNext,1.500,0.000,2.000,0.020,2.020,3,9\r\n");
}

/* ---- memory ---- */

static void test_memory_record(Fixture *f, gconstpointer unused)
{
    struct strobe_memory_total row = {.allocated = 981462016,
                                      .reserved = 1522532352,
                                      .active = 981462016,
                                      .stream = 1467268128,
                                      .device = 1};

    begin_case(f, 1, 1);
    add_record(f, &strobe_kind_memory_total, "PTA", 0, 0, &row);
    add_record(f, &strobe_kind_memory_total, "PTA+GE", 0, 0, &row);
    row.allocated = row.active = STROBE_ABSENT_I64;
    row.stream = STROBE_ABSENT_U64;
    row.device = -1;
    add_record(f, &strobe_kind_memory_total, "APP", 1000, 0, &row);
    run_mock(f);
    check_file(f, "memory_record.csv",
               "Component,Timestamp(us),Total Allocated(MB),Total Reserved(MB),Total Active(MB),"
               "Stream Ptr,Device Type\r\n"
               "APP," LATER ",,1452.0,,,CPU\r\n"
               "PTA," TIME ",935.9951171875,1452.0,935.9951171875,1467268128,NPU:1\r\n"
               "PTA+GE," TIME ",935.9951171875,1452.0,935.9951171875,1467268128,NPU:1\r\n");
}

#define BLOCK_TITLES                                                                               \
    "Name,Size(KB),Allocation Time(us),Release Time(us),Active Release Time(us),Duration(us),"     \
    "Active Duration(us),Allocation Total Allocated(MB),Allocation Total Reserved(MB),Allocation " \
    "Total Active(MB),Release Total Allocated(MB),Release Total Reserved(MB),Release Total "       \
    "Active(MB),Stream Ptr,Device Type\r\n"

/* Blocks of the framework come first, sorted by time; then those of the graph engine, sorted by
 * release. */
static void test_operator_memory(Fixture *f, gconstpointer unused)
{
    struct strobe_memory_block row = {.size = 512,
                                      .release_time = T0 + 1000,
                                      .active_release_time = STROBE_ABSENT_I64,
                                      .duration = 117220,
                                      .active_duration = STROBE_ABSENT_I64,
                                      .allocation_allocated = 1048576,
                                      .allocation_reserved = 2097152,
                                      .allocation_active = STROBE_ABSENT_I64,
                                      .release_allocated = 0,
                                      .release_reserved = 2097152,
                                      .release_active = STROBE_ABSENT_I64,
                                      .stream = STROBE_ABSENT_U64};

    begin_case(f, 1, 1);
    row.component = strobe_mock_string(f->mock, "GE");
    row.release_time = row.duration = STROBE_ABSENT_I64;
    add_record(f, &strobe_kind_memory_block, "kept", 0, 0, &row);
    row.release_time = T0 + 1000;
    row.duration = 117220;
    add_record(f, &strobe_kind_memory_block, "trans, B", 1000, 0, &row);
    add_record(f, &strobe_kind_memory_block, "trans", 0, 0, &row);
    row.component = strobe_mock_string(f->mock, "PTA");
    row.duration = 35059840;
    row.active_release_time = T0 + 1000;
    row.active_duration = 1000;
    row.allocation_active = 1048576;
    row.stream = 7;
    add_record(f, &strobe_kind_memory_block, "aten::mm", 1000, 0, &row);
    row.release_time = row.duration = row.active_duration = STROBE_ABSENT_I64;
    row.active_release_time = STROBE_ABSENT_I64;
    row.release_allocated = row.release_reserved = STROBE_ABSENT_I64;
    add_record(f, &strobe_kind_memory_block, NULL, 0, 0, &row);
    row.component = strobe_mock_string(f->mock, "WORKSPACE");
    add_record(f, &strobe_kind_memory_block, "no row", 0, 0, &row);
    run_mock(f);
    check_file(f, "operator_memory.csv",
               BLOCK_TITLES
               ",0.5," TIME ",,,,,1.0,2.0,1.0,,,,7,NPU:0\r\n"
               "aten::mm,0.5," LATER "," LATER "," LATER
               ",35059.840\t,1.000\t,1.0,2.0,1.0,0.0,2.0,,7,NPU:0\r\n"
               "\"cann::trans, B\",0.5," LATER "," LATER ",,117.22,,1.0,2.0,,0.0,2.0,,,NPU:0\r\n"
               "cann::trans,0.5," TIME "," LATER ",,117.22,,1.0,2.0,,0.0,2.0,,,NPU:0\r\n"
               "cann::kept,0.5," TIME ",,,,,1.0,2.0,,0.0,2.0,,,NPU:0\r\n");
}

/* Modules are sorted by their numbers; modules without a number have the order in which they first
 * came. */
static void test_module_memory(Fixture *f, gconstpointer unused)
{
    static const char *const names[] = {"HCCL", "SLOG"};
    static const guint32 numbers[] = {3, 0};

    for (guint known = 0; known < 2; known++) {
        begin_case(f, known ? 3 : 1, 1);
        for (guint i = 0; i < 4; i++) {
            const struct strobe_module_memory row = {.reserved = i == 3 ? -1024 : 1048576,
                                                     .module =
                                                         known ? numbers[i % 2] : STROBE_ABSENT_U32,
                                                     .device = 0};

            add_record(f, &strobe_kind_module_memory, names[i % 2], i / 2 * 1000, 0, &row);
        }
        run_mock(f);
        check_file(f, "npu_module_mem.csv",
                   known ? "Device_id,Component,Timestamp(us),Total Reserved(MB),Device\r\n"
                           "0,SLOG," TIME ",1.0,NPU:0\r\n"
                           "0,SLOG," LATER ",-0.0009765625,NPU:0\r\n"
                           "0,HCCL," TIME ",1.0,NPU:0\r\n0,HCCL," LATER ",1.0,NPU:0\r\n"
                         : "Component,Timestamp(us),Total Reserved(MB),Device\r\n"
                           "HCCL," TIME ",1.0,NPU:0\r\nHCCL," LATER ",1.0,NPU:0\r\n"
                           "SLOG," TIME ",1.0,NPU:0\r\nSLOG," LATER ",-0.0009765625,NPU:0\r\n");
    }
}

/* A module whose number is not known stays at its place. */
static void test_unknown_module(Fixture *f, gconstpointer unused)
{
    static const char *const names[] = {"SYSMONITOR", "NEW", "NEWER", "ADETECT"};
    static const guint32 numbers[] = {73, STROBE_ABSENT_U32, STROBE_ABSENT_U32, 75};

    begin_case(f, 1, 1);
    for (guint i = 0; i < 8; i++) {
        const struct strobe_module_memory row = {
            .reserved = 1048576, .module = numbers[i % 4], .device = 0};

        add_record(f, &strobe_kind_module_memory, names[i % 4], i / 4 * 1000, 0, &row);
    }
    run_mock(f);
    check_file(f, "npu_module_mem.csv",
               "Component,Timestamp(us),Total Reserved(MB),Device\r\n"
               "SYSMONITOR," TIME ",1.0,NPU:0\r\nSYSMONITOR," LATER ",1.0,NPU:0\r\n"
               "NEW," TIME ",1.0,NPU:0\r\nNEW," LATER ",1.0,NPU:0\r\n"
               "NEWER," TIME ",1.0,NPU:0\r\nNEWER," LATER ",1.0,NPU:0\r\n"
               "ADETECT," TIME ",1.0,NPU:0\r\nADETECT," LATER ",1.0,NPU:0\r\n");
}

/* ---- operators ---- */

static void add_operators(Fixture *f, gboolean device_first)
{
    struct strobe_operator_detail host = {.host_self = 500, .host_total = 1000};
    struct strobe_operator_device both = {.host_self = 7,
                                          .host_total = 1000,
                                          .device_self = STROBE_ABSENT_F64,
                                          .device_total = 2.2600625,
                                          .device_self_aicore = STROBE_ABSENT_F64,
                                          .device_total_aicore = 1};

    if (device_first)
        add_record(f, &strobe_kind_operator_device, "aten::mm", 0, 1000, &both);
    add_record(f, &strobe_kind_operator_detail, "aten::mm", 0, 1000, &host);
    if (!device_first)
        add_record(f, &strobe_kind_operator_device, "aten::mm", 0, 1000, &both);
    add_record(f, &strobe_kind_operator_device, "ProfilerStep#50", 0, 1000, &both);
}

/* If there are rows with device times, only these are used, in whatever order the kinds come. */
static void test_operator_details(Fixture *f, gconstpointer unused)
{
    for (guint first = 0; first < 2; first++) {
        begin_case(f, 3, 1);
        add_operators(f, first);
        run_mock(f);
        check_file(f, "operator_details.csv",
                   "Name,Input Shapes,Call Stack,Host Self Duration(us),Host Total Duration(us),"
                   "Device Self Duration(us),Device Total Duration(us),Device Self Duration With "
                   "AICore(us),Device Total Duration With AICore(us)\r\n"
                   "aten::mm,,,0.007,1.0,0,2.2600625,0,1.0\r\n");
        g_assert_cmpuint(clear_folder(f), ==, 1);
    }
}

/* ---- links ---- */

static void test_ports(Fixture *f, gconstpointer unused)
{
    const struct strobe_port row = {.bandwidth = 100 * 1048576.0,
                                    .rx_efficiency = 0.5,
                                    .rx_packet_rate = 12,
                                    .rx_error_rate = 0,
                                    .rx_dropped_rate = 0.0014,
                                    .tx_efficiency = 99.9996,
                                    .tx_packet_rate = 1,
                                    .tx_error_rate = STROBE_ABSENT_F64,
                                    .tx_dropped_rate = 0,
                                    .port = 1,
                                    .device = 3};
    static const char expected[] =
        "Device_id,Timestamp(us),Bandwidth(MB/s),Rx Bandwidth efficiency(%),rxPacket/s,"
        "rxError rate(%),rxDropped rate(%),Tx Bandwidth efficiency(%),txPacket/s,"
        "txError rate(%),txDropped rate(%),funcId\r\n"
        "3," TIME ",100.000,0.500,12.000,0.000,0.001,100.000,1.000,,0.000,1\r\n";

    begin_case(f, 3, 0);
    add_record(f, &strobe_kind_nic, NULL, 0, 0, &row);
    add_record(f, &strobe_kind_roce, NULL, 0, 0, &row);
    run_mock(f);
    check_file(f, "nic.csv", expected);
    check_file(f, "roce.csv", expected);
}

/* All samples of a device are summed up to two rows. */
static void test_hccs(Fixture *f, gconstpointer unused)
{
    static const gint32 devices[] = {1, 0, 1};

    begin_case(f, 3, 0);
    for (guint i = 0; i < 3; i++) {
        const struct strobe_hccs row = {
            .tx = (i + 1) * 1048576.0, .rx = i == 0 ? STROBE_ABSENT_F64 : 0, .device = devices[i]};

        add_record(f, &strobe_kind_hccs, NULL, i, 0, &row);
    }
    run_mock(f);
    check_file(f, "hccs.csv",
               "Device_id,Mode,Max,Min,Average\r\n"
               "0,Tx (MB/s),2.000,2.000,2.000\r\n0,Rx (MB/s),0.000,0.000,0.000\r\n"
               "1,Tx (MB/s),3.000,1.000,2.000\r\n1,Rx (MB/s),0.000,0.000,0.000\r\n");
}

/* Checks the means of the device's values. In a sample without traffic the minimum is larger than
 * the maximum. */
static void test_pcie(Fixture *f, gconstpointer unused)
{
    struct strobe_pcie row = {.tx_post_min = 1048576,
                              .tx_post_max = 3145728,
                              .tx_post_avg = 2097152,
                              .tx_nonpost_latency_min = 1000,
                              .tx_nonpost_latency_max = 4000,
                              .tx_nonpost_latency_avg = 2500,
                              .rx_cpl_avg = 1048576,
                              .device = 0};

    begin_case(f, 3, 0);
    add_record(f, &strobe_kind_pcie, NULL, 0, 0, &row);
    row.tx_post_max = 1048576;
    row.rx_cpl_avg = 0;
    add_record(f, &strobe_kind_pcie, NULL, 1000, 0, &row);
    row.tx_post_max = 0;
    add_record(f, &strobe_kind_pcie, NULL, 2000, 0, &row);
    run_mock(f);
    check_file(f, "pcie.csv",
               "Device_id,Mode,Min,Max,Avg\r\n"
               "0,Tx_p_avg(MB/s),1.000,2.000,2.000\r\n0,Tx_np_avg(MB/s),0.000,0.000,0.000\r\n"
               "0,Tx_cpl_avg(MB/s),0.000,0.000,0.000\r\n0,Tx_latency_avg(us),1.000,4.000,2.500\r\n"
               "0,Rx_p_avg(MB/s),0.000,0.000,0.000\r\n0,Rx_np_avg(MB/s),0.000,0.000,0.000\r\n"
               "0,Rx_cpl_avg(MB/s),0.000,0.000,0.500\r\n");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(path, function)                                                                        \
    g_test_add("/csv/tables/" path, Fixture, NULL, set_up, function, tear_down)
    ADD("wants", test_wants);
    ADD("op-statistic", test_op_statistic);
    ADD("api-statistic", test_api_statistic);
    ADD("levels", test_levels);
    ADD("step-trace", test_step_trace);
    ADD("l2-cache", test_l2_cache);
    ADD("soc-pmu", test_soc_pmu);
    ADD("task-time", test_task_time);
    ADD("data-preprocess", test_data_preprocess);
    ADD("memory-record", test_memory_record);
    ADD("operator-memory", test_operator_memory);
    ADD("module-memory", test_module_memory);
    ADD("unknown-module", test_unknown_module);
    ADD("operator-details", test_operator_details);
    ADD("ports", test_ports);
    ADD("hccs", test_hccs);
    ADD("pcie", test_pcie);
    return g_test_run();
}
