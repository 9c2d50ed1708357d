/* SPDX-License-Identifier: Apache-2.0 */
/* Imports kernel_details.csv and task_time.csv with and without a trace. */
#include "test-ascend-text-fixture.h"

#include <math.h>

static void test_kernels_of_trace(Fixture *f, gconstpointer unused)
{
    const StrobeMockImported *task, *pmu;

    fixture_write(f, "k.csv", KERNELS_L1 KERNEL("", "7", "mm", "1000.500"));
    fixture_trace(f, PYTHON, LAYER(HARDWARE, "Ascend Hardware"), LABEL(HARDWARE, "NPU"),
                  TASK("mm", "1000.500"), TASK("mm", "2000.500"), NULL);
    fixture_import(f);
    g_assert_cmpuint(fixture_count(f, "device_task"), ==, 2);
    task = fixture_record(f, "device_task", 0);
    g_assert_cmpint(INTEGER(task, "is_kernel"), ==, 1);
    g_assert_cmpstr(TEXT(task, "core"), ==, "AI_CORE");
    g_assert_cmpstr(TEXT(task, "input_shapes"), ==, "\"2,3;3\"");
    g_assert_cmpint(INTEGER(task, "context"), ==, STROBE_ABSENT_U32);
    pmu = fixture_record(f, "device_pmu", 0);
    g_assert_cmpint(INTEGER(pmu, "task"), ==, INTEGER(task, "task"));
    g_assert_cmpstr(TEXT(pmu, "metrics"), ==, "aic_total_time;aic_total_cycles");
    g_assert_cmpfloat(DOUBLE(pmu, "value_00"), ==, 2000);
    g_assert_cmpint(INTEGER(fixture_record(f, "device_task", 1), "is_kernel"), ==, 0);
    g_assert_cmpuint(fixture_count(f, "step_range"), ==, 0);
    (void)unused;
}

/* Without a trace each row becomes a record, and the steps are found by the rows' step ids. */
static void test_kernels_alone(Fixture *f, gconstpointer unused)
{
    const StrobeMockImported *record;

    fixture_write(f, "k.csv",
                  KERNELS_L1 KERNEL("5", "7", "mm", "1000.500")
                      COLLECTIVE("5", "hcom_allReduce__1", "1004.000")
                          KERNEL("6", "8", "mm", "2000.500"));
    fixture_import(f);
    g_assert_cmpuint(fixture_count(f, "device_task"), ==, 2);
    record = fixture_record(f, "device_task", 0);
    g_assert_cmpstr(NAME(record), ==, "mm");
    g_assert_cmpint(record->begin_ns, ==, 1000500);
    g_assert_cmpint(record->end_ns, ==, 1002760);
    g_assert_cmpint(INTEGER(record, "stream"), ==, 2);
    g_assert_true(isnan(DOUBLE(record, "exact_us")));
    g_assert_cmpuint(fixture_count(f, "device_pmu"), ==, 2);
    record = fixture_record(f, "comm_op", 0);
    g_assert_cmpstr(NAME(record), ==, "hcom_allReduce__1");
    g_assert_cmpint(record->end_ns, ==, 1008500);
    g_assert_cmpstr(TEXT(record, "op_type"), ==, "hcom_allReduce_");
    record = fixture_record(f, "step_range", 0);
    g_assert_cmpint(INTEGER(record, "number"), ==, 5);
    g_assert_cmpint(record->begin_ns, ==, 1000500);
    g_assert_cmpint(record->end_ns, ==, 1008501);
    g_assert_cmpint(INTEGER(record, "host_begin"), ==, STROBE_ABSENT_I64);
    g_assert_cmpint(INTEGER(fixture_record(f, "step_range", 1), "number"), ==, 6);
    /* from the folder's name */
    fixture_assert_line(strobe_mock_importer_metadata(f->mock), "pid=77\n");
    (void)unused;
}

/* At level 0 rows have no stream and no task id: two kernels with the same begin are distinguished
 * by their names. */
static void test_level0(Fixture *f, gconstpointer unused)
{
    fixture_write(f, "k.csv",
                  KERNELS_L0 "other,N/A,N/A,1000.500\t,2.26,0,0\r\n"
                             "mm,N/A,N/A,1000.500\t,2.26,0.0,0\r\n");
    fixture_trace(f, PYTHON, LAYER(HARDWARE, "Ascend Hardware"), LABEL(HARDWARE, "NPU"),
                  TASK("mm", "1000.500"), NULL);
    fixture_import(f);
    g_assert_cmpuint(fixture_count(f, "device_task"), ==, 2);
    g_assert_cmpint(INTEGER(fixture_record(f, "device_task", 0), "is_kernel"), ==, 1);
    g_assert_cmpint(INTEGER(fixture_record(f, "device_task", 0), "block_num"), ==,
                    STROBE_ABSENT_U32);
    g_assert_cmpstr(NAME(fixture_record(f, "device_task", 1)), ==, "other");
    fixture_assert_line(strobe_mock_importer_metadata(f->mock), "level=0\n");
    (void)unused;
}

static void test_generations(Fixture *f, gconstpointer unused)
{
    fixture_write(f, "k.csv",
                  "Device_id,Name,Type,Accelerator Core,Start Time(us),Duration(us),Wait Time(us),"
                  "Block Num\r\n4,mm,N/A,N/A,1000.500\t,2.260,0,3\r\n");
    fixture_import(f);
    fixture_assert_line(strobe_mock_importer_metadata(f->mock), "generation=3\n");
    g_assert_cmpint(INTEGER(fixture_record(f, "device_task", 0), "block_num"), ==, 3);
    fixture_write(f, "k.csv",
                  "Device_id,Name,Type,Accelerator Core,Start Time(us),Duration(us),Wait Time(us),"
                  "Block Dim\r\n4,mm,N/A,N/A,1000.500\t,2.260,0,3\r\n");
    fixture_again(f);
    fixture_import(f);
    fixture_assert_line(strobe_mock_importer_metadata(f->mock), "generation=2\n");
    (void)unused;
}

#define TASK_TIME                                                                                  \
    "Device_id,kernel_name,kernel_type,stream_id,task_id,task_time(us),task_start(us),"            \
    "task_stop(us)\r\n"

/* The newest form also has a table of tasks: a kernel that is in the two tables becomes one
 * record. */
static void test_task_time(Fixture *f, gconstpointer unused)
{
    fixture_write(f, "k.csv", KERNELS_L1 KERNEL("", "7", "mm", "1000.500"));
    fixture_write(f, "t.csv",
                  TASK_TIME "4,mm,AI_CORE,2,7,2.260,1000.500\t,1002.760\t\r\n"
                            "4,N/A,EVENT_RECORD,2,8,1.000,1003.000\t,1004.000\t\r\n"
                            "4,N/A,EVENT_WAIT,2,9,-1.000,1006.000\t,1005.000\t\r\n");
    fixture_import(f);
    g_assert_cmpuint(fixture_count(f, "device_task"), ==, 3);
    g_assert_cmpint(fixture_record(f, "device_task", 2)->end_ns, ==, 1006000);
    fixture_assert_line(strobe_mock_importer_damage(f->mock),
                        "t.csv, row 4: ends before it begins");
    g_assert_cmpint(INTEGER(fixture_record(f, "device_task", 0), "is_kernel"), ==, 1);
    g_assert_cmpstr(TEXT(fixture_record(f, "device_task", 1), "task_type"), ==, "EVENT_RECORD");
    g_assert_cmpint(fixture_record(f, "device_task", 1)->end_ns, ==, 1004000);
    (void)unused;
}

#define ADD(path_, test_)                                                                          \
    g_test_add("/ascend-text/" path_, Fixture, NULL, fixture_set_up, test_, fixture_tear_down)

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    ADD("kernels/of-trace", test_kernels_of_trace);
    ADD("kernels/alone", test_kernels_alone);
    ADD("kernels/level-0", test_level0);
    ADD("kernels/generations", test_generations);
    ADD("kernels/task-time", test_task_time);
    return g_test_run();
}
