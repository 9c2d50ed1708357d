/* SPDX-License-Identifier: Apache-2.0 */
/* The simulated clocks: known behaviours of counters, and the results that a clock map must have
 * for each. */
#include <math.h>
#include "simulated-clock.h"

#define SECOND G_GINT64_CONSTANT(1000000000)

static double at_2_6_ghz(double s)
{
    return 2.6;
}

static double at_25_mhz(double s)
{
    return 0.025;
}

/* The rate with changes of the room's temperature, and a fan. */
static double warming_and_cooling(double s)
{
    return 2.6 * (1 + 50e-6 * sin(2 * G_PI * s / 600));
}

/* The rate if a time daemon corrects it every 16 s. */
static double get_corrected_rate(double s)
{
    static const double ppm[] = {0, 12, -7, 3, 3.5, 3.2};
    return 2.6 * (1 + 1e-6 * ppm[(int)(s / 16) % 6]);
}

/* The rate while adjtime slews the clock as fast as the kernel allows. */
static double get_slewed_rate(double s)
{
    return 2.6 * (1 + (s > 20.37 && s < 31.81 ? 500e-6 : 0));
}

static double get_migrated_rate(double s)
{
    return s < 17.29 ? 2.6 : 2.1;
}

#define TRILLION 1000000000000ll
/* ticks and ns of a counter that continued for 7200 s while the machine slept */
#define BOTH_RUN 7200 * SECOND

const SimulatedClock simulated_clocks[] = {
    {.name = "constant", .rate = at_2_6_ghz, .limit_ns = 250},
    {.name = "constant/often", .rate = at_2_6_ghz, .pair_ns = SECOND / 100, .limit_ns = 250},
    {.name = "constant/slow", .rate = at_25_mhz, .gap = 2, .limit_ns = 400},
    {.name = "monotonic", .is_monotonic = TRUE, .limit_ns = 0},
    {.name = "temperature", .rate = warming_and_cooling, .seconds = 900, .limit_ns = 2000},
    {.name = "temperature/often",
     .rate = warming_and_cooling,
     .seconds = 300,
     .pair_ns = SECOND / 10,
     .limit_ns = 300},
    {.name = "corrected", .rate = get_corrected_rate, .seconds = 120, .limit_ns = 30000},
    {.name = "corrected/often",
     .rate = get_corrected_rate,
     .seconds = 120,
     .pair_ns = SECOND / 20,
     .limit_ns = 5000},
    {.name = "slewed", .rate = get_slewed_rate, .limit_ns = 800000},
    {.name = "disturbed", .rate = at_2_6_ghz, .disturbed_share = 0.3, .limit_ns = 4000},
    {.name = "disturbed/first", .rate = at_2_6_ghz, .is_first_disturbed = TRUE, .limit_ns = 4000},
    {.name = "disturbed/last", .rate = at_2_6_ghz, .is_last_disturbed = TRUE, .limit_ns = 4000},
    {.name = "duplicates", .rate = at_2_6_ghz, .repeats = 3, .limit_ns = 250},
    {.name = "wall-clock", .rate = at_2_6_ghz, .wall_step_ns = -3600 * SECOND, .limit_ns = 250},
    {.name = "suspend/runs-on",
     .rate = at_2_6_ghz,
     .limit_ns = 250,
     .inside_ns = 2000,
     .happenings = {{30.41, .slept_ns = BOTH_RUN, .ticks = 7200 * 2600000000ll,
                     .cause = STROBE_CLOCK_SUSPEND, .is_broken = TRUE}}},
    {.name = "suspend/stops",
     .rate = at_2_6_ghz,
     .limit_ns = 250,
     .happenings = {{30.41, .slept_ns = BOTH_RUN, .cause = STROBE_CLOCK_SUSPEND}}},
    {.name = "suspend/resets",
     .rate = at_2_6_ghz,
     .limit_ns = 250,
     .inside_ns = 2000,
     .happenings = {{30.41, .slept_ns = BOTH_RUN, .is_set = TRUE, .ticks = 12345,
                     .cause = STROBE_CLOCK_RESET, .is_broken = TRUE}}},
    {.name = "reset",
     .rate = at_2_6_ghz,
     .limit_ns = 250,
     .inside_ns = 2000,
     .happenings = {{12.34, .is_set = TRUE, .ticks = 0, .cause = STROBE_CLOCK_RESET,
                     .is_broken = TRUE}}},
    {.name = "reset/often",
     .rate = at_2_6_ghz,
     .pair_ns = SECOND / 100,
     .limit_ns = 250,
     .inside_ns = 2000,
     .happenings = {{12.341, .is_set = TRUE, .ticks = 0, .cause = STROBE_CLOCK_RESET,
                     .is_broken = TRUE}}},
    /* The counts from 5 s to 15 s occur twice. */
    {.name = "reset/overlap",
     .rate = at_2_6_ghz,
     .limit_ns = 250,
     .inside_ns = 2000,
     .happenings = {{15.2, .ticks = -10 * 2600000000ll, .cause = STROBE_CLOCK_RESET,
                     .is_broken = TRUE}}},
    {.name = "reset/overlap-often",
     .rate = at_2_6_ghz,
     .pair_ns = SECOND / 50,
     .limit_ns = 250,
     .inside_ns = 2000,
     .happenings = {{15.2, .ticks = -10 * 2600000000ll, .cause = STROBE_CLOCK_RESET,
                     .is_broken = TRUE}}},
    {.name = "reset/twice",
     .rate = at_2_6_ghz,
     .limit_ns = 250,
     .inside_ns = 2000,
     .happenings = {{12.34, .is_set = TRUE, .ticks = 0, .cause = STROBE_CLOCK_RESET,
                     .is_broken = TRUE},
                    {41.77, .is_set = TRUE, .ticks = 0, .cause = STROBE_CLOCK_RESET,
                     .is_broken = TRUE}}},
    {.name = "jump",
     .rate = at_2_6_ghz,
     .limit_ns = 250,
     .inside_ns = 2000,
     .happenings = {{12.34, .ticks = TRILLION, .cause = STROBE_CLOCK_JUMP, .is_broken = TRUE}}},
    {.name = "jump/often",
     .rate = at_2_6_ghz,
     .pair_ns = SECOND / 50,
     .limit_ns = 250,
     .inside_ns = 2000,
     .happenings = {{12.34, .ticks = TRILLION, .cause = STROBE_CLOCK_JUMP, .is_broken = TRUE}}},
    {.name = "jump/while-drifting",
     .rate = warming_and_cooling,
     .limit_ns = 2000,
     .inside_ns = 4000,
     .happenings = {{12.34, .ticks = TRILLION, .cause = STROBE_CLOCK_JUMP, .is_broken = TRUE}}},
    {.name = "jump/small",
     .rate = at_2_6_ghz,
     .limit_ns = 250,
     .inside_ns = 11000000,
     .happenings = {{12.34, .ticks = 26000000, .cause = STROBE_CLOCK_JUMP, .is_broken = TRUE}}},
    {.name = "jump/back",
     .rate = at_2_6_ghz,
     .limit_ns = 250,
     .inside_ns = 301000000,
     .goes_back = TRUE, /* the times must then go back too */
     .happenings = {{12.34, .ticks = -780000000, .cause = STROBE_CLOCK_JUMP, .is_broken = TRUE}}},
    {.name = "jump/twice",
     .rate = at_2_6_ghz,
     .limit_ns = 250,
     .inside_ns = 2000,
     .happenings = {{12.34, .ticks = TRILLION, .cause = STROBE_CLOCK_JUMP, .is_broken = TRUE},
                    {33.03, .ticks = TRILLION, .cause = STROBE_CLOCK_JUMP, .is_broken = TRUE}}},
    {.name = "jump/at-once",
     .rate = at_2_6_ghz,
     .needs_known = TRUE,
     .limit_ns = 250,
     .inside_ns = 2000,
     .happenings = {{0.21, .ticks = TRILLION, .cause = STROBE_CLOCK_JUMP, .is_broken = TRUE}}},
    {.name = "jump/at-last",
     .rate = at_2_6_ghz,
     .limit_ns = 250,
     .inside_ns = 2000,
     .happenings = {{59.99, .ticks = TRILLION, .cause = STROBE_CLOCK_JUMP, .is_broken = TRUE}}},
    {.name = "jump/disturbed",
     .rate = at_2_6_ghz,
     .disturbed_share = 0.2,
     .limit_ns = 4000,
     .inside_ns = 4000,
     .happenings = {{12.34, .ticks = TRILLION, .cause = STROBE_CLOCK_JUMP, .is_broken = TRUE}}},
    {.name = "migration",
     .rate = get_migrated_rate,
     .limit_ns = 250,
     .inside_ns = 2000,
     .happenings = {{17.29, .cause = STROBE_CLOCK_RATE, .is_broken = TRUE}}},
    {.name = "migration/jump",
     .rate = get_migrated_rate,
     .limit_ns = 250,
     .inside_ns = 2000,
     .happenings = {{17.29, .ticks = TRILLION, .cause = STROBE_CLOCK_RATE, .is_broken = TRUE}}},
    {.name = "migration/reset",
     .rate = get_migrated_rate,
     .limit_ns = 250,
     .inside_ns = 2000,
     .happenings = {{17.29, .is_set = TRUE, .ticks = TRILLION / 1000, .cause = STROBE_CLOCK_RESET,
                     .is_broken = TRUE}}},
};

const guint n_simulated_clocks = G_N_ELEMENTS(simulated_clocks);
