/* SPDX-License-Identifier: Apache-2.0 */
#include "clock.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

int strobe_clock_counter;
static StrobeClockPair first_pair;

#if defined(__x86_64__)
/* The kernel watches the counter; if it dropped it as its own clock source, so do we. */
static int kernel_trusts_tsc(void)
{
    char name[16] = "";
    int fd = open("/sys/devices/system/clocksource/clocksource0/current_clocksource",
                  O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return 1; /* not visible here (a container): the processor's own word has to do */
    ssize_t n = read(fd, name, sizeof name - 1);
    close(fd);
    return n >= 3 && (memcmp(name, "tsc", 3) == 0 || memcmp(name, "kvm", 3) == 0 ||
                      memcmp(name, "hyp", 3) == 0);
}

static int counter_is_invariant(void)
{
    unsigned a, b, c, d;
    return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & (1u << 8)) && kernel_trusts_tsc();
}
#elif defined(__aarch64__)
static int counter_is_invariant(void)
{
    return 1; /* the architecture says so */
}
#else
static int counter_is_invariant(void)
{
    return 0;
}
#endif

void strobe_clock_init(void)
{
    static int done;

    if (done)
        return;
    strobe_clock_counter = counter_is_invariant();
    first_pair = strobe_clock_pair();
    done = 1;
}

double strobe_clock_rate(void)
{
    StrobeClockPair now = strobe_clock_pair();
    double ns = (double)(now.monotonic_ns - first_pair.monotonic_ns);

    if (!strobe_clock_counter || ns < 1)
        return 1.0;
    return (double)(now.ticks - first_pair.ticks) / ns;
}

StrobeClockPair strobe_clock_pair(void)
{
    StrobeClockPair best = {0};
    uint64_t best_gap = UINT64_MAX;

    for (int i = 0; i < 8; i++) {
        uint64_t before = strobe_clock_now();
        int64_t monotonic = strobe_clock_ns(CLOCK_MONOTONIC);
        uint64_t after = strobe_clock_now();
        int64_t realtime = strobe_clock_ns(CLOCK_REALTIME);
        int64_t later = strobe_clock_ns(CLOCK_MONOTONIC);

        if (after - before < best_gap) {
            best_gap = after - before;
            best.ticks = before + (after - before) / 2;
            best.monotonic_ns = monotonic;
            best.realtime_ns = realtime - (later - monotonic) / 2;
        }
    }
    return best;
}
