/* SPDX-License-Identifier: Apache-2.0 */
/* lttng FOLDER [REPEATS]: measures the ns of a span recorded by Strobe, and of a pair of LTTng-UST
 * events, in turn on one thread. The caller must have made an LTTng session with these events, as
 * lttng.py does. lttng emit PAIRS: only emits PAIRS pairs of events, with pauses, so that LTTng can
 * write the trace without loss. */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include <string.h>
#include "lttng-events.h"
#include "measure.h"

#define CALLS 20000
#define PAUSE_NS 15000000

static void record_spans(unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        StrobeRange range = strobe_range_begin_argument("benchmark", i);
        keep_value(i);
        strobe_range_end(range);
    }
}

static void record_pairs(unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        lttng_ust_tracepoint(strobe_bench, span_begin, i);
        keep_value(i);
        lttng_ust_tracepoint(strobe_bench, span_end);
    }
}

static double time_of(void (*loop)(unsigned n))
{
    double begin = now_ns();

    loop(CALLS);
    return (now_ns() - begin) / CALLS;
}

static void pause_briefly(void)
{
    const struct timespec pause = {0, PAUSE_NS};

    nanosleep(&pause, NULL);
}

static void measure_tracers(const char *folder, long repeats)
{
    static Samples own = {.name = "own"}, peer = {.name = "peer"};
    StrobeSession *session = session_begin(folder);

    time_of(record_spans);
    time_of(record_pairs);
    for (long i = 0; i < repeats; i++) {
        pause_briefly();
        record_spans(CALLS / 20); /* not measured: makes the processor leave its idle state */
        samples_add(&own, time_of(record_spans));
        pause_briefly();
        record_pairs(CALLS / 20);
        samples_add(&peer, time_of(record_pairs));
    }
    session_stop(session);
    if (*strobe_session_diagnostics(session))
        fail("the session is incomplete", strobe_session_diagnostics(session));
    strobe_session_free(session);
    samples_print(&own);
    samples_print(&peer);
}

static void emit_pairs(long n)
{
    for (; n > 0; n -= CALLS) {
        record_pairs(n < CALLS ? (unsigned)n : CALLS);
        pause_briefly();
    }
}

int main(int argc, char **argv)
{
    if (argc < 2)
        fail("usage", "lttng FOLDER [REPEATS], lttng emit PAIRS");
    if (!lttng_ust_tracepoint_enabled(strobe_bench, span_begin) ||
        !lttng_ust_tracepoint_enabled(strobe_bench, span_end))
        fail("lttng", "no session has the events enabled");
    if (strcmp(argv[1], "emit") == 0)
        emit_pairs(number_argument(argc, argv, 2, 1000000));
    else
        measure_tracers(argv[1], number_argument(argc, argv, 2, 50));
    return 0;
}
