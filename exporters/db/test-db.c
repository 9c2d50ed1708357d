/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the files in general: names, tables that each database has, generic tables, hostile names,
 * failures. */
#include <sqlite3.h>
#include <string.h>
#include <strobe/kinds.h>
#include <sys/stat.h>

#include "sequences.h"
#include "test-db-fixture.h"

static void add_op(Fixture *f, const char *name, gint64 begin, gint64 end)
{
    FIELDS(cpu_op, fields);
    fields.sequence = -1;
    fields.forward_thread = 0;
    ADD(cpu_op, fixture_thread(f, 9), name, begin, end);
}

static void add_task(Fixture *f, guint64 task, const char *type, gint64 begin)
{
    FIELDS(device_task, fields);
    fields.task = task;
    fields.stream = 2;
    fields.task_id = (guint32)task + 10;
    fields.host_type = STRING(type);
    fields.is_kernel = 0;
    ADD(device_task, fixture_stream(f, 1, 2), type, begin, begin + 5);
}

static void test_nothing(Fixture *f, gconstpointer unused)
{
    fixture_run(f);
    CHECK("SELECT 1", "no file");
    CHECK_IN("analysis.db", "SELECT 1", "no file");
}

static void test_files(Fixture *f, gconstpointer unused)
{
    g_autofree char *path = g_build_filename(f->folder, "ascend_pytorch_profiler_3.db", NULL);
    struct stat st;

    strobe_mock_metadata(f->mock)->rank = 3;
    add_task(f, 1, "MEMCPY_ASYNC", T0);
    fixture_run(f);
    CHECK_IN("ascend_pytorch_profiler_3.db", "SELECT rankId, deviceId FROM RANK_DEVICE_MAP", "3|1");
    g_assert_cmpint(stat(path, &st), ==, 0);
    g_assert_cmpint(st.st_mode & 0777, ==, 0640);
    CHECK_IN("ascend_pytorch_profiler_3.db", "PRAGMA page_size", "4096");
    CHECK_IN("ascend_pytorch_profiler_3.db", "PRAGMA integrity_check", "ok");
    CHECK_IN("ascend_pytorch_profiler_3.db", "PRAGMA journal_mode", "delete");
    CHECK_IN("ascend_pytorch_profiler_3.db", "SELECT sql FROM sqlite_master WHERE type = 'index'",
             "CREATE INDEX TaskIndex ON TASK (startNs,globalTaskId)");
    CHECK_IN("analysis.db", "SELECT 1", "no file");
}

/* Without a device there are only the framework's tables. */
static void test_host_only(Fixture *f, gconstpointer unused)
{
    add_op(f, "aten::mm", T0, T0 + 10);
    fixture_run(f);
    CHECK("SELECT group_concat(name) FROM (SELECT name FROM sqlite_master ORDER BY name)",
          "ENUM_API_TYPE,HOST_INFO,META_DATA,PYTORCH_API,RANK_DEVICE_MAP,STRING_IDS");
    CHECK("SELECT * FROM RANK_DEVICE_MAP", "-1|-1");
    CHECK("SELECT id, name FROM ENUM_API_TYPE", "50001|op\n50002|queue\n50003|trace\n50004|mstx");
    CHECK("SELECT * FROM HOST_INFO", "NULL|a host");
    CHECK("SELECT sql FROM sqlite_master WHERE name = 'PYTORCH_API'",
          "CREATE TABLE PYTORCH_API (startNs TEXT, endNs TEXT, globalTid INTEGER, connectionId "
          "INTEGER, name INTEGER, sequenceNumber INTEGER, fwdThreadId INTEGER, inputDtypes "
          "INTEGER, inputShapes INTEGER, callchainId INTEGER, type INTEGER)");
}

static void check_generation(Fixture *f, int32_t generation, const char *version,
                             const char *enumerations)
{
    fixture_generation(f, generation);
    add_task(f, 1, "MEMCPY_ASYNC", T0);
    strobe_mock_metadata_entry(f->mock, "session_begin_ns", "5");
    strobe_mock_metadata_entry(f->mock, "session_end_ns", "9");
    strobe_mock_metadata_entry(f->mock, "host_uid", "77");
    fixture_run(f);
    CHECK("SELECT group_concat(name || '=' || value) FROM META_DATA", version);
    CHECK("SELECT group_concat(name) FROM (SELECT name FROM sqlite_master WHERE name GLOB "
          "'ENUM_*' ORDER BY name)",
          enumerations);
    CHECK("SELECT * FROM SESSION_TIME_INFO", "5|9");
    CHECK("SELECT * FROM HOST_INFO", "77|a host");
    CHECK("SELECT name FROM ENUM_API_TYPE WHERE id = 5500",
          generation == 3 ? "communication" : "hccl");
    CHECK("SELECT count(*) FROM ENUM_MODULE", generation == 3 ? "65" : "78");
}

static void test_generation_1(Fixture *f, gconstpointer unused)
{
    check_generation(f, 1,
                     "SCHEMA_VERSION_MICRO=0,SCHEMA_VERSION_MINOR=0,SCHEMA_VERSION_MAJOR=1,"
                     "SCHEMA_VERSION=1.0.0",
                     "ENUM_API_TYPE,ENUM_HCCL_DATA_TYPE,ENUM_HCCL_LINK_TYPE,ENUM_HCCL_RDMA_TYPE,"
                     "ENUM_HCCL_TRANSPORT_TYPE,ENUM_MODULE,ENUM_MSTX_EVENT_TYPE");
}

static void test_generation_3(Fixture *f, gconstpointer unused)
{
    check_generation(f, 3,
                     "SCHEMA_VERSION_MICRO=0,SCHEMA_VERSION_MINOR=2,SCHEMA_VERSION_MAJOR=1,"
                     "SCHEMA_VERSION=1.2.0",
                     "ENUM_API_TYPE,ENUM_HCCL_DATA_TYPE,ENUM_HCCL_LINK_TYPE,ENUM_HCCL_RDMA_TYPE,"
                     "ENUM_HCCL_TRANSPORT_TYPE,ENUM_MEMCPY_OPERATION,ENUM_MODULE,"
                     "ENUM_MSTX_EVENT_TYPE,ENUM_OVERLAP_ANALYSIS_TYPE");
}

/* The version is that of the source; if another generation is requested, the version is that of
 * this generation. */
static void test_version(Fixture *f, gconstpointer unused)
{
    strobe_mock_metadata_entry(f->mock, "schema_version", "1.3.4");
    strobe_mock_metadata_entry(f->mock, "generation", "3");
    add_task(f, 1, "MEMCPY_ASYNC", T0);
    fixture_run(f);
    CHECK("SELECT value FROM META_DATA WHERE name GLOB '*VERSION_MICRO' OR name GLOB '*VERSION'",
          "4\n1.3.4");
}

static void add_metadata_entry(Fixture *f, const char *name, const char *value, gboolean is_json)
{
    FIELDS(metadata, fields);
    fields.value = STRING(value);
    fields.is_json = is_json;
    ADD(metadata, 0, name, T0, T0);
}

static void test_metadata(Fixture *f, gconstpointer unused)
{
    add_metadata_entry(f, "env.A", "x\"y", FALSE);
    add_metadata_entry(f, "env.B", "", FALSE);
    add_metadata_entry(f, "groups", "{\"a\": 1}", TRUE);
    add_metadata_entry(f, "count", "3", FALSE);
    add_metadata_entry(f, "word", "plain", FALSE);
    strobe_mock_metadata_entry(f->mock, "trace_id", "0123");
    fixture_run(f);
    CHECK("SELECT value FROM META_DATA WHERE name NOT GLOB 'SCHEMA*' ORDER BY rowid",
          "{\"a\": 1}\n3\n\"plain\"\n{\"A\": \"x\\\"y\", \"B\": \"\"}\n\"0123\"");
}

/* ---- kinds without a table ---- */

static const StrobeField odd_fields[] = {
    {"name", STROBE_FIELD_STRING, 0, "", "A field of a column's name."},
    {"Order", STROBE_FIELD_I64, 0, "", "A key word."},
    {"order", STROBE_FIELD_F64, 0, "", "The same in other letters."},
    {"a\"b;--", STROBE_FIELD_U32, 0, "", "Hostile."},
    {"frames", STROBE_FIELD_STACK, 0, "", "A stack."},
};
struct odd {
    StrobeStringId name;
    gint64 big;
    double small;
    guint32 quoted;
    StrobeStackId frames;
};

/* Adds a record of the declaration at index `at`. The mock host distinguishes declarations by their
 * addresses. */
static void add_odd(Fixture *f, guint at, const char *kind_name)
{
    static StrobeKind kinds[230];
    static char names[230][32];
    const char *const frames[] = {"inner", "outer", NULL};
    const struct odd fields = {STRING("x"), G_MININT64 + 1, 0.5, 4294967294,
                               strobe_mock_stack(f->mock, frames)};

    g_strlcpy(names[at], kind_name, sizeof names[at]);
    kinds[at] = (StrobeKind){.struct_size = sizeof *kinds,
                             .shape = STROBE_SHAPE_SPAN,
                             .name = names[at],
                             .summary = "Odd.",
                             .fields = odd_fields,
                             .n_fields = G_N_ELEMENTS(odd_fields)};
    strobe_mock_add(f->mock, &kinds[at], fixture_thread(f, 9),
                    strobe_mock_bytes(f->mock, "a\0b\xff", 4), T0, T0 + 1, &fields);
}

static void test_generic(Fixture *f, gconstpointer unused)
{
    static const char *const names[] = {"select", "task", "sqlite_master", "", "x\"); DROP TABLE a",
                                        "Select"};

    for (guint i = 0; i < G_N_ELEMENTS(names); i++)
        add_odd(f, i, names[i]);
    add_op(f, "aten::mm", T0, T0 + 10);
    fixture_run(f);
    CHECK("PRAGMA integrity_check", "ok");
    CHECK("SELECT * FROM \"select\"", "a\xef\xbf\xbd"
                                      "b\xef\xbf\xbd|1700000000000000000|"
                                      "1700000000000000001|30064771081|NULL|x|-9223372036854775807|"
                                      "0.5|4294967294|inner;\r\nouter");
    CHECK("SELECT group_concat(name) FROM pragma_table_info('select')",
          "name,startNs,endNs,globalTid,deviceId,name_2,Order,order_2,a\"b;--,frames");
    CHECK("SELECT count(*) FROM \"task_2\"", "1");
    CHECK("SELECT count(*) FROM \"_sqlite_master\"", "1");
    CHECK("SELECT count(*) FROM \"_\"", "1");
    CHECK("SELECT count(*) FROM \"x\"\"); DROP TABLE a\"", "1");
    CHECK("SELECT count(*) FROM \"Select_2\"", "1");
}

static void test_loss(Fixture *f, gconstpointer unused)
{
    FIELDS(loss, fields);
    fields.count = 12;
    fields.cause = 1;
    fields.thread = fixture_thread(f, 9);
    ADD(loss, 0, "disk_full", T0, T0 + 5);
    fixture_run(f);
    CHECK("SELECT name, startNs, endNs, count, cause, thread FROM loss",
          "disk_full|1700000000000000000|1700000000000000005|12|1|30064771081");
}

/* A kind that is computed from other kinds is written only on request. */
static void test_derived(Fixture *f, gconstpointer unused)
{
    FIELDS(op_statistic, fields);
    fields.count = 2;
    fields.total = 7.25;
    ADD(op_statistic, 0, "MatMul", T0, T0);
    add_op(f, "aten::mm", T0, T0 + 10);
    fixture_run(f);
    CHECK("SELECT count(*) FROM op_statistic", "no such table: op_statistic");
}

static void test_also(Fixture *f, gconstpointer unused)
{
    FIELDS(op_statistic, fields);
    fields.count = 2;
    fields.total = 7.25;
    strobe_mock_option(f->mock, "also", "op_statistic+api_statistic");
    ADD(op_statistic, 0, "MatMul", T0, T0);
    fixture_run(f);
    CHECK("SELECT name, count, total, min FROM op_statistic", "MatMul|2|7.25|NULL");
}

static void test_many_kinds(Fixture *f, gconstpointer unused)
{
    for (guint i = 0; i < 230; i++) {
        g_autofree char *name = g_strdup_printf("plugin.kind%u", i);

        add_odd(f, i, name);
    }
    fixture_run(f);
    CHECK("SELECT count(*) FROM sqlite_master WHERE name GLOB 'plugin.*'", "200");
    g_assert_cmpuint(strobe_mock_warnings(f->mock), ==, 1);
}

static void test_long_texts(Fixture *f, gconstpointer unused)
{
    g_autofree char *text = g_strnfill(3 << 20, 'x');

    add_op(f, text, T0, T0 + 10);
    add_op(f, "short", T0, T0 + 10);
    add_op(f, text, T0, T0 + 10);
    fixture_run(f);
    CHECK("SELECT length(value), count(*) FROM STRING_IDS JOIN PYTORCH_API ON name = id "
          "GROUP BY value ORDER BY 1",
          "5|1\n3145728|2");
}

/* ---- keys ---- */

static void add_call(Fixture *f, const char *name, guint64 connection)
{
    FIELDS(api_call, fields);
    fields.level = STRING("opencl");
    fields.connection = connection;
    ADD(api_call, fixture_thread(f, 9), name, T0, T0 + 3);
}

/* No row is lost, whatever its key is. A level that is not in the enumeration gets a number in
 * it. */
static void test_keys(Fixture *f, gconstpointer unused)
{
    add_call(f, "none", STROBE_ABSENT_U64);
    add_call(f, "first", 17);
    add_call(f, "second", 17);
    add_call(f, "early", 5);
    add_call(f, "third", 18);
    add_call(f, "early again", 5);
    fixture_run(f);
    CHECK("SELECT connectionId, " TEXT_OF("name") " FROM CANN_API ORDER BY 1",
          "5|early\n17|first\n18|third\n19|none\n20|second\n21|early again");
    CHECK("SELECT e.name FROM CANN_API c JOIN ENUM_API_TYPE e ON e.id = c.type LIMIT 1", "opencl");
}

/* There are more rows than fit in memory. Each has a smaller key than the one before, and each
 * comes twice. */
static void test_keys_backwards(Fixture *f, gconstpointer unused)
{
    const guint n = 10000;
    g_autofree char *expected = g_strdup_printf("%u|1|%u", 2 * n, 2 * n);

    for (guint i = n; i > 0; i--) {
        add_call(f, "first", i);
        add_call(f, "second", i);
    }
    fixture_run(f);
    CHECK("PRAGMA integrity_check", "ok");
    CHECK("SELECT count(*), min(connectionId), max(connectionId) FROM CANN_API", expected);
    CHECK("SELECT min(" TEXT_OF("name") "), max(" TEXT_OF("name") ") FROM CANN_API "
                                                                  "WHERE connectionId <= 10000",
          "first|first");
}

/* ---- failures ---- */

static void test_unwritable(Fixture *f, gconstpointer unused)
{
    strobe_mock_metadata(f->mock)->directory = -1;
    add_op(f, "aten::mm", T0, T0 + 10);
    g_assert_cmpint(strobe_mock_run(f->mock), ==, STROBE_ERROR_IO);
    g_assert_nonnull(strstr(strobe_mock_error(f->mock), PROFILER));
}

/* If the exporter is closed before its end, it makes no file: the tear-down checks that the folder
 * is empty. */
static void test_abandoned(Fixture *f, gconstpointer unused)
{
    for (guint i = 0; i < 20000; i++)
        add_op(f, "aten::mm", T0 + i, T0 + i + 1);
    g_assert_cmpint(strobe_mock_open(f->mock), ==, STROBE_OK);
    g_assert_cmpint(strobe_mock_send(f->mock), ==, STROBE_OK);
    strobe_mock_close(f->mock);
    CHECK("SELECT 1", "no file");
}

/* ---- parts ---- */

static void count_pair(gpointer user, gint64 n, guint32 forward, guint32 backward)
{
    gint64 *next = user;

    g_assert_cmpint(n, ==, *next);
    g_assert_cmpuint(backward, ==, forward + 1);
    (*next)++;
}

/* There are more numbers than can be stored; a pair is not lost if its two ends come in time. */
static void test_sequences(Fixture *f, gconstpointer unused)
{
    gint64 n = 0;
    Sequences *sequences = sequences_new(count_pair, &n);

    for (guint32 i = 0; i < 1200000; i++) {
        sequences_add(sequences, (gint64)i * 7919, FALSE, 2 * i);
        sequences_add(sequences, (gint64)i * 7919, TRUE, 2 * i + 1);
    }
    sequences_end(sequences);
    g_assert_cmpint(n, ==, 1200000);
    sequences_free(sequences);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define TEST(path, function)                                                                       \
    g_test_add("/db/" path, Fixture, NULL, fixture_set_up, function, fixture_tear_down)
    TEST("nothing", test_nothing);
    TEST("files", test_files);
    TEST("host-only", test_host_only);
    TEST("generation-1", test_generation_1);
    TEST("generation-3", test_generation_3);
    TEST("version", test_version);
    TEST("metadata", test_metadata);
    TEST("generic", test_generic);
    TEST("loss", test_loss);
    TEST("derived", test_derived);
    TEST("also", test_also);
    TEST("many-kinds", test_many_kinds);
    TEST("long-texts", test_long_texts);
    TEST("keys", test_keys);
    TEST("keys-backwards", test_keys_backwards);
    TEST("unwritable", test_unwritable);
    TEST("abandoned", test_abandoned);
    TEST("sequences", test_sequences);
    add_table_tests();
    add_framework_tests();
    add_random_tests();
    return g_test_run();
}
