/* SPDX-License-Identifier: Apache-2.0 */
#include <glib.h>
#include <mock-consumer-host.h>

extern const StrobePlugin strobe_plugin_1;

static void add_operator(StrobeMockHost *mock, StrobeTrackId track, int64_t begin, int64_t sequence,
                         uint64_t forward_thread)
{
    const struct strobe_cpu_op op = {.sequence = sequence, .forward_thread = forward_thread};

    strobe_mock_add(mock, &strobe_kind_cpu_op, track, 0, begin, begin + 5, &op);
}

static void check_link(StrobeMockHost *mock, size_t index, int64_t sequence, int64_t begin,
                       StrobeTrackId track, int64_t to_begin, StrobeTrackId to_track)
{
    const StrobeView *views;
    const struct strobe_operator_link *fields;

    g_assert_cmpuint(strobe_mock_emitted(mock, &views), >, index);
    fields = views[index].fields;
    g_assert_cmpint(fields->sequence, ==, sequence);
    g_assert_cmpint(views[index].begin_ns, ==, begin);
    g_assert_cmpuint(views[index].track, ==, track);
    g_assert_cmpint(fields->to_begin, ==, to_begin);
    g_assert_cmpuint(fields->to_track, ==, to_track);
}

static void test_latest(void)
{
    StrobeMockHost *mock = strobe_mock_new(strobe_plugin_1.components[0], -1);

    add_operator(mock, 1, 10, 5, 0); /* the inner operator begins last and ends first */
    add_operator(mock, 1, 8, 5, 0);
    add_operator(mock, 1, 20, 3, 0);
    add_operator(mock, 1, 30, -1, 0);
    add_operator(mock, 2, 50, 3, 1);
    add_operator(mock, 2, 60, 5, 1);
    add_operator(mock, 2, 62, 5, 1);
    add_operator(mock, 2, 70, -1, 1);
    add_operator(mock, 1, 80, 9, 0); /* has no backward operator */
    add_operator(mock, 2, 90, 8, 1); /* has no forward operator */
    g_assert_cmpint(strobe_mock_run(mock), ==, STROBE_OK);
    g_assert_cmpuint(strobe_mock_emitted(mock, NULL), ==, 2);
    check_link(mock, 0, 5, 10, 1, 62, 2);
    check_link(mock, 1, 3, 20, 1, 50, 2);
    strobe_mock_free(mock);
}

static void test_many(void)
{
    StrobeMockHost *mock = strobe_mock_new(strobe_plugin_1.components[0], -1);
    const int n = 600000;

    for (int i = 0; i < n; i++) {
        add_operator(mock, 1, 20 * i, i, 0);
        add_operator(mock, 2, 20 * i + 10, i, 1);
    }
    g_assert_cmpint(strobe_mock_run(mock), ==, STROBE_OK);
    g_assert_cmpuint(strobe_mock_emitted(mock, NULL), ==, n);
    check_link(mock, 0, 0, 0, 1, 10, 2);
    check_link(mock, n - 1, n - 1, 20 * (n - 1), 1, 20 * (n - 1) + 10, 2);
    strobe_mock_free(mock);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/forward-backward/latest", test_latest);
    g_test_add_func("/forward-backward/many", test_many);
    return g_test_run();
}
