/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the conversion of a device's clock to the host's clock: no error of a time may exceed the
 * bound. */
#include <math.h>
#include "device-clock.h"
#include "simulated-device.h"
#include "support.h"

#define SECOND 1000000000LL
#define BEGIN (1000 * SECOND)
#define SPANS 20000u

/* The times, from BEGIN on, and the widths of the readings of pairs. */
typedef struct Reading {
    gint64 first_ns, every_ns, last_ns;
    guint64 least_ns, most_ns;
} Reading;

typedef struct Found {
    guint n_sure, n_unsure;
    gint64 worst_sure, worst_unsure;
} Found;

static StrobeDeviceClock *read_clock(const SimulatedDevice *device, const Reading *reading,
                                     gint64 seconds)
{
    StrobeDeviceClock *clock = strobe_device_clock_new(1);

    for (gint64 t = reading->first_ns; t <= reading->last_ns; t += reading->every_ns) {
        StrobeDevicePair pair =
            simulated_device_pair(device, BEGIN + t, reading->least_ns, reading->most_ns);
        strobe_device_clock_add(clock, &pair);
    }
    strobe_device_clock_finish(clock, BEGIN, BEGIN + seconds * SECOND);
    return clock;
}

/* Converts spans at random times of the window, which are stored up to a second after their end,
 * and returns the largest errors. */
static Found measure_errors(const SimulatedDevice *device, const StrobeDeviceClock *clock,
                            gint64 seconds)
{
    Found found = {0};

    for (guint i = 0; i < SPANS; i++) {
        gint64 begin = BEGIN + (gint64)(g_rand_double(device->rand) * (double)(seconds * SECOND));
        gint64 end = begin + g_rand_int_range(device->rand, 0, 2000000);
        gint64 stored = end + g_rand_int_range(device->rand, 0, SECOND);
        gint64 device_begin = simulated_device_time(device, begin);
        gint64 device_end = simulated_device_time(device, end), b = device_begin, e = device_end;
        StrobeDeviceTime known = strobe_device_clock_convert(clock, stored, &b, &e);
        gint64 off = ABS(b - begin);
        g_assert_cmpint(known, !=, STROBE_DEVICE_TIME_UNKNOWN);
        g_assert_cmpint(e, >=, b);
        if (known == STROBE_DEVICE_TIME_SURE) {
            found.n_sure++;
            found.worst_sure = MAX(found.worst_sure, off);
            g_assert_cmpint(e - b, ==, device_end - device_begin);
        } else {
            found.n_unsure++;
            found.worst_unsure = MAX(found.worst_unsure, off);
        }
    }
    return found;
}

static SimulatedDevice new_device(guint32 seed)
{
    return (SimulatedDevice){.zero_ns = 77 * SECOND, .rand = g_rand_new_with_seed(seed)};
}

/* Checks a clock without jumps: no time is unsure, each error is within the bound, and the bound is
 * at most `most_error`. */
static void check_steady(const SimulatedDevice *device, const Reading *reading, gint64 seconds,
                         guint64 most_error)
{
    StrobeDeviceClock *clock = read_clock(device, reading, seconds);
    const StrobeClockView *view = strobe_device_clock_view(clock);
    Found found = measure_errors(device, clock, seconds);

    g_test_message("error %" G_GINT64_FORMAT " of %" G_GUINT64_FORMAT " ns, %" G_GUINT64_FORMAT
                   " of %" G_GUINT64_FORMAT " pairs, drift %.3f ppm",
                   found.worst_sure, view->error_ns, view->n_knots, view->n_pairs, view->drift);
    g_assert_cmpuint(found.n_unsure, ==, 0);
    g_assert_cmpint(found.worst_sure, <=, (gint64)view->error_ns);
    g_assert_cmpuint(view->error_ns, <=, most_error);
    g_assert_cmpuint(view->n_jumps, ==, 0);
    g_assert_cmpuint(view->broken_ns, ==, 0);
    if (seconds >= 10)
        g_assert_cmpfloat_with_epsilon(view->drift, device->drift_ppm, 30);
    strobe_device_clock_free(clock);
}

static void test_drift(void)
{
    static const double drifts[] = {0, 13, -87, 150, 20000};
    static const Reading often = {0, SECOND, 60 * SECOND, 500, 4000};

    for (guint i = 0; i < G_N_ELEMENTS(drifts); i++) {
        SimulatedDevice device = new_device(i);
        device.drift_ppm = drifts[i];
        device.zero_ns = i % 2 ? -5 * SECOND : 1LL << 60;
        check_steady(&device, &often, 60, 20000);
        g_rand_free(device.rand);
    }
}

static void test_swing(void)
{
    static const Reading often = {0, SECOND / 2, 60 * SECOND, 500, 4000};
    SimulatedDevice device = new_device(1);

    device.drift_ppm = 40;
    device.swing_ppm = 5;
    device.period_ns = 20e9;
    check_steady(&device, &often, 60, 20000);
    g_rand_free(device.rand);
}

/* Only one reading in twenty is short. The bound must be that of the short readings. */
static void test_wide_and_narrow(void)
{
    SimulatedDevice device = new_device(2);
    StrobeDeviceClock *clock = strobe_device_clock_new(1);
    const StrobeClockView *view = strobe_device_clock_view(clock);

    device.drift_ppm = 25;
    for (guint i = 0; i < 600; i++) {
        guint64 width = i % 20 ? 400000 : 1500;
        StrobeDevicePair pair =
            simulated_device_pair(&device, BEGIN + i * (SECOND / 10), width, width * 2);
        strobe_device_clock_add(clock, &pair);
    }
    strobe_device_clock_finish(clock, BEGIN, BEGIN + 60 * SECOND);
    Found found = measure_errors(&device, clock, 60);
    g_assert_cmpuint(view->n_pairs, ==, 600);
    g_assert_cmpuint(view->n_knots, <=, 60);
    g_assert_cmpuint(view->width_ns, <=, 3000);
    g_assert_cmpint(found.worst_sure, <=, (gint64)view->error_ns);
    g_assert_cmpuint(view->error_ns, <=, 20000);
    strobe_device_clock_free(clock);
    g_rand_free(device.rand);
}

/* There are pairs only at the begin, so all other times are extrapolated, and the bound is
 * larger. */
static void test_extrapolated(void)
{
    static const Reading early = {0, SECOND, 10 * SECOND, 500, 1000};
    static const Reading late = {50 * SECOND, SECOND, 60 * SECOND, 500, 1000};
    SimulatedDevice device = new_device(3);

    device.drift_ppm = -120;
    check_steady(&device, &early, 60, 100000);
    check_steady(&device, &late, 60, 100000);
    g_rand_free(device.rand);
}

/* There are pairs only at the begin and the end of a short window. */
static void test_two_pairs(void)
{
    static const Reading edges = {0, SECOND / 20, SECOND / 20, 1000, 2000};
    SimulatedDevice device = new_device(4);

    device.drift_ppm = 50;
    check_steady(&device, &edges, 1, 200000);
    g_rand_free(device.rand);
}

/* A clock that counts the time of day, at the host's rate: times beyond its pairs are exact to the
 * ns too. */
static void test_time_of_day(void)
{
    const gint64 distance = 1795830082 * SECOND + 389766667;

    for (gint64 between = SECOND / 4; between < SECOND / 4 + 1000; between += 77) {
        StrobeDeviceClock *clock = strobe_device_clock_new(1);
        gint64 last = BEGIN + between, begin = last + distance + SECOND / 100, end = begin;
        const StrobeDevicePair pairs[] = {{BEGIN + distance, BEGIN, 2}, {last + distance, last, 2}};
        strobe_device_clock_add(clock, &pairs[0]);
        strobe_device_clock_add(clock, &pairs[1]);
        strobe_device_clock_finish(clock, BEGIN, last + SECOND);
        strobe_device_clock_convert(clock, last + SECOND, &begin, &end);
        g_assert_cmpint(begin, ==, last + SECOND / 100);
        strobe_device_clock_free(clock);
    }
}

/* Two readings that are close together do not give a rate, so a rate of about 1 is used. */
static void test_close_pairs(void)
{
    static const Reading close = {0, 60000, 60000, 35000, 35000};
    SimulatedDevice device = new_device(7);

    device.drift_ppm = 20;
    check_steady(&device, &close, 5, 1100000);
    StrobeDeviceClock *clock = read_clock(&device, &close, 5);
    g_assert_true(isnan(strobe_device_clock_view(clock)->drift));
    strobe_device_clock_free(clock);
    g_rand_free(device.rand);
}

static void test_one_pair(void)
{
    static const Reading once = {SECOND, SECOND, SECOND, 1000, 2000};
    SimulatedDevice device = new_device(5);

    for (device.drift_ppm = -150; device.drift_ppm <= 150; device.drift_ppm += 100)
        check_steady(&device, &once, 5, 1000000);
    g_rand_free(device.rand);
}

static void test_no_pair(void)
{
    StrobeDeviceClock *clock = strobe_device_clock_new(7);
    const StrobeClockView *view = strobe_device_clock_view(clock);
    const StrobeDevicePair nonsense = {G_MAXINT64, G_MININT64, 5};
    gint64 begin = 12345, end = 23456;

    strobe_device_clock_add(clock, &nonsense);
    strobe_device_clock_finish(clock, BEGIN, BEGIN + SECOND);
    g_assert_cmpint(strobe_device_clock_convert(clock, BEGIN, &begin, &end), ==,
                    STROBE_DEVICE_TIME_UNKNOWN);
    g_assert_cmpint(begin, ==, 12345);
    g_assert_cmpint(end, ==, 23456);
    g_assert_cmpuint(view->track, ==, 7);
    g_assert_cmpuint(view->n_pairs, ==, 0);
    g_assert_cmpuint(view->error_ns, ==, STROBE_ABSENT_U64);
    strobe_device_clock_free(clock);
}

/* If the widths of the readings are unknown, times are converted without a bound. */
static void test_unknown_width(void)
{
    StrobeDeviceClock *clock = strobe_device_clock_new(1);
    gint64 begin = 5 * SECOND, end = begin + 10;

    for (gint64 i = 0; i < 5; i++) {
        StrobeDevicePair pair = {i * SECOND, BEGIN + i * SECOND, STROBE_ABSENT_U64};
        strobe_device_clock_add(clock, &pair);
    }
    strobe_device_clock_finish(clock, BEGIN, BEGIN + 6 * SECOND);
    g_assert_cmpint(strobe_device_clock_convert(clock, BEGIN + 7 * SECOND, &begin, &end), ==,
                    STROBE_DEVICE_TIME_SURE);
    g_assert_cmpint(begin, ==, BEGIN + 5 * SECOND);
    g_assert_cmpuint(strobe_device_clock_view(clock)->error_ns, ==, STROBE_ABSENT_U64);
    strobe_device_clock_free(clock);
}

/* Tests large and small jumps ahead and back. Times near the jump are unsure, others are within the
 * bound. After a jump back the clock repeats some times, so a record that is stored late may get
 * the earlier one of two times. */
static void test_jumps(void)
{
    static const gint64 jumps[] = {3600 * SECOND, -3600 * SECOND, 30 * SECOND, -30 * SECOND,
                                   SECOND / 4,    -SECOND / 4,    2000000,     -2000000};
    static const Reading often = {0, SECOND, 60 * SECOND, 500, 4000};

    for (guint i = 0; i < G_N_ELEMENTS(jumps); i++) {
        SimulatedDevice device = new_device(10 + i);
        device.drift_ppm = 30;
        device.n_jumps = 1;
        device.jump_at[0] = BEGIN + 30 * SECOND + SECOND / 3 + i;
        device.jump_by[0] = jumps[i];
        StrobeDeviceClock *clock = read_clock(&device, &often, 60);
        const StrobeClockView *view = strobe_device_clock_view(clock);
        Found found = measure_errors(&device, clock, 60);
        g_test_message("jump by %" G_GINT64_FORMAT ": sure %u, worst %" G_GINT64_FORMAT
                       " of %" G_GUINT64_FORMAT "; unsure %u, worst %" G_GINT64_FORMAT,
                       jumps[i], found.n_sure, found.worst_sure, view->error_ns, found.n_unsure,
                       found.worst_unsure);
        g_assert_cmpuint(view->n_jumps, ==, 1);
        g_assert_cmpuint(view->broken_ns, >=, SECOND * 9 / 10);
        g_assert_cmpuint(view->broken_ns, <=, SECOND * 11 / 10);
        g_assert_cmpint(found.worst_sure, <=, (gint64)view->error_ns);
        g_assert_cmpuint(view->error_ns, <=, 20000);
        g_assert_cmpuint(found.n_unsure, <, SPANS / 20);
        g_assert_cmpint(found.worst_unsure, <=, SECOND * 11 / 10);
        strobe_device_clock_free(clock);
        g_rand_free(device.rand);
    }
}

static void test_many_jumps(void)
{
    static const Reading often = {0, SECOND / 4, 60 * SECOND, 500, 4000};

    for (guint seed = 0; seed < 20; seed++) {
        SimulatedDevice device = new_device(100 + seed);
        device.n_jumps = SIMULATED_JUMPS_MAX;
        for (guint i = 0; i < SIMULATED_JUMPS_MAX; i++) {
            device.jump_at[i] =
                BEGIN + (i + 1) * 6 * SECOND + g_rand_int_range(device.rand, 0, SECOND);
            device.jump_by[i] = g_rand_boolean(device.rand) ? 1000 * SECOND : -1000 * SECOND;
        }
        StrobeDeviceClock *clock = read_clock(&device, &often, 60);
        const StrobeClockView *view = strobe_device_clock_view(clock);
        Found found = measure_errors(&device, clock, 60);
        g_assert_cmpuint(view->n_jumps, ==, SIMULATED_JUMPS_MAX);
        g_assert_cmpint(found.worst_sure, <=, (gint64)view->error_ns);
        g_assert_cmpuint(found.n_sure, >, SPANS * 9 / 10);
        strobe_device_clock_free(clock);
        g_rand_free(device.rand);
    }
}

/* A span during which the clock jumped has the duration of the host's clock. Other spans have the
 * duration of the device's clock. */
static void test_jump_inside(void)
{
    static const Reading often = {0, SECOND, 60 * SECOND, 500, 1000};
    SimulatedDevice device = new_device(6);

    device.n_jumps = 1;
    device.jump_at[0] = BEGIN + 30 * SECOND;
    for (device.jump_by[0] = -500 * SECOND; device.jump_by[0] <= 500 * SECOND;
         device.jump_by[0] += 1000 * SECOND) {
        StrobeDeviceClock *clock = read_clock(&device, &often, 60);
        gint64 begin = simulated_device_time(&device, BEGIN + 29 * SECOND);
        gint64 end = simulated_device_time(&device, BEGIN + 31 * SECOND);
        g_assert_cmpint(strobe_device_clock_convert(clock, BEGIN + 32 * SECOND, &begin, &end), ==,
                        STROBE_DEVICE_TIME_UNSURE);
        g_assert_cmpint(ABS(begin - (BEGIN + 29 * SECOND)), <, 10000);
        g_assert_cmpint(ABS(end - (BEGIN + 31 * SECOND)), <, 10000);
        strobe_device_clock_free(clock);
    }
    g_rand_free(device.rand);
}

/* With the arbitrary times of a damaged capture, there is no overflow, and no span ends before it
 * begins. */
static void test_nonsense(void)
{
    GRand *rand = g_rand_new_with_seed(9);

    for (guint round = 0; round < 200; round++) {
        StrobeDeviceClock *clock = strobe_device_clock_new(1);
        guint n = (guint)g_rand_int_range(rand, 1, round == 0 ? 40000 : 100);
        for (guint i = 0; i < n; i++) {
            guint64 words[3];
            for (guint k = 0; k < 3; k++)
                words[k] = ((guint64)g_rand_int(rand) << 32 | g_rand_int(rand)) >>
                           g_rand_int_range(rand, 0, 64);
            StrobeDevicePair pair = {(gint64)words[0], (gint64)words[1], words[2]};
            strobe_device_clock_add(clock, &pair);
        }
        strobe_device_clock_finish(clock, G_MININT64, G_MAXINT64);
        for (guint i = 0; i < 100; i++) {
            gint64 begin = (gint64)((guint64)g_rand_int(rand) << 32 | g_rand_int(rand)), end;
            begin >>= g_rand_int_range(rand, 0, 64);
            end = begin ^ (gint64)g_rand_int(rand);
            if (strobe_device_clock_convert(clock, begin, &begin, &end) !=
                STROBE_DEVICE_TIME_UNKNOWN)
                g_assert_cmpint(begin, <=, end);
        }
        strobe_device_clock_free(clock);
    }
    g_rand_free(rand);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/device-clock/drift", test_drift);
    g_test_add_func("/device-clock/time-of-day", test_time_of_day);
    g_test_add_func("/device-clock/swing", test_swing);
    g_test_add_func("/device-clock/wide-and-narrow", test_wide_and_narrow);
    g_test_add_func("/device-clock/extrapolated", test_extrapolated);
    g_test_add_func("/device-clock/two-pairs", test_two_pairs);
    g_test_add_func("/device-clock/close-pairs", test_close_pairs);
    g_test_add_func("/device-clock/one-pair", test_one_pair);
    g_test_add_func("/device-clock/no-pair", test_no_pair);
    g_test_add_func("/device-clock/unknown-width", test_unknown_width);
    g_test_add_func("/device-clock/jumps", test_jumps);
    g_test_add_func("/device-clock/many-jumps", test_many_jumps);
    g_test_add_func("/device-clock/jump-inside", test_jump_inside);
    g_test_add_func("/device-clock/nonsense", test_nonsense);
    return g_test_run();
}
