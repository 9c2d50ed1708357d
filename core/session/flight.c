/* SPDX-License-Identifier: Apache-2.0 */
#include "flight.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include "log.h"
#include "recorder.h"
#include "running-median.h"

/* Number of steps after which the median of their durations is meaningful. */
#define LEARN_STEPS 8

struct StrobeFlight {
    StrobeDumpConfig config;
    StrobeRunningMedian median;
    gboolean has_signal;
    struct sigaction before;
};

static gint is_listening; /* atomic: a signal handler reads it */
static StrobeFlight *listening;

static void on_signal(int number)
{
    int kept = errno;

    if (g_atomic_int_get(&is_listening))
        strobe_recorder_request_dump(STROBE_DUMP_BY_SIGNAL);
    errno = kept;
}

gboolean strobe_flight_request(void)
{
    if (!g_atomic_int_get(&is_listening))
        return FALSE;
    strobe_recorder_request_dump(STROBE_DUMP_BY_CALL);
    return TRUE;
}

void strobe_flight_step(StrobeFlight *flight, gint64 step, double seconds)
{
    if (!flight || flight->config.slow_step <= 0)
        return;
    double median = strobe_running_median_value(&flight->median);
    gboolean is_slow =
        flight->median.n >= LEARN_STEPS && seconds > flight->config.slow_step * median;
    strobe_running_median_add(&flight->median, seconds);
    if (!is_slow)
        return;
    g_autofree char *reason =
        g_strdup_printf("step %" G_GINT64_FORMAT " took %.3g ms, %.3g x the running median", step,
                        seconds * 1e3, seconds / median);
    strobe_recorder_request_step_dump(reason);
}

/* ---- start and stop ---- */

static void take_signal(StrobeFlight *flight)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART | SA_ONSTACK};
    int number = flight->config.signal;

    if (number == 0 || sigaction(number, NULL, &flight->before))
        return;
    if ((flight->before.sa_flags & SA_SIGINFO) ||
        (flight->before.sa_handler != SIG_DFL && flight->before.sa_handler != SIG_IGN)) {
        strobe_log(STROBE_LOG_WARNING,
                   "The program handles %s (%s) itself: the signal makes no dump",
                   sigabbrev_np(number), strsignal(number));
        return;
    }
    sigfillset(&action.sa_mask);
    flight->has_signal = sigaction(number, &action, NULL) == 0;
}

static void give_signal_back(StrobeFlight *flight)
{
    struct sigaction present;

    if (flight->has_signal && sigaction(flight->config.signal, NULL, &present) == 0 &&
        present.sa_handler == on_signal)
        sigaction(flight->config.signal, &flight->before, NULL);
    flight->has_signal = FALSE;
}

StrobeFlight *strobe_flight_start(const StrobeDumpConfig *config)
{
    StrobeFlight *flight = g_new0(StrobeFlight, 1);

    flight->config = *config;
    listening = flight;
    g_atomic_int_set(&is_listening, 1);
    take_signal(flight);
    return flight;
}

void strobe_flight_stop(StrobeFlight *flight)
{
    if (!flight)
        return;
    strobe_flight_forget();
    g_free(flight);
}

void strobe_flight_forget(void)
{
    g_atomic_int_set(&is_listening, 0);
    if (listening)
        give_signal_back(listening);
    listening = NULL;
}
