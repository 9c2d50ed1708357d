/* SPDX-License-Identifier: Apache-2.0 */
#include "test-device.h"

#include <math.h>
#include <string.h>

#include "comm-names.h"

static StrobeTrackId group_track(StrobeMockHost *mock)
{
    return strobe_mock_track(mock, STROBE_TRACK_STREAM, 0, "Group tp Communication", "HCCL", 0);
}

static void add_operation(StrobeMockHost *mock, const char *name, int64_t begin_ns, int64_t end_ns)
{
    TEST_FIELDS(comm_op, fields);
    TEST_ADD(mock, comm_op, group_track(mock), name, begin_ns, end_ns, &fields);
}

typedef struct Made {
    const char *name, *link, *rdma;
    uint32_t plane, source, target;
    uint64_t size;
    int64_t begin_ns, end_ns;
    uint32_t is_master;
} Made;

static void add_task(StrobeMockHost *mock, const Made *made)
{
    StrobeTrackId plane =
        strobe_mock_track(mock, STROBE_TRACK_PLANE, made->plane + 1u, "Plane", "HCCL", 0);
    TEST_FIELDS(comm_task, fields);
    fields.plane = made->plane;
    fields.size = made->size;
    fields.transport = strobe_mock_string(mock, made->rdma ? "RDMA" : "SDMA");
    fields.rdma_type = made->rdma ? strobe_mock_string(mock, made->rdma) : 0;
    fields.link_type = strobe_mock_string(mock, made->link);
    fields.source_rank = made->source;
    fields.target_rank = made->target;
    fields.is_master = made->is_master;
    TEST_ADD(mock, comm_task, plane, made->name, made->begin_ns, made->end_ns, &fields);
}

/* The times come from plane 1, which waits 1 us before the first copy and 1 us later, and copies
 * for 2 us over HCCS. Plane 0 has a copy of 1 us on the chip, which is not transit, and a copy of
 * 40 MB. */
static void add_tasks(StrobeMockHost *mock)
{
    static const Made tasks[] = {
        {"Reduce_Inline", "ON_CHIP", NULL, 0, 1, STROBE_ABSENT_U32, 1000000, 0, 1000, 0},
        {"Memcpy", "HCCS", NULL, 0, 1, 2, 40000000, 1000, 9000, 0},
        {"Notify_Wait", "INVALID_TYPE", NULL, 1, 1, 2, 0, 0, 1000, 0},
        {"Memcpy", "HCCS_SW", NULL, 1, 1, 2, 2000000, 1000, 3000, 0},
        {"Notify_Wait", "INVALID_TYPE", NULL, 1, 1, 2, 0, 3000, 4000, 0},
        /* the task begins after the operation's end */
        {"Memcpy", "HCCS", NULL, 1, 1, 2, 8, 20000, 21000, 0},
    };

    for (guint i = 0; i < G_N_ELEMENTS(tasks); i++)
        add_task(mock, &tasks[i]);
    add_operation(mock, "hcom_reduceScatter__1", 0, 10000);
    test_step(mock, 3, 0, 500000, 600000); /* the only step, so all operations belong to it */
}

static const StrobeView *find_row(StrobeMockHost *mock, const char *kind, const char *name,
                                  guint skip)
{
    const StrobeView *views;
    size_t n = strobe_mock_emitted(mock, &views);

    for (size_t i = 0; i < n; i++)
        if (!strcmp(views[i].kind->name, kind) &&
            !strcmp(strobe_mock_text(mock, views[i].name), name) && !skip--)
            return &views[i];
    return NULL;
}

static char *make_name(const char *what, const char *group)
{
    g_autofree char *hash = comm_group_hash(group);

    return g_strdup_printf("%s@%s", what, hash);
}

static void test_time(void)
{
    StrobeMockHost *mock = test_device_host(1);
    g_autofree char *name = make_name("hcom_reduceScatter__1", "tp");
    const struct strobe_communication_time *fields;

    add_tasks(mock);
    g_assert_cmpint(strobe_mock_run(mock), ==, STROBE_OK);
    g_assert_nonnull(find_row(mock, "communication_time", name, 0));
    fields = find_row(mock, "communication_time", name, 0)->fields;
    g_assert_cmpint(fields->step, ==, 3);
    g_assert_cmpfloat(fields->start, ==, 0);
    g_assert_cmpfloat(fields->elapse, ==, 0.009);
    g_assert_cmpfloat(fields->transit, ==, 0.002);
    g_assert_cmpfloat(fields->wait, ==, 0.002);
    g_assert_cmpfloat(fields->synchronization, ==, 0.001);
    g_assert_cmpfloat_with_epsilon(fields->idle, 0.005, 1e-12);
    fields = find_row(mock, "communication_time", "Total Op Info", 0)->fields;
    g_assert_cmpuint(fields->is_total, ==, 1);
    g_assert_true(isnan(fields->start));
    strobe_mock_free(mock);
}

/* If a task is marked as belonging to the master plane, only this plane determines the times. */
static void test_master(void)
{
    static const Made tasks[] = {
        {"Memcpy", "PCIE", NULL, 0, 0, 1, 1000, 100, 300, 1},
        {"Memcpy", "PCIE", NULL, 1, 0, 1, 1000, 0, 900, 0},
    };
    StrobeMockHost *mock = test_device_host(3);
    g_autofree char *name = make_name("hcom_send__1", "tp");
    const struct strobe_communication_time *fields;

    for (guint i = 0; i < G_N_ELEMENTS(tasks); i++)
        add_task(mock, &tasks[i]);
    add_operation(mock, "hcom_send__1", 0, 1000);
    g_assert_cmpint(strobe_mock_run(mock), ==, STROBE_OK);
    fields = find_row(mock, "communication_time", name, 0)->fields;
    g_assert_cmpstr(strobe_mock_text(mock, fields->type), ==, "p2p");
    g_assert_cmpint(fields->step, ==, STROBE_ABSENT_I64);
    g_assert_cmpfloat(fields->start, ==, 0.1);
    g_assert_cmpfloat(fields->elapse, ==, 0.0002);
    g_assert_cmpfloat(fields->transit, ==, 0.0002);
    strobe_mock_free(mock);
}

static void check_bandwidth(const StrobeView *view, const char *transport, double size, double ms,
                            double bandwidth, double package, uint64_t count)
{
    const struct strobe_communication_bandwidth *fields = view->fields;

    g_assert_cmpfloat_with_epsilon(fields->transit_size, size, 1e-12);
    g_assert_cmpfloat_with_epsilon(fields->transit_time, ms, 1e-12);
    g_assert_cmpfloat(fields->bandwidth, ==, bandwidth);
    if (count)
        g_assert_cmpfloat(fields->package_size, ==, package);
    else
        g_assert_true(isnan(fields->package_size));
    g_assert_cmpuint(fields->package_count, ==, count);
    g_assert_cmpstr(transport, !=, "");
}

/* 40 MB in 8 us and 2 MB in 2 us: 42 MB in 10 us are 4200 GB/s; one of two packets is large. */
static void test_bandwidth(void)
{
    StrobeMockHost *mock = test_device_host(1);
    g_autofree char *name = make_name("hcom_reduceScatter__1", "tp");
    const struct strobe_communication_bandwidth *fields;

    add_tasks(mock);
    g_assert_cmpint(strobe_mock_run(mock), ==, STROBE_OK);
    check_bandwidth(find_row(mock, "communication_bandwidth", name, 0), "HCCS", 42, 0.01, 4200, 40,
                    1);
    check_bandwidth(find_row(mock, "communication_bandwidth", name, 1), "HCCS", 42, 0.01, 4200, 2,
                    1);
    check_bandwidth(find_row(mock, "communication_bandwidth", name, 2), "SDMA", 42, 0.01, 4200, 0,
                    0);
    g_assert_null(find_row(mock, "communication_bandwidth", name, 3));
    fields = find_row(mock, "communication_bandwidth", name, 0)->fields;
    g_assert_cmpstr(strobe_mock_text(mock, fields->transport), ==, "HCCS");
    g_assert_cmpfloat(fields->large_ratio, ==, 0.5);
    fields = find_row(mock, "communication_bandwidth", name, 2)->fields;
    g_assert_cmpstr(strobe_mock_text(mock, fields->transport), ==, "SDMA");
    g_assert_true(isnan(fields->large_ratio));
    strobe_mock_free(mock);
}

/* Two payloads, with the tasks that close them (three for send and receive; the last payload is one
 * of these), take the time from the begin of the first task to the end of the fourth. The second
 * transfer does not have all of its tasks. */
static void test_rdma(void)
{
    static const Made tasks[] = {
        {"RDMASend", "ROCE", "RDMA_SEND_PAYLOAD", 1, 0, 1, 1000000, 0, 100, 0},
        {"RDMASend", "ROCE", "RDMA_SEND_PAYLOAD", 1, 0, 1, 1000000, 100, 200, 0},
        {"RDMASend", "ROCE", "RDMA_SEND_NOTIFY", 1, 0, 1, 4, 200, 300, 0},
        {"Notify_Wait", "ROCE", NULL, 1, 0, 1, 0, 300, 1000, 0},
        {"RDMASend", "ROCE", "RDMA_SEND_PAYLOAD", 1, 0, 1, 1000000, 1000, 1100, 0},
    };
    StrobeMockHost *mock = test_device_host(1);
    g_autofree char *name = make_name("hcom_send__1", "tp");
    const struct strobe_communication_time *time;

    for (guint i = 0; i < G_N_ELEMENTS(tasks); i++)
        add_task(mock, &tasks[i]);
    add_operation(mock, "hcom_send__1", 0, 2000);
    g_assert_cmpint(strobe_mock_run(mock), ==, STROBE_OK);
    check_bandwidth(find_row(mock, "communication_bandwidth", name, 0), "RDMA", 2, 0.001, 2000, 2,
                    1);
    time = find_row(mock, "communication_time", name, 0)->fields;
    g_assert_cmpfloat(time->transit, ==, 0.001);
    g_assert_cmpfloat(time->wait, ==, 0);
    strobe_mock_free(mock);
}

/* The operation has the link 1-1 on the chip, and the link 1-2 over both planes. */
static void test_matrix(void)
{
    StrobeMockHost *mock = test_device_host(1);
    g_autofree char *top = make_name("reduce-top1", "tp"), *total = make_name("reduce-total", "tp");
    g_autofree char *bottom2 = make_name("reduce-bottom2", "tp");
    const struct strobe_communication_matrix *fields;

    add_tasks(mock);
    g_assert_cmpint(strobe_mock_run(mock), ==, STROBE_OK);
    g_assert_nonnull(find_row(mock, "communication_matrix", top, 0));
    fields = find_row(mock, "communication_matrix", top, 0)->fields;
    g_assert_cmpstr(strobe_mock_text(mock, fields->transport), ==, "LOCAL");
    g_assert_cmpstr(strobe_mock_text(mock, fields->source), ==, "1");
    g_assert_cmpstr(strobe_mock_text(mock, fields->target), ==, "1");
    fields = find_row(mock, "communication_matrix", top, 1)->fields;
    g_assert_cmpstr(strobe_mock_text(mock, fields->transport), ==, "HCCS");
    g_assert_cmpfloat_with_epsilon(fields->transit_size, 42, 1e-12);
    g_assert_cmpfloat(fields->bandwidth, ==, 4200);
    g_assert_cmpstr(strobe_mock_text(mock, fields->op_name), ==, "hcom_reduceScatter__1");
    fields = find_row(mock, "communication_matrix", total, 1)->fields;
    g_assert_cmpuint(fields->op_name, ==, 0);
    g_assert_null(find_row(mock, "communication_matrix", bottom2, 0));
    strobe_mock_free(mock);
}

static void test_names(void)
{
    static const char *const words[][2] = {
        {"hcom_allReduce__271_2_1", "allreduce"},
        {"hcom_reduceScatter__1", "reduce"},
        {"hcom_batchSendRecv__1", "batchsendrecv"},
        {"hcom_allGather_", "allgather"},
        {"hcom_alltoallv_", "alltoall"},
        {"hcom_send__1", "send"},
        {"hcom_scatter_", "scatter"},
        {"hcom_other_", ""},
    };
    g_autofree char *hash = comm_group_hash("90.91.105.46%enp189s0f0_60000_0_1736414082311975");
    g_autofree char *number = comm_group_hash("17522688603477080586");

    for (guint i = 0; i < G_N_ELEMENTS(words); i++)
        g_assert_cmpstr(comm_type_word(words[i][0]), ==, words[i][1]);
    g_assert_cmpstr(hash, ==, "11978775601474615865");
    g_assert_cmpstr(number, ==, "17522688603477080586");
    g_assert_true(comm_is_p2p("hcom_batchSendRecv__1"));
    g_assert_false(comm_is_p2p("hcom_allReduce__1"));
}

/* A recording of the vendor's tool at level 0 has operations without tasks: the pass emits no
 * records. */
static void test_no_tasks(void)
{
    StrobeMockHost *mock = test_device_host(1);

    strobe_mock_metadata_entry(mock, "source", "{\"importer\": \"ascend_text\"}");
    add_operation(mock, "hcom_allReduce__1", 0, 1000);
    g_assert_cmpint(strobe_mock_run(mock), ==, STROBE_OK);
    g_assert_cmpuint(strobe_mock_emitted(mock, NULL), ==, 0);
    strobe_mock_free(mock);
}

/* Operations that Strobe recorded have no tasks: the pass emits only their times, also in the
 * sum. */
static void test_own_records(void)
{
    StrobeMockHost *mock = test_device_host(3);
    g_autofree char *name = make_name("hcom_allReduce__1", "tp");
    const struct strobe_communication_time *fields;

    add_operation(mock, "hcom_allReduce__1", 1000, 3000);
    add_operation(mock, "hcom_allReduce__2", 5000, 6000);
    g_assert_cmpint(strobe_mock_run(mock), ==, STROBE_OK);
    g_assert_cmpuint(strobe_mock_emitted(mock, NULL), ==, 3);
    fields = find_row(mock, "communication_time", name, 0)->fields;
    g_assert_cmpstr(strobe_mock_text(mock, fields->type), ==, "collective");
    g_assert_cmpfloat(fields->start, ==, 1);
    g_assert_cmpfloat(fields->elapse, ==, 0.002);
    g_assert_true(isnan(fields->transit) && isnan(fields->wait));
    g_assert_true(isnan(fields->synchronization) && isnan(fields->idle));
    fields = find_row(mock, "communication_time", "Total Op Info", 0)->fields;
    g_assert_cmpfloat_with_epsilon(fields->elapse, 0.003, 1e-12);
    g_assert_true(isnan(fields->transit));
    strobe_mock_free(mock);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/communication/time", test_time);
    g_test_add_func("/communication/master", test_master);
    g_test_add_func("/communication/bandwidth", test_bandwidth);
    g_test_add_func("/communication/rdma", test_rdma);
    g_test_add_func("/communication/matrix", test_matrix);
    g_test_add_func("/communication/names", test_names);
    g_test_add_func("/communication/no-tasks", test_no_tasks);
    g_test_add_func("/communication/own-records", test_own_records);
    return g_test_run();
}
