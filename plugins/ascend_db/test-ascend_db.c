/* SPDX-License-Identifier: Apache-2.0 */
#include "test-ascend-db-fixture.h"

#include <glib/gstdio.h>
#include <math.h>

#include "ascend-db-emit.h"

/* ---- the sources that the importer accepts ---- */

static void test_probe(Fixture *f, gconstpointer unused)
{
    g_autofree char *other = g_build_filename(f->folder, "other.db", NULL);
    g_autofree char *text = g_build_filename(f->folder, "text.db", NULL);

    fixture_make(f->path, test_strings, test_tasks_g1, NULL);
    fixture_make(other, "CREATE TABLE StepTraceTime(step TEXT)", NULL);
    g_assert_true(g_file_set_contents(text, "SQLite format 4 and more text", -1, NULL));
    g_assert_cmpint(strobe_mock_importer_probe(f->mock, f->path).score, ==, 100);
    g_assert_cmpint(strobe_mock_importer_probe(f->mock, f->folder).score, ==, 95);
    g_assert_cmpint(strobe_mock_importer_probe(f->mock, text).score, ==, 0);
    StrobeSourceProbe answer = strobe_mock_importer_probe(f->mock, other);
    g_assert_cmpint(answer.score, ==, 0);
    g_assert_cmpstr(answer.reason, ==, "only derived data, no database of the profiler");
    g_unlink(f->path);
    g_assert_cmpint(strobe_mock_importer_probe(f->mock, f->folder).score, ==, 0);
    g_assert_cmpint(strobe_mock_importer_run(f->mock, f->folder), ==, STROBE_ERROR_INPUT);
    fixture_assert_line(strobe_mock_importer_errors(f->mock), "no database of a profiler");
}

/* ---- tasks ---- */

static void test_tasks(Fixture *f, gconstpointer unused)
{
    const StrobeMockImported *task;

    fixture_make(f->path, test_strings, test_tasks_g1, NULL);
    fixture_import(f);
    g_assert_cmpuint(fixture_count(f, "device_task"), ==, 3);
    task = fixture_record(f, "device_task", 0);
    g_assert_cmpstr(NAME(task), ==, "mm");
    g_assert_cmpint(task->begin_ns, ==, 1000);
    g_assert_cmpint(task->end_ns, ==, 1010);
    fixture_assert_track(f, task, STROBE_TRACK_STREAM, 3, 2, "Stream 2", "Ascend Hardware");
    g_assert_cmpint(INTEGER(task, "task"), ==, 0);
    g_assert_cmpint(INTEGER(task, "connection"), ==, 40);
    g_assert_cmpint(INTEGER(task, "is_kernel"), ==, 1);
    g_assert_cmpint(INTEGER(task, "block_num"), ==, 20);
    g_assert_cmpint(INTEGER(task, "model"), ==, STROBE_ABSENT_U32);
    g_assert_cmpstr(TEXT(task, "host_type"), ==, "KERNEL_AICORE");
    g_assert_cmpstr(TEXT(task, "core"), ==, "AI_CORE");
    g_assert_cmpstr(TEXT(task, "input_shapes"), ==, "\"2,3;3\"");
    g_assert_cmpint(INTEGER(task, "input_types"), ==, 0);   /* N/A */
    g_assert_cmpint(INTEGER(task, "output_shapes"), !=, 0); /* an empty text, which is not N/A */
    g_assert_cmpstr(TEXT(task, "output_shapes"), ==, "");
    task = fixture_record(f, "device_task", 2);
    g_assert_cmpstr(NAME(task), ==, "MEMCPY_ASYNC");
    g_assert_cmpint(INTEGER(task, "is_kernel"), ==, 0);
    g_assert_cmpint(INTEGER(task, "context"), ==, 6);
    g_assert_cmpint(INTEGER(task, "core"), ==, 0);
    g_assert_cmpstr(strobe_mock_importer_unknown(f->mock), ==, "");
    g_assert_cmpstr(strobe_mock_importer_damage(f->mock), ==, "");
}

static void test_pmu(Fixture *f, gconstpointer unused)
{
    const StrobeMockImported *pmu;

    fixture_make(f->path, test_strings, test_tasks_g1, NULL);
    fixture_import(f);
    g_assert_cmpuint(fixture_count(f, "device_pmu"), ==, 2);
    pmu = fixture_record(f, "device_pmu", 0);
    g_assert_cmpstr(NAME(pmu), ==, "mm");
    g_assert_cmpint(pmu->begin_ns, ==, 1000);
    g_assert_cmpstr(TEXT(pmu, "metrics"), ==, "aic_total_time;aic_cycles");
    g_assert_cmpfloat(DOUBLE(pmu, "value_00"), ==, 309495.416666667);
    g_assert_cmpfloat(DOUBLE(pmu, "value_01"), ==, 0);
    g_assert_true(isnan(DOUBLE(pmu, "value_02")));
    pmu = fixture_record(f, "device_pmu", 1);
    g_assert_cmpint(INTEGER(pmu, "task"), ==, 1);
    g_assert_cmpstr(TEXT(pmu, "metrics"), ==, "aic_total_time");
}

static void test_metadata(Fixture *f, gconstpointer unused)
{
    const StrobeMockImported *device;
    const char *metadata;

    fixture_make(f->path, test_strings, test_tasks_g1, NULL);
    fixture_import(f);
    metadata = strobe_mock_importer_metadata(f->mock);
    fixture_assert_line(metadata, "generation=1\n");
    fixture_assert_line(metadata, "level=1\n");
    fixture_assert_line(metadata, "pid=7\n");
    fixture_assert_line(metadata, "device=3\n");
    fixture_assert_line(metadata, "rank=5\n");
    fixture_assert_line(metadata, "session_begin_ns=900\n");
    fixture_assert_line(metadata, "session_end_ns=5000\n");
    fixture_assert_line(metadata, "schema_version=1.0.0\n");
    g_assert_cmpuint(fixture_count(f, "metadata"), ==, 1);
    g_assert_cmpstr(NAME(fixture_record(f, "metadata", 0)), ==, "ENV_VARIABLES");
    g_assert_cmpstr(TEXT(fixture_record(f, "metadata", 0), "value"), ==, "{}");
    device = fixture_record(f, "device_info", 0);
    g_assert_cmpstr(NAME(device), ==, "Ascend910B");
    g_assert_cmpint(INTEGER(device, "device"), ==, 3);
    g_assert_cmpint(INTEGER(device, "rank"), ==, 5);
}

static void check_metadata(Fixture *f, const char *change, const char *level,
                           const char *generation)
{
    g_unlink(f->path);
    fixture_make(f->path, test_strings, test_tasks_g1, change, NULL);
    fixture_again(f);
    fixture_import(f);
    fixture_assert_line(strobe_mock_importer_metadata(f->mock), level);
    fixture_assert_line(strobe_mock_importer_metadata(f->mock), generation);
}

static void test_levels(Fixture *f, gconstpointer unused)
{
    g_autofree char *analysis = g_build_filename(f->folder, "analysis.db", NULL);

    check_metadata(f, "DROP TABLE TASK_PMU_INFO; UPDATE COMPUTE_TASK_INFO SET blockDim = 0",
                   "level=0\n", "generation=1\n");
    check_metadata(f, "DROP TABLE TASK_PMU_INFO", "level=1\n", "generation=1\n");
    check_metadata(f,
                   "CREATE TABLE CANN_API (startNs INTEGER,endNs INTEGER,type INTEGER,globalTid "
                   "INTEGER,connectionId INTEGER PRIMARY KEY,name INTEGER);"
                   "INSERT INTO CANN_API VALUES(1,2,5000," TID8 ",1,24)",
                   "level=2\n", "generation=1\n");
    check_metadata(f, "UPDATE META_DATA SET value='1.2.0' WHERE name='SCHEMA_VERSION'", "level=1\n",
                   "generation=3\n");
    check_metadata(f, "ALTER TABLE COMPUTE_TASK_INFO RENAME blockDim TO blockNum", "level=1\n",
                   "generation=3\n");
    fixture_make(analysis, "CREATE TABLE StepTraceTime (deviceId INTEGER, step TEXT)", NULL);
    check_metadata(f, "SELECT 1", "level=1\n", "generation=2\n");
}

/* ---- the newest generation ---- */

static void make_g3(Fixture *f)
{
    fixture_make(f->path, test_strings, test_tasks_g1, test_tables_g3, NULL);
}

static void test_g3_tasks(Fixture *f, gconstpointer unused)
{
    const StrobeMockImported *task;

    make_g3(f);
    fixture_import(f);
    fixture_assert_line(strobe_mock_importer_metadata(f->mock), "generation=3\n");
    task = fixture_record(f, "device_task", 0);
    g_assert_cmpint(INTEGER(task, "block_num"), ==, 20);
    g_assert_cmpint(INTEGER(task, "mix_block_num"), ==, 40);
    g_assert_cmpstr(TEXT(task, "op_state"), ==, "dynamic");
    g_assert_cmpstr(TEXT(task, "hf32"), ==, "YES");
    g_assert_cmpstr(TEXT(task, "grid_dim"), ==, "{1,1,1}");
    g_assert_cmpint(INTEGER(task, "block_dim"), ==, 0); /* N/A */
    task = fixture_record(f, "device_task", 1);
    g_assert_cmpint(INTEGER(task, "copy_bytes"), ==, 5000);
    g_assert_cmpstr(TEXT(task, "copy_direction"), ==, "device to device");
    g_assert_cmpfloat(DOUBLE(task, "copy_bandwidth"), ==, 1000);
    task = fixture_record(f, "device_task", 2);
    g_assert_cmpstr(NAME(task), ==, "hcom_allReduce__1");
    g_assert_cmpstr(TEXT(task, "op_type"), ==, "hcom_allReduce_");
    g_assert_cmpint(INTEGER(task, "is_kernel"), ==, 0);
    g_assert_cmpuint(fixture_count(f, "overlap"), ==, 0); /* a derived table is not imported */
    g_assert_cmpstr(strobe_mock_importer_unknown(f->mock), ==, "");
    g_assert_cmpstr(strobe_mock_importer_damage(f->mock), ==, "");
}

static void test_g3_communication(Fixture *f, gconstpointer unused)
{
    const StrobeMockImported *op, *task;

    make_g3(f);
    fixture_import(f);
    op = fixture_record(f, "comm_op", 0);
    fixture_assert_track(f, op, STROBE_TRACK_STREAM, 3, 0, "Group group one Communication",
                         "Communication");
    g_assert_cmpint(INTEGER(op, "rank_size"), ==, 8);
    g_assert_cmpint(INTEGER(op, "retry"), ==, 1);
    g_assert_cmpstr(TEXT(op, "data_type"), ==, "FP8E4M3");
    g_assert_cmpstr(TEXT(op, "algorithm"), ==, "MESH-RING");
    task = fixture_record(f, "comm_task", 0);
    fixture_assert_track(f, task, STROBE_TRACK_PLANE, 3, 2, "Plane 1", "Communication");
    g_assert_cmpint(task->begin_ns, ==, 1020);
    g_assert_cmpstr(NAME(task), ==, "Notify_Wait");
    g_assert_cmpstr(TEXT(task, "notify"), ==, "4294967380");
    g_assert_cmpstr(TEXT(task, "transport"), ==, "UB");
    g_assert_cmpstr(TEXT(task, "link_type"), ==, "UB");
    g_assert_cmpstr(TEXT(task, "rdma_type"), ==, "INVALID_TYPE");
    g_assert_cmpint(INTEGER(task, "target_rank"), ==, STROBE_ABSENT_U32);
    g_assert_cmpint(INTEGER(task, "is_master"), ==, 1);
    g_assert_cmpint(INTEGER(task, "stream"), ==, 2);
    g_assert_cmpint(INTEGER(task, "task_id"), ==, 12);
    g_assert_cmpint(INTEGER(task, "connection"), ==, 41);
    g_assert_cmpfloat(DOUBLE(task, "bandwidth"), ==, 2.5);
    task = fixture_record(f, "comm_task", 1);
    g_assert_cmpint(INTEGER(task, "notify"), ==, 0);
    g_assert_cmpint(INTEGER(task, "context"), ==, 6);
}

static void test_g3_others(Fixture *f, gconstpointer unused)
{
    make_g3(f);
    fixture_import(f);
    g_assert_cmpfloat(DOUBLE(fixture_record(f, "ddr", 0), "read"), ==, 1.5);
    g_assert_cmpint(INTEGER(fixture_record(f, "core_frequency", 0), "die"), ==, 1);
    g_assert_cmpstr(NAME(fixture_record(f, "qos", 0)), ==, "OTHERS");
    g_assert_cmpint(INTEGER(fixture_record(f, "qos", 0), "die"), ==, -1);
    g_assert_cmpstr(NAME(fixture_record(f, "usage", 0)), ==, "CPU");
    g_assert_cmpint(INTEGER(fixture_record(f, "usage", 0), "processor"), ==, 17);
    fixture_assert_track(f, fixture_record(f, "usage", 0), STROBE_TRACK_COUNTER, -1, 0, NULL,
                         "CPU Usage");
    g_assert_cmpstr(NAME(fixture_record(f, "usage", 1)), ==, "Network");
    g_assert_cmpfloat(DOUBLE(fixture_record(f, "usage", 1), "speed"), ==, 100);
    g_assert_cmpstr(NAME(fixture_record(f, "os_call", 0)), ==, "open");
    fixture_assert_track(f, fixture_record(f, "os_call", 0), STROBE_TRACK_THREAD, -1, 8, "Thread 8",
                         "OS Runtime API");
    g_assert_cmpfloat(DOUBLE(fixture_record(f, "sio", 0), "tx_dat"), ==, 8);
    g_assert_cmpstr(NAME(fixture_record(f, "marker", 0)), ==, "message");
    g_assert_cmpstr(TEXT(fixture_record(f, "marker", 0), "marker.domain"), ==, "domain");
    g_assert_cmpint(INTEGER(fixture_record(f, "marker", 0), "marker.range"), ==, 77);
    g_assert_cmpint(fixture_record(f, "marker", 0)->end_ns, ==, 1100);
    g_assert_cmpint(fixture_record(f, "marker_instant", 0)->begin_ns, ==, 1050);
    g_assert_cmpint(INTEGER(fixture_record(f, "ascend_db.ub", 0), "rx_udma_bind"), ==, 5);
    g_assert_cmpfloat(DOUBLE(fixture_record(f, "ascend_db.ub", 0), "tx_udma_bind"), ==, 2.5);
    g_assert_cmpint(fixture_record(f, "ascend_db.ub", 0)->begin_ns, ==, 1000);
}

static void test_derived(Fixture *f, gconstpointer unused)
{
    g_autofree char *analysis = g_build_filename(f->folder, "analysis.db", NULL);

    make_g3(f);
    fixture_make(
        analysis,
        "CREATE TABLE StepTraceTime (deviceId INTEGER, step TEXT, computing NUMERIC);"
        "INSERT INTO StepTraceTime VALUES(3,'50',8926.368);"
        "CREATE TABLE CommAnalyzerTime (hccl_op_name TEXT, group_name TEXT, elapse_time NUMERIC, "
        "step TEXT, type TEXT);"
        "INSERT INTO CommAnalyzerTime VALUES('op','11978775601474615865',86.7,'step50',"
        "'collective')",
        NULL);
    strobe_mock_importer_request(f->mock)->stored_derived = 1;
    fixture_import(f);
    g_assert_cmpint(INTEGER(fixture_record(f, "overlap", 0), "type"), ==, 0);
    g_assert_cmpint(fixture_record(f, "overlap", 0)->end_ns, ==, 1010);
    g_assert_cmpint(INTEGER(fixture_record(f, "step_trace", 0), "step"), ==, 50);
    g_assert_cmpint(INTEGER(fixture_record(f, "step_trace", 0), "is_exact"), ==, 1);
    g_assert_cmpfloat(DOUBLE(fixture_record(f, "step_trace", 0), "computing"), ==, 8926.368);
    g_assert_cmpint(INTEGER(fixture_record(f, "communication_time", 0), "step"), ==, 50);
    g_assert_cmpstr(TEXT(fixture_record(f, "communication_time", 0), "group"), ==,
                    "11978775601474615865");
}

/* ---- the framework ---- */

/* A database of a run without a device has no primary keys and no schema version. */
static void test_framework(Fixture *f, gconstpointer unused)
{
    const StrobeMockImported *op;
    const StrobeStringId *frames;

    fixture_make(f->path, test_framework_tables, NULL);
    fixture_import(f);
    g_assert_cmpstr(strobe_mock_importer_damage(f->mock), ==, "");
    fixture_assert_line(strobe_mock_importer_metadata(f->mock), "generation=3\n");
    fixture_assert_line(strobe_mock_importer_metadata(f->mock), "level=-1\n");
    g_assert_cmpint(INTEGER(fixture_record(f, "task_queue", 0), "correlation"), ==, 8309);
    g_assert_cmpint(INTEGER(fixture_record(f, "task_queue", 0), "is_dequeue"), ==, 0);
    g_assert_cmpint(INTEGER(fixture_record(f, "task_queue", 1), "is_dequeue"), ==, 1);
    fixture_assert_track(f, fixture_record(f, "task_queue", 1), STROBE_TRACK_THREAD, -1, 9,
                         "Thread 9", NULL);
    g_assert_cmpstr(NAME(fixture_record(f, "python_call", 0)), ==, "a.py(1): f");
    op = fixture_record(f, "cpu_op", 0);
    g_assert_cmpstr(TEXT(op, "shapes"), ==, "2,3;");
    g_assert_cmpstr(TEXT(op, "types"), ==, "float;Scalar");
    g_assert_cmpint(INTEGER(op, "sequence"), ==, 4);
    frames = (const StrobeStringId *)TEXT(op, "stack");
    g_assert_cmpstr(strobe_mock_importer_string(f->mock, frames[0]), ==, "b.py(2): g");
    g_assert_cmpstr(strobe_mock_importer_string(f->mock, frames[1]), ==, "a.py(1): f");
    op = fixture_record(f, "cpu_op", 1); /* the rows of its call chain are in reverse order */
    g_assert_cmpstr(TEXT(op, "shapes"), ==, "2,3;");
    g_assert_cmpint(INTEGER(op, "forward_thread"), ==, 2);
    g_assert_cmpint(INTEGER(op, "stack"), ==, 0);
    g_assert_cmpint(INTEGER(fixture_record(f, "step", 0), "number"), ==, 50);
    g_assert_cmpstr(NAME(fixture_record(f, "step", 0)), ==, "ProfilerStep#50");
    fixture_assert_track(f, fixture_record(f, "gc", 0), STROBE_TRACK_THREAD, -1, 7, "Thread 7",
                         "Python GC");
}

static void test_memory(Fixture *f, gconstpointer unused)
{
    const StrobeMockImported *event;

    fixture_make(
        f->path, test_framework_tables,
        "CREATE TABLE NPU_OP_MEM (operatorName INTEGER,addr INTEGER,type INTEGER,size INTEGER,"
        "timestampNs INTEGER,globalTid INTEGER,totalAllocate NUMERIC,totalReserve NUMERIC,"
        "component INTEGER,deviceId INTEGER);"
        "INSERT INTO STRING_IDS VALUES(1,'mm'),(2,'allocate'),(3,'release');"
        "INSERT INTO NPU_OP_MEM VALUES(1,20617629794304,2,512,1002," TID8 ",5,6,536870912,0),"
        "(1,-2,3,512,1004," TID8 ",0,6,536870912,0)",
        NULL);
    fixture_import(f);
    g_assert_cmpuint(fixture_count(f, "memory_event"), ==, 4);
    event = fixture_record(f, "memory_event", 0);
    g_assert_cmpint(INTEGER(event, "size"), ==, 512);
    g_assert_cmpint(INTEGER(event, "action"), ==, 0);
    g_assert_cmpint(INTEGER(event, "total_active"), ==, STROBE_ABSENT_I64);
    event = fixture_record(f, "memory_event", 1);
    g_assert_cmpint(INTEGER(event, "size"), ==, -512);
    g_assert_cmpint(INTEGER(event, "address"), ==, -2); /* 2^64 - 2 */
    event = fixture_record(f, "memory_event", 2);
    g_assert_cmpstr(TEXT(event, "component"), ==, "PTA");
    g_assert_cmpint(INTEGER(event, "action"), ==, 3);
    g_assert_cmpint(INTEGER(event, "total_reserved"), ==, 20);
    g_assert_cmpint(INTEGER(event, "stream"), ==, 99);
    g_assert_cmpstr(TEXT(fixture_record(f, "memory_event", 3), "component"), ==, "WORKSPACE");
}

/* GE's memory states are imported although the database has no table of GE's memory operations. */
static void test_memory_without_operations(Fixture *f, gconstpointer unused)
{
    fixture_make(f->path, test_framework_tables, NULL);
    fixture_import(f);
    g_assert_cmpuint(fixture_count(f, "memory_event"), ==, 3);
    g_assert_cmpstr(TEXT(fixture_record(f, "memory_event", 1), "component"), ==, "GE");
}

/* The table "counter" has the form in which Strobe's own exporter writes it. The mock host
 * complains if the importer emits a kind that it has not declared. */
static void test_own_tables(Fixture *f, gconstpointer unused)
{
    fixture_make(f->path, test_strings, test_tasks_g1,
                 "CREATE TABLE counter (name, startNs, endNs, globalTid, deviceId, value REAL);"
                 "INSERT INTO counter VALUES (NULL, 5, 5, NULL, NULL, 1.5);",
                 NULL);
    fixture_import(f);
    g_assert_cmpuint(fixture_count(f, "counter"), ==, 1);
}

static void test_kinds(void)
{
    for (guint i = 0; strobe_standard_kinds[i]; i++)
        g_assert_true(ascend_db_kind(strobe_standard_kinds[i]->name) == strobe_standard_kinds[i]);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/ascend_db/kinds", test_kinds);
    ADD("probe", test_probe);
    ADD("own-tables", test_own_tables);
    ADD("tasks", test_tasks);
    ADD("pmu", test_pmu);
    ADD("metadata", test_metadata);
    ADD("levels", test_levels);
    ADD("g3/tasks", test_g3_tasks);
    ADD("g3/communication", test_g3_communication);
    ADD("g3/others", test_g3_others);
    ADD("derived", test_derived);
    ADD("framework", test_framework);
    ADD("memory", test_memory);
    ADD("memory/without-operations", test_memory_without_operations);
    return g_test_run();
}
