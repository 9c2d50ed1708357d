/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the layers of devices in each generation of the file. */
#include <math.h>
#include <string.h>

#include "test-chrome-trace-fixture.h"

/* pid << 10 | sort index << 5 | device */
#define CANN_1 "4824289"     /* 7, the device */
#define CANN_3 "4824319"     /* 7, 31 */
#define HARDWARE_1 "4824481" /* 13 */
#define HARDWARE_3 "4824513" /* 14 */
#define HCCL_1 "4824545"     /* 15 */
#define COMM_3 "4824577"     /* 16 */
#define OVERLAP_1 "4824801"  /* 23 */
#define OVERLAP_3 "4825057"  /* 31 */

typedef struct Tracks {
    StrobeTrackId call, stream, group, plane;
} Tracks;

static Tracks make_tracks(Fixture *f, int generation)
{
    strobe_mock_metadata(f->mock)->generation = generation;
    strobe_mock_metadata(f->mock)->level = 1;
    strobe_mock_metadata_entry(f->mock, "source", "{}");
    strobe_mock_metadata_entry(f->mock, "device", "1");
    return (Tracks){
        strobe_mock_track(f->mock, STROBE_TRACK_THREAD, 4711, NULL, "CANN", -1),
        strobe_mock_track(f->mock, STROBE_TRACK_STREAM, 2, NULL, "Ascend Hardware", 1),
        strobe_mock_track(f->mock, STROBE_TRACK_STREAM, 0, "Group 0 Communication", "HCCL", 1),
        strobe_mock_track(f->mock, STROBE_TRACK_PLANE, 1, "Plane 0", "HCCL", 1)};
}

static struct strobe_device_task make_task(Fixture *f)
{
    return (struct strobe_device_task){
        .task = 9,
        .connection = 12,
        .batch = 0,
        .task_id = 7,
        .stream = 2,
        .context = STROBE_ABSENT_U32,
        .model = STROBE_ABSENT_U32,
        .task_type = string(f, "AI_CORE"),
        .core = string(f, "AI_VECTOR_CORE"),
        .copy_bytes = STROBE_ABSENT_U64,
        .copy_bandwidth = NAN,
        .is_kernel = 1,
        .exact_us = NAN,
    };
}

static void add_calls(Fixture *f, const Tracks *tracks)
{
    struct strobe_api_call call = {string(f, "acl"), string(f, "ACL_NN"), 0, STROBE_ABSENT_U64,
                                   2.1500000000000004};
    struct strobe_api_call comm = {string(f, "hccl"), string(f, "master"), string(f, "Launch_Ffts"),
                                   1505, NAN};

    strobe_mock_add(f->mock, &strobe_kind_api_call, tracks->call, string(f, "aclnnMm"), T0,
                    T0 + 2150, &call);
    strobe_mock_add(f->mock, &strobe_kind_api_call, tracks->call, string(f, "Launch_Ffts"), T0 + 10,
                    T0 + 110, &comm);
}

static void add_tasks(Fixture *f, const Tracks *tracks)
{
    struct strobe_device_task task = make_task(f);

    task.exact_us = 2.2600625;
    strobe_mock_add(f->mock, &strobe_kind_device_task, tracks->stream, string(f, "mm"), T0 + 500,
                    T0 + 2760, &task);
    task.exact_us = NAN;
    task.is_kernel = 0;
    task.task_type = string(f, "SDMA_SQE");
    task.core = 0;
    task.copy_bytes = 1168;
    task.copy_direction = string(f, "host to device");
    task.copy_bandwidth = 0.5;
    strobe_mock_add(f->mock, &strobe_kind_device_task, tracks->stream, string(f, "MEMCPY_ASYNC"),
                    T0 + 9000, T0 + 9000, &task);
}

static void add_communication(Fixture *f, const Tracks *tracks)
{
    struct strobe_comm_op op = {.connection = 1505,
                                .count = 8,
                                .model = STROBE_ABSENT_U32,
                                .rank_size = 2,
                                .relay = 0,
                                .retry = 1,
                                .algorithm = string(f, "MESH-RING"),
                                .data_type = string(f, "FP32"),
                                .exact_us = NAN};
    struct strobe_comm_task task = {.connection = STROBE_ABSENT_U64,
                                    .notify = string(f, "4294967364"),
                                    .estimated = 1,
                                    .bandwidth = 0,
                                    .stream = 4,
                                    .task_id = 807,
                                    .context = 2,
                                    .model = STROBE_ABSENT_U32,
                                    .source_rank = 0,
                                    .target_rank = STROBE_ABSENT_U32,
                                    .transport = string(f, "SDMA"),
                                    .link_type = string(f, "HCCS"),
                                    .data_type = string(f, "FP32"),
                                    .exact_us = 0.72003125};
    const struct strobe_overlap overlap = {2, 1};

    strobe_mock_add(f->mock, &strobe_kind_comm_task, tracks->plane, string(f, "Notify_Record"),
                    T0 + 100, T0 + 820, &task);
    strobe_mock_add(f->mock, &strobe_kind_comm_op, tracks->group, string(f, "hcom_allReduce__1"),
                    T0 + 100, T0 + 2100, &op);
    strobe_mock_add(f->mock, &strobe_kind_overlap, 0, string(f, "Communication(Not Overlapped)"),
                    T0 + 100, T0 + 2100, &overlap);
}

static void test_first_generation(Fixture *f, gconstpointer unused)
{
    const Tracks tracks = make_tracks(f, 1);

    add_calls(f, &tracks);
    add_tasks(f, &tracks);
    add_communication(f, &tracks);
    g_autofree char *text = run(f);

    assert_has(text,
               "{\"name\": \"AscendCL@aclnnMm\", \"pid\": " CANN_1 ", \"tid\": 4711, \"ts\": "
               "\"1736412474000000.000\", \"dur\": 2.1500000000000004, \"args\": {\"Thread Id\": "
               "4711, \"Mode\": \"ACL_NN\", \"level\": \"acl\", \"id\": \"aclnnMm\", "
               "\"item_id\": \"0\", \"connection_id\": 4294967295}, \"ph\": \"X\"}");
    assert_has(text, "\"dur\": 2.2600625, \"args\": {\"Model Id\": 4294967295, \"Task Type\": "
                     "\"AI_CORE\", \"Physic Stream Id\": 2, \"Task Id\": 7, \"Batch Id\": 0, "
                     "\"Subtask Id\": 4294967295, \"connection_id\": 12}, \"ph\": \"X\"}");
    assert_has(text,
               "\"dur\": 0, \"args\": {\"Model Id\": 4294967295, \"Task Type\": \"SDMA_SQE\"");
    assert_has(text, "\"connection_id\": 12, \"data size(Byte)\": 1168, \"memcpy direction\": "
                     "\"host to device\"}, \"ph\": \"X\"}");
    assert_has(text, "{\"name\": \"Hccl@Launch_Ffts\"");
    assert_has(text, "\"level\": \"hccl\", \"id\": \"0\", \"item_id\": \"Launch_Ffts\"");
    assert_has(text, "{\"name\": \"hcom_allReduce__1\", \"pid\": " HCCL_1 ", \"tid\": 0, \"ts\": "
                     "\"1736412474000000.100\", \"dur\": 2.0, \"args\": {\"connection_id\": 1505, "
                     "\"model id\": 4294967295, \"data_type\": \"FP32\", \"alg_type\": "
                     "\"MESH-RING\", \"count\": 8}, \"ph\": \"X\"}");
    assert_has(text, "\"dur\": 0.72003125, \"args\": {\"notify_id\": \"4294967364\", "
                     "\"duration estimated(us)\": 1, \"stream id\": 4");
    assert_has(text, "\"dst rank\": 4294967295, \"transport type\": \"SDMA\", \"size(Byte)\": 0, ");
    assert_has(text, "\"bandwidth(GB/s)\": 0.0, \"model id\": 4294967295}, \"ph\": \"X\"}");
    assert_has(text, "{\"name\": \"Communication(Not Overlapped)\", \"pid\": " OVERLAP_1
                     ", \"tid\": 2, \"ts\": \"1736412474000000.100\", \"dur\": 2.0, \"ph\": "
                     "\"X\"}");
}

static void test_first_generation_names(Fixture *f, gconstpointer unused)
{
    const Tracks tracks = make_tracks(f, 1);

    add_communication(f, &tracks);
    g_autofree char *text = run(f);

    assert_has(text, "{\"name\": \"process_name\", \"pid\": " HCCL_1
                     ", \"tid\": 0, \"args\": {\"name\": \"HCCL\"}, \"ph\": \"M\"}");
    assert_has(text, "{\"name\": \"process_labels\", \"pid\": " HCCL_1
                     ", \"tid\": 0, \"args\": {\"labels\": \"NPU\"}, \"ph\": \"M\"}");
    assert_has(text, "\"args\": {\"name\": \"Group 0 Communication\"}, \"ph\": \"M\"}, ");
    assert_has(text, "{\"name\": \"thread_sort_index\", \"pid\": " HCCL_1
                     ", \"tid\": 1, \"args\": {\"sort_index\": 1}, \"ph\": \"M\"}");
    /* rows without events also have names, and the overlap layer always has its four rows */
    assert_has(text, "\"pid\": " HARDWARE_1 ", \"tid\": 2, \"args\": {\"name\": \"Stream 2\"}");
    assert_has(text, "\"pid\": " CANN_1 ", \"tid\": 4711, \"args\": {\"name\": \"Thread 4711\"}");
    assert_has(text, "\"pid\": " OVERLAP_1 ", \"tid\": 3, \"args\": {\"name\": \"Free\"}");
    assert_has_not(text, "{\"name\": \"thread_sort_index\", \"pid\": " OVERLAP_1);
    /* there is no record of the framework */
    assert_has_not(text, "\"Python\"");
}

static void test_third_generation(Fixture *f, gconstpointer unused)
{
    const Tracks tracks = make_tracks(f, 3);

    add_calls(f, &tracks);
    add_tasks(f, &tracks);
    add_communication(f, &tracks);
    g_autofree char *text = run(f);

    assert_has(text, "{\"name\": \"AscendCL@aclnnMm\", \"pid\": " CANN_3 ", \"tid\": 4711, \"ts\": "
                     "\"1736412474000000.000\", \"dur\": 2.15, \"ph\": \"X\", \"args\": "
                     "{\"Thread Id\": 4711, ");
    assert_has(text, "{\"name\": \"Communication@Launch_Ffts\"");
    assert_has(text, "\"level\": \"communication\", \"id\": \"0\"");
    assert_has(text, "\"pid\": " HARDWARE_3 ", \"tid\": 2, \"ts\": \"1736412474000000.500\", "
                     "\"dur\": 2.26, \"ph\": \"X\", \"args\": {\"Model Id\": 4294967295, "
                     "\"Task Type\": \"AI_VECTOR_CORE\", ");
    assert_has(text, "\"dur\": 0.0, \"ph\": \"X\", \"args\": {\"Model Id\": 4294967295, "
                     "\"Task Type\": \"SDMA_SQE\"");
    assert_has(text, "\"connection_id\": 12, \"size(B)\": 1168, \"bandwidth(GB/s)\": 0.5, "
                     "\"operation\": \"host to device\"}}");
    assert_has(text,
               "\"args\": {\"rank_size\": 2, \"connection_id\": 1505, \"model id\": 4294967295, "
               "\"data_type\": \"FP32\", \"alg_type\": \"MESH-RING\", \"count\": 8, "
               "\"relay\": \"no\", \"retry\": \"yes\"}}");
    assert_has(text, "\"duration estimated(us)\": 1.0, ");
    assert_has(text, "\"tid\": 2, \"ts\": \"1736412474000000.100\", \"dur\": 2.0, \"ph\": \"X\", "
                     "\"args\": {}}");
    assert_has(text, "{\"name\": \"process_name\", \"pid\": " COMM_3
                     ", \"tid\": 0, \"ph\": \"M\", \"args\": {\"name\": \"Communication\"}}");
    assert_has(text, "{\"name\": \"process_labels\", \"pid\": " COMM_3
                     ", \"tid\": 0, \"ph\": \"M\", \"args\": {\"labels\": \"NPU 1\"}}");
    assert_has(text, "{\"name\": \"thread_sort_index\", \"pid\": " OVERLAP_3
                     ", \"tid\": 3, \"ph\": \"M\", \"args\": {\"sort_index\": 3}}");
}

/* Older files are sorted by time; in newer files the events of each layer are together. */
static void test_orders(Fixture *f, gconstpointer generation)
{
    static const char *const by_time[] = {"aclnnMm", "hcom", "\"mm\"", "\"MEMCPY_ASYNC\"", NULL};
    static const char *const by_layer[] = {"aclnnMm", "\"mm\"", "\"MEMCPY_ASYNC\"", "hcom", NULL};
    const Tracks tracks = make_tracks(f, GPOINTER_TO_INT(generation));

    add_calls(f, &tracks);
    add_tasks(f, &tracks);
    add_communication(f, &tracks);
    g_autofree char *text = run(f);

    assert_order(text, GPOINTER_TO_INT(generation) == 1 ? by_time : by_layer);
}

static void add_queue(Fixture *f, StrobeTrackId track, const char *name, guint64 id, gint64 begin,
                      gboolean is_dequeue)
{
    const struct strobe_task_queue queue = {id, (uint8_t)is_dequeue};

    strobe_mock_add(f->mock, &strobe_kind_task_queue, track, string(f, name), T0 + begin,
                    T0 + begin + 1900, &queue);
}

static void add_framework(Fixture *f, int generation)
{
    const struct strobe_cpu_op op = {-1, 0, 0, 0, 0, 0, 0};
    const struct strobe_python_call inner = {3, 1, STROBE_ABSENT_I64}, outer = {1, 0, 0};

    make_tracks(f, generation);
    add_queue(f, f->thread, "Enqueue", 5, 0, FALSE);
    strobe_mock_add(f->mock, &strobe_kind_python_call, f->worker, string(f, "f.py(1): g"), T0,
                    T0 + 10, &inner);
    strobe_mock_add(f->mock, &strobe_kind_python_call, f->thread, string(f, "f.py(1): h"), T0,
                    T0 + 20, &inner);
    strobe_mock_add(f->mock, &strobe_kind_python_call, f->worker, string(f, "nn.Module: M_0"), T0,
                    T0 + 30, &outer);
    add_queue(f, f->thread, "Enqueue", 6, 1000, FALSE);
    add_queue(f, f->worker, "Dequeue@aclnnMm", 5, 2000, TRUE);
    strobe_mock_add(f->mock, &strobe_kind_cpu_op, f->thread, string(f, "aten::mm"), T0, T0 + 9000,
                    &op);
}

static void test_queue_first(Fixture *f, gconstpointer unused)
{
    static const char *const order[] = {
        "[{\"ph\": \"X\", \"name\": \"aten::mm\"",
        "{\"ph\": \"X\", \"name\": \"Enqueue\", \"pid\": 4711, \"tid\": 4711, \"ts\": "
        "\"1736412474000000.000\", \"dur\": 1.9, \"cat\": \"enqueue\", \"args\": "
        "{\"correlation_id\": 5}}, "
        "{\"ph\": \"s\", \"bp\": \"e\", \"name\": \"enqueue_to_dequeue\", \"id\": 5, \"pid\": "
        "4711, \"tid\": 4711, \"ts\": \"1736412474000000.000\", \"cat\": \"async_task_queue\"}",
        "\"correlation_id\": 6}}", "{\"ph\": \"X\", \"name\": \"Dequeue@aclnnMm\"",
        "{\"ph\": \"f\", \"bp\": \"e\", \"name\": \"enqueue_to_dequeue\", \"id\": 5, \"pid\": "
        "4711, \"tid\": 4712",
        /* the thread that runs the queue comes after all others */
        "\"tid\": 4712, \"args\": {\"sort_index\": 4713}}", "\"name\": \"f.py(1): h\"",
        "\"name\": \"f.py(1): g\", \"pid\": 4711, \"tid\": 4712, \"ts\": "
        "\"1736412474000000.000\", \"dur\": 0.01, \"cat\": \"python_function\", \"args\": "
        "{\"Python id\": 3, \"Python parent id\": 1}}",
        "\"Python id\": 1, \"Python parent id\": 0, \"Python module id\": 0}}", NULL};

    add_framework(f, 1);
    g_autofree char *text = run(f);

    assert_order(text, order);
}

static void test_queue_third(Fixture *f, gconstpointer unused)
{
    static const char *const order[] = {"\"name\": \"aten::mm\"",
                                        "\"name\": \"Dequeue@aclnnMm\"",
                                        "\"name\": \"Enqueue@aclnnMm\"",
                                        "\"name\": \"Enqueue\", \"pid\": 4711, \"tid\": 4711, "
                                        "\"ts\": \"1736412474000001.000\"",
                                        "\"process_name\"",
                                        NULL};

    add_framework(f, 3);
    g_autofree char *text = run(f);

    assert_order(text, order);
}

static void test_level_zero(Fixture *f, gconstpointer unused)
{
    const Tracks tracks = make_tracks(f, 1);

    strobe_mock_metadata(f->mock)->level = 0;
    add_calls(f, &tracks);
    add_tasks(f, &tracks);
    struct strobe_device_task task = make_task(f);
    strobe_mock_add(f->mock, &strobe_kind_device_task, tracks.stream, string(f, "ModelX"), T0,
                    T0 + 1, &task);
    g_autofree char *text = run(f);

    assert_has_not(text, "aclnnMm");
    assert_has_not(text, "\"CANN\"");
    assert_has_not(text, "ModelX");
    assert_has(text, "{\"name\": \"process_labels\", \"pid\": " CANN_1);
    assert_has(text, "\"name\": \"mm\"");
}

static void test_flow_points(Fixture *f, gconstpointer generation)
{
    const Tracks tracks = make_tracks(f, GPOINTER_TO_INT(generation));
    struct strobe_flow_point point = {string(f, "40029963817200910335"), 0};
    guint name = string(f, "HostToDevice");

    strobe_mock_add(f->mock, &strobe_kind_flow_point, tracks.call, name, T0, T0, &point);
    point.is_end = 1;
    strobe_mock_add(f->mock, &strobe_kind_flow_point, tracks.stream, name, T0 + 500, T0 + 500,
                    &point);
    add_tasks(f, &tracks); /* this adds no events */
    point = (struct strobe_flow_point){string(f, "8"), 0};
    strobe_mock_add(f->mock, &strobe_kind_flow_point, tracks.call, string(f, "MsTx"), T0, T0,
                    &point);
    g_autofree char *text = run(f);

    assert_has(text, "{\"name\": \"MsTx_8\", ");
    assert_has_not(text, "\"HostToDevice12\"");
    assert_has_not(text, "\"HostToDevice51539607552\"");
    if (GPOINTER_TO_INT(generation) == 1) {
        assert_has(text, "{\"name\": \"HostToDevice40029963817200910335\", \"ph\": \"s\", \"cat\": "
                         "\"HostToDevice\", \"id\": \"40029963817200910335\", \"pid\": " CANN_1
                         ", \"tid\": 4711, \"ts\": \"1736412474000000.000\"}");
        assert_has(text, "{\"name\": \"HostToDevice40029963817200910335\", \"ph\": \"f\", \"id\": "
                         "\"40029963817200910335\", \"ts\": \"1736412474000000.500\", \"cat\": "
                         "\"HostToDevice\", \"pid\": " HARDWARE_1 ", \"tid\": 2, \"bp\": \"e\"}");
        return;
    }
    assert_has(text, "{\"name\": \"HostToDevice40029963817200910335\", \"pid\": " CANN_3
                     ", \"tid\": 4711, \"ph\": \"s\", \"cat\": \"HostToDevice\", \"id\": "
                     "\"40029963817200910335\", \"ts\": \"1736412474000000.000\"}");
    assert_has(text, "\"ts\": \"1736412474000000.500\", \"bp\": \"e\"}");
}

static void add_launches(Fixture *f, const Tracks *tracks)
{
    struct strobe_api_call call = {string(f, "node"), string(f, "launch"), string(f, "mm"), 12,
                                   NAN};
    struct strobe_device_task task = make_task(f);

    strobe_mock_add(f->mock, &strobe_kind_api_call, tracks->call, string(f, "launch"), T0, T0 + 100,
                    &call);
    strobe_mock_add(f->mock, &strobe_kind_device_task, tracks->stream, string(f, "mm"), T0 + 500,
                    T0 + 700, &task);
    call.level = string(f, "acl");
    call.connection = 13;
    strobe_mock_add(f->mock, &strobe_kind_api_call, tracks->call, string(f, "aclrtMemcpyAsync"),
                    T0 + 800, T0 + 850, &call);
    task.connection = 13;
    task.is_kernel = 0;
    strobe_mock_add(f->mock, &strobe_kind_device_task, tracks->stream, string(f, "MEMCPY_ASYNC"),
                    T0 + 900, T0 + 950, &task);
    call.connection = 14; /* no task has this connection */
    strobe_mock_add(f->mock, &strobe_kind_api_call, tracks->call, string(f, "aclnnAdd"), T0 + 960,
                    T0 + 970, &call);
}

static void test_launches_first(Fixture *f, gconstpointer unused)
{
    const Tracks tracks = make_tracks(f, 1);

    add_launches(f, &tracks);
    g_autofree char *text = run(f);

    /* (1 << 80) + (2 << 64) + (7 << 48) + 4294967295 */
    assert_has(text, "\"HostToDevice1208962715073105725751295\", \"ph\": \"s\"");
    assert_has(text, "\"HostToDevice1208962715073105725751295\", \"ph\": \"f\"");
    assert_has(text, "\"HostToDevice13\", \"ph\": \"s\"");
    assert_has(text, "\"HostToDevice13\", \"ph\": \"f\"");
    assert_has_not(text, "HostToDevice14");
}

static void test_launches_third(Fixture *f, gconstpointer unused)
{
    const Tracks tracks = make_tracks(f, 3);
    const struct strobe_kernel_link link = {9, T0 + 500, tracks.stream};

    add_launches(f, &tracks);
    strobe_mock_add(f->mock, &strobe_kind_kernel_link, f->thread, 0, T0 + 3, T0 + 3, &link);
    g_autofree char *text = run(f);

    assert_has(text, "{\"name\": \"HostToDevice51539607552\", \"pid\": " CANN_3
                     ", \"tid\": 4711, \"ph\": \"s\", \"cat\": \"HostToDevice\", \"id\": "
                     "\"51539607552\", \"ts\": \"1736412474000000.000\"}");
    assert_has(text, "{\"name\": \"HostToDevice51539607552\", \"pid\": " HARDWARE_3
                     ", \"tid\": 2, \"ph\": \"f\", \"cat\": \"HostToDevice\", \"id\": "
                     "\"51539607552\", \"ts\": \"1736412474000000.500\", \"bp\": \"e\"}");
    assert_has(text, "\"HostToDevice55834574848\", \"pid\": " CANN_3);
    assert_has_not(text, "HostToDevice60129542144");
    assert_has(text, "{\"ph\": \"s\", \"bp\": \"e\", \"name\": \"torch_to_npu\", \"id\": "
                     "1736412474000000500, \"pid\": 4711, \"tid\": 4711, \"ts\": "
                     "\"1736412474000000.003\", \"cat\": \"async_npu\"}, "
                     "{\"ph\": \"f\", \"bp\": \"e\", \"name\": \"torch_to_npu\", \"id\": "
                     "1736412474000000500, \"pid\": " HARDWARE_3
                     ", \"tid\": 2, \"ts\": \"1736412474000000.500\", \"cat\": \"async_npu\"}]");
}

static const StrobeField source_fields[] = {{"phase", STROBE_FIELD_STRING, 0, "", ""},
                                            {"category", STROBE_FIELD_STRING, 0, "", ""},
                                            {"id", STROBE_FIELD_STRING, 0, "", ""},
                                            {"arguments", STROBE_FIELD_STRING, 0, "", ""},
                                            {"duration", STROBE_FIELD_F64, 0, "us", ""}};
static const StrobeKind source_event = {
    sizeof(StrobeKind), STROBE_SHAPE_SPAN, "ascend_text.event", "", source_fields, 5, 0};
static const StrobeKind source_table = {
    sizeof(StrobeKind), STROBE_SHAPE_SPAN, "ascend_text.table", "", source_fields, 5, 0};

struct source_event {
    StrobeStringId phase, category, id, arguments;
    double duration;
};

static void test_source_events(Fixture *f, gconstpointer unused)
{
    const Tracks tracks = make_tracks(f, 1);
    struct source_event event = {string(f, "X"), 0, 0, string(f, "{\"a\": [1.50, \"b\"]}"), 1.5};

    strobe_mock_add(f->mock, &source_event, tracks.stream, string(f, "novel"), T0, T0 + 1500,
                    &event);
    event.arguments = string(f, "}, {");
    event.phase = string(f, "i");
    event.category = string(f, "odd");
    event.id = string(f, "7");
    event.duration = NAN;
    strobe_mock_add(f->mock, &source_event, f->thread, string(f, "broken"), T0, T0, &event);
    strobe_mock_add(f->mock, &source_table, f->thread, string(f, "a row"), T0, T0, &event);
    g_autofree char *text = run(f);

    assert_has(text, "{\"name\": \"novel\", \"pid\": " HARDWARE_1
                     ", \"tid\": 2, \"ts\": \"1736412474000000.000\", \"dur\": 1.5, \"args\": "
                     "{\"a\": [1.50, \"b\"]}, \"ph\": \"X\"}");
    assert_has(text, "{\"ph\": \"i\", \"name\": \"broken\", \"id\": \"7\", \"pid\": 4711, "
                     "\"tid\": 4711, \"ts\": \"1736412474000000.000\", \"cat\": \"odd\", "
                     "\"args\": \"}, {\"}");
    assert_has_not(text, "a row");
}

/* The calls are on tracks without a layer, as Strobe's collectors may record them. */
static void test_live_calls(Fixture *f, gconstpointer unused)
{
    struct strobe_api_call call = {string(f, "runtime"), 0, 0, 5, NAN};
    struct strobe_device_task task = make_task(f);
    StrobeTrackId stream = strobe_mock_track(f->mock, STROBE_TRACK_STREAM, 3, NULL, "GPU", 0);

    strobe_mock_add(f->mock, &strobe_kind_api_call, f->thread, string(f, "memcpy"), T0, T0 + 10,
                    &call);
    call.level = string(f, "opencl");
    strobe_mock_add(f->mock, &strobe_kind_api_call, f->thread, string(f, "clFinish"), T0, T0 + 10,
                    &call);
    strobe_mock_add(f->mock, &strobe_kind_device_task, stream, string(f, "kernel"), T0, T0 + 10,
                    &task);
    g_autofree char *text = run(f);

    assert_has(text, "{\"name\": \"Runtime@memcpy\", \"pid\": " CANN_3 ", \"tid\": 4711");
    assert_has(text, "{\"name\": \"clFinish\", \"pid\": 4711, \"tid\": 4711");
    assert_has(text, "\"level\": \"opencl\", \"id\": \"0\", \"item_id\": \"0\", "
                     "\"connection_id\": 5}}");
    assert_has(text, "{\"name\": \"kernel\", \"pid\": 4824128, \"tid\": 3");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(path, data, function)                                                                  \
    g_test_add("/chrome-trace/" path, Fixture, GINT_TO_POINTER(data), fixture_set_up, function,    \
               fixture_tear_down)
    ADD("devices/first", 0, test_first_generation);
    ADD("devices/first/names", 0, test_first_generation_names);
    ADD("devices/third", 0, test_third_generation);
    ADD("orders/first", 1, test_orders);
    ADD("orders/third", 3, test_orders);
    ADD("queue/first", 0, test_queue_first);
    ADD("queue/third", 0, test_queue_third);
    ADD("level-zero", 0, test_level_zero);
    ADD("flow-points/first", 1, test_flow_points);
    ADD("flow-points/third", 3, test_flow_points);
    ADD("launches/first", 0, test_launches_first);
    ADD("launches/third", 0, test_launches_third);
    ADD("source-events", 0, test_source_events);
    ADD("live-calls", 0, test_live_calls);
    return g_test_run();
}
