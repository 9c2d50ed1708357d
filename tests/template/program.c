/* SPDX-License-Identifier: Apache-2.0 */
/* A program as a user writes it: marks, counters, steps, a session with a configuration. */
#include <stdio.h>

#include <strobe/strobe.h>

static const char config[] =
    "{\"schedule\": {\"wait\": 1, \"warmup\": 1, \"active\": 2, \"repeat\": 1},"
    " \"collectors\": {\"fake\": {\"records\": 10, \"threads\": 0}},"
    " \"output\": {\"directory\": \"results\"}, \"metadata\": {\"model\": \"toy\"}}";

static int report_error(const char *what, StrobeError *error)
{
    fprintf(stderr, "%s: %s\n", what, error ? strobe_error_message(error) : "no reason given");
    strobe_error_free(error);
    return 1;
}

static void on_window(void *user, const char *directory)
{
    ++*(int *)user;
    puts(directory);
}

static void record_step(int i)
{
    StrobeRange range = strobe_range_begin_argument("work", (uint64_t)i);

    strobe_mark("half");
    strobe_counter("loss", 1.0 / (i + 1));
    strobe_range_end(range);
}

int main(void)
{
    StrobeSession *session;
    StrobeError *error = NULL;
    int n_windows = 0;

    record_step(-1); /* without a session these calls have no effect */
    if (strobe_session_new(config, "the program's own", &session, &error))
        return report_error("session_new", error);
    strobe_session_on_trace_ready(session, on_window, &n_windows);
    if (strobe_session_start(session, &error))
        return report_error("start", error);
    for (int i = 0; i < 6; i++) {
        record_step(i);
        strobe_step();
    }
    if (strobe_session_stop(session, &error))
        return report_error("stop", error);
    fputs(strobe_session_diagnostics(session), stderr);
    strobe_session_free(session);
    record_step(-2);
    return n_windows == 1 ? 0 : 1;
}
