/* SPDX-License-Identifier: Apache-2.0 */
/* Imports trace_view.json: layers, spans, counters, marks, arrows, unknown events, damage. */
#include "test-ascend-text-fixture.h"

#include <math.h>

#define OP(args_)                                                                                  \
    "{'ph':'X','name':'aten::mm','pid':77,'tid':78,'ts':'1000.000','dur':5.5,'cat':'cpu_op',"      \
    "'args':{'Sequence number':4,'Fwd thread id':0" args_ "}}"

static void assert_track(Fixture *f, const StrobeMockImported *record, guint32 type, gint device,
                         guint64 id, const char *group)
{
    guint64 pid = 0;
    const StrobeTrack *track = strobe_mock_importer_track(f->mock, record->track, &pid);

    g_assert_nonnull(track);
    g_assert_cmpuint(track->type, ==, type);
    g_assert_cmpint(track->device, ==, device);
    g_assert_cmpuint(track->id, ==, id);
    g_assert_cmpstr(track->group, ==, group);
    g_assert_cmpuint(pid, ==, 77);
}

static void test_probe(Fixture *f, gconstpointer unused)
{
    g_assert_cmpint(strobe_mock_importer_probe(f->mock, f->folder).score, ==, 0);
    fixture_write(f, "anything.csv", "Stream Id,Task Id,Hit Rate,Victim Rate,Op Name\r\n");
    g_assert_cmpint(strobe_mock_importer_probe(f->mock, f->folder).score, ==, 60);
    fixture_write(f, "other.csv",
                  "Name,Type,Accelerator Core,Start Time(us),Duration(us),"
                  "Wait Time(us),Block Dim\r\n");
    g_assert_cmpint(strobe_mock_importer_probe(f->mock, f->folder).score, ==, 70);
    fixture_trace(f, PYTHON, NULL);
    g_assert_cmpint(strobe_mock_importer_probe(f->mock, f->folder).score, ==, 90);
    (void)unused;
}

static void test_operator(Fixture *f, gconstpointer unused)
{
    const StrobeMockImported *op;

    fixture_trace(f,
                  OP(",'Input Dims':'2,3;\\r\\n3','Input type':'float;\\r\\nScalar',"
                     "'Call stack':'inner;\\r\\nouter'"),
                  PYTHON, NULL);
    fixture_import(f);
    op = fixture_record(f, "cpu_op", 0);
    g_assert_cmpstr(NAME(op), ==, "aten::mm");
    g_assert_cmpint(op->begin_ns, ==, 1000000);
    g_assert_cmpint(op->end_ns, ==, 1005500);
    g_assert_cmpint(INTEGER(op, "sequence"), ==, 4);
    g_assert_cmpstr(TEXT(op, "shapes"), ==, "2,3;3");
    g_assert_cmpstr(TEXT(op, "types"), ==, "float;Scalar");
    g_assert_cmpint(INTEGER(op, "stack"), !=, 0);
    g_assert_cmpuint(op->kind->n_fields, ==, strobe_kind_cpu_op.n_fields);
    assert_track(f, op, STROBE_TRACK_THREAD, -1, 78, NULL);
    (void)unused;
}

#define HALF(phase_, name_, ts_, more_)                                                            \
    "{'ph':'" phase_ "','name':'" name_ "','pid':77,'tid':78,'ts':'" ts_ "','cat':'cpu_op'" more_  \
    "}"

/* A begin and its end become one span, which has the arguments of the begin and of the end. A begin
 * without an end, and an end without a begin, are stored as unknown events. */
static void test_pairs(Fixture *f, gconstpointer unused)
{
    const StrobeMockImported *op;

    fixture_trace(f, PYTHON, HALF("E", "nothing", "900.000", ""),
                  HALF("B", "outer", "1000.001", ",'args':{'Sequence number':4}"),
                  HALF("B", "inner", "1001.000", ",'args':{'novel':1}"),
                  HALF("E", "inner", "1002.500", ""),
                  HALF("E", "outer", "1003.000", ",'args':{'Fwd thread id':9}"),
                  HALF("B", "open", "1004.000", ""), NULL);
    fixture_import(f);
    g_assert_cmpuint(fixture_count(f, "cpu_op"), ==, 2);
    op = fixture_record(f, "cpu_op", 0);
    g_assert_cmpstr(NAME(op), ==, "inner");
    g_assert_cmpint(op->begin_ns, ==, 1001000);
    g_assert_cmpint(op->end_ns, ==, 1002500);
    g_assert_cmpstr(TEXT(op, "ascend_text.arguments"), ==, "{\"novel\": 1}");
    op = fixture_record(f, "cpu_op", 1);
    g_assert_cmpstr(NAME(op), ==, "outer");
    g_assert_cmpint(op->begin_ns, ==, 1000001);
    g_assert_cmpint(op->end_ns, ==, 1003000);
    g_assert_cmpint(INTEGER(op, "sequence"), ==, 4);
    g_assert_cmpint(INTEGER(op, "forward_thread"), ==, 9);
    assert_track(f, op, STROBE_TRACK_THREAD, -1, 78, NULL);
    g_assert_cmpuint(fixture_count(f, "ascend_text.event"), ==, 2);
    op = fixture_record(f, "ascend_text.event", 1);
    g_assert_cmpstr(NAME(op), ==, "open");
    g_assert_cmpstr(TEXT(op, "phase"), ==, "B");
    g_assert_cmpint(op->begin_ns, ==, 1004000);
    (void)unused;
}

/* Extension fields of cpu_op have values only where the trace has their arguments. */
static void test_extension(Fixture *f, gconstpointer unused)
{
    const StrobeMockImported *op;

    fixture_trace(f, PYTHON, OP(""), OP(",'flops':'12','Module Hierarchy':'A.B'"),
                  OP(",'novel':[1,{'a':2.50}],'other':'x'"), NULL);
    fixture_import(f);
    op = fixture_record(f, "cpu_op", 0);
    g_assert_cmpint(INTEGER(op, "ascend.flops"), ==, 0);
    op = fixture_record(f, "cpu_op", 1);
    g_assert_cmpstr(TEXT(op, "ascend.flops"), ==, "12");
    g_assert_cmpstr(TEXT(op, "ascend.modules"), ==, "A.B");
    op = fixture_record(f, "cpu_op", 2);
    g_assert_cmpstr(TEXT(op, "ascend_text.arguments"), ==,
                    "{\"novel\": [1, {\"a\": 2.50}], \"other\": \"x\"}");
    fixture_assert_line(strobe_mock_importer_unknown(f->mock),
                        "trace_view.json: cpu_op.novel: 1\n");
    (void)unused;
}

static void test_task(Fixture *f, gconstpointer unused)
{
    const StrobeMockImported *task;

    fixture_trace(f, TASK("mm", "1000.500"), TASK("MEMCPY_ASYNC", "1010"), TASK("AI_CORE", "1020"),
                  PYTHON, LAYER(HARDWARE, "Ascend Hardware"), LABEL(HARDWARE, "NPU"), NULL);
    fixture_import(f);
    g_assert_cmpint(INTEGER(fixture_record(f, "device_task", 1), "is_kernel"), ==, 0);
    g_assert_cmpint(INTEGER(fixture_record(f, "device_task", 2), "is_kernel"), ==, 0);
    task = fixture_record(f, "device_task", 0);
    g_assert_cmpint(task->begin_ns, ==, 1000500);
    g_assert_cmpint(task->end_ns, ==, 1002760);
    g_assert_cmpfloat(DOUBLE(task, "exact_us"), ==, 2.2600625);
    g_assert_cmpint(INTEGER(task, "stream"), ==, 2);
    g_assert_cmpint(INTEGER(task, "connection"), ==, 12);
    g_assert_cmpint(INTEGER(task, "model"), ==, STROBE_ABSENT_U32);
    g_assert_cmpint(INTEGER(task, "context"), ==, STROBE_ABSENT_U32);
    g_assert_cmpint(INTEGER(task, "is_kernel"), ==, 1); /* its name is that of an operator */
    assert_track(f, task, STROBE_TRACK_STREAM, 3, 2, "Ascend Hardware");
    fixture_assert_line(strobe_mock_importer_metadata(f->mock), "generation=1\n");
    fixture_assert_line(strobe_mock_importer_metadata(f->mock), "device=3\n");
    fixture_assert_line(strobe_mock_importer_metadata(f->mock), "host=node\n");
    (void)unused;
}

/* Marks and iterations in the layer of tasks are not tasks: they are stored as unknown events. */
static void test_no_task(Fixture *f, gconstpointer unused)
{
    fixture_trace(
        f, PYTHON, LAYER(HARDWARE, "Ascend Hardware"), LABEL(HARDWARE, "NPU 5"),
        ROW(HARDWARE, "70001", "Step Trace(Model ID:1)"),
        "{'name':'Iteration 1','cat':'Iteration Time','ph':'X','pid':" HARDWARE
        ",'tid':70001,'ts':'1.000','dur':2.5,'args':{'Iteration ID':1}}",
        "{'name':'message','ph':'X','pid':" HARDWARE
        ",'tid':2,'ts':'1.000','dur':2.5,'args':{'Physic Stream Id':2,'Task Id':9}}",
        "{'name':'Data_aug Bound 1','cat':'Data_aug Bound','ph':'t','id':'7','pid':" HARDWARE
        ",'tid':70001,'ts':'1.000'}",
        NULL);
    fixture_import(f);
    g_assert_cmpuint(fixture_count(f, "device_task"), ==, 0);
    g_assert_cmpuint(fixture_count(f, "ascend_text.event"), ==, 3);
    g_assert_cmpstr(TEXT(fixture_record(f, "ascend_text.event", 1), "arguments"), ==,
                    "{\"Physic Stream Id\": 2, \"Task Id\": 9}");
    g_assert_cmpfloat(DOUBLE(fixture_record(f, "ascend_text.event", 1), "duration"), ==, 2.5);
    g_assert_cmpstr(TEXT(fixture_record(f, "ascend_text.event", 2), "phase"), ==, "t");
    fixture_assert_line(strobe_mock_importer_metadata(f->mock), "generation=3\n");
    fixture_assert_line(strobe_mock_importer_metadata(f->mock), "device=5\n");
    (void)unused;
}

#define CALL(name_, pid_)                                                                          \
    "{'name':'" name_ "','pid':" pid_ ",'tid':79,'ts':'1000.000','dur':2.1500000000000004,"        \
    "'args':{'Thread Id':79,'Mode':'launch','level':'node','id':'0','item_id':'mm',"               \
    "'connection_id':12},'ph':'X'}"

static void test_call(Fixture *f, gconstpointer unused)
{
    const StrobeMockImported *call;

    fixture_trace(f, PYTHON, LAYER(CANN, "CANN"), CALL("Node@launch", CANN),
                  CALL("Runtime@KernelLaunch", CANN), NULL);
    fixture_import(f);
    call = fixture_record(f, "api_call", 0);
    g_assert_cmpstr(NAME(call), ==, "launch");
    g_assert_cmpstr(TEXT(call, "level"), ==, "node");
    g_assert_cmpstr(TEXT(call, "item"), ==, "mm");
    g_assert_cmpfloat(DOUBLE(call, "exact_us"), ==, 2.1500000000000004);
    assert_track(f, call, STROBE_TRACK_THREAD, -1, 79, "CANN");
    fixture_assert_line(strobe_mock_importer_metadata(f->mock), "level=2\n");
    (void)unused;
}

/* At level 0 the trace has the arrows of CANN's layer, but not the layer's name. */
static void test_level0(Fixture *f, gconstpointer unused)
{
    const StrobeMockImported *point;

    fixture_trace(f, PYTHON, LABEL(CANN, "CPU"),
                  "{'name':'HostToDevice12','ph':'s','cat':'HostToDevice','id':'12','pid':" CANN
                  ",'tid':79,'ts':'1000.000'}",
                  NULL);
    fixture_import(f);
    point = fixture_record(f, "flow_point", 0);
    g_assert_cmpstr(NAME(point), ==, "HostToDevice");
    g_assert_cmpstr(TEXT(point, "id"), ==, "12");
    g_assert_cmpint(INTEGER(point, "is_end"), ==, 0);
    assert_track(f, point, STROBE_TRACK_THREAD, -1, 79, "CANN");
    fixture_assert_line(strobe_mock_importer_metadata(f->mock), "level=0\n");
    (void)unused;
}

#define OPERATION(tid_, more_)                                                                     \
    "{'name':'hcom_allReduce__586_0_1','pid':" COUNTERS ",'tid':" tid_ ",'ts':'1000.000',"         \
    "'dur':4.5,'args':{" more_ "'connection_id':4294967295,'model id':4294967295,"                 \
    "'data_type':'FP32','alg_type':'MESH','count':9},'ph':'X'}"
#define TRANSFER                                                                                   \
    "{'name':'Notify_Wait','pid':" COUNTERS ",'tid':2,'ts':'1001.000','dur':1,'args':{"            \
    "'notify_id':'18446744073709551615','duration estimated(us)':0.5,'stream id':4,'task id':8,"   \
    "'context id':0,'task type':'Notify_Wait','src rank':0,'dst rank':4294967295,"                 \
    "'transport type':'LOCAL','size(Byte)':0,'data type':'INVALID_TYPE','link type':'ON_CHIP',"    \
    "'bandwidth(GB/s)':0.0,'model id':4294967295},'ph':'X'}"

static void test_communication(Fixture *f, gconstpointer unused)
{
    const StrobeMockImported *record;

    fixture_trace(f, PYTHON, LAYER(COUNTERS, "Communication"),
                  ROW(COUNTERS, "0", "Group 10.0.0.1%eth0_1 Communication"),
                  ROW(COUNTERS, "2", "Plane 1"),
                  OPERATION("0", "'rank_size':2,'relay':'yes','retry':'no',"), TRANSFER, NULL);
    fixture_import(f);
    record = fixture_record(f, "comm_op", 0);
    g_assert_cmpstr(TEXT(record, "group"), ==, "10.0.0.1%eth0_1");
    g_assert_cmpint(INTEGER(record, "rank_size"), ==, 2);
    g_assert_cmpint(INTEGER(record, "relay"), ==, 1);
    g_assert_cmpint(INTEGER(record, "retry"), ==, 0);
    g_assert_cmpint(INTEGER(record, "connection"), ==, -1); /* absent */
    record = fixture_record(f, "comm_task", 0);
    g_assert_cmpstr(TEXT(record, "group"), ==, "10.0.0.1%eth0_1");
    g_assert_cmpint(INTEGER(record, "plane"), ==, 1);
    g_assert_cmpint(INTEGER(record, "target_rank"), ==, STROBE_ABSENT_U32);
    g_assert_cmpstr(TEXT(record, "notify"), ==, "18446744073709551615");
    assert_track(f, record, STROBE_TRACK_PLANE, -1, 2, "Communication");
    (void)unused;
}

static void write_older_operation(Fixture *f)
{
    fixture_trace(f, PYTHON, LAYER(COUNTERS, "Communication"),
                  ROW(COUNTERS, "0", "Group 0 Communication"), ROW(COUNTERS, "2", "Plane 1"),
                  OPERATION("0", ""), TRANSFER, NULL);
}

/* A trace in which groups have only numbers gets the communicator's name from
 * communication.json. */
static void test_communicator(Fixture *f, gconstpointer unused)
{
    write_older_operation(f);
    fixture_write(f, "communication.json",
                  "{'step5':{'p2p':{},'collective':{'hcom_allReduce__586_0_1@175586':"
                  "{'Communication Time Info':{'Elapse Time(ms)':1}},'Total Op Info':{}}}}");
    fixture_import(f);
    g_assert_cmpstr(TEXT(fixture_record(f, "comm_op", 0), "group"), ==, "175586");
    g_assert_cmpstr(TEXT(fixture_record(f, "comm_task", 0), "group"), ==, "175586");
    g_assert_cmpuint(fixture_count(f, "communication_time"), ==, 0);
    (void)unused;
}

/* Two communicators have an operation of this name, so the group is unknown. */
static void test_communicators(Fixture *f, gconstpointer unused)
{
    write_older_operation(f);
    fixture_write(f, "communication.json",
                  "{'step5':{'p2p':{},'collective':{'hcom_allReduce__586_0_1@175586':"
                  "{'Communication Time Info':{'Elapse Time(ms)':1}},"
                  "'hcom_allReduce__586_0_1@9586':{},'Total Op Info':{}}}}");
    fixture_import(f);
    g_assert_cmpstr(TEXT(fixture_record(f, "comm_op", 0), "group"), ==, "");
    (void)unused;
}

/* Each of several groups has its own communicator, which the tasks on the group's planes also
 * have. */
static void test_groups(Fixture *f, gconstpointer unused)
{
    fixture_trace(f, PYTHON, LAYER(COUNTERS, "HCCL"), ROW(COUNTERS, "0", "Group 0 Communication"),
                  ROW(COUNTERS, "1", "Plane 0"), ROW(COUNTERS, "2", "Group 1 Communication"),
                  ROW(COUNTERS, "3", "Plane 0"), OPERATION("0", ""),
                  "{'name':'hcom_broadcast__9_0_1','pid':" COUNTERS
                  ",'tid':2,'ts':'1010.000','dur':4.5,'args':{'connection_id':1},'ph':'X'}",
                  "{'name':'Memcpy','pid':" COUNTERS ",'tid':1,'ts':'1001.000','dur':1,"
                  "'args':{'notify_id':'0','task type':'Memcpy'},'ph':'X'}",
                  "{'name':'Memcpy','pid':" COUNTERS ",'tid':3,'ts':'1011.000','dur':1,"
                  "'args':{'notify_id':'0','task type':'Memcpy'},'ph':'X'}",
                  NULL);
    fixture_write(f, "communication.json",
                  "{'step5':{'p2p':{},'collective':{'hcom_allReduce__586_0_1@175586':"
                  "{'Communication Time Info':{'Elapse Time(ms)':1}},"
                  "'hcom_broadcast__9_0_1@64009':{},'Total Op Info':{}}}}");
    fixture_import(f);
    g_assert_cmpstr(TEXT(fixture_record(f, "comm_op", 0), "group"), ==, "175586");
    g_assert_cmpstr(TEXT(fixture_record(f, "comm_op", 1), "group"), ==, "64009");
    g_assert_cmpstr(TEXT(fixture_record(f, "comm_task", 0), "group"), ==, "175586");
    g_assert_cmpstr(TEXT(fixture_record(f, "comm_task", 1), "group"), ==, "64009");
    (void)unused;
}

/* ---- counters ---- */

#define SAMPLE(name_, ts_, args_)                                                                  \
    "{'name':'" name_ "','ts':'" ts_ "','pid':" COUNTERS ",'tid':0,'args':{" args_ "},'ph':'C'}"

/* Series with the same time become one record, even if other events are between them. */
static void test_samples(Fixture *f, gconstpointer unused)
{
    const StrobeMockImported *usage;

    fixture_trace(f, PYTHON, LAYER(COUNTERS, "NPU MEM"), LABEL(COUNTERS, "NPU"),
                  SAMPLE("APP/DDR", "1.000", "'KB':0.5"), SAMPLE("Device/HBM", "1.000", "'KB':8.0"),
                  SAMPLE("APP/DDR", "2.000", "'KB':1.0"), SAMPLE("APP/HBM", "1.000", "'KB':4.0"),
                  SAMPLE("APP/Memory", "1.000", "'KB':4.5"), SAMPLE("APP/DDR", "1.000", "'KB':9.0"),
                  NULL);
    fixture_import(f);
    g_assert_cmpuint(fixture_count(f, "memory_usage"), ==, 4);
    usage = fixture_record(f, "memory_usage", 0);
    g_assert_cmpstr(NAME(usage), ==, "app");
    g_assert_cmpint(INTEGER(usage, "ddr"), ==, 512);
    g_assert_cmpint(INTEGER(usage, "hbm"), ==, 4096);
    g_assert_cmpint(INTEGER(usage, "device"), ==, 3);
    usage = fixture_record(f, "memory_usage", 1);
    g_assert_cmpstr(NAME(usage), ==, "device");
    g_assert_cmpint(INTEGER(usage, "ddr"), ==, STROBE_ABSENT_I64);
    /* a second value for the same time is a second sample */
    usage = fixture_record(f, "memory_usage", 3);
    g_assert_cmpint(INTEGER(usage, "ddr"), ==, 9216);
    g_assert_cmpint(INTEGER(usage, "hbm"), ==, STROBE_ABSENT_I64);
    (void)unused;
}

static void import_samples(Fixture *f, const char *layer, const char *first, const char *second)
{
    g_autofree char *named = g_strdup_printf(LAYER(COUNTERS, "%s"), layer);

    fixture_again(f);
    fixture_trace(f, PYTHON, named, LABEL(COUNTERS, "NPU 3"), first, second, NULL);
    fixture_import(f);
}

static void test_sample_forms(Fixture *f, gconstpointer unused)
{
    const StrobeMockImported *sample;

    import_samples(f, "Acc PMU", SAMPLE("read_ost", "1.000", "'value':2,'acc_id':10"),
                   SAMPLE("write_band_width", "1.000", "'value':3,'acc_id':10"));
    sample = fixture_record(f, "acc_pmu", 0);
    g_assert_cmpint(INTEGER(sample, "read_ost"), ==, 2);
    g_assert_cmpint(INTEGER(sample, "write_bandwidth"), ==, 3);
    g_assert_cmpint(INTEGER(sample, "read_bandwidth"), ==, STROBE_ABSENT_I64);
    g_assert_cmpint(INTEGER(sample, "id"), ==, 10);
    import_samples(f, "Acc PMU", SAMPLE("read_ost", "1.000", "'value':2"),
                   SAMPLE("write_bandwidth", "1.000", "'value':3"));
    sample = fixture_record(f, "acc_pmu", 0);
    g_assert_cmpint(INTEGER(sample, "write_bandwidth"), ==, 3);
    g_assert_cmpint(INTEGER(sample, "id"), ==, STROBE_ABSENT_U32);
    import_samples(f, "QoS", SAMPLE("QoS OTHERS", "1.000", "'die 0':1,'die 1':2"), "{}");
    g_assert_cmpuint(fixture_count(f, "qos"), ==, 2);
    sample = fixture_record(f, "qos", 1);
    g_assert_cmpstr(NAME(sample), ==, "OTHERS");
    g_assert_cmpint(INTEGER(sample, "die"), ==, 1);
    g_assert_cmpfloat(DOUBLE(sample, "bandwidth"), ==, 2 * 1048576);
    import_samples(f, "SIO", SAMPLE("req_rx", "1.000", "'die0_die1':1.5,'die1_die0':2.5"),
                   SAMPLE("dat_tx", "1.000", "'die0_die1':3.5"));
    g_assert_cmpuint(fixture_count(f, "sio"), ==, 2);
    sample = fixture_record(f, "sio", 0);
    g_assert_cmpstr(NAME(sample), ==, "die0_die1");
    g_assert_cmpfloat(DOUBLE(sample, "rx_req"), ==, 1.5 * 1048576);
    g_assert_cmpfloat(DOUBLE(sample, "tx_dat"), ==, 3.5 * 1048576);
    import_samples(f, "NIC", SAMPLE("Port 2/Rx", "1.000", "'Rx Packets':5,'Rx Error Rate':0.5"),
                   SAMPLE("Port 2/Tx", "1.000", "'Tx Packets':6"));
    sample = fixture_record(f, "nic", 0);
    g_assert_cmpint(INTEGER(sample, "port"), ==, 2);
    g_assert_cmpint(INTEGER(sample, "rx_packets"), ==, 5);
    g_assert_cmpint(INTEGER(sample, "tx_packets"), ==, 6);
    (void)unused;
}

/* If there is no field for one value, the whole event is stored as an unknown event. */
static void test_unknown_samples(Fixture *f, gconstpointer unused)
{
    import_samples(f, "Stars Chip Trans", SAMPLE("PA Link Rx", "1.000", "'PA Link ID 0':1"),
                   SAMPLE("PA Link Tx", "1.000", "'PA Link ID 0':2"));
    g_assert_cmpuint(fixture_count(f, "ascend_text.event"), ==, 2);
    fixture_assert_line(strobe_mock_importer_unknown(f->mock),
                        "trace_view.json: C PA Link Rx: 1\n");
    import_samples(f, "AI Core Freq", SAMPLE("AI Core Freq", "1.000", "'MHz':1800,'new':1"),
                   SAMPLE("AI Core Freq Die 1", "1.000", "'MHz':'fast'"));
    g_assert_cmpuint(fixture_count(f, "core_frequency"), ==, 0);
    g_assert_cmpuint(fixture_count(f, "ascend_text.event"), ==, 2);
    (void)unused;
}

/* ---- marks ---- */

#define MARK(name_, dur_, args_)                                                                   \
    "{'name':'" name_ "','pid':" MARKS ",'tid':78,'ts':'1.000','dur':" dur_                        \
    ",'ph':'X','args':{" args_ "}}"

static void test_marks(Fixture *f, gconstpointer unused)
{
    const StrobeMockImported *mark;

    fixture_trace(f, PYTHON, LAYER(MARKS, "python3"),
                  MARK("a", "0.0", "'event_type':'marker','domain':'default'"),
                  MARK("b", "2.0", "'event_type':'push/pop','domain':'d','Category':'7'"),
                  MARK("c", "0.0", "'event_type':'novel'"), NULL);
    fixture_import(f);
    mark = fixture_record(f, "marker_instant", 0);
    g_assert_cmpstr(NAME(mark), ==, "a");
    g_assert_cmpstr(TEXT(mark, "marker.domain"), ==, "default");
    g_assert_cmpint(INTEGER(mark, "marker.event"), ==, 0);
    assert_track(f, mark, STROBE_TRACK_THREAD, -1, 78, "python3");
    mark = fixture_record(f, "marker", 0);
    g_assert_cmpint(mark->end_ns, ==, 3000);
    g_assert_cmpint(INTEGER(mark, "marker.event"), ==, 1);
    g_assert_cmpstr(TEXT(mark, "ascend_text.arguments"), ==, "{\"Category\": \"7\"}");
    mark = fixture_record(f, "marker_instant", 1);
    g_assert_cmpint(INTEGER(mark, "marker.event"), ==, STROBE_ABSENT_U32);
    g_assert_cmpstr(TEXT(mark, "ascend_text.arguments"), ==, "{\"event_type\": \"novel\"}");
    (void)unused;
}

/* ---- events that Ascend's tool has derived ---- */

#define FLOW(phase_, cat_, tid_, ts_)                                                              \
    "{'ph':'" phase_ "','bp':'e','name':'n','id':5,'pid':77,'tid':" tid_ ",'ts':'" ts_             \
    "','cat':'" cat_ "'}"

static void test_derived(Fixture *f, gconstpointer unused)
{
    const StrobeMockImported *record;

    fixture_trace(f, PYTHON, LAYER(COUNTERS, "Overlap Analysis"), LABEL(COUNTERS, "NPU"),
                  "{'name':'Free','pid':" COUNTERS ",'tid':3,'ts':'1.000','dur':2,'ph':'X'}",
                  FLOW("s", "async_npu", "78", "1.000"), FLOW("s", "fwdbwd", "78", "2.000"),
                  FLOW("f", "fwdbwd", "79", "4.000"), FLOW("f", "async_npu", "79", "3.000"),
                  FLOW("s", "async_task_queue", "78", "2.000"), NULL);
    fixture_import(f);
    g_assert_cmpuint(strobe_mock_importer_n_records(f->mock), ==, 1); /* that of device_info */
    fixture_again(f);
    fixture_import_derived(f);
    record = fixture_record(f, "overlap", 0);
    g_assert_cmpint(INTEGER(record, "type"), ==, 3);
    g_assert_cmpint(INTEGER(record, "device"), ==, 3);
    record = fixture_record(f, "kernel_link", 0);
    g_assert_cmpint(record->begin_ns, ==, 1000);
    g_assert_cmpint(INTEGER(record, "to_begin"), ==, 3000);
    record = fixture_record(f, "operator_link", 0);
    g_assert_cmpint(INTEGER(record, "sequence"), ==, 5);
    g_assert_cmpint(INTEGER(record, "to_begin"), ==, 4000);
    (void)unused;
}

/* ---- damage ---- */

/* Cuts the trace off at each byte: the events before the cut are imported, and the cut is reported,
 * unless it is between two events. */
static void test_cuts(Fixture *f, gconstpointer unused)
{
    const char *whole = "[" PYTHON ", " OP(",'Input Dims':'2,3;\\r\\n3'") ", " OP("") "]";

    for (gsize n = 1; n < strlen(whole); n++) {
        g_autofree char *part = g_strndup(whole, n);
        gsize first = strlen("[" PYTHON ", "), second;
        guint n_ops;

        second = first + strlen(OP(",'Input Dims':'2,3;\\r\\n3'") ", ");
        n_ops = (n >= second - 2) + (n >= strlen(whole) - 1);
        fixture_again(f);
        fixture_write(f, "trace_view.json", part);
        if (n < 20) /* too short to be recognised as a trace */
            continue;
        fixture_import(f);
        g_assert_cmpuint(fixture_count(f, "cpu_op"), ==, n_ops);
        if (n != first - 2 && n != second - 2 && n != strlen(whole) - 1)
            fixture_assert_line(strobe_mock_importer_damage(f->mock), "trace_view.json, before ");
    }
    (void)unused;
}

static void test_bad_values(Fixture *f, gconstpointer unused)
{
    fixture_trace(
        f, PYTHON, OP(",'Sequence number':'x'"),
        "{'ph':'X','name':'late','pid':77,'tid':1,'ts':'99999999999999999999','dur':1}",
        "{'ph':'X','name':'back','pid':77,'tid':1,'ts':'1.000','dur':-1,'cat':'cpu_op'}",
        "{'ph':'X','name':'nowhere','tid':1,'ts':'1.000','dur':1}",
        "{'ph':'B','name':'turned','pid':77,'tid':1,'ts':'5.000'}",
        "{'ph':'E','name':'turned','pid':77,'tid':1,'ts':'4.000'}",
        "{'ph':'X','name':'deep','pid':77,'tid':1,'ts':'1.000','dur':1,'args':{'a':"
        "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]}}",
        OP(""), NULL);
    fixture_import(f);
    g_assert_cmpuint(fixture_count(f, "cpu_op"), ==, 2);
    g_assert_cmpstr(strobe_mock_importer_errors(f->mock), ==, "");
    fixture_assert_line(strobe_mock_importer_damage(f->mock), "Sequence number\n");
    fixture_assert_line(strobe_mock_importer_damage(f->mock), "a valid time\n");
    fixture_assert_line(strobe_mock_importer_damage(f->mock), "a span ends before it begins\n");
    (void)unused;
}

#define ADD(path_, test_)                                                                          \
    g_test_add("/ascend-text/" path_, Fixture, NULL, fixture_set_up, test_, fixture_tear_down)

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    ADD("probe", test_probe);
    ADD("operator", test_operator);
    ADD("pairs", test_pairs);
    ADD("extension", test_extension);
    ADD("task", test_task);
    ADD("no-task", test_no_task);
    ADD("call", test_call);
    ADD("level-0", test_level0);
    ADD("communication", test_communication);
    ADD("communicator", test_communicator);
    ADD("communicators", test_communicators);
    ADD("groups", test_groups);
    ADD("samples", test_samples);
    ADD("sample-forms", test_sample_forms);
    ADD("unknown-samples", test_unknown_samples);
    ADD("marks", test_marks);
    ADD("derived", test_derived);
    ADD("cuts", test_cuts);
    ADD("bad-values", test_bad_values);
    return g_test_run();
}
