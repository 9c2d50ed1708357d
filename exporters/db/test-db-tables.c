/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the tables of the device's tool, of memory and of analysis.db in each generation. */
#include <strobe/kinds.h>

#include "test-db-fixture.h"

static void fill_kernel(Fixture *f, struct strobe_device_task *fields)
{
    fields->task = 4;
    fields->connection = 40;
    fields->stream = 2;
    fields->task_id = 11;
    fields->block_num = 8;
    fields->mix_block_num = 0;
    fields->host_type = STRING("KERNEL_AICORE");
    fields->core = STRING("AI_CORE");
    fields->op_type = STRING("MatMul");
    fields->input_shapes = STRING("\"2,3;3\"");
    fields->op_state = STRING("dynamic");
    fields->is_kernel = 1;
}

static void add_kernel(Fixture *f)
{
    FIELDS(device_task, fields);
    fill_kernel(f, &fields);
    ADD(device_task, fixture_stream(f, 1, 2), "mm", T0, T0 + 9);
}

#define INFO                                                                                       \
    TEXT_OF("name")                                                                                \
    "," TEXT_OF("taskType") "," TEXT_OF("opType") "," TEXT_OF("inputShapes") "," TEXT_OF(          \
        "outputShapes")

static void test_tasks_1(Fixture *f, gconstpointer unused)
{
    fixture_generation(f, 1);
    add_kernel(f);
    fixture_run(f);
    CHECK("SELECT startNs, endNs, deviceId, connectionId, globalTaskId, globalPid," TEXT_OF(
              "taskType") ", contextId, streamId, taskId, modelId FROM TASK",
          "1700000000000000000|1700000000000000009|1|40|4|7|KERNEL_AICORE|4294967295|2|11|"
          "4294967295");
    CHECK("SELECT globalTaskId, blockDim, mixBlockDim," INFO " FROM COMPUTE_TASK_INFO",
          "4|8|0|mm|AI_CORE|MatMul|\"2,3;3\"|N/A");
    CHECK("SELECT sql FROM sqlite_master WHERE name = 'COMPUTE_TASK_INFO'",
          "CREATE TABLE COMPUTE_TASK_INFO (name INTEGER,globalTaskId INTEGER PRIMARY KEY,blockDim "
          "INTEGER,mixBlockDim INTEGER,taskType INTEGER,opType INTEGER,inputFormats INTEGER,"
          "inputDataTypes INTEGER,inputShapes INTEGER,outputFormats INTEGER,outputDataTypes "
          "INTEGER,outputShapes INTEGER,attrInfo INTEGER)");
}

static void test_tasks_3(Fixture *f, gconstpointer unused)
{
    FIELDS(device_task, fields);
    add_kernel(f);
    fill_kernel(f, &fields); /* the task belongs to a collective and is not a kernel */
    fields.task = 5;
    fields.is_kernel = 0;
    ADD(device_task, fixture_stream(f, 1, 2), "hcom", T0, T0 + 9);
    fixture_absent(&strobe_kind_device_task, &fields); /* a task that copies */
    fields.task = 6;
    fields.stream = 2;
    fields.copy_bytes = 4096;
    fields.copy_direction = STRING("host to device");
    ADD(device_task, fixture_stream(f, 1, 2), "MEMCPY_ASYNC", T0, T0 + 9);
    /* the row belongs to a task that the source does not have */
    fixture_absent(&strobe_kind_device_task, &fields);
    fields.task = 77;
    fields.is_kernel = 1;
    ADD(device_task, 0, "lost", T0, T0);
    fixture_run(f);
    CHECK("SELECT globalTaskId, blockNum, mixBlockNum," TEXT_OF("opState") "," TEXT_OF(
              "hf32Eligible") "," TEXT_OF("blockDim") " FROM COMPUTE_TASK_INFO",
          "4|8|0|dynamic|N/A|N/A\n77|NULL|NULL|N/A|N/A|N/A");
    CHECK("SELECT globalTaskId," TEXT_OF("name") "," TEXT_OF(
              "opType") " FROM COMMUNICATION_SCHEDULE_TASK_INFO",
          "5|hcom|MatMul");
    CHECK("SELECT * FROM MEMCPY_INFO", "6|4096|1");
    CHECK("SELECT globalTaskId," TEXT_OF("taskType") " FROM TASK",
          "4|KERNEL_AICORE\n5|KERNEL_AICORE\n6|MEMCPY_ASYNC");
}

static void test_pmu(Fixture *f, gconstpointer unused)
{
    FIELDS(device_pmu, fields);
    fields.task = 4;
    fields.metrics = STRING("aic_total_time;aic_mac_ratio;not_there");
    fields.value[0] = 309495.416666667;
    fields.value[1] = 0;
    ADD(device_pmu, fixture_stream(f, 1, 2), "mm", T0, T0 + 9);
    fixture_run(f);
    CHECK("SELECT globalTaskId," TEXT_OF("name") ", value, typeof(value) FROM TASK_PMU_INFO",
          "4|aic_total_time|309495.416666667|real\n4|aic_mac_ratio|0|integer");
}

/* ---- communication ---- */

static void add_transfer(Fixture *f, StrobeTrackId plane, const char *name, gint64 begin,
                         gboolean is_of_database)
{
    FIELDS(comm_task, fields);
    fields.plane = 1;
    fields.stream = 2;
    fields.task_id = 30;
    fields.context = 3;
    fields.transport = STRING("SDMA");
    fields.link_type = STRING("HCCS_SW");
    fields.data_type = STRING("FP16");
    fields.source_rank = 0;
    fields.size = 64;
    fields.bandwidth = 15.7239;
    fields.is_master = 1;
    fields.notify = is_of_database ? STRING("18446744073709551615") : STRING("12");
    if (is_of_database) {
        fields.op = 8;
        fields.task = 21;
    }
    ADD(comm_task, plane, name, begin, begin + 5);
}

static void add_collective(Fixture *f, StrobeTrackId group, const char *name, guint64 op,
                           gint64 begin, gint64 end)
{
    FIELDS(comm_op, fields);
    fields.op = op;
    fields.connection = 50;
    fields.count = 100;
    fields.data_type = STRING("FP32");
    fields.rank_size = 8;
    ADD(comm_op, group, name, begin, end);
}

static void test_communication(Fixture *f, gconstpointer unused)
{
    StrobeTrackId group = strobe_mock_track(f->mock, STROBE_TRACK_STREAM, 4, "", "HCCL", 1);
    StrobeTrackId plane = strobe_mock_track(f->mock, STROBE_TRACK_PLANE, 6, "", "HCCL", 1);

    add_transfer(f, plane, "Memcpy", T0 + 10, TRUE);
    add_collective(f, group, "hcom_allReduce__9_0_1", 8, T0, T0 + 100);
    fixture_run(f);
    CHECK("SELECT " TEXT_OF("opName") "," TEXT_OF(
              "opType") ", opId, connectionId, dataType, "
                        "relay, count, deviceId, rankSize, groupName FROM COMMUNICATION_OP",
          "hcom_allReduce__9_0_1|hcom_allReduce_|8|50|4|NULL|100|1|8|4294967295");
    CHECK("SELECT " TEXT_OF("name") "," TEXT_OF(
              "taskType") ", globalTaskId, planeId, notifyId, rdmaType, srcRank, dstRank, "
                          "transportType, size, "
                          "dataType, linkType, opId, isMaster, bandwidth FROM "
                          "COMMUNICATION_TASK_INFO",
          "hcom_allReduce__9_0_1|Memcpy|21|1|9223372036854775807|65535|0|4294967295|0|64|3|5|8|1|"
          "15723900000");
    CHECK("SELECT name FROM sqlite_master WHERE type = 'index' ORDER BY 1",
          "CommunicationTaskIndex");
}

/* A trace names neither the operation nor the task: the operation is found by row and time, the
 * task by stream and number. */
static void test_communication_trace(Fixture *f, gconstpointer unused)
{
    StrobeTrackId group = strobe_mock_track(f->mock, STROBE_TRACK_STREAM, 4, "", "HCCL", 1);
    StrobeTrackId plane = strobe_mock_track(f->mock, STROBE_TRACK_PLANE, 6, "", "HCCL", 1);
    FIELDS(device_task, fields);

    fixture_generation(f, 1);
    fields.task = ((guint64)1 << 62) + 9;
    fields.stream = 2;
    fields.task_id = 30;
    fields.context = 3;
    ADD(device_task, fixture_stream(f, 1, 2), "SDMA", T0 + 210, T0 + 215);
    add_transfer(f, plane, "Memcpy", T0 + 10, FALSE);
    add_collective(f, group, "first", STROBE_ABSENT_U64, T0, T0 + 100);
    add_transfer(f, plane, "Memcpy", T0 + 150, FALSE);
    add_transfer(f, plane, "Memcpy", T0 + 210, FALSE);
    add_collective(f, group, "second", STROBE_ABSENT_U64, T0 + 200, T0 + 300);
    fixture_run(f);
    CHECK("SELECT opId, coalesce(" TEXT_OF("name") ", name), globalTaskId, notifyId FROM "
                                                   "COMMUNICATION_TASK_INFO",
          "1|first|NULL|12\nNULL|4294967295|NULL|12\n2|second|9|12");
    CHECK("SELECT count(*) FROM pragma_table_info('COMMUNICATION_TASK_INFO')", "14");
    CHECK("SELECT count(*) FROM pragma_table_info('COMMUNICATION_OP')", "12");
}

/* ---- memory ---- */

static void add_memory(Fixture *f, const char *component, guint32 action, gint64 size)
{
    FIELDS(memory_event, fields);
    fields.address = 4096;
    fields.size = size;
    fields.action = action;
    fields.total_allocated = 10;
    fields.device = 1;
    fields.component = STRING(component);
    ADD(memory_event, fixture_thread(f, 9), "op", T0, T0);
}

static void add_total(Fixture *f, const char *component, gint64 active, gint32 device)
{
    FIELDS(memory_total, fields);
    fields.allocated = 5;
    fields.reserved = 6;
    fields.active = active;
    fields.device = device;
    ADD(memory_total, 0, component, T0, T0);
}

static void add_block(Fixture *f, const char *component, const char *name)
{
    FIELDS(memory_block, fields);
    fields.size = 512;
    fields.duration = 3;
    fields.device = 1;
    fields.component = STRING(component);
    ADD(memory_block, 0, name, T0, T0);
}

static void test_memory(Fixture *f, gconstpointer unused)
{
    add_memory(f, "GE", 0, 512);
    add_memory(f, "GE", 1, -512);
    add_memory(f, "PTA", 0, 64);
    add_memory(f, "GE", 3, STROBE_ABSENT_I64);
    add_total(f, "PTA", 4, 1);
    add_total(f, "GE", STROBE_ABSENT_I64, 1);
    add_total(f, "PTA", STROBE_ABSENT_I64, -1);
    add_total(f, "APP", STROBE_ABSENT_I64, 1);
    add_block(f, "PTA", "op");
    add_block(f, "GE", "op");
    add_block(f, "CPU", "op");
    fixture_run(f);
    CHECK("SELECT " TEXT_OF("operatorName") "," TEXT_OF("type") ", size, globalTid, totalAllocate, "
                                                                "totalReserve," TEXT_OF(
                                                                    "component") " FROM NPU_OP_MEM",
          "op|allocate|512|30064771081|10|NULL|GE\nop|release|512|30064771081|10|NULL|GE");
    CHECK("SELECT " TEXT_OF("component") ", totalAllocated, totalReserved, totalActive, streamPtr, "
                                         "deviceId FROM MEMORY_RECORD",
          "PTA|5|6|4|NULL|1\nGE|5|6|0|NULL|1\nPTA|5|6|NULL|NULL|-1");
    CHECK("SELECT name >= 536870912," TEXT_OF("name") ", size, allocationTime, releaseTime, "
                                                      "duration FROM OP_MEMORY",
          "1|op|512|1700000000000000000|NULL|3\n0|op|512|1700000000000000000|NULL|3");
}

/* Samples that are separate events in a trace become one row. */
static void test_samples(Fixture *f, gconstpointer unused)
{
    StrobeTrackId track = strobe_mock_track(f->mock, STROBE_TRACK_COUNTER, 0, "", "NPU MEM", 1);

    for (guint i = 0; i < 2; i++) {
        FIELDS(memory_usage, fields);
        fields.device = 1;
        fields.hbm = 100 + i;
        ADD(memory_usage, track, "app", T0 + i, T0 + i);
        fields.hbm = STROBE_ABSENT_I64;
        fields.ddr = i;
        ADD(memory_usage, track, "device", T0 + i, T0 + i);
        ADD(memory_usage, track, "app", T0 + i, T0 + i);
    }
    fixture_run(f);
    CHECK("SELECT " TEXT_OF("type") ", ddr, hbm, timestampNs - 1700000000000000000 FROM NPU_MEM",
          "app|0|100|0\ndevice|0|NULL|0\napp|1|101|1\ndevice|1|NULL|1");
}

static void test_modules(Fixture *f, gconstpointer unused)
{
    FIELDS(module_memory, fields);
    fields.reserved = -1;
    fields.device = 1;
    ADD(module_memory, 0, "RUNTIME", T0, T0);
    ADD(module_memory, 0, "SOMETHING", T0 + 1, T0 + 1);
    fields.module = 5;
    ADD(module_memory, 0, "", T0 + 2, T0 + 2);
    fixture_run(f);
    CHECK("SELECT moduleId, totalReserved FROM NPU_MODULE_MEM", "7|-1\n1000000|-1\n5|-1");
    CHECK("SELECT name FROM ENUM_MODULE WHERE id = 1000000", "SOMETHING");
}

/* There are more names than the cache can have, and they are used in turn. */
static void test_many_modules(Fixture *f, gconstpointer unused)
{
    FIELDS(module_memory, fields);
    for (guint i = 0; i < 1200; i++) {
        g_autofree char *name = g_strdup_printf("module %u", i % 600);

        ADD(module_memory, 0, name, T0 + i, T0 + i);
    }
    fixture_run(f);
    CHECK("SELECT count(*), count(DISTINCT moduleId) FROM NPU_MODULE_MEM", "1200|600");
    CHECK("SELECT count(*) FROM NPU_MODULE_MEM m JOIN ENUM_MODULE e ON e.id = m.moduleId "
          "WHERE e.name = 'module ' || ((m.timestampNs - 1700000000000000000) % 600)",
          "1200");
}

/* ---- other tables of the newest generation ---- */

static void add_others(Fixture *f)
{
    {
        FIELDS(usage, fields);
        fields.usage = 12.5;
        fields.processor = 3;
        ADD(usage, 0, "CPU 3", T0, T0);
        ADD(usage, 0, "Memory", T0 + 1, T0 + 1);
    }
    {
        FIELDS(overlap, fields);
        fields.type = 2;
        fields.device = 1;
        ADD(overlap, 0, "Communication(Not Overlapped)", T0, T0 + 5);
    }
    {
        FIELDS(qos, fields);
        fields.bandwidth = 1048576;
        fields.die = -1;
        fields.device = 1;
        ADD(qos, 0, "OTHERS", T0, T0);
    }
    {
        FIELDS(gc, fields);
        ADD(gc, fixture_thread(f, 9), "GC", T0, T0 + 5);
    }
}

static void test_others(Fixture *f, gconstpointer unused)
{
    add_others(f);
    fixture_run(f);
    CHECK("SELECT timestampNs, cpuId, usage FROM CPU_USAGE", "1700000000000000000|3|12.5");
    CHECK("SELECT timestampNs, usage FROM HOST_MEM_USAGE", "1700000000000000001|12.5");
    CHECK("SELECT id, deviceId, endNs - startNs, type FROM OVERLAP_ANALYSIS", "1|1|5|2");
    CHECK("SELECT deviceId," TEXT_OF("eventName") ", bandwidth, dieId FROM QOS",
          "1|QoS OTHERS|1048576|-1");
    CHECK("SELECT endNs - startNs, globalTid FROM GC_RECORD", "5|30064771079");
}

/* Older files do not have this table; viewers make it themselves. */
static void test_others_1(Fixture *f, gconstpointer unused)
{
    fixture_generation(f, 1);
    add_others(f);
    fixture_run(f);
    CHECK("SELECT count(*) FROM sqlite_master WHERE name = 'OVERLAP_ANALYSIS'", "0");
    /* this generation has no such table, but the records are not lost */
    CHECK("SELECT count(*) FROM QOS", "1");
}

static void test_devices(Fixture *f, gconstpointer unused)
{
    FIELDS(device_info, fields);
    fields.device = 1;
    fields.rank = 5;
    ADD(device_info, 0, "Ascend910B", T0, T0);
    fields.device = 2;
    fields.rank = STROBE_ABSENT_I32;
    ADD(device_info, 0, "Ascend910B", T0, T0);
    fixture_run(f);
    CHECK("SELECT id, name FROM NPU_INFO", "1|Ascend910B\n2|Ascend910B");
    CHECK("SELECT * FROM RANK_DEVICE_MAP", "5|1");
}

/* ---- analysis.db ---- */

static void add_bandwidth(Fixture *f, const char *transport, double size, double package,
                          gboolean is_total)
{
    FIELDS(communication_bandwidth, fields);
    fields.step = 50;
    fields.group = STRING("123");
    fields.type = STRING("collective");
    fields.transport = STRING(transport);
    fields.transit_size = size;
    fields.transit_time = size / 2;
    fields.bandwidth = 2;
    fields.is_total = is_total;
    fields.package_count = 0;
    if (package > 0) {
        fields.large_ratio = 0.5;
        fields.package_size = package;
        fields.package_count = 3;
        fields.package_time = 1;
    }
    ADD(communication_bandwidth, 0, "hcom@x@123", T0, T0);
}

static void add_analysis(Fixture *f)
{
    {
        FIELDS(step_trace, fields);
        fields.step = 50;
        fields.device = 1;
        fields.computing = 8926.368;
        fields.stage = 7;
        fields.is_exact = 1;
        ADD(step_trace, 0, "", T0, T0);
    }
    add_bandwidth(f, "HCCS", 4, 2, FALSE);
    add_bandwidth(f, "SDMA", 4, 0, FALSE);
    add_bandwidth(f, "RDMA", 0, 0, FALSE);
    add_bandwidth(f, "HCCS", 4, 2, TRUE);
    {
        FIELDS(communication_matrix, fields);
        fields.group = STRING("123");
        fields.source = STRING("1");
        fields.target = STRING("2");
        fields.transit_size = 4;
        ADD(communication_matrix, 0, "allreduce-total@123", T0, T0);
    }
}

static void test_analysis_1(Fixture *f, gconstpointer unused)
{
    fixture_generation(f, 1);
    add_analysis(f);
    fixture_run(f);
    CHECK_IN("analysis.db", "SELECT step, computing, stage, bubble FROM StepTraceTime",
             "50|8926.368|7|NULL");
    CHECK_IN("analysis.db", "SELECT count(*) FROM pragma_table_info('StepTraceTime')", "10");
    CHECK_IN("analysis.db", "SELECT * FROM CommAnalyzerBandwidth",
             "hcom@x|123|HCCS|4|2|2|0.5|2|3|1|step50|collective\n"
             "hcom@x|123|SDMA|4|2|2|0|0|0|0|step50|collective");
    CHECK_IN("analysis.db",
             "SELECT hccl_op_name, src_rank, dst_rank, step, op_name, "
             "typeof(op_name) FROM CommAnalyzerMatrix",
             "allreduce-total|1|2|step||text");
    CHECK_IN("analysis.db", "SELECT sql FROM sqlite_master WHERE name = 'StepTraceTime'",
             "CREATE TABLE StepTraceTime (step TEXT, computing NUMERIC, "
             "communication_not_overlapped NUMERIC, overlapped NUMERIC, communication NUMERIC, "
             "free NUMERIC, stage NUMERIC, bubble NUMERIC, "
             "communication_not_overlapped_and_exclude_receive NUMERIC, preparing NUMERIC)");
}

static void test_analysis_3(Fixture *f, gconstpointer unused)
{
    strobe_mock_metadata(f->mock)->level = 0;
    add_analysis(f);
    fixture_run(f);
    CHECK_IN("analysis.db", "SELECT deviceId, step FROM StepTraceTime", "1|50");
    CHECK_IN("analysis.db", "SELECT group_concat(name) FROM sqlite_master", "StepTraceTime");
}

void add_table_tests(void)
{
#define TEST(path, function)                                                                       \
    g_test_add("/db/tables/" path, Fixture, NULL, fixture_set_up, function, fixture_tear_down)
    TEST("tasks-1", test_tasks_1);
    TEST("tasks-3", test_tasks_3);
    TEST("pmu", test_pmu);
    TEST("communication", test_communication);
    TEST("communication-trace", test_communication_trace);
    TEST("memory", test_memory);
    TEST("samples", test_samples);
    TEST("modules", test_modules);
    TEST("many-modules", test_many_modules);
    TEST("others", test_others);
    TEST("others-1", test_others_1);
    TEST("devices", test_devices);
    TEST("analysis-1", test_analysis_1);
    TEST("analysis-3", test_analysis_3);
}
