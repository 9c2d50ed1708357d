/* SPDX-License-Identifier: Apache-2.0 */
#include <glib.h>
#include <mock-consumer-host.h>
#include <strobe/helpers/gaps.h>

static void test_edges(void)
{
    StrobeGaps *gaps = strobe_gaps_new();

    g_assert_false(strobe_gaps_touch(gaps, 0, INT64_MIN, INT64_MAX));
    strobe_gaps_add(gaps, 3, 100, 200);
    g_assert_true(strobe_gaps_touch(gaps, 3, 199, 300));
    g_assert_true(strobe_gaps_touch(gaps, 3, 0, 101));
    g_assert_true(strobe_gaps_touch(gaps, 3, 150, 150)); /* a moment */
    g_assert_false(strobe_gaps_touch(gaps, 3, 200, 300));
    g_assert_false(strobe_gaps_touch(gaps, 3, 0, 100));
    g_assert_false(strobe_gaps_touch(gaps, 3, 200, 200));
    g_assert_false(strobe_gaps_touch(gaps, 2, 0, 1000));
    g_assert_false(strobe_gaps_touch(gaps, 4, 0, 1000));
    g_assert_true(strobe_gaps_touch(gaps, 0, 0, 1000));
    strobe_gaps_free(gaps);
}

static void test_no_particular_track(void)
{
    StrobeGaps *gaps = strobe_gaps_new();

    strobe_gaps_add(gaps, 0, 100, 100); /* a gap at one moment */
    g_assert_true(strobe_gaps_touch(gaps, 9, 50, 101));
    g_assert_true(strobe_gaps_touch(gaps, 0, 100, 100));
    g_assert_false(strobe_gaps_touch(gaps, 9, 101, 500));
    strobe_gaps_add(gaps, 0, INT64_MAX, INT64_MAX);
    strobe_gaps_add(gaps, 0, INT64_MIN, INT64_MIN);
    g_assert_true(strobe_gaps_touch(gaps, 5, INT64_MIN, 0));
    g_assert_true(strobe_gaps_touch(gaps, 5, 1000, INT64_MAX));
    g_assert_false(strobe_gaps_touch(gaps, 5, 1000, 2000));
    strobe_gaps_free(gaps);
}

/* Checks that every time counts as a gap if there is no StrobeGaps. */
static void test_none(void)
{
    strobe_gaps_add(NULL, 1, 0, 1);
    g_assert_true(strobe_gaps_touch(NULL, 1, 5, 6));
    strobe_gaps_free(NULL);
}

/* Compares with a linear search while gaps are still being added. */
static void test_random(void)
{
    enum { N = 2000 };
    static int64_t begin[N], end[N];
    static StrobeTrackId track[N];
    StrobeGaps *gaps = strobe_gaps_new();

    for (int n = 0; n < N; n++) {
        begin[n] = g_test_rand_int_range(0, 100000);
        end[n] = begin[n] + g_test_rand_int_range(0, 20);
        track[n] = (StrobeTrackId)g_test_rand_int_range(0, 50);
        strobe_gaps_add(gaps, track[n], begin[n], end[n]);
        int64_t from = g_test_rand_int_range(0, 100000), to = from + g_test_rand_int_range(1, 50);
        StrobeTrackId on = (StrobeTrackId)g_test_rand_int_range(0, 60);
        gboolean expected = FALSE;

        for (int i = 0; i <= n; i++)
            expected |= begin[i] < to && MAX(end[i], begin[i] + 1) > from &&
                        (!on || !track[i] || track[i] == on);
        g_assert_cmpint(strobe_gaps_touch(gaps, on, from, to), ==, expected);
    }
    strobe_gaps_free(gaps);
}

/* Adds far more gaps than the helper keeps separate: each gap is still found, and times far from
 * all gaps do not count as gaps. */
static void test_many(void)
{
    enum { N = 20 * STROBE_GAPS_MAX };
    StrobeGaps *gaps = strobe_gaps_new();

    for (int64_t i = 0; i < N; i++)
        strobe_gaps_add(gaps, 1 + i % 3, i * 1000000, i * 1000000 + 10);
    for (int64_t i = 0; i < N; i++)
        g_assert_true(
            strobe_gaps_touch(gaps, (StrobeTrackId)(1 + i % 3), i * 1000000 + 9, i * 1000000 + 10));
    g_assert_false(strobe_gaps_touch(gaps, 4, INT64_MIN, INT64_MAX));
    g_assert_false(strobe_gaps_touch(gaps, 1, INT64_MIN, 0));
    g_assert_false(strobe_gaps_touch(gaps, 0, (int64_t)N * 1000000, INT64_MAX));
    strobe_gaps_free(gaps);
}

static void test_many_tracks(void)
{
    enum { N = 3 * STROBE_GAPS_MAX };
    StrobeGaps *gaps = strobe_gaps_new();

    for (uint32_t i = 1; i <= N; i++)
        strobe_gaps_add(gaps, i, 10 * (int64_t)i, 10 * (int64_t)i + 1);
    for (uint32_t i = 1; i <= N; i++)
        g_assert_true(strobe_gaps_touch(gaps, i, 10 * (int64_t)i, 10 * (int64_t)i + 1));
    g_assert_false(strobe_gaps_touch(gaps, 1, INT64_MIN, 10));
    strobe_gaps_free(gaps);
}

static gboolean is_gap(StrobeMockHost *mock, const StrobeKind *kind, struct strobe_loss fields)
{
    StrobeGaps *gaps = strobe_gaps_new();
    gboolean found;

    strobe_gaps_add_record(gaps, strobe_mock_add(mock, kind, 0, 0, 100, 200, &fields));
    found = strobe_gaps_touch(gaps, 7, 150, 151) != 0;
    strobe_gaps_free(gaps);
    return found;
}

static void test_records(void)
{
    static const StrobeField fields[] = {{"count", STROBE_FIELD_F64, 0, "", ""},
                                         {"cause", STROBE_FIELD_STRING, 0, "", ""},
                                         {"thread", STROBE_FIELD_U32, 0, "", ""}};
    static const StrobeKind external = {
        sizeof(StrobeKind), STROBE_SHAPE_SPAN, "loss", "", fields, 3, 0};
    StrobeMockHost *mock = strobe_mock_new(NULL, -1);

    g_assert_true(is_gap(mock, &strobe_kind_loss, (struct strobe_loss){1, 0, 0}));
    g_assert_true(is_gap(mock, &strobe_kind_loss, (struct strobe_loss){1, 0, 7}));
    g_assert_false(is_gap(mock, &strobe_kind_loss, (struct strobe_loss){1, 0, 8}));
    g_assert_false(is_gap(mock, &strobe_kind_loss, (struct strobe_loss){0, 0, 7}));
    g_assert_false(
        is_gap(mock, &strobe_kind_loss, (struct strobe_loss){1, STROBE_LOSS_STRING_CUT, 7}));
    g_assert_false(is_gap(mock, &strobe_kind_marker, (struct strobe_loss){1, 0, 0}));
    g_assert_false(is_gap(mock, &external, (struct strobe_loss){1, 0, 0}));
    strobe_mock_free(mock);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/gaps/edges", test_edges);
    g_test_add_func("/gaps/no-particular-track", test_no_particular_track);
    g_test_add_func("/gaps/none", test_none);
    g_test_add_func("/gaps/random", test_random);
    g_test_add_func("/gaps/many", test_many);
    g_test_add_func("/gaps/many-tracks", test_many_tracks);
    g_test_add_func("/gaps/records", test_records);
    return g_test_run();
}
