/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the clock of npu_task: readings, steps of the wall clock, and whether a record's times are
 * from before or after a step. */
#include <glib.h>
#include <string.h>

#include "npu-clock.h"
#include "epochs.h"

/* ---- clock ---- */

/* Readings that vary by less than their width do not change the distance of the clocks. A step of
 * the wall clock begins a new epoch, but the reported times continue without a step. */
static void test_clock_steps(void)
{
    g_autoptr(GRand) random = g_rand_new_with_seed(5);
    gint64 distance = G_GINT64_CONSTANT(1795000000000000000), monotonic = 5000000000;
    NpuClock clock = {0};
    NpuInstant first = {0};

    for (guint i = 0; i < 1000; i++) {
        gint64 jitter = g_rand_int_range(random, -20, 21);
        if (i == 600)
            distance -= 4000000000; /* the wall clock is set back */
        NpuInstant read = {monotonic + distance + jitter, monotonic, 40};
        NpuInstant reported = npu_clock_take(&clock, &read);
        if (i == 0)
            first = reported;
        g_assert_cmpint(reported.realtime_ns - reported.monotonic_ns, ==,
                        first.realtime_ns - first.monotonic_ns);
        g_assert_cmpint(ABS(reported.monotonic_ns - monotonic), <=, 40);
        monotonic += 1000000000;
    }
    g_assert_cmpuint(clock.n_epochs, ==, 2);
    const NpuEpoch *epoch = npu_clock_epoch(&clock, 1);
    g_assert_cmpint(ABS(npu_clock_epoch(&clock, 0)->distance_ns - epoch->distance_ns - 4000000000),
                    <=, 40);
    g_assert_cmpint(epoch->from_ns, ==, 604000000000);
    g_assert_cmpint(epoch->seen_ns, ==, 605000000000);
}

/* A reading during which the thread was preempted is replaced by a better one. The difference does
 * not count as a step. */
static void test_clock_rough_first(void)
{
    NpuClock clock = {0};
    const NpuInstant rough = {1000030000, 1000, 80000}, good = {2000000000, 1000001000, 40};

    npu_clock_take(&clock, &rough);
    npu_clock_take(&clock, &good);
    g_assert_cmpuint(clock.n_epochs, ==, 1);
    g_assert_cmpint(npu_clock_epoch(&clock, 0)->distance_ns, ==, 2000000000 - 1000001000);
    g_assert_cmpint(clock.base_ns, ==, 2000000000 - 1000001000);
    npu_clock_take(&clock, &good);
    g_assert_cmpuint(clock.width_ns, ==, 40);
}

/* ---- epochs: the wall clock was set by half a second, between 10 and 10.02 s ---- */

#define MS G_GINT64_CONSTANT(1000000)
#define WALL (G_GINT64_CONSTANT(1795000000000) * MS)

/* A record in a buffer: its kind, its true end, and the difference between the clock of its times
 * and the first clock. */
typedef struct Reported {
    gint32 kind; /* 2: the record is from device 1; 11: the record is from the host */
    gint64 end_ms;
    gint64 by_ms;
    /* the same difference for the record's begin, which is 5 ms before its end */
    gint64 begin_by_ms;
} Reported;

static gsize lay_out(guint8 *bytes, const Reported *reported, guint n)
{
    gsize used = 0;

    for (guint i = 0; i < n; i++) {
        const guint32 device = 1;
        const gint64 begin = WALL + (reported[i].end_ms - 5 + reported[i].begin_by_ms) * MS;
        const gint64 end = WALL + (reported[i].end_ms + reported[i].by_ms) * MS;
        memset(bytes + used, 0, 56);
        memcpy(bytes + used, &reported[i].kind, 4);
        memcpy(bytes + used + 4, &begin, 8);
        memcpy(bytes + used + 12, &end, 8);
        memcpy(bytes + used + 20, &device, 4);
        used += reported[i].kind == 2 ? 56 : 48;
    }
    return used;
}

/* Finds the records' times. Returns the number of records whose time is wrong by more than 1 ms. */
static guint resolve_records(NpuClock *clock, const Reported *reported, guint n, gint64 asked_ms,
                             gint64 handed_ms)
{
    g_autofree guint8 *bytes = g_malloc(64 * n);
    NpuFilled filled = {bytes, lay_out(bytes, reported, n), asked_ms * MS, handed_ms * MS};
    guint n_off = 0;
    gsize at = 0;

    npu_epochs_resolve(clock, &filled, NULL);
    for (guint i = 0; i < n; i++) {
        gint64 times[2];
        memcpy(times, bytes + at + 4, sizeof times);
        n_off += ABS(times[0] - WALL - (reported[i].end_ms - 5) * MS) > MS ||
                 ABS(times[1] - WALL - reported[i].end_ms * MS) > MS;
        at += reported[i].kind == 2 ? 56 : 48;
    }
    return n_off;
}

static void set_clock(NpuClock *clock, gint64 by_ms)
{
    const NpuInstant readings[] = {{WALL, 0, 40},
                                   {WALL + 10000 * MS, 10000 * MS, 40},
                                   {WALL + (10020 + by_ms) * MS, 10020 * MS, 40}};

    memset(clock, 0, sizeof *clock);
    for (guint i = 0; i < G_N_ELEMENTS(readings); i++)
        npu_clock_take(clock, &readings[i]);
}

static guint64 take_unsure(NpuClock *clock)
{
    guint64 off_ns;
    guint64 n = npu_epochs_take_unsure(clock, &off_ns);

    g_assert_cmpuint(off_ns, ==, n ? 500 * MS : 0);
    return n;
}

/* A call must end between the request and the return of its buffer, which shows on which side of
 * the step its time is. */
static void test_epochs_of_short_buffers(void)
{
    static const Reported early[] = {{11, 9700, 0, 0}, {2, 9650, 0, 0}, {11, 9940, 0, 0}};
    static const Reported back[] = {
        {11, 9990, 0, 0}, {11, 10015, -500, 0}, {11, 10150, -500, -500}};
    static const Reported ahead[] = {{11, 9990, 0, 0},
                                     {2, 10000, 0, 0},
                                     {11, 10015, 500, 0},
                                     {11, 10150, 500, 500},
                                     {2, 10140, 500, 500}};
    NpuClock clock;

    set_clock(&clock, -500);
    g_assert_cmpuint(resolve_records(&clock, early, 3, 9600, 9950), ==, 0);
    g_assert_cmpuint(resolve_records(&clock, back, 3, 9960, 10200), ==, 0);
    g_assert_cmpuint(take_unsure(&clock), ==, 0);
    set_clock(&clock, 500);
    g_assert_cmpuint(resolve_records(&clock, early, 3, 9600, 9950), ==, 0);
    g_assert_cmpuint(resolve_records(&clock, ahead, 5, 9960, 10200), ==, 0);
    g_assert_cmpuint(take_unsure(&clock), ==,
                     1); /* MSPTI may have read the device's first record after the step */
}

/* The first time that is earlier than the one before shows when MSPTI read the clock after the
 * step, so the time of each record is certain. */
static void test_epochs_by_order(void)
{
    Reported reported[400];
    NpuClock clock;

    for (guint i = 0; i < G_N_ELEMENTS(reported); i++) {
        gint64 end_ms = 9000 + 10 * (gint64)(i / 2), by_ms = end_ms < 10300 ? 0 : -500;
        reported[i] = (Reported){i % 2 ? 2 : 11, end_ms, by_ms, by_ms};
    }
    set_clock(&clock, -500);
    g_assert_cmpuint(resolve_records(&clock, reported, G_N_ELEMENTS(reported), 9000, 11000), ==, 0);
    g_assert_cmpuint(take_unsure(&clock), ==, 0);
}

/* A record that may be from before or after the step is counted as uncertain, unlike a record for
 * which only one of these is possible. */
static void test_epochs_unsure(void)
{
    static const Reported reported[] = {{11, 9200, 0, 0}, {2, 10600, -500, -500}};
    NpuClock clock;

    set_clock(&clock, -500);
    g_assert_cmpuint(resolve_records(&clock, reported, 2, 9000, 11000), ==, 1);
    g_assert_cmpuint(take_unsure(&clock), ==, 1);
    g_assert_cmpuint(take_unsure(&clock), ==, 0);
}

static void test_clock_read(void)
{
    NpuInstant instant = npu_instant_read(), later = npu_instant_read();

    g_assert_cmpuint(instant.width_ns, >, 0);
    g_assert_cmpint(later.monotonic_ns, >=, instant.monotonic_ns);
    g_assert_cmpint(ABS(later.realtime_ns / 1000 - g_get_real_time()), <, 60000000);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/npu_clock/clock/steps", test_clock_steps);
    g_test_add_func("/npu_clock/clock/rough-first", test_clock_rough_first);
    g_test_add_func("/npu_clock/clock/read", test_clock_read);
    g_test_add_func("/npu_clock/epochs/short-buffers", test_epochs_of_short_buffers);
    g_test_add_func("/npu_clock/epochs/by-order", test_epochs_by_order);
    g_test_add_func("/npu_clock/epochs/unsure", test_epochs_unsure);
    return g_test_run();
}
