/* SPDX-License-Identifier: Apache-2.0 */
#include "clock.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#define READINGS 8      /* number of readings for a pair */
#define READINGS_MAX 32 /* number of readings if all of the first READINGS were disturbed */

int strobe_clock_counter;
static StrobeClockPair first_pair;
static _Atomic uint32_t least_gap = UINT32_MAX; /* shortest gap of all readings */

/* ---- choice of the clock ---- */

#if defined(__x86_64__)
static int processor_says_invariant(void)
{
    unsigned a, b, c, d;
    return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & (1u << 8));
}
#elif defined(__aarch64__)
static int processor_says_invariant(void)
{
    return 1; /* the architecture guarantees an invariant counter */
}
#else
static int processor_says_invariant(void)
{
    return 0;
}
#endif

const StrobeClockProbe strobe_clock_probe_host = {
    processor_says_invariant, "/sys/devices/system/clocksource/clocksource0/current_clocksource"};

static int is_counter(const char *source)
{
    /* The paravirtual clock sources (kvm-clock, hyperv) read the same counter as tsc. */
    static const char *const counters[] = {"tsc", "tsc-early", "kvm-clock",
                                           "hyperv_clocksource_tsc_page", "arch_sys_counter"};

    for (size_t i = 0; i < sizeof counters / sizeof *counters; i++)
        if (strcmp(source, counters[i]) == 0)
            return 1;
    return 0;
}

static int kernel_uses_counter(const char *path)
{
    char name[64] = "";
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return 1; /* the file may be hidden in a container: rely on the processor's flag */
    ssize_t n = read(fd, name, sizeof name - 1);
    close(fd);
    name[n > 0 ? strcspn(name, "\n") : 0] = 0;
    return is_counter(name);
}

int strobe_clock_probe(const StrobeClockProbe *probe)
{
    return probe->is_invariant() && kernel_uses_counter(probe->source_path);
}

void strobe_clock_init_with(const StrobeClockProbe *probe)
{
    static int done;

    if (done)
        return;
    strobe_clock_counter = strobe_clock_probe(probe);
    first_pair = strobe_clock_pair();
    done = 1;
}

void strobe_clock_init(void)
{
    strobe_clock_init_with(&strobe_clock_probe_host);
}

const char *strobe_clock_name(void)
{
#if defined(__x86_64__)
    if (strobe_clock_counter)
        return "tsc";
#elif defined(__aarch64__)
    if (strobe_clock_counter)
        return "cntvct";
#endif
    return "CLOCK_MONOTONIC";
}

/* ---- pairs ---- */

/* Reads the counter; the processor does not execute the reading before earlier or after later
 * instructions. */
static uint64_t counter_in_order(void)
{
#if defined(__x86_64__)
    _mm_lfence();
#elif defined(__aarch64__)
    __asm__ volatile("isb" ::: "memory");
#endif
    return strobe_clock_now();
}

/* One reading of the counter and the other clocks. If a thread is interrupted between two clocks,
 * these two are not read at the same moment. So a pair takes the counter and the other clocks each
 * from the reading that was best for them. */
struct reading {
    StrobeClockPair pair;
    int64_t others_ns; /* duration of reading the other clocks */
};

static struct reading read_once(void)
{
    struct reading reading = {.others_ns = 0};
    StrobeClockPair *pair = &reading.pair;
    uint64_t before = counter_in_order();
    int64_t monotonic = strobe_clock_ns(CLOCK_MONOTONIC);
    uint64_t after = counter_in_order();
    int64_t realtime = strobe_clock_ns(CLOCK_REALTIME);
    int64_t later = strobe_clock_ns(CLOCK_MONOTONIC);
    int64_t boottime = strobe_clock_ns(CLOCK_BOOTTIME);
    int64_t latest = strobe_clock_ns(CLOCK_MONOTONIC);
    uint64_t gap = after - before;

    pair->ticks = before + gap / 2;
    pair->gap = gap < STROBE_CLOCK_COMPUTED ? (uint32_t)gap : STROBE_CLOCK_COMPUTED - 1;
    pair->monotonic_ns = monotonic;
    pair->realtime_ns = realtime - (later - monotonic) / 2;
    pair->boottime_ns = boottime - (later - monotonic) - (latest - later) / 2;
    if (!strobe_clock_counter) {
        pair->ticks = (uint64_t)monotonic; /* the host clock is CLOCK_MONOTONIC itself */
        pair->gap = 0;
        pair->ns_per_tick = 1;
    }
    reading.others_ns = latest - monotonic;
    return reading;
}

StrobeClockPair strobe_clock_pair(void)
{
    uint32_t least = atomic_load_explicit(&least_gap, memory_order_relaxed);
    struct reading others = read_once();
    StrobeClockPair best = others.pair;

    for (int i = 1; i < READINGS || (best.gap / 2 > least && i < READINGS_MAX); i++) {
        struct reading reading = read_once();
        if (reading.pair.gap < best.gap)
            best = reading.pair;
        if (reading.others_ns < others.others_ns)
            others = reading;
    }
    best.realtime_ns = best.monotonic_ns + others.pair.realtime_ns - others.pair.monotonic_ns;
    best.boottime_ns = best.monotonic_ns + others.pair.boottime_ns - others.pair.monotonic_ns;
    if (best.gap < least) /* if two threads store a value at the same time, either value may stay */
        atomic_store_explicit(&least_gap, best.gap, memory_order_relaxed);
    return best;
}

int64_t strobe_clock_raw_ns(const StrobeClockPair *pair)
{
    int64_t least = INT64_MAX, distance = 0;

    for (int i = 0; i < READINGS; i++) {
        int64_t before = strobe_clock_ns(CLOCK_MONOTONIC);
        int64_t raw = strobe_clock_ns(CLOCK_MONOTONIC_RAW);
        int64_t width = strobe_clock_ns(CLOCK_MONOTONIC) - before;
        if (width >= least)
            continue;
        least = width;
        distance = raw - before - width / 2;
    }
    return pair->monotonic_ns + distance;
}

double strobe_clock_ns_per_tick(void)
{
    StrobeClockPair now = strobe_clock_pair();
    int64_t ns = now.monotonic_ns - first_pair.monotonic_ns;
    double ticks = (double)(now.ticks - first_pair.ticks);

    if (!strobe_clock_counter)
        return 1;
    if (now.ticks <= first_pair.ticks || /* the counter was reset */
        ((double)now.gap + first_pair.gap) / 2 + 2 > STROBE_CLOCK_RATE_SHARE * ticks)
        return 0;
    return (double)ns / ticks;
}

double strobe_clock_rate(void)
{
    double ns_per_tick = strobe_clock_ns_per_tick();

    return ns_per_tick > 0 ? 1 / ns_per_tick : 1.0;
}
