/* SPDX-License-Identifier: Apache-2.0 */
/* Checks PYTORCH_API with its connections and call chains, steps, and marks. */
#include <strobe/kinds.h>

#include "test-db-fixture.h"

static void add_op(Fixture *f, guint64 tid, const char *name, gint64 begin, gint64 end,
                   gint64 sequence, guint64 forward)
{
    FIELDS(cpu_op, fields);
    fields.sequence = sequence;
    fields.forward_thread = forward;
    ADD(cpu_op, fixture_thread(f, tid), name, T0 + begin, T0 + end);
}

static void add_queue(Fixture *f, guint64 tid, gboolean is_dequeue, gint64 begin, gint64 end,
                      guint64 correlation)
{
    FIELDS(task_queue, fields);
    fields.correlation = correlation;
    fields.is_dequeue = is_dequeue;
    ADD(task_queue, fixture_thread(f, tid), is_dequeue ? "" : "Enqueue", T0 + begin, T0 + end);
}

static void add_launch(Fixture *f, guint64 tid, const char *level, gint64 begin, gint64 end,
                       guint64 connection)
{
    StrobeTrackId track =
        strobe_mock_track(f->mock, STROBE_TRACK_THREAD, tid, "", "CANN", -1); /* on another row */
    FIELDS(api_call, fields);
    fields.level = STRING(level);
    fields.connection = connection;
    ADD(api_call, track, "launch", T0 + begin, T0 + end);
}

#define OPS                                                                                        \
    "SELECT " TEXT_OF("a.name") ", a.type, (SELECT group_concat(c.connectionId) FROM "             \
                                "CONNECTION_IDS c WHERE c.id = a.connectionId) FROM PYTORCH_API "  \
                                "a ORDER BY a.startNs"

/* Adds all records that are linked: a queue with two launches, a forward and a backward operator.
 * The records are sorted by their ends. */
static void add_linked(Fixture *f)
{
    add_op(f, 9, "inside", 12, 13, -1, 0);
    add_queue(f, 9, FALSE, 20, 30, 100);
    add_op(f, 9, "inner", 15, 35, -1, 0);
    add_launch(f, 8, "node", 44, 46, 501);
    add_launch(f, 8, "node", 41, 43, 500);
    add_launch(f, 8, "acl", 47, 48, 502);
    add_queue(f, 8, TRUE, 40, 50, 100);
    add_launch(f, 8, "node", 52, 53, 503); /* it is in no dequeue */
    add_op(f, 9, "forward", 10, 60, 7, 0);
    add_op(f, 9, "forward again", 61, 62, 7, 0);
    add_op(f, 9, "backward", 70, 80, 7, 1);
    add_op(f, 9, "alone", 81, 82, 8, 0);
}

static void test_links_1(Fixture *f, gconstpointer unused)
{
    fixture_generation(f, 1);
    add_linked(f);
    fixture_run(f);
    CHECK(OPS, "forward|50001|NULL\ninside|50001|NULL\ninner|50001|500,501\nEnqueue|50002|100\n"
               "Dequeue|50002|100\nforward again|50001|101\nbackward|50001|101\nalone|50001|NULL");
    CHECK("SELECT typeof(startNs), typeof(sequenceNumber), count(*) FROM PYTORCH_API GROUP BY 2",
          "text|integer|6\ntext|null|2");
    CHECK("SELECT count(DISTINCT id), count(*) FROM CONNECTION_IDS", "5|6");
    CHECK("SELECT sequenceNumber, fwdThreadId FROM PYTORCH_API WHERE name = (SELECT id FROM "
          "STRING_IDS WHERE value = 'backward')",
          "7|1");
}

static void test_links_3(Fixture *f, gconstpointer unused)
{
    add_linked(f);
    fixture_run(f);
    CHECK("SELECT DISTINCT connectionId FROM CONNECTION_IDS ORDER BY 1",
          "500\n501\n1342177380\n1342177381");
}

/* Without a queue, the operator contains the launch itself. */
static void test_no_queue(Fixture *f, gconstpointer unused)
{
    fixture_generation(f, 1);
    add_launch(f, 9, "node", 2, 3, 500);
    add_op(f, 9, "inner", 1, 4, -1, 0);
    add_op(f, 9, "outer", 0, 5, -1, 0);
    add_op(f, 9, "touching", 6, 9, -1, 0);
    add_launch(f, 9, "node", 7, 9, 501);
    fixture_run(f);
    CHECK(OPS, "outer|50001|NULL\ninner|50001|500\ntouching|50001|NULL");
}

/* `expected`: inputDtypes and inputShapes. */
static void check_inputs(Fixture *f, gint32 generation, const char *expected)
{
    const char *const frames[] = {"inner", "outer", NULL};
    FIELDS(cpu_op, fields);
    fields.sequence = -1;
    fields.forward_thread = 0;
    fields.shapes = STRING("2,3;;4");
    fields.types = STRING("float");
    fields.stack = strobe_mock_stack(f->mock, frames);
    ADD(cpu_op, fixture_thread(f, 9), "aten::mm", T0, T0 + 1);
    ADD(cpu_op, fixture_thread(f, 9), "aten::mm", T0 + 2, T0 + 3);
    fields.shapes = fields.types = fields.stack = 0;
    ADD(cpu_op, fixture_thread(f, 9), "aten::mm", T0 + 4, T0 + 5);
    fixture_generation(f, generation);
    fixture_run(f);
    g_autofree char *rows = g_strdup_printf("268435456|%s|0|0\n268435456|%s|1|0\n"
                                            "268435456|NULL|NULL|NULL|1",
                                            expected, expected);
    CHECK("SELECT name, " TEXT_OF("inputDtypes") "," TEXT_OF(
              "inputShapes") ", callchainId, inputDtypes IS NULL FROM PYTORCH_API",
          rows);
    CHECK("SELECT id," TEXT_OF("stack") ", stackDepth FROM PYTORCH_CALLCHAINS",
          "0|inner|0\n0|outer|1\n1|inner|0\n1|outer|1");
}

static void test_inputs(Fixture *f, gconstpointer unused)
{
    check_inputs(f, 3, "float|2,3;\r\n;\r\n4");
}

static void test_inputs_of_the_first_generation(Fixture *f, gconstpointer unused)
{
    check_inputs(f, 1, "2,3;\r\n;\r\n4|float");
}

static void test_python(Fixture *f, gconstpointer unused)
{
    FIELDS(python_call, fields);
    ADD(python_call, fixture_thread(f, 9), "run.py(1): main", T0, T0 + 9);
    fixture_run(f);
    CHECK("SELECT " TEXT_OF("name") ", startNs, globalTid, connectionId, sequenceNumber, "
                                    "callchainId, type FROM PYTORCH_API",
          "run.py(1): main|1700000000000000000|30064771081|NULL|NULL|NULL|50003");
}

/* ---- steps ---- */

/* A step that was announced also becomes an operator. */
static void test_step(Fixture *f, gconstpointer unused)
{
    StrobeTrackId track = strobe_mock_track(f->mock, STROBE_TRACK_STEPS, 0, "Steps", "", -1);
    FIELDS(step, fields);
    fields.number = 5;
    fields.thread = 9;
    add_op(f, 9, "aten::mm", 1, 2, -1, 0);
    ADD(step, track, "ProfilerStep#5", T0, T0 + 10);
    fixture_run(f);
    CHECK("SELECT * FROM STEP_TIME", "5|1700000000000000000|1700000000000000010");
    CHECK("SELECT " TEXT_OF("name") ", globalTid, type FROM PYTORCH_API ORDER BY startNs",
          "ProfilerStep#5|30064771081|50001\naten::mm|30064771081|50001");
}

/* In a trace a step has only an operator. */
static void test_step_of_op(Fixture *f, gconstpointer unused)
{
    add_op(f, 9, "ProfilerStep#6", 0, 10, -1, 0);
    add_op(f, 9, "ProfilerStep#x", 20, 30, -1, 0);
    fixture_run(f);
    CHECK("SELECT * FROM STEP_TIME", "6|1700000000000000000|1700000000000000010");
    CHECK("SELECT count(*) FROM PYTORCH_API", "2");
}

static void test_markers(Fixture *f, gconstpointer unused)
{
    FIELDS(marker, fields);
    ADD(marker, fixture_thread(f, 9), "range", T0, T0 + 9);
    ADD(marker_instant, fixture_thread(f, 9), "mark", T0 + 3, T0 + 3);
    fixture_run(f);
    CHECK("SELECT endNs - startNs, eventType, rangeId, category," TEXT_OF(
              "message") ", globalTid, endGlobalTid, domainId, connectionId FROM MSTX_EVENTS",
          "9|2|4294967295|4294967295|range|30064771081|30064771081|4294967295|4294967295\n"
          "0|0|4294967295|4294967295|mark|30064771081|30064771081|4294967295|4294967295");
}

/* Waiting operators, and their links, are stored in files. */
static void test_many(Fixture *f, gconstpointer unused)
{
    const gint64 n = 30000;
    StrobeStorage *storage = strobe_mock_table(f->mock)->storage(f->mock);
    g_autofree char *all = g_strdup_printf("%d|%d|%d", (int)n * 2, (int)n * 2, (int)n * 2);
    g_autofree char *pairs = g_strdup_printf("%d|%d", (int)n * 2, (int)n);
    g_autofree char *ops = g_strdup_printf("%d", (int)n * 2);

    storage->log_bytes = 0;
    storage->sorter_bytes = 100000;
    for (gint64 i = 0; i < n; i++) {
        add_op(f, 9, "forward", 10 * i, 10 * i + 5, i, 0);
        add_op(f, 8, "backward", 10 * i, 10 * i + 5, i, 1);
    }
    fixture_run(f);
    CHECK("SELECT count(*), count(connectionId), count(DISTINCT connectionId) FROM PYTORCH_API",
          all);
    CHECK("SELECT count(*), count(DISTINCT connectionId) FROM CONNECTION_IDS", pairs);
    CHECK("SELECT count(*) FROM PYTORCH_API a JOIN CONNECTION_IDS c ON c.id = a.connectionId WHERE "
          "c.connectionId = a.sequenceNumber + 1342177280",
          ops);
}

void add_framework_tests(void)
{
#define TEST(path, function)                                                                       \
    g_test_add("/db/framework/" path, Fixture, NULL, fixture_set_up, function, fixture_tear_down)
    TEST("links-1", test_links_1);
    TEST("links-3", test_links_3);
    TEST("no-queue", test_no_queue);
    TEST("inputs", test_inputs);
    TEST("inputs-1", test_inputs_of_the_first_generation);
    TEST("python", test_python);
    TEST("step", test_step);
    TEST("step-of-op", test_step_of_op);
    TEST("markers", test_markers);
    TEST("many", test_many);
}
