/* SPDX-License-Identifier: Apache-2.0 */
#include <glib.h>
#include <glib/gstdio.h>
#include <math.h>
#include <sqlite3.h>
#include <string.h>
#include "mock-importer-host.h"
#include <strobe/kinds.h>
#include <strobe/plugin.h>
#include <unistd.h>

extern const StrobePlugin strobe_plugin_1;

/* pid 7, threads 8 and 9 */
#define TID8 "30064771080"
#define TID9 "30064771081"

static const char strings[] =
    "CREATE TABLE STRING_IDS (id INTEGER PRIMARY KEY,value TEXT);"
    "INSERT INTO STRING_IDS VALUES(0,'KERNEL_AICORE'),(1,'MEMCPY_ASYNC'),(2,'mm'),(3,'MatMul'),"
    "(4,'AI_CORE'),(5,'\"2,3;3\"'),(6,'ND;ND'),(7,'N/A'),(8,'aic_total_time'),(9,'aic_cycles'),"
    "(10,'Notify_Wait'),(11,'hcom_allReduce__1'),(12,'group one'),(13,'MESH-RING'),"
    "(14,'hcom_allReduce_'),(15,'read'),(16,'QoS OTHERS'),(17,'app'),(18,'allocate'),"
    "(19,'release'),(20,'GE'),(21,'dynamic'),(22,'YES'),(23,'{1,1,1}'),(24,'aclrtMalloc'),"
    "(25,'launch'),(26,'message'),(27,'domain'),(28,'D2D'),(29,'open'),(30,'PTA'),(31,'PTA+GE'),"
    "(32,'WORKSPACE');";

static const char g1_tasks[] =
    "CREATE TABLE META_DATA (name TEXT,value TEXT);"
    "INSERT INTO META_DATA VALUES('SCHEMA_VERSION','1.0.0'),('ENV_VARIABLES','{}');"
    "CREATE TABLE SESSION_TIME_INFO (startTimeNs INTEGER,endTimeNs INTEGER);"
    "INSERT INTO SESSION_TIME_INFO VALUES(900,5000);"
    "CREATE TABLE NPU_INFO (id INTEGER,name TEXT);INSERT INTO NPU_INFO VALUES(3,'Ascend910B');"
    "CREATE TABLE RANK_DEVICE_MAP (rankId INTEGER, deviceId INTEGER);"
    "INSERT INTO RANK_DEVICE_MAP VALUES(5,3);"
    "CREATE TABLE TASK (startNs INTEGER,endNs INTEGER,deviceId INTEGER,connectionId INTEGER,"
    "globalTaskId INTEGER,globalPid INTEGER,taskType INTEGER,contextId INTEGER,streamId INTEGER,"
    "taskId INTEGER,modelId INTEGER, depth integer);"
    "INSERT INTO TASK VALUES(1000,1010,3,40,0,7,0,4294967295,2,11,4294967295,0),"
    "(1020,1025,3,41,1,7,1,4294967295,2,12,4294967295,0),"
    "(1030,1035,3,42,2,7,1,6,2,13,1,0);"
    "CREATE TABLE COMPUTE_TASK_INFO (name INTEGER,globalTaskId INTEGER PRIMARY KEY,"
    "blockDim INTEGER,mixBlockDim INTEGER,taskType INTEGER,opType INTEGER,inputFormats INTEGER,"
    "inputDataTypes INTEGER,inputShapes INTEGER,outputFormats INTEGER,outputDataTypes INTEGER,"
    "outputShapes INTEGER,attrInfo INTEGER, waitNs INTEGER);"
    "INSERT INTO COMPUTE_TASK_INFO VALUES(2,0,20,0,4,3,6,7,5,6,7,4294967295,7,0);"
    "CREATE TABLE TASK_PMU_INFO (globalTaskId INTEGER,name INTEGER,value NUMERIC);"
    "INSERT INTO TASK_PMU_INFO VALUES(0,8,309495.416666667),(1,8,2),(0,9,0);";

typedef struct Fixture {
    char *folder, *path;
    StrobeMockImporter *mock;
} Fixture;

static void set_up(Fixture *f, gconstpointer unused)
{
    f->folder = g_dir_make_tmp("strobe-ascend-db-XXXXXX", NULL);
    f->path = g_build_filename(f->folder, "anything_4.bin", NULL);
    f->mock = strobe_mock_importer_new(strobe_plugin_1.components[0]);
}

static void tear_down(Fixture *f, gconstpointer unused)
{
    GDir *dir = g_dir_open(f->folder, 0, NULL);
    const char *name;

    while ((name = g_dir_read_name(dir))) {
        g_autofree char *path = g_build_filename(f->folder, name, NULL);

        g_unlink(path);
    }
    g_dir_close(dir);
    g_rmdir(f->folder);
    strobe_mock_importer_free(f->mock);
    g_free(f->folder);
    g_free(f->path);
}

static void make(const char *path, const char *first, ...) G_GNUC_NULL_TERMINATED;

static void make(const char *path, const char *first, ...)
{
    sqlite3 *sql;
    char *error = NULL;
    va_list more;

    g_assert_cmpint(sqlite3_open(path, &sql), ==, SQLITE_OK);
    va_start(more, first);
    for (const char *text = first; text; text = va_arg(more, const char *)) {
        sqlite3_exec(sql, text, NULL, NULL, &error);
        g_assert_cmpstr(error, ==, NULL);
    }
    va_end(more);
    g_assert_cmpint(sqlite3_close(sql), ==, SQLITE_OK);
}

/* Imports what was made; nothing may break the contract. */
static void import(Fixture *f)
{
    g_assert_cmpint(strobe_mock_importer_run(f->mock, f->path), ==, STROBE_OK);
    g_assert_cmpstr(strobe_mock_importer_complaints(f->mock), ==, "");
}

/* The n-th record of the kind. */
static const StrobeMockImported *nth(Fixture *f, const char *kind, guint n)
{
    for (gsize i = 0; i < strobe_mock_importer_n_records(f->mock); i++) {
        const StrobeMockImported *record = strobe_mock_importer_record(f->mock, i);

        if (!strcmp(record->kind->name, kind) && n-- == 0)
            return record;
    }
    return NULL;
}

static guint count(Fixture *f, const char *kind)
{
    guint n = 0;

    while (nth(f, kind, n))
        n++;
    return n;
}

#define INTEGER(record, field) strobe_mock_importer_integer(f->mock, record, field)
#define DOUBLE(record, field) strobe_mock_importer_double(f->mock, record, field)
#define TEXT(record, field) strobe_mock_importer_text(f->mock, record, field)
#define NAME(record) strobe_mock_importer_string(f->mock, (record)->name)

static void assert_lines(const char *text, const char *line)
{
    if (!strstr(text, line)) {
        g_test_message("\"%s\" is not in:\n%s", line, text);
        g_test_fail();
    }
}

static void assert_track(Fixture *f, const StrobeMockImported *record, guint32 type, gint device,
                         guint64 id, const char *name, const char *group)
{
    guint64 pid = 0;
    const StrobeTrack *track = strobe_mock_importer_track(f->mock, record->track, &pid);

    g_assert_nonnull(track);
    g_assert_cmpuint(track->type, ==, type);
    g_assert_cmpint(track->device, ==, device);
    g_assert_cmpuint(track->id, ==, id);
    g_assert_cmpstr(track->name, ==, name);
    g_assert_cmpstr(track->group, ==, group);
    g_assert_cmpuint(pid, ==, 7);
}

/* ---- what is one's own ---- */

static void test_probe(Fixture *f, gconstpointer unused)
{
    g_autofree char *other = g_build_filename(f->folder, "other.db", NULL);
    g_autofree char *text = g_build_filename(f->folder, "text.db", NULL);

    make(f->path, strings, g1_tasks, NULL);
    make(other, "CREATE TABLE StepTraceTime(step TEXT)", NULL);
    g_assert_true(g_file_set_contents(text, "SQLite format 4 and more text", -1, NULL));
    g_assert_cmpint(strobe_mock_importer_probe(f->mock, f->path).score, ==, 100);
    g_assert_cmpint(strobe_mock_importer_probe(f->mock, f->folder).score, ==, 95);
    g_assert_cmpint(strobe_mock_importer_probe(f->mock, text).score, ==, 0);
    StrobeSourceProbe answer = strobe_mock_importer_probe(f->mock, other);
    g_assert_cmpint(answer.score, ==, 0);
    g_assert_cmpstr(answer.reason, ==, "only what was derived, no database of the profiler");
    g_unlink(f->path);
    g_assert_cmpint(strobe_mock_importer_probe(f->mock, f->folder).score, ==, 0);
    g_assert_cmpint(strobe_mock_importer_run(f->mock, f->folder), ==, STROBE_ERROR_INPUT);
    assert_lines(strobe_mock_importer_errors(f->mock), "no database of a profiler");
}

/* ---- tasks ---- */

static void test_tasks(Fixture *f, gconstpointer unused)
{
    const StrobeMockImported *task;

    make(f->path, strings, g1_tasks, NULL);
    import(f);
    g_assert_cmpuint(count(f, "device_task"), ==, 3);
    task = nth(f, "device_task", 0);
    g_assert_cmpstr(NAME(task), ==, "mm");
    g_assert_cmpint(task->begin_ns, ==, 1000);
    g_assert_cmpint(task->end_ns, ==, 1010);
    assert_track(f, task, STROBE_TRACK_STREAM, 3, 2, "Stream 2", "Ascend Hardware");
    g_assert_cmpint(INTEGER(task, "task"), ==, 0);
    g_assert_cmpint(INTEGER(task, "connection"), ==, 40);
    g_assert_cmpint(INTEGER(task, "is_kernel"), ==, 1);
    g_assert_cmpint(INTEGER(task, "block_num"), ==, 20);
    g_assert_cmpint(INTEGER(task, "model"), ==, STROBE_ABSENT_U32);
    g_assert_cmpstr(TEXT(task, "host_type"), ==, "KERNEL_AICORE");
    g_assert_cmpstr(TEXT(task, "core"), ==, "AI_CORE");
    g_assert_cmpstr(TEXT(task, "input_shapes"), ==, "\"2,3;3\"");
    g_assert_cmpint(INTEGER(task, "input_types"), ==, 0);   /* N/A */
    g_assert_cmpint(INTEGER(task, "output_shapes"), !=, 0); /* an empty text */
    g_assert_cmpstr(TEXT(task, "output_shapes"), ==, "");
    task = nth(f, "device_task", 2);
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

    make(f->path, strings, g1_tasks, NULL);
    import(f);
    g_assert_cmpuint(count(f, "device_pmu"), ==, 2);
    pmu = nth(f, "device_pmu", 0);
    g_assert_cmpstr(NAME(pmu), ==, "mm");
    g_assert_cmpint(pmu->begin_ns, ==, 1000);
    g_assert_cmpstr(TEXT(pmu, "metrics"), ==, "aic_total_time;aic_cycles");
    g_assert_cmpfloat(DOUBLE(pmu, "value_00"), ==, 309495.416666667);
    g_assert_cmpfloat(DOUBLE(pmu, "value_01"), ==, 0);
    g_assert_true(isnan(DOUBLE(pmu, "value_02")));
    pmu = nth(f, "device_pmu", 1);
    g_assert_cmpint(INTEGER(pmu, "task"), ==, 1);
    g_assert_cmpstr(TEXT(pmu, "metrics"), ==, "aic_total_time");
}

static void test_facts(Fixture *f, gconstpointer unused)
{
    const StrobeMockImported *device;
    const char *facts;

    make(f->path, strings, g1_tasks, NULL);
    import(f);
    facts = strobe_mock_importer_facts(f->mock);
    assert_lines(facts, "generation=1\n");
    assert_lines(facts, "level=1\n");
    assert_lines(facts, "pid=7\n");
    assert_lines(facts, "device=3\n");
    assert_lines(facts, "rank=5\n");
    assert_lines(facts, "session_begin_ns=900\n");
    assert_lines(facts, "session_end_ns=5000\n");
    assert_lines(facts, "schema_version=1.0.0\n");
    g_assert_cmpuint(count(f, "metadata"), ==, 1);
    g_assert_cmpstr(NAME(nth(f, "metadata", 0)), ==, "ENV_VARIABLES");
    g_assert_cmpstr(TEXT(nth(f, "metadata", 0), "value"), ==, "{}");
    device = nth(f, "device_info", 0);
    g_assert_cmpstr(NAME(device), ==, "Ascend910B");
    g_assert_cmpint(INTEGER(device, "device"), ==, 3);
    g_assert_cmpint(INTEGER(device, "rank"), ==, 5);
}

static void check_facts(Fixture *f, const char *change, const char *level, const char *generation)
{
    StrobeMockImporter *old = f->mock;

    g_unlink(f->path);
    make(f->path, strings, g1_tasks, change, NULL);
    f->mock = strobe_mock_importer_new(strobe_plugin_1.components[0]);
    import(f);
    assert_lines(strobe_mock_importer_facts(f->mock), level);
    assert_lines(strobe_mock_importer_facts(f->mock), generation);
    strobe_mock_importer_free(old);
}

static void test_levels(Fixture *f, gconstpointer unused)
{
    g_autofree char *analysis = g_build_filename(f->folder, "analysis.db", NULL);

    check_facts(f, "DROP TABLE TASK_PMU_INFO; UPDATE COMPUTE_TASK_INFO SET blockDim = 0",
                "level=0\n", "generation=1\n");
    check_facts(f, "DROP TABLE TASK_PMU_INFO", "level=1\n", "generation=1\n");
    check_facts(f,
                "CREATE TABLE CANN_API (startNs INTEGER,endNs INTEGER,type INTEGER,globalTid "
                "INTEGER,connectionId INTEGER PRIMARY KEY,name INTEGER);"
                "INSERT INTO CANN_API VALUES(1,2,5000," TID8 ",1,24)",
                "level=2\n", "generation=1\n");
    check_facts(f, "UPDATE META_DATA SET value='1.2.0' WHERE name='SCHEMA_VERSION'", "level=1\n",
                "generation=3\n");
    check_facts(f, "ALTER TABLE COMPUTE_TASK_INFO RENAME blockDim TO blockNum", "level=1\n",
                "generation=3\n");
    make(analysis, "CREATE TABLE StepTraceTime (deviceId INTEGER, step TEXT)", NULL);
    check_facts(f, "SELECT 1", "level=1\n", "generation=2\n");
}

/* ---- the newest generation ---- */

static const char g3_tables[] =
    "INSERT INTO META_DATA VALUES('trace_id','\"AB\"');"
    "UPDATE META_DATA SET value='1.2.0' WHERE name='SCHEMA_VERSION';"
    "DROP TABLE COMPUTE_TASK_INFO;"
    "CREATE TABLE COMPUTE_TASK_INFO (name INTEGER,globalTaskId INTEGER PRIMARY KEY,"
    "blockNum INTEGER,mixBlockNum INTEGER,taskType INTEGER,opType INTEGER,inputFormats INTEGER,"
    "inputDataTypes INTEGER,inputShapes INTEGER,outputFormats INTEGER,outputDataTypes INTEGER,"
    "outputShapes INTEGER,attrInfo INTEGER,opState INTEGER,hf32Eligible INTEGER,gridDim INTEGER,"
    "blockDim INTEGER);"
    "INSERT INTO COMPUTE_TASK_INFO VALUES(2,0,20,40,4,3,6,6,5,6,6,5,7,21,22,23,7);"
    "CREATE TABLE MEMCPY_INFO (globalTaskId NUMERIC,size NUMERIC,memcpyOperation NUMERIC);"
    "INSERT INTO MEMCPY_INFO VALUES(1,5000,3);"
    "CREATE TABLE COMMUNICATION_SCHEDULE_TASK_INFO (name INTEGER,globalTaskId INTEGER PRIMARY KEY,"
    "taskType INTEGER,opType INTEGER);"
    "INSERT INTO COMMUNICATION_SCHEDULE_TASK_INFO VALUES(11,2,4,14);"
    "CREATE TABLE COMMUNICATION_OP (opName INTEGER,startNs INTEGER,endNs INTEGER,connectionId "
    "INTEGER,groupName INTEGER,opId INTEGER PRIMARY KEY,relay INTEGER,retry INTEGER,dataType "
    "INTEGER,algType INTEGER,count NUMERIC,opType INTEGER,deviceId INTEGER,rankSize INTEGER);"
    "INSERT INTO COMMUNICATION_OP VALUES(11,1020,1040,41,12,1,0,1,15,13,4097000,14,3,8);"
    "CREATE TABLE COMMUNICATION_TASK_INFO (name INTEGER,globalTaskId INTEGER,taskType INTEGER,"
    "planeId INTEGER,groupName INTEGER,notifyId INTEGER,rdmaType INTEGER,srcRank INTEGER,dstRank "
    "INTEGER,transportType INTEGER,size INTEGER,dataType INTEGER,linkType INTEGER,opId INTEGER,"
    "isMaster INTEGER,bandwidth NUMERIC);"
    "INSERT INTO COMMUNICATION_TASK_INFO VALUES(11,1,10,1,12,4294967380,65535,0,4294967295,3,64,4,"
    "7,1,1,2.5e9),(11,2,10,0,12,-1,65534,0,1,0,64,255,8,1,0,0);"
    "CREATE TABLE DDR (deviceId INTEGER,timestampNs INTEGER,read NUMERIC,write NUMERIC);"
    "INSERT INTO DDR VALUES(3,1000,1.5,2);"
    "CREATE TABLE AICORE_FREQ (deviceId INTEGER,timestampNs NUMERIC,freq INTEGER,dieId NUMERIC);"
    "INSERT INTO AICORE_FREQ VALUES(3,1000,1800,1);"
    "CREATE TABLE QOS (deviceId INTEGER,eventName NUMERIC,bandwidth NUMERIC,timestampNs NUMERIC,"
    "dieId NUMERIC);INSERT INTO QOS VALUES(3,16,1048576,1001,-1);"
    "CREATE TABLE CPU_USAGE (timestampNs NUMERIC,cpuId NUMERIC,usage NUMERIC);"
    "INSERT INTO CPU_USAGE VALUES(1002,17,33.5);"
    "CREATE TABLE HOST_NETWORK_USAGE (timestampNs NUMERIC,usage NUMERIC,speed NUMERIC);"
    "INSERT INTO HOST_NETWORK_USAGE VALUES(1002,1,100);"
    "CREATE TABLE OSRT_API (name NUMERIC,globalTid NUMERIC,startNs NUMERIC,endNs NUMERIC);"
    "INSERT INTO OSRT_API VALUES(29," TID8 ",1003,1004);"
    "CREATE TABLE SIO (deviceId INTEGER,name NUMERIC,timestampNs NUMERIC,rxReq NUMERIC,rxRsp "
    "NUMERIC,rxSnp NUMERIC,rxDat NUMERIC,txReq NUMERIC,txRsp NUMERIC,txSnp NUMERIC,txDat NUMERIC);"
    "INSERT INTO SIO VALUES(3,28,1000,1,2,3,4,5,6,7,8);"
    "CREATE TABLE MSTX_EVENTS (startNs INTEGER,endNs INTEGER,eventType INTEGER,rangeId INTEGER,"
    "category INTEGER,message INTEGER,globalTid INTEGER,endGlobalTid INTEGER,domainId INTEGER,"
    "connectionId INTEGER);"
    "INSERT INTO MSTX_EVENTS VALUES(1000,1100,2,77,4294967295,26," TID8 "," TID9 ",27,90),"
    "(1050,1050,0,4294967295,4294967295,26," TID8 "," TID8 ",27,4294967295);"
    "CREATE TABLE UB (deviceId INTEGER,portId NUMERIC,timestampNs NUMERIC,rxUdmaBind NUMERIC,"
    "txUdmaBind NUMERIC);INSERT INTO UB VALUES(3,1,1000,5,2.5);"
    "CREATE TABLE OVERLAP_ANALYSIS (id INTEGER PRIMARY KEY,deviceId INTEGER,startNs NUMERIC,"
    "endNs NUMERIC,type INTEGER);INSERT INTO OVERLAP_ANALYSIS VALUES(0,3,1000,1010,0);";

static void make_g3(Fixture *f)
{
    make(f->path, strings, g1_tasks, g3_tables, NULL);
}

static void test_g3_tasks(Fixture *f, gconstpointer unused)
{
    const StrobeMockImported *task;

    make_g3(f);
    import(f);
    assert_lines(strobe_mock_importer_facts(f->mock), "generation=3\n");
    task = nth(f, "device_task", 0);
    g_assert_cmpint(INTEGER(task, "block_num"), ==, 20);
    g_assert_cmpint(INTEGER(task, "mix_block_num"), ==, 40);
    g_assert_cmpstr(TEXT(task, "op_state"), ==, "dynamic");
    g_assert_cmpstr(TEXT(task, "hf32"), ==, "YES");
    g_assert_cmpstr(TEXT(task, "grid_dim"), ==, "{1,1,1}");
    g_assert_cmpint(INTEGER(task, "block_dim"), ==, 0); /* N/A */
    task = nth(f, "device_task", 1);
    g_assert_cmpint(INTEGER(task, "copy_bytes"), ==, 5000);
    g_assert_cmpstr(TEXT(task, "copy_direction"), ==, "device to device");
    g_assert_cmpfloat(DOUBLE(task, "copy_bandwidth"), ==, 1000);
    task = nth(f, "device_task", 2);
    g_assert_cmpstr(NAME(task), ==, "hcom_allReduce__1");
    g_assert_cmpstr(TEXT(task, "op_type"), ==, "hcom_allReduce_");
    g_assert_cmpint(INTEGER(task, "is_kernel"), ==, 0);
    g_assert_cmpuint(count(f, "overlap"), ==, 0); /* derived */
    g_assert_cmpstr(strobe_mock_importer_unknown(f->mock), ==, "");
    g_assert_cmpstr(strobe_mock_importer_damage(f->mock), ==, "");
}

static void test_g3_communication(Fixture *f, gconstpointer unused)
{
    const StrobeMockImported *op, *task;

    make_g3(f);
    import(f);
    op = nth(f, "comm_op", 0);
    assert_track(f, op, STROBE_TRACK_STREAM, 3, 0, "Group group one Communication",
                 "Communication");
    g_assert_cmpint(INTEGER(op, "rank_size"), ==, 8);
    g_assert_cmpint(INTEGER(op, "retry"), ==, 1);
    g_assert_cmpstr(TEXT(op, "data_type"), ==, "FP8E4M3");
    g_assert_cmpstr(TEXT(op, "algorithm"), ==, "MESH-RING");
    task = nth(f, "comm_task", 0);
    assert_track(f, task, STROBE_TRACK_PLANE, 3, 2, "Plane 1", "Communication");
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
    task = nth(f, "comm_task", 1);
    g_assert_cmpint(INTEGER(task, "notify"), ==, 0);
    g_assert_cmpint(INTEGER(task, "context"), ==, 6);
}

static void test_g3_others(Fixture *f, gconstpointer unused)
{
    make_g3(f);
    import(f);
    g_assert_cmpfloat(DOUBLE(nth(f, "ddr", 0), "read"), ==, 1.5);
    g_assert_cmpint(INTEGER(nth(f, "core_frequency", 0), "die"), ==, 1);
    g_assert_cmpstr(NAME(nth(f, "qos", 0)), ==, "OTHERS");
    g_assert_cmpint(INTEGER(nth(f, "qos", 0), "die"), ==, -1);
    g_assert_cmpstr(NAME(nth(f, "usage", 0)), ==, "CPU");
    g_assert_cmpint(INTEGER(nth(f, "usage", 0), "processor"), ==, 17);
    assert_track(f, nth(f, "usage", 0), STROBE_TRACK_COUNTER, -1, 0, NULL, "CPU Usage");
    g_assert_cmpstr(NAME(nth(f, "usage", 1)), ==, "Network");
    g_assert_cmpfloat(DOUBLE(nth(f, "usage", 1), "speed"), ==, 100);
    g_assert_cmpstr(NAME(nth(f, "os_call", 0)), ==, "open");
    assert_track(f, nth(f, "os_call", 0), STROBE_TRACK_THREAD, -1, 8, "Thread 8", "OS Runtime API");
    g_assert_cmpfloat(DOUBLE(nth(f, "sio", 0), "tx_dat"), ==, 8);
    g_assert_cmpstr(NAME(nth(f, "marker", 0)), ==, "message");
    g_assert_cmpstr(TEXT(nth(f, "marker", 0), "marker.domain"), ==, "domain");
    g_assert_cmpint(INTEGER(nth(f, "marker", 0), "marker.range"), ==, 77);
    g_assert_cmpint(nth(f, "marker", 0)->end_ns, ==, 1100);
    g_assert_cmpint(nth(f, "marker_instant", 0)->begin_ns, ==, 1050);
    g_assert_cmpint(INTEGER(nth(f, "ascend_db.ub", 0), "rx_udma_bind"), ==, 5);
    g_assert_cmpfloat(DOUBLE(nth(f, "ascend_db.ub", 0), "tx_udma_bind"), ==, 2.5);
    g_assert_cmpint(nth(f, "ascend_db.ub", 0)->begin_ns, ==, 1000);
}

static void test_derived(Fixture *f, gconstpointer unused)
{
    g_autofree char *analysis = g_build_filename(f->folder, "analysis.db", NULL);

    make_g3(f);
    make(analysis,
         "CREATE TABLE StepTraceTime (deviceId INTEGER, step TEXT, computing NUMERIC);"
         "INSERT INTO StepTraceTime VALUES(3,'50',8926.368);"
         "CREATE TABLE CommAnalyzerTime (hccl_op_name TEXT, group_name TEXT, elapse_time NUMERIC, "
         "step TEXT, type TEXT);"
         "INSERT INTO CommAnalyzerTime VALUES('op','11978775601474615865',86.7,'step50',"
         "'collective')",
         NULL);
    strobe_mock_importer_request(f->mock)->stored_derived = 1;
    import(f);
    g_assert_cmpint(INTEGER(nth(f, "overlap", 0), "type"), ==, 0);
    g_assert_cmpint(nth(f, "overlap", 0)->end_ns, ==, 1010);
    g_assert_cmpint(INTEGER(nth(f, "step_trace", 0), "step"), ==, 50);
    g_assert_cmpint(INTEGER(nth(f, "step_trace", 0), "is_exact"), ==, 1);
    g_assert_cmpfloat(DOUBLE(nth(f, "step_trace", 0), "computing"), ==, 8926.368);
    g_assert_cmpint(INTEGER(nth(f, "communication_time", 0), "step"), ==, 50);
    g_assert_cmpstr(TEXT(nth(f, "communication_time", 0), "group"), ==, "11978775601474615865");
}

/* ---- the framework ---- */

static const char framework[] =
    "CREATE TABLE STRING_IDS (id INTEGER,value TEXT);"
    "INSERT INTO STRING_IDS VALUES(268435456,'Enqueue@mm'),(268435457,'Dequeue@mm'),"
    "(268435458,'aten::mm'),(268435459,'2,3;\r\n'),(268435460,'float;\r\nScalar'),"
    "(268435461,'a.py(1): f'),(268435462,'b.py(2): g'),(536870912,'GE'),(536870913,'PTA'),"
    "(536870914,'PTA+GE'),(536870915,'WORKSPACE');"
    "CREATE TABLE PYTORCH_API (startNs TEXT, endNs TEXT, globalTid INTEGER, connectionId INTEGER, "
    "name INTEGER, sequenceNumber INTEGER, fwdThreadId INTEGER, inputDtypes INTEGER, inputShapes "
    "INTEGER, callchainId INTEGER, type INTEGER, depth integer);"
    "INSERT INTO PYTORCH_API VALUES"
    "('1000','1010'," TID8 ",0,268435456,NULL,NULL,NULL,NULL,NULL,50002,1),"
    "('1020','1030'," TID9 ",1,268435457,NULL,NULL,NULL,NULL,NULL,50002,1),"
    "('990','1015'," TID8 ",NULL,268435461,NULL,NULL,NULL,NULL,NULL,50003,1),"
    "('995','1012'," TID8 ",2,268435458,4,0,268435459,268435460,1,50001,1),"
    "('995','1013'," TID8 ",NULL,268435458,-1,2,268435460,268435459,NULL,50001,1);"
    "CREATE TABLE CONNECTION_IDS (id INTEGER, connectionId INTEGER);"
    "INSERT INTO CONNECTION_IDS VALUES(0,8309),(1,8309),(2,8500);"
    "CREATE TABLE PYTORCH_CALLCHAINS (id INTEGER, stack INTEGER, stackDepth INTEGER);"
    "INSERT INTO PYTORCH_CALLCHAINS VALUES(0,268435461,0),(1,268435462,0),(1,268435461,1),"
    "(2,268435461,0);"
    "CREATE TABLE STEP_TIME (id INTEGER, startNs INTEGER, endNs INTEGER);"
    "INSERT INTO STEP_TIME VALUES(50,980,2000);"
    "CREATE TABLE GC_RECORD (startNs INTEGER,endNs INTEGER,globalTid INTEGER);"
    "INSERT INTO GC_RECORD VALUES(1500,1600,30064771079);"
    "CREATE TABLE MEMORY_RECORD (component INTEGER, timestamp INTEGER, totalAllocated INTEGER, "
    "totalReserved INTEGER, totalActive INTEGER, streamPtr INTEGER, deviceId INTEGER);"
    "INSERT INTO MEMORY_RECORD VALUES(536870913,1001,10,20,11,99,0),(536870912,1002,5,6,0,NULL,0),"
    "(536870914,1002,15,26,11,99,0),(536870915,1003,1,2,3,98,0);";

/* A run without a device: no primary keys, no schema version. */
static void test_framework(Fixture *f, gconstpointer unused)
{
    const StrobeMockImported *op;
    const StrobeStringId *frames;

    make(f->path, framework, NULL);
    import(f);
    g_assert_cmpstr(strobe_mock_importer_damage(f->mock), ==, "");
    assert_lines(strobe_mock_importer_facts(f->mock), "generation=3\n");
    assert_lines(strobe_mock_importer_facts(f->mock), "level=-1\n");
    g_assert_cmpint(INTEGER(nth(f, "task_queue", 0), "correlation"), ==, 8309);
    g_assert_cmpint(INTEGER(nth(f, "task_queue", 0), "is_dequeue"), ==, 0);
    g_assert_cmpint(INTEGER(nth(f, "task_queue", 1), "is_dequeue"), ==, 1);
    assert_track(f, nth(f, "task_queue", 1), STROBE_TRACK_THREAD, -1, 9, "Thread 9", NULL);
    g_assert_cmpstr(NAME(nth(f, "python_call", 0)), ==, "a.py(1): f");
    op = nth(f, "cpu_op", 0);
    g_assert_cmpstr(TEXT(op, "shapes"), ==, "2,3;");
    g_assert_cmpstr(TEXT(op, "types"), ==, "float;Scalar");
    g_assert_cmpint(INTEGER(op, "sequence"), ==, 4);
    frames = (const StrobeStringId *)TEXT(op, "stack");
    g_assert_cmpstr(strobe_mock_importer_string(f->mock, frames[0]), ==, "b.py(2): g");
    g_assert_cmpstr(strobe_mock_importer_string(f->mock, frames[1]), ==, "a.py(1): f");
    op = nth(f, "cpu_op", 1); /* written the other way round */
    g_assert_cmpstr(TEXT(op, "shapes"), ==, "2,3;");
    g_assert_cmpint(INTEGER(op, "forward_thread"), ==, 2);
    g_assert_cmpint(INTEGER(op, "stack"), ==, 0);
    g_assert_cmpint(INTEGER(nth(f, "step", 0), "number"), ==, 50);
    g_assert_cmpstr(NAME(nth(f, "step", 0)), ==, "ProfilerStep#50");
    assert_track(f, nth(f, "gc", 0), STROBE_TRACK_THREAD, -1, 7, "Thread 7", "Python GC");
}

static void test_memory(Fixture *f, gconstpointer unused)
{
    const StrobeMockImported *event;

    make(f->path, framework,
         "CREATE TABLE NPU_OP_MEM (operatorName INTEGER,addr INTEGER,type INTEGER,size INTEGER,"
         "timestampNs INTEGER,globalTid INTEGER,totalAllocate NUMERIC,totalReserve NUMERIC,"
         "component INTEGER,deviceId INTEGER);"
         "INSERT INTO STRING_IDS VALUES(1,'mm'),(2,'allocate'),(3,'release');"
         "INSERT INTO NPU_OP_MEM VALUES(1,20617629794304,2,512,1002," TID8 ",5,6,536870912,0),"
         "(1,-2,3,512,1004," TID8 ",0,6,536870912,0)",
         NULL);
    import(f);
    g_assert_cmpuint(count(f, "memory_event"), ==, 4);
    event = nth(f, "memory_event", 0);
    g_assert_cmpint(INTEGER(event, "size"), ==, 512);
    g_assert_cmpint(INTEGER(event, "action"), ==, 0);
    g_assert_cmpint(INTEGER(event, "total_active"), ==, STROBE_ABSENT_I64);
    event = nth(f, "memory_event", 1);
    g_assert_cmpint(INTEGER(event, "size"), ==, -512);
    g_assert_cmpint(INTEGER(event, "address"), ==, -2); /* 2^64 - 2 */
    event = nth(f, "memory_event", 2);
    g_assert_cmpstr(TEXT(event, "component"), ==, "PTA");
    g_assert_cmpint(INTEGER(event, "action"), ==, 3);
    g_assert_cmpint(INTEGER(event, "total_reserved"), ==, 20);
    g_assert_cmpint(INTEGER(event, "stream"), ==, 99);
    g_assert_cmpstr(TEXT(nth(f, "memory_event", 3), "component"), ==, "WORKSPACE");
}

/* GE's states are measured where its operations are not. */
static void test_memory_without_operations(Fixture *f, gconstpointer unused)
{
    make(f->path, framework, NULL);
    import(f);
    g_assert_cmpuint(count(f, "memory_event"), ==, 3);
    g_assert_cmpstr(TEXT(nth(f, "memory_event", 1), "component"), ==, "GE");
}

/* ---- what is not known ---- */

static void test_unknown(Fixture *f, gconstpointer unused)
{
    const StrobeMockImported *row;

    make(f->path, strings, g1_tasks,
         "CREATE TABLE NewThing (\"odd name\" TEXT, odd_name REAL, startNs INTEGER, endNs INTEGER);"
         "INSERT INTO NewThing VALUES('x',1.5,1000,1001),(NULL,NULL,1002,1003);"
         "CREATE TABLE new_thing (a);INSERT INTO new_thing VALUES(1),('b');"
         "ALTER TABLE TASK ADD newColumn INTEGER;UPDATE TASK SET newColumn = 12 WHERE taskId = 12;"
         "CREATE TABLE status_info (id INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT);"
         "INSERT INTO status_info VALUES(1,'k');"
         "CREATE TABLE OVERLAP_ANALYSIS (id INTEGER PRIMARY KEY AUTOINCREMENT, deviceId integer);",
         NULL);
    import(f);
    row = nth(f, "ascend_db.new_thing", 0);
    g_assert_cmpstr(TEXT(row, "odd_name"), ==, "x");
    g_assert_cmpfloat(DOUBLE(row, "odd_name.1"), ==, 1.5);
    g_assert_cmpint(row->begin_ns, ==, 1000);
    g_assert_cmpint(row->end_ns, ==, 1001);
    g_assert_cmpstr(row->kind->summary, ==, "NewThing");
    g_assert_cmpstr(row->kind->fields[0].summary, ==, "odd name");
    g_assert_cmpint(INTEGER(nth(f, "ascend_db.new_thing", 1), "odd_name"), ==, 0);
    g_assert_cmpstr(TEXT(nth(f, "ascend_db.new_thing.1", 1), "a"), ==, "b");
    g_assert_cmpstr(TEXT(nth(f, "device_task", 1), "ascend_db.new_column"), ==, "12");
    g_assert_cmpint(INTEGER(nth(f, "device_task", 0), "ascend_db.new_column"), ==, 0);
    assert_lines(strobe_mock_importer_unknown(f->mock), "anything_4.bin: NewThing: 2\n");
    assert_lines(strobe_mock_importer_unknown(f->mock), "anything_4.bin: TASK.newColumn: 0\n");
    g_assert_null(strstr(strobe_mock_importer_unknown(f->mock), "status_info"));
    g_assert_null(strstr(strobe_mock_importer_unknown(f->mock), "OVERLAP"));
}

/* A column in a table that is taken apart: the table is kept as it is too. */
static void test_unknown_column(Fixture *f, gconstpointer unused)
{
    make(f->path, framework, "ALTER TABLE PYTORCH_API ADD novel TEXT;",
         "UPDATE PYTORCH_API SET novel = 'n' WHERE type = 50003;"
         "ALTER TABLE MEMORY_RECORD ADD novel TEXT",
         NULL);
    import(f);
    g_assert_cmpuint(count(f, "cpu_op"), ==, 2);
    g_assert_cmpuint(count(f, "ascend_db.pytorch_api"), ==, 5);
    g_assert_cmpstr(TEXT(nth(f, "ascend_db.pytorch_api", 2), "novel"), ==, "n");
    g_assert_cmpint(nth(f, "ascend_db.pytorch_api", 2)->begin_ns, ==, 990);
    g_assert_cmpuint(count(f, "ascend_db.memory_record"), ==, 4);
    g_assert_cmpuint(count(f, "ascend_db.connection_ids"), ==, 0);
    assert_lines(strobe_mock_importer_unknown(f->mock), "anything_4.bin: PYTORCH_API.novel: 0\n");
}

/* ---- hostile input ---- */

static void test_wrong_values(Fixture *f, gconstpointer unused)
{
    const StrobeMockImported *task;

    make(f->path, strings, g1_tasks,
         "INSERT INTO TASK VALUES('x',x'00',-5,1e300,99,'p',12345,NULL,-7,'4',99999999999,0),"
         "(2000,1000,3,-1,100,7,zeroblob(300000),0,2,1,1,0);"
         "INSERT INTO TASK_PMU_INFO VALUES(0,'text',1),(77,8,5);"
         "INSERT INTO COMPUTE_TASK_INFO(globalTaskId, name) VALUES(555, 2);",
         NULL);
    import(f);
    g_assert_cmpuint(count(f, "device_task"), ==, 6);
    task = nth(f, "device_task", 3);
    g_assert_cmpint(task->begin_ns, ==, 900); /* of the session */
    g_assert_cmpint(INTEGER(task, "task_id"), ==, 4);
    g_assert_cmpint(INTEGER(task, "model"), ==, STROBE_ABSENT_U32);
    g_assert_cmpstr(TEXT(task, "host_type"), ==, "12345");
    task = nth(f, "device_task", 4);
    g_assert_cmpint(task->begin_ns, ==, task->end_ns);
    task = nth(f, "device_task", 5); /* about a task that is not there */
    g_assert_cmpint(INTEGER(task, "task"), ==, 555);
    g_assert_cmpstr(NAME(task), ==, "mm");
    assert_lines(strobe_mock_importer_damage(f->mock),
                 "table TASK, row 4, column startNs: expected a time");
    assert_lines(strobe_mock_importer_damage(f->mock),
                 "table TASK, row 4, column modelId: the number is out of range");
    assert_lines(strobe_mock_importer_damage(f->mock), "table TASK, row 5: ends before it begins");
    assert_lines(strobe_mock_importer_damage(f->mock),
                 "table TASK_PMU_INFO, row 4: expected three numbers");
}

/* Nothing of a database may be run: what is no table is not one of ours. */
static void test_no_tables(Fixture *f, gconstpointer unused)
{
    make(f->path, strings,
         "CREATE VIEW TASK AS WITH RECURSIVE n(a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM n) "
         "SELECT a AS startNs, a AS endNs, a AS globalTaskId FROM n;"
         "CREATE TABLE CANN_API (startNs INTEGER, endNs INTEGER, name TEXT, connectionId INTEGER, "
         "PRIMARY KEY(connectionId)) WITHOUT ROWID;"
         "INSERT INTO CANN_API VALUES(1,2,'a',1);"
         "CREATE TABLE SESSION_TIME_INFO (startTimeNs INTEGER, endTimeNs INTEGER);"
         "INSERT INTO SESSION_TIME_INFO VALUES(1,2)",
         NULL);
    import(f);
    g_assert_cmpuint(count(f, "device_task"), ==, 0);
    assert_lines(strobe_mock_importer_damage(f->mock), "table CANN_API: no such column: rowid");
}

/* A program that has it open left a log; nothing is made beside the database. */
static void test_write_ahead(Fixture *f, gconstpointer unused)
{
    g_autofree char *log = g_strconcat(f->path, "-wal", NULL);
    g_autofree char *index = g_strconcat(f->path, "-shm", NULL);

    make(f->path, "PRAGMA journal_mode=WAL", strings, g1_tasks, NULL);
    g_unlink(index);
    g_assert_true(g_file_set_contents(log, "something", -1, NULL));
    import(f);
    g_assert_cmpuint(count(f, "device_task"), ==, 3);
    assert_lines(strobe_mock_importer_damage(f->mock), "the write-ahead log beside it is not read");
    g_assert_false(g_file_test(index, G_FILE_TEST_EXISTS));
}

/* Every cut at a page, and every page overwritten: damage is told and the rest is read. */
static void test_damaged_pages(Fixture *f, gconstpointer unused)
{
    g_autofree char *bytes = NULL;
    guint silent = 0, n_read[2] = {0}, n_tasks[2] = {0};
    gsize n;

    make(f->path, "PRAGMA page_size=512", strings, g1_tasks, g3_tables,
         "WITH RECURSIVE n(a) AS (SELECT 10 UNION ALL SELECT a + 1 FROM n WHERE a < 300) "
         "INSERT INTO TASK SELECT 1000 + a, 1001 + a, 3, a, a, 7, 0, 1, 2, a, 1, 0 FROM n",
         NULL);
    g_assert_true(g_file_get_contents(f->path, &bytes, &n, NULL));
    for (gsize page = 1; page < n / 512; page++) {
        g_autofree char *broken = g_memdup2(bytes, n);

        for (guint is_cut = 0; is_cut < 2; is_cut++) {
            strobe_mock_importer_free(f->mock);
            f->mock = strobe_mock_importer_new(strobe_plugin_1.components[0]);
            memset(broken + page * 512, 0xa5, 512);
            g_assert_true(g_file_set_contents(f->path, is_cut ? bytes : broken,
                                              (gssize)(is_cut ? page * 512 : n), NULL));
            gboolean is_read = strobe_mock_importer_run(f->mock, f->path) == STROBE_OK;
            g_assert_cmpstr(strobe_mock_importer_complaints(f->mock), ==, "");
            silent += is_read && !*strobe_mock_importer_damage(f->mock);
            n_tasks[is_cut] += count(f, "device_task");
            n_read[is_cut] += is_read;
        }
    }
    /* One page holds the derived table, which is not read. What lies behind the schema is lost page
     * by page, not as a whole. */
    g_assert_cmpuint(silent, <=, 1);
    g_assert_cmpuint(n_read[0], >, 30);
    g_assert_cmpuint(n_tasks[0], >, n_read[0] * 270);
    g_assert_cmpuint(n_read[1], >, 15);
    g_assert_cmpuint(n_tasks[1], >, n_read[1] * 100);
}

/* Where a page in the middle is gone, the rows before and behind it are there. */
static void test_both_sides_of_damage(Fixture *f, gconstpointer unused)
{
    g_autofree char *bytes = NULL;
    guint n_before = 0, n_behind = 0;
    gint64 page = 0;
    gsize n;

    make(f->path, "PRAGMA page_size=512", strings, g1_tasks,
         "WITH RECURSIVE n(a) AS (SELECT 10 UNION ALL SELECT a + 1 FROM n WHERE a < 300) "
         "INSERT INTO TASK SELECT 1000 + a, 1001 + a, 3, a, a, 7, 0, 1, 2, a, 1, 0 FROM n",
         NULL);
    g_assert_true(g_file_get_contents(f->path, &bytes, &n, NULL));
    for (gsize at = 512; at + 512 <= n; at += 512) /* a leaf in the middle holds 155 */
        if (bytes[at] == 13 && memmem(bytes + at, 512, "\x04\x83\x04\x84\x00\x9b", 6))
            page = (gint64)at;
    for (gsize at = 512; at + 512 <= n && !page; at += 512)
        if (bytes[at] == 13 && at > n / 2)
            page = (gint64)at;
    memset(bytes + page, 0xff, 512);
    g_assert_true(g_file_set_contents(f->path, bytes, (gssize)n, NULL));
    import(f);
    for (guint i = 0; i < count(f, "device_task"); i++) {
        gint64 id = INTEGER(nth(f, "device_task", i), "task");

        n_before += id == 12;
        n_behind += id == 299;
    }
    g_assert_cmpuint(n_before, ==, 1);
    g_assert_cmpuint(n_behind, ==, 1);
    assert_lines(strobe_mock_importer_damage(f->mock), "malformed");
}

#define ADD(path, test) g_test_add("/ascend_db/" path, Fixture, NULL, set_up, test, tear_down)

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    ADD("probe", test_probe);
    ADD("tasks", test_tasks);
    ADD("pmu", test_pmu);
    ADD("facts", test_facts);
    ADD("levels", test_levels);
    ADD("g3/tasks", test_g3_tasks);
    ADD("g3/communication", test_g3_communication);
    ADD("g3/others", test_g3_others);
    ADD("derived", test_derived);
    ADD("framework", test_framework);
    ADD("memory", test_memory);
    ADD("memory/without-operations", test_memory_without_operations);
    ADD("unknown", test_unknown);
    ADD("unknown-column", test_unknown_column);
    ADD("hostile/wrong-values", test_wrong_values);
    ADD("hostile/no-tables", test_no_tables);
    ADD("hostile/write-ahead", test_write_ahead);
    ADD("hostile/damaged-pages", test_damaged_pages);
    ADD("hostile/both-sides-of-damage", test_both_sides_of_damage);
    return g_test_run();
}
