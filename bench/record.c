/* SPDX-License-Identifier: Apache-2.0 */
/* record span|instant|ring|disabled FOLDER [REPEATS [SIZE]]: measures the ns of one recording call
 * on one thread, and of its floor, in turn. The floor is two reads of the counter for a span, one
 * read for an instant, and an empty loop if no session records ("disabled"). All records of a
 * repeat fit into the pool, which has SIZE (default 64MB). "ring" is a span in a flight recorder
 * that has been full several times, and writes nothing. */
#include <stdio.h>
#include <string.h>
#include "measure.h"

#define CALLS 20000
#define PAUSE_NS 15000000 /* time for the writer to empty the pool */
#define FULL 10000000     /* number of spans that fill the pool several times */

typedef void (*Loop)(unsigned n);

static void record_spans(unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        StrobeRange range = strobe_range_begin_argument("benchmark", i);
        keep_value(i);
        strobe_range_end(range);
    }
}

static void record_instants(unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        strobe_mark("benchmark");
        keep_value(i);
    }
}

static void counter_pairs(unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        keep_value(read_counter());
        keep_value(read_counter());
    }
}

static void counter_reads(unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        keep_value(read_counter());
}

static void run_nothing(unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        keep_value(i);
}

static const struct mode {
    const char *name;
    Loop own, floor;
    const char *policy; /* NULL: no session records */
    unsigned calls;
} modes[] = {{"span", record_spans, counter_pairs, "drop", CALLS},
             {"instant", record_instants, counter_reads, "drop", CALLS},
             {"ring", record_spans, counter_pairs, "ring", CALLS},
             {"disabled", record_spans, run_nothing, NULL, 100 * CALLS}};

static const struct mode *mode_named(const char *name)
{
    for (unsigned i = 0; i < sizeof modes / sizeof *modes; i++)
        if (name && strcmp(modes[i].name, name) == 0)
            return &modes[i];
    fail("usage", "record span|instant|ring|disabled FOLDER [REPEATS [SIZE]]");
}

static double time_of(Loop loop, unsigned n)
{
    double begin = now_ns();

    loop(n);
    return (now_ns() - begin) / n;
}

static void measure_mode(const struct mode *mode, long repeats)
{
    static Samples own = {.name = "own"}, floor = {.name = "floor"};
    const struct timespec pause = {0, PAUSE_NS};

    time_of(mode->own, mode->calls); /* not measured: registers the thread and touches the pages */
    for (long i = 0; i < repeats; i++) {
        nanosleep(&pause, NULL);
        /* not measured: makes the processor leave its idle state */
        time_of(mode->floor, mode->calls / 20);
        samples_add(&floor, time_of(mode->floor, mode->calls));
        samples_add(&own, time_of(mode->own, mode->calls));
    }
    samples_print(&own);
    samples_print(&floor);
}

static StrobeSession *begin_session(const struct mode *mode, const char *folder, const char *size)
{
    char buffer[256];

    snprintf(buffer, sizeof buffer, "\"buffer\": {\"size\": \"%s\", \"policy\": \"%s\"}", size,
             mode->policy);
    return session_begin_with(folder, buffer);
}

int main(int argc, char **argv)
{
    const struct mode *mode = mode_named(argc > 2 ? argv[1] : NULL);
    StrobeSession *session = NULL;

    if (mode->policy)
        session = begin_session(mode, argv[2], argc > 4 ? argv[4] : "64MB");
    if (mode->policy && strcmp(mode->policy, "ring") == 0)
        record_spans(FULL);
    measure_mode(mode, number_argument(argc, argv, 3, 50));
    if (session) {
        session_stop(session);
        if (*strobe_session_diagnostics(session))
            fail("the session is incomplete", strobe_session_diagnostics(session));
        strobe_session_free(session);
    }
    return 0;
}
