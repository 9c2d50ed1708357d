/* SPDX-License-Identifier: Apache-2.0 */
/* Imports tables and other files: memory, measurements, derived tables, metadata. */
#include "test-ascend-text-fixture.h"

#include <math.h>

/* ---- measurements ---- */

static void test_cache(Fixture *f, gconstpointer unused)
{
    const StrobeMockImported *row;

    fixture_write(f, "k.csv",
                  KERNELS_L1 KERNEL("", "7", "mm", "1000.500") KERNEL("", "7", "mm", "2000.500"));
    fixture_write(f, "l2.csv",
                  "Stream Id,Task Id,Hit Rate,Victim Rate,Op Name,New One\r\n2,7,N/A,0.25,mm,x\r\n"
                  "2,7,0.5,0.125,N/A,y\r\n9,9,N/A,1,lost,z\r\n");
    fixture_import(f);
    g_assert_cmpuint(fixture_count(f, "l2_cache"), ==, 3);
    row = fixture_record(f, "l2_cache", 0);
    g_assert_cmpint(row->begin_ns, ==, 1000500);
    g_assert_true(isnan(DOUBLE(row, "hit_rate")));
    g_assert_cmpfloat(DOUBLE(row, "victim_rate"), ==, 0.25);
    g_assert_cmpstr(TEXT(row, "ascend_text.new_one"), ==, "x");
    /* the task id is used again, so this row belongs to the next kernel */
    row = fixture_record(f, "l2_cache", 1);
    g_assert_cmpint(row->begin_ns, ==, 2000500);
    g_assert_cmpuint(row->name, ==, 0);
    fixture_assert_line(strobe_mock_importer_unknown(f->mock), "l2.csv: New One: 0\n");
    /* no kernel has the task id, so the row's time is the session's begin */
    row = fixture_record(f, "l2_cache", 2);
    g_assert_cmpstr(NAME(row), ==, "lost");
    g_assert_cmpint(row->begin_ns, ==, 1000500);
    g_assert_cmpstr(strobe_mock_importer_damage(f->mock), ==, "");
    (void)unused;
}

/* Kernels of level 0 have no task ids, so rows cannot be matched with kernels. */
static void test_cache_of_level_0(Fixture *f, gconstpointer unused)
{
    fixture_write(f, "k.csv", KERNELS_L0 "mm,MatMul,AI_CORE,1000.500\t,2.260,0,8\r\n");
    fixture_write(f, "l2.csv",
                  "Stream Id,Task Id,Hit Rate,Victim Rate,Op Name\r\n2,7,N/A,0.25,mm\r\n"
                  "2,8,N/A,0.5,add\r\n");
    fixture_import(f);
    g_assert_cmpuint(fixture_count(f, "l2_cache"), ==, 2);
    g_assert_cmpstr(NAME(fixture_record(f, "l2_cache", 0)), ==, "mm");
    g_assert_cmpint(fixture_record(f, "l2_cache", 0)->begin_ns, ==, 1000500);
    g_assert_cmpfloat(DOUBLE(fixture_record(f, "l2_cache", 1), "victim_rate"), ==, 0.5);
    g_assert_cmpstr(strobe_mock_importer_damage(f->mock), ==, "");
    (void)unused;
}

static void test_modules(Fixture *f, gconstpointer unused)
{
    fixture_write(f, "m.csv",
                  "Component,Timestamp(us),Total Reserved(MB),Device\r\n"
                  "IDEDD,1000.000\t,1.5,NPU:4\r\nNOVEL,1001.000\t,-0.0009765625,NPU:4");
    fixture_import(f);
    g_assert_cmpint(INTEGER(fixture_record(f, "module_memory", 0), "reserved"), ==, 1572864);
    g_assert_cmpint(INTEGER(fixture_record(f, "module_memory", 0), "module"), ==, 1);
    g_assert_cmpint(INTEGER(fixture_record(f, "module_memory", 0), "device"), ==, 4);
    g_assert_cmpint(INTEGER(fixture_record(f, "module_memory", 1), "reserved"), ==, -1024);
    g_assert_cmpint(INTEGER(fixture_record(f, "module_memory", 1), "module"), ==,
                    STROBE_ABSENT_U32);
    fixture_assert_line(strobe_mock_importer_metadata(f->mock), "device=4\n");
    fixture_assert_line(strobe_mock_importer_damage(f->mock), "m.csv, offset 113: the last row");
    (void)unused;
}

#define PCIE                                                                                       \
    "Device_id,Mode,Min,Max,Avg\r\n4,Tx_p_avg(MB/s),1.000,3.000,2.000\r\n"                         \
    "4,Tx_latency_avg(us),4.000,6.000,5.000\r\n4,Novel,1,2,3\r\n"

/* A table of sums is imported only if the trace has no samples. */
static void test_sums(Fixture *f, gconstpointer unused)
{
    const StrobeMockImported *sum;

    fixture_write(f, "pcie.csv", PCIE);
    fixture_import(f);
    g_assert_cmpuint(fixture_count(f, "pcie"), ==, 1);
    sum = fixture_record(f, "pcie", 0);
    g_assert_cmpfloat(DOUBLE(sum, "tx_post_min"), ==, 1048576);
    g_assert_cmpfloat(DOUBLE(sum, "tx_post_max"), ==, 3 * 1048576);
    g_assert_cmpfloat(DOUBLE(sum, "tx_nonpost_latency_avg"), ==, 5000);
    g_assert_true(isnan(DOUBLE(sum, "rx_post_avg")));
    g_assert_cmpint(INTEGER(sum, "device"), ==, 4);
    fixture_assert_line(strobe_mock_importer_damage(f->mock), "pcie.csv, row 4: expected a Mode");
    fixture_trace(f, PYTHON, LAYER(COUNTERS, "PCIe"), LABEL(COUNTERS, "NPU 3"),
                  "{'name':'PCIe_post','ts':'1.000','pid':" COUNTERS
                  ",'tid':0,'args':{'Tx':1.5,'Rx':2.5},'ph':'C'}",
                  NULL);
    fixture_again(f);
    fixture_import(f);
    g_assert_cmpuint(fixture_count(f, "pcie"), ==, 1);
    g_assert_cmpint(fixture_record(f, "pcie", 0)->begin_ns, ==, 1000);
    (void)unused;
}

static void test_unknown_table(Fixture *f, gconstpointer unused)
{
    const StrobeMockImported *row;

    fixture_write(f, "hccs.csv",
                  "Device_id,Mode,Max,Min,Average\r\n0,Tx (MB/s),3.000,1.000,2.000\r\n");
    fixture_write(f, "new.csv", "A b,A-b,Timestamp(us)\r\n1,'x\ny',2.000\t\r\n5\r\n");
    fixture_write(f, "own.csv", "Name,Begin(us),Track\r\nx,1,2\r\n");
    fixture_write(f, "notes.txt", "one,two\r\n");
    fixture_import(f);
    row = fixture_record(f, "ascend_text.hccs", 0);
    g_assert_cmpstr(TEXT(row, "mode"), ==, "Tx (MB/s)");
    g_assert_cmpstr(TEXT(row, "average"), ==, "2.000");
    row = fixture_record(f, "ascend_text.new", 0);
    g_assert_cmpstr(TEXT(row, "a_b"), ==, "1");
    g_assert_cmpstr(TEXT(row, "a_b.1"), ==, "x\ny");
    g_assert_cmpint(row->begin_ns, ==, 2000);
    g_assert_cmpuint(fixture_count(f, "ascend_text.new"), ==, 2);
    g_assert_cmpuint(fixture_count(f, "ascend_text.own"), ==, 0);
    fixture_assert_line(strobe_mock_importer_unknown(f->mock), "files: new.csv: 2\n");
    fixture_assert_line(strobe_mock_importer_unknown(f->mock), "files: own.csv: 1\n");
    fixture_assert_line(strobe_mock_importer_unknown(f->mock), "files: notes.txt: 1\n");
    fixture_assert_line(strobe_mock_importer_damage(f->mock), "new.csv, row 3: fewer cells");
    (void)unused;
}

/* ---- memory ---- */

#define RECORDS                                                                                    \
    "Component,Timestamp(us),Total Allocated(MB),Total Reserved(MB),Total Active(MB),Stream Ptr,"  \
    "Device Type\r\n"
#define BLOCKS                                                                                     \
    "Name,Size(KB),Allocation Time(us),Release Time(us),Active Release Time(us),Duration(us),"     \
    "Active Duration(us),Allocation Total Allocated(MB),Allocation Total Reserved(MB),"            \
    "Allocation Total Active(MB),Release Total Allocated(MB),Release Total Reserved(MB),"          \
    "Release Total Active(MB),Stream Ptr,Device Type\r\n"
#define BLOCK                                                                                      \
    "aten::mm,1.0,1000.000\t,1003.000\t,1002.500\t,3.000\t,2.500\t,2.0,4.0,2.0,1.0,4.0,1.5,99,"    \
    "NPU:4\r\n"
#define GE_BLOCK "cann::x,2.0,1001.000\t,1005.000\t,,4.0,,0.5,0.75,,0.25,0.75,,,NPU:4\r\n"

static void test_memory(Fixture *f, gconstpointer unused)
{
    const StrobeMockImported *event;

    fixture_write(f, "r.csv",
                  RECORDS
                  "APP,900.000\t,,8.0,,,NPU:4\r\nPTA,999.000\t,1.0,4.0,1.0,99,NPU:4\r\n"
                  "PTA+GE,999.000\t,1.0,4.0,1.0,99,NPU:4\r\n"
                  "PTA,1000.000\t,2.0,4.0,2.0,99,NPU:4\r\n"
                  "GE,1001.000\t,0.5,0.75,,,NPU:4\r\nPTA,1002.500\t,2.0,4.0,1.5,99,NPU:4\r\n"
                  "PTA,1003.000\t,1.0,4.0,1.5,99,NPU:4\r\n"
                  "WORKSPACE,1004.000\t,1.0,1.0,1.0,7,NPU:4\r\n");
    fixture_write(f, "o.csv", BLOCKS BLOCK GE_BLOCK);
    /* the importer uses only the first of two such tables */
    fixture_write(f, "z.csv", BLOCKS BLOCK);
    fixture_import(f);
    fixture_assert_line(strobe_mock_importer_unknown(f->mock), "files: z.csv: 1\n");
    g_assert_cmpint(INTEGER(fixture_record(f, "memory_usage", 0), "hbm"), ==, 8388608);
    g_assert_cmpuint(fixture_count(f, "memory_event"), ==, 7);
    /* the table does not say whether the event is an allocation */
    event = fixture_record(f, "memory_event", 0);
    g_assert_cmpint(INTEGER(event, "action"), ==, 3);
    g_assert_cmpint(INTEGER(event, "block"), ==, -1); /* absent */
    g_assert_cmpint(INTEGER(event, "size"), ==, STROBE_ABSENT_I64);
    event = fixture_record(f, "memory_event", 1);
    g_assert_cmpstr(NAME(event), ==, "aten::mm");
    g_assert_cmpint(INTEGER(event, "action"), ==, 0);
    g_assert_cmpint(INTEGER(event, "size"), ==, 1024);
    g_assert_cmpint(INTEGER(event, "block"), ==, 1);
    g_assert_cmpint(INTEGER(event, "total_allocated"), ==, 2097152);
    g_assert_cmpint(INTEGER(event, "stream"), ==, 99);
    event = fixture_record(f, "memory_event", 2);
    g_assert_cmpstr(NAME(event), ==, "x");
    g_assert_cmpstr(TEXT(event, "component"), ==, "GE");
    g_assert_cmpint(INTEGER(event, "total_active"), ==, STROBE_ABSENT_I64);
    event = fixture_record(f, "memory_event", 3);
    g_assert_cmpint(INTEGER(event, "action"), ==, 2);
    g_assert_cmpint(INTEGER(event, "block"), ==, 1);
    event = fixture_record(f, "memory_event", 4);
    g_assert_cmpint(INTEGER(event, "action"), ==, 1);
    g_assert_cmpint(INTEGER(event, "size"), ==, -1024);
    g_assert_cmpstr(TEXT(fixture_record(f, "memory_event", 5), "component"), ==, "WORKSPACE");
    event = fixture_record(f, "memory_event", 6); /* the event is in only one of the two tables */
    g_assert_cmpint(event->begin_ns, ==, 1005000);
    g_assert_cmpint(INTEGER(event, "total_allocated"), ==, 262144);
    (void)unused;
}

/* An event of a block that has only its time of release gets the totals at the release. */
static void test_blocks_alone(Fixture *f, gconstpointer unused)
{
    fixture_write(f, "o.csv",
                  BLOCKS
                  "aten::mm,1.0,1000.000\t,,1002.500\t,,2.500\t,2.0,4.0,2.0,1.0,4.0,1.5,,CPU\r\n"
                  "aten::mm,x,,,,,,,,,,,,,CPU\r\n");
    fixture_import(f);
    g_assert_cmpuint(fixture_count(f, "memory_event"), ==, 2);
    g_assert_cmpint(INTEGER(fixture_record(f, "memory_event", 0), "device"), ==, -1);
    g_assert_cmpint(INTEGER(fixture_record(f, "memory_event", 1), "action"), ==, 2);
    g_assert_cmpint(INTEGER(fixture_record(f, "memory_event", 1), "total_active"), ==, 1572864);
    fixture_assert_line(strobe_mock_importer_damage(f->mock), "o.csv, row 3: Allocation Time(us)");
    (void)unused;
}

/* ---- tables that Ascend's tool has derived ---- */

static void write_derived(Fixture *f)
{
    fixture_write(f, "k.csv", KERNELS_L1 KERNEL("5", "7", "mm", "1000.500"));
    fixture_write(f, "op.csv",
                  "OP Type,Core Type,Count,Total Time(us),Min Time(us),Avg Time(us),"
                  "Max Time(us),Ratio(%)\r\nMatMul,AI_CORE,3,1959.079,1.5,2.0,3.0,22.077\r\n");
    fixture_write(f, "api.csv",
                  "Level,API Name,Time(us),Count,Avg(us),Min(us),Max(us),Variance\r\n"
                  "hccl,Launch_Ffts,474.41,4,118.603,89.18,138.75,389.155\r\n");
    fixture_write(
        f, "step.csv",
        "Step,Computing,Communication(Not Overlapped),Overlapped,Communication,Free,Stage,"
        "Bubble,Communication(Not Overlapped and Exclude Receive),Preparing\r\n"
        "50,8827.472999999998,1.5,2.5,3.5,4.5,5.5,0,1.5,6.5\r\n");
    fixture_write(f, "d.csv",
                  "Name,Input Shapes,Call Stack,Host Self Duration(us),Host Total Duration(us),"
                  "Device Self Duration(us),Device Total Duration(us),"
                  "Device Self Duration With AICore(us),Device Total Duration With AICore(us)\r\n"
                  "mm,'2,3;\r\n3','a;\r\nb',1.5,2.5,0,3.25,0,3.25\r\n");
    fixture_write(f, "o.csv", BLOCKS BLOCK GE_BLOCK);
    fixture_write(f, "r.csv", RECORDS "PTA+GE,999.000\t,1.0,4.0,1.0,99,NPU:4\r\n");
}

static void test_derived(Fixture *f, gconstpointer unused)
{
    static const char *const kinds[] = {"kernel_detail", "op_statistic",    "api_statistic",
                                        "step_trace",    "operator_device", "memory_block",
                                        "memory_total"};
    const StrobeMockImported *row;

    write_derived(f);
    fixture_import(f);
    for (guint i = 0; i < G_N_ELEMENTS(kinds); i++)
        g_assert_cmpuint(fixture_count(f, kinds[i]), ==, 0);
    fixture_again(f);
    fixture_import_derived(f);
    row = fixture_record(f, "kernel_detail", 0);
    g_assert_cmpint(INTEGER(row, "step"), ==, 5);
    g_assert_cmpstr(TEXT(row, "metrics"), ==, "aic_total_time;aic_total_cycles");
    g_assert_cmpfloat(DOUBLE(row, "value_01"), ==, 3600);
    row = fixture_record(f, "op_statistic", 0);
    g_assert_cmpstr(NAME(row), ==, "MatMul");
    g_assert_cmpfloat(DOUBLE(row, "total"), ==, 1959079);
    g_assert_cmpint(INTEGER(row, "device"), ==, 4);
    g_assert_cmpfloat(DOUBLE(fixture_record(f, "api_statistic", 0), "variance"), ==, 389.155);
    row = fixture_record(f, "step_trace", 0);
    g_assert_cmpint(INTEGER(row, "step"), ==, 50);
    g_assert_cmpfloat(DOUBLE(row, "computing"), ==, 8827.472999999998);
    row = fixture_record(f, "operator_device", 0);
    g_assert_cmpstr(TEXT(row, "shapes"), ==, "2,3;3");
    g_assert_cmpint(INTEGER(row, "stack"), !=, 0);
    g_assert_cmpint(INTEGER(row, "host_self"), ==, 1500);
    g_assert_true(isnan(DOUBLE(row, "device_self")));
    g_assert_cmpuint(fixture_count(f, "memory_block"), ==, 2);
    row = fixture_record(f, "memory_block", 1);
    g_assert_cmpstr(NAME(row), ==, "x");
    g_assert_cmpstr(TEXT(row, "component"), ==, "GE");
    g_assert_cmpint(INTEGER(row, "duration"), ==, 4000);
    g_assert_cmpstr(NAME(fixture_record(f, "memory_total", 0)), ==, "PTA+GE");
    (void)unused;
}

#define TIME_INFO                                                                                  \
    "'Communication Time Info':{'Start Timestamp(us)':5.5,'Elapse Time(ms)':6.5,"                  \
    "'Transit Time(ms)':1.5,'Wait Time(ms)':2.5,'Synchronization Time(ms)':0,'Idle Time(ms)':0.5}"
#define NOTHING                                                                                    \
    "{'Transit Size(MB)':0,'Transit Time(ms)':0,'Bandwidth(GB/s)':0,'Large Packet Ratio':0,"       \
    "'Size Distribution':{}}"

static void test_communication(Fixture *f, gconstpointer unused)
{
    const StrobeMockImported *row;

    fixture_write(f, "c.json",
                  "{'step50':{'p2p':{},'collective':{'all@17':{" TIME_INFO
                  ",'Communication Bandwidth Info':{'RDMA':" NOTHING
                  ",'HCCS':{'Transit Size(MB)':28.5,'Transit Time(ms)':0.25,'Bandwidth(GB/s)':1.25,"
                  "'Large Packet Ratio':0.5,'Size Distribution':{'1.5':[3,0.125],'2.5':[1,0.5]}}}},"
                  "'Total Op Info':{" TIME_INFO "}}}}");
    fixture_write(f, "m.json",
                  "{'step':{'p2p':{},'collective':{'allreduce-top1@17':{'1-0':{'Transport Type':"
                  "'HCCS','Transit Size(MB)':2.5,'Transit Time(ms)':0.5,'Bandwidth(GB/s)':5.0,"
                  "'Op Name':'all'}}}}}");
    fixture_write(f, "k.csv", KERNELS_L0);
    fixture_import_derived(f);
    g_assert_cmpuint(fixture_count(f, "communication_time"), ==, 2);
    row = fixture_record(f, "communication_time", 0);
    g_assert_cmpstr(NAME(row), ==, "all@17");
    g_assert_cmpint(INTEGER(row, "step"), ==, 50);
    g_assert_cmpstr(TEXT(row, "group"), ==, "17");
    g_assert_cmpfloat(DOUBLE(row, "elapse"), ==, 6.5);
    g_assert_cmpint(INTEGER(row, "is_total"), ==, 0);
    g_assert_cmpint(INTEGER(fixture_record(f, "communication_time", 1), "is_total"), ==, 1);
    g_assert_cmpuint(fixture_count(f, "communication_bandwidth"), ==, 2);
    row = fixture_record(f, "communication_bandwidth", 1);
    g_assert_cmpstr(TEXT(row, "transport"), ==, "HCCS");
    g_assert_cmpfloat(DOUBLE(row, "package_size"), ==, 2.5);
    g_assert_cmpint(INTEGER(row, "package_count"), ==, 1);
    g_assert_cmpfloat(DOUBLE(row, "transit_size"), ==, 28.5);
    row = fixture_record(f, "communication_matrix", 0);
    g_assert_cmpint(INTEGER(row, "step"), ==, STROBE_ABSENT_I64);
    g_assert_cmpstr(TEXT(row, "source"), ==, "1");
    g_assert_cmpstr(TEXT(row, "target"), ==, "0");
    g_assert_cmpstr(TEXT(row, "op_name"), ==, "all");
    (void)unused;
}

/* ---- metadata ---- */

static void test_metadata(Fixture *f, gconstpointer unused)
{
    const StrobeMockImported *row;
    const char *metadata;

    fixture_write(f, "profiler_info_3.json",
                  "{'config':{'common_config':{'activities':['a']},'experimental_config':"
                  "{'_profiler_level':'Level2','_mstx':false}},'start_info':{'freq':100,"
                  "'start_monotonic':1000},'end_info':{'collectionTimeEnd':50000,"
                  "'MonotonicTimeEnd':3000},'torch_npu_version':'2.7.1','rank_id':'3'}");
    fixture_write(f, "profiler_metadata.json",
                  "{'parallel_group_info':{'g':{'ranks':[0, 1]}},'ENV_VARIABLES':{}}");
    fixture_write(
        f, "m.csv",
        "Component,Timestamp(us),Total Reserved(MB),Device\r\nSLOG,60.000\t,1.5,NPU:4\r\n");
    fixture_import(f);
    metadata = strobe_mock_importer_metadata(f->mock);
    fixture_assert_line(metadata, "rank=3\n");
    fixture_assert_line(metadata, "level=2\n");
    fixture_assert_line(metadata, "source_version=2.7.1\n");
    fixture_assert_line(metadata, "session_begin_ns=48000\n");
    fixture_assert_line(metadata, "session_end_ns=50000\n");
    fixture_assert_line(strobe_mock_importer_files(f->mock), "profiler_info_3.json=");
    row = fixture_record(f, "metadata", 0);
    g_assert_cmpstr(NAME(row), ==, "parallel_group_info");
    g_assert_cmpstr(TEXT(row, "value"), ==, "{\"g\": {\"ranks\": [0, 1]}}");
    g_assert_cmpint(row->begin_ns, ==, 48000);
    row = fixture_record(f, "device_info", 0);
    g_assert_cmpint(INTEGER(row, "device"), ==, 4);
    g_assert_cmpint(INTEGER(row, "rank"), ==, 3);
    (void)unused;
}

/* If a clock went backwards, so that the session would begin before the epoch, the session's begin
 * is unknown. */
static void test_session_before_the_epoch(Fixture *f, gconstpointer unused)
{
    fixture_write(f, "profiler_info_3.json",
                  "{'start_info':{'start_monotonic':1000},'end_info':{'collectionTimeEnd':500,"
                  "'MonotonicTimeEnd':3000},'rank_id':3}");
    fixture_write(f, "m.csv", RECORDS "PTA,999.000\t,1.0,4.0,1.0,99,NPU:4\r\n");
    fixture_import(f);
    g_assert_null(strstr(strobe_mock_importer_metadata(f->mock), "session_begin_ns"));
    g_assert_cmpint(fixture_record(f, "device_info", 0)->begin_ns, >=, 0);
    g_assert_cmpstr(strobe_mock_importer_complaints(f->mock), ==, "");
    (void)unused;
}

/* Cuts the file off at each byte: the cut is reported, and an incomplete value is not recorded. */
static void test_cut_metadata(Fixture *f, gconstpointer unused)
{
    const char *whole = "{'start_info':{'start_monotonic':1000},'rank_id':3}";

    fixture_write(f, "m.csv", RECORDS "PTA,999.000\t,1.0,4.0,1.0,99,NPU:4\r\n");
    for (gsize n = strlen("{'start_info'"); n < strlen(whole); n++) {
        g_autofree char *part = g_strndup(whole, n);

        fixture_again(f);
        fixture_write(f, "info.json", part);
        fixture_import(f);
        fixture_assert_line(strobe_mock_importer_damage(f->mock), "info.json, offset ");
        if (n < strlen(whole) - 1)
            g_assert_null(strstr(strobe_mock_importer_metadata(f->mock), "rank="));
    }
    (void)unused;
}

/* Cuts the table off at each byte: each row before the cut is imported. */
static void test_cut_tables(Fixture *f, gconstpointer unused)
{
    const char *whole =
        KERNELS_L1 KERNEL("5", "7", "mm", "1000.500") KERNEL("5", "8", "mm", "2000.500");
    gsize first = strlen(KERNELS_L1 KERNEL("5", "7", "mm", "1000.500"));

    for (gsize n = strlen(KERNELS_L1); n < strlen(whole); n++) {
        g_autofree char *part = g_strndup(whole, n);
        guint tasks;

        fixture_again(f);
        fixture_write(f, "k.csv", part);
        g_assert_cmpint(strobe_mock_importer_run(f->mock, f->folder), ==, STROBE_OK);
        tasks = fixture_count(f, "device_task");
        g_assert_cmpuint(tasks, >=, n >= first ? 1 : 0);
        g_assert_cmpuint(tasks, <=, n > first ? 2 : 1);
        if (n > first && n < strlen(whole) - 40) /* in the middle of a row */
            fixture_assert_line(strobe_mock_importer_damage(f->mock),
                                "kernel_details.csv, row 3: ");
    }
    fixture_again(f);
    fixture_write(f, "k.csv",
                  "Name,Type,Accelerator Core,Start Time(us),Block Dim\r\nmm,a,b,1.0,2\r\n");
    g_assert_cmpint(strobe_mock_importer_run(f->mock, f->folder), ==, STROBE_OK);
    fixture_assert_line(strobe_mock_importer_damage(f->mock), "expected columns Name, Start");
    (void)unused;
}

#define ADD(path_, test_)                                                                          \
    g_test_add("/ascend-text/" path_, Fixture, NULL, fixture_set_up, test_, fixture_tear_down)

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    ADD("tables/cache", test_cache);
    ADD("tables/cache-of-level-0", test_cache_of_level_0);
    ADD("tables/modules", test_modules);
    ADD("tables/sums", test_sums);
    ADD("tables/unknown", test_unknown_table);
    ADD("memory/both", test_memory);
    ADD("memory/blocks-alone", test_blocks_alone);
    ADD("derived/tables", test_derived);
    ADD("derived/communication", test_communication);
    ADD("facts/files", test_metadata);
    ADD("facts/session-before-the-epoch", test_session_before_the_epoch);
    ADD("cut/facts", test_cut_metadata);
    ADD("cut/tables", test_cut_tables);
    return g_test_run();
}
