/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the choice of the clock on simulated machines, the clock pairs, and a session without a
 * counter. */
#include <string.h>
#include "clock.h"
#include "reader.h"
#include "support.h"

static int says_yes(void)
{
    return 1;
}

static int says_no(void)
{
    return 0;
}

static void test_probe(void)
{
    static const struct {
        int (*is_invariant)(void);
        const char *source; /* the kernel's clock source; NULL: the kernel does not report it */
        int expected;
    } machines[] = {
        {says_yes, "tsc\n", 1},
        {says_yes, "tsc-early\n", 1},
        {says_yes, "kvm-clock\n", 1},
        {says_yes, "hyperv_clocksource_tsc_page\n", 1},
        {says_yes, "arch_sys_counter\n", 1},
        {says_yes, NULL, 1},
        {says_yes, "hpet\n", 0},
        {says_yes, "acpi_pm\n", 0},
        {says_yes, "xen\n", 0},
        {says_yes, "hyperv_clocksource_msr\n", 0},
        {says_yes, "refined-jiffies\n", 0},
        {says_yes, "ts", 0},
        {says_yes, "", 0},
        {says_no, "tsc\n", 0},
        {says_no, NULL, 0},
    };
    char *folder = scratch_new();

    for (guint i = 0; i < G_N_ELEMENTS(machines); i++) {
        const char *source = machines[i].source;
        g_autofree char *path =
            source ? write_bytes(folder, "current_clocksource", source, strlen(source))
                   : g_build_filename(folder, "none", NULL);
        StrobeClockProbe probe = {machines[i].is_invariant, path};
        g_test_message("machine %u", i);
        g_assert_cmpint(strobe_clock_probe(&probe), ==, machines[i].expected);
    }
    scratch_remove(folder);
}

static void test_pairs(void)
{
    StrobeClockPair last = {0};

    strobe_clock_init();
    for (guint i = 0; i < 1000; i++) {
        guint64 before = strobe_clock_now();
        StrobeClockPair pair = strobe_clock_pair();
        guint64 after = strobe_clock_now();
        g_assert_cmpuint(pair.ticks, >=, before);
        g_assert_cmpuint(pair.ticks, <=, after);
        g_assert_cmpuint(pair.gap, <=, after - before);
        g_assert_cmpuint(pair.gap, <, STROBE_CLOCK_COMPUTED);
        g_assert_cmpint(pair.monotonic_ns, >, last.monotonic_ns);
        if (i) { /* the computer does not sleep during this test, but the thread may be interrupted
                    between two reads */
            gint64 slept = pair.boottime_ns - pair.monotonic_ns;
            g_assert_cmpint(ABS(slept - (last.boottime_ns - last.monotonic_ns)), <, 1000000000);
        }
        last = pair;
    }
    double ns_per_tick = strobe_clock_ns_per_tick();
    g_assert_cmpfloat(ns_per_tick, >, 0);
    g_assert_cmpfloat(ABS(ns_per_tick * strobe_clock_rate() - 1), <, 1e-3);
}

/* ---- a session on a machine whose kernel does not trust the counter ---- */

struct times {
    gint64 least, most;
};

static void note_time(const StrobeView *view, StrobeText name, gpointer user)
{
    struct times *times = user;

    times->least = MIN(times->least, view->begin_ns);
    times->most = MAX(times->most, view->end_ns);
}

static char *record_some(const char *folder)
{
    StrobeSession *session =
        session_new(folder, "{\"fake\": {\"records\": 300, \"threads\": 0}}", NULL);

    strobe_session_start(session, NULL);
    strobe_session_stop(session, NULL);
    char *capture = capture_of(session);
    strobe_session_free(session);
    return capture;
}

static void check_capture(const char *capture)
{
    g_autoptr(GError) error = NULL;
    StrobeReader *reader = strobe_reader_open(capture, &error);
    const StrobeReaderStats *stats = strobe_reader_stats(reader);

    g_assert_no_error(error);
    g_assert_cmpstr(json_object_get_string_member(strobe_reader_metadata(reader), "clock"), ==,
                    "CLOCK_MONOTONIC");
    g_assert_cmpfloat(stats->ns_per_tick, ==, 1);
    g_assert_cmpuint(stats->clock.error_ns, ==, 0);
    g_assert_cmpuint(stats->clock.n_jumps, ==, 0);
    strobe_reader_free(reader);
}

/* The time lies between two readings of the clock, if one of the function's readings is not
 * interrupted. */
static void test_raw(void)
{
    strobe_clock_init();
    for (guint i = 0; i < 100; i++) {
        gint64 before = strobe_clock_ns(CLOCK_MONOTONIC_RAW);
        StrobeClockPair pair = strobe_clock_pair();
        gint64 after = strobe_clock_ns(CLOCK_MONOTONIC_RAW);
        gint64 raw = strobe_clock_raw_ns(&pair);
        g_assert_cmpint(raw, >=, before - 1000);
        g_assert_cmpint(raw, <=, after + 1000);
    }
}

static void test_without_counter(void)
{
    if (!g_test_subprocess()) {
        g_test_trap_subprocess(NULL, 0, G_TEST_SUBPROCESS_INHERIT_STDERR);
        g_test_trap_assert_passed();
        return;
    }
    char *folder = scratch_new();
    g_autofree char *path = write_bytes(folder, "current_clocksource", "hpet\n", 5);
    StrobeClockProbe probe = {says_yes, path};
    struct times times = {G_MAXINT64, 0};

    strobe_clock_init_with(&probe);
    g_assert_cmpint(strobe_clock_counter, ==, 0);
    g_assert_cmpstr(strobe_clock_name(), ==, "CLOCK_MONOTONIC");
    StrobeClockPair pair = strobe_clock_pair();
    g_assert_cmpuint(pair.ticks, ==, (guint64)pair.monotonic_ns);
    gint64 before = strobe_clock_ns(CLOCK_REALTIME);
    g_autofree char *capture = record_some(folder);
    gint64 after = strobe_clock_ns(CLOCK_REALTIME);
    check_capture(capture);
    g_assert_cmpuint(read_capture(capture, "marker", note_time, &times), ==, 300);
    g_assert_cmpint(times.least, >=, before);
    g_assert_cmpint(times.most, <=, after);
    scratch_remove(folder);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/clock/probe", test_probe);
    g_test_add_func("/clock/pairs", test_pairs);
    g_test_add_func("/clock/raw", test_raw);
    g_test_add_func("/clock/without-counter", test_without_counter);
    return g_test_run();
}
