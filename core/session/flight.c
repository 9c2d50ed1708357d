/* SPDX-License-Identifier: Apache-2.0 */
#include "flight.h"

#include <errno.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>
#include <strobe/helpers/thread.h>
#include <sys/prctl.h>
#include "clock.h"
#include "error.h"
#include "log.h"
#include "running-median.h"

/* Steps before the median says anything. */
#define LEARN_STEPS 8

enum { BY_CALL = 1, BY_SIGNAL = 2, BY_STEP = 4, STOP = 8 };

struct StrobeFlight {
    StrobeDumpConfig config;
    StrobeFlightDump dump;
    StrobeFlightTell tell;
    gpointer user;
    pthread_t thread;
    gboolean has_thread;
    sigset_t mask;   /* of the thread that started it */
    GMutex dumping;  /* one at a time */
    GThread *dumper; /* the thread that does it; atomic */
    GMutex lock;     /* of the step */
    StrobeRunningMedian median;
    char *step_reason;
    gint64 n_dumps, last_ns; /* by signal and slow step */
    gboolean has_signal;
    struct sigaction before;
};

/* What a signal handler may touch: never freed. */
static struct {
    gint is_listening;
    gint asked; /* BY_* */
    sem_t wake;
} request;

static StrobeFlight *listening;

static void ask(gint why)
{
    g_atomic_int_or((guint *)&request.asked, (guint)why);
    sem_post(&request.wake);
}

static void on_signal(int number)
{
    int kept = errno;

    if (g_atomic_int_get(&request.is_listening))
        ask(BY_SIGNAL);
    errno = kept;
}

gboolean strobe_flight_request(void)
{
    if (!g_atomic_int_get(&request.is_listening))
        return FALSE;
    ask(BY_CALL);
    return TRUE;
}

/* ---- dumping ---- */

/* Our thread takes no signals; what the program does when it is told, a process it starts even, is
 * not to be cut off from them. */
static void tell(StrobeFlight *flight, const char *directory)
{
    gboolean is_ours = flight->has_thread && pthread_equal(pthread_self(), flight->thread);
    sigset_t old;

    if (is_ours)
        pthread_sigmask(SIG_SETMASK, &flight->mask, &old);
    flight->tell(flight->user, directory);
    if (is_ours)
        pthread_sigmask(SIG_SETMASK, &old, NULL);
}

char *strobe_flight_dump(StrobeFlight *flight, const char *reason, GError **error)
{
    if (strobe_flight_is_inside(flight)) {
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_STATE,
                    "A dump was asked for by what is told of dumps");
        return NULL;
    }
    g_mutex_lock(&flight->dumping);
    g_atomic_pointer_set(&flight->dumper, g_thread_self());
    char *directory = flight->dump(flight->user, reason, error);
    if (directory)
        tell(flight, directory);
    g_atomic_pointer_set(&flight->dumper, NULL);
    g_mutex_unlock(&flight->dumping);
    return directory;
}

gboolean strobe_flight_is_inside(StrobeFlight *flight)
{
    return flight && g_atomic_pointer_get(&flight->dumper) == g_thread_self();
}

/* A signal or a slow step may come again and again; the disk must not fill up with it. */
static gboolean is_allowed(StrobeFlight *flight, const char *reason)
{
    gint64 now = strobe_clock_ns(CLOCK_MONOTONIC);

    if (flight->config.max && flight->n_dumps >= flight->config.max) {
        strobe_log(STROBE_LOG_INFO, "No dump (%s): there are %" G_GINT64_FORMAT " (dump.max)",
                   reason, flight->n_dumps);
        return FALSE;
    }
    if (flight->n_dumps && now - flight->last_ns < flight->config.min_interval_ns) {
        strobe_log(STROBE_LOG_INFO, "No dump (%s): the last one is too recent (dump.min_interval)",
                   reason);
        return FALSE;
    }
    flight->n_dumps++;
    flight->last_ns = now;
    return TRUE;
}

static void dump_and_tell(StrobeFlight *flight, const char *reason)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *directory = strobe_flight_dump(flight, reason, &error);

    if (directory)
        strobe_log(STROBE_LOG_INFO, "Dumped (%s): %s", reason, directory);
    else if (g_error_matches(error, STROBE_ERROR, STROBE_ERROR_STATE))
        strobe_log(STROBE_LOG_INFO, "No dump (%s): recording has ended, the result holds it all",
                   reason);
    else
        strobe_log(STROBE_LOG_WARNING, "Cannot dump (%s): %s", reason, error->message);
}

static gpointer flight_main(gpointer data)
{
    StrobeFlight *flight = data;

    prctl(PR_SET_NAME, "strobe-dump");
    for (;;) {
        while (sem_wait(&request.wake) && errno == EINTR)
            ;
        gint asked = (gint)g_atomic_int_and((guint *)&request.asked, 0);
        if (asked & BY_CALL)
            dump_and_tell(flight, "call");
        if ((asked & BY_SIGNAL) && is_allowed(flight, "signal"))
            dump_and_tell(flight, "signal");
        if (asked & BY_STEP) {
            g_mutex_lock(&flight->lock);
            g_autofree char *reason = g_steal_pointer(&flight->step_reason);
            g_mutex_unlock(&flight->lock);
            if (reason && is_allowed(flight, reason))
                dump_and_tell(flight, reason);
        }
        if (asked & STOP)
            return NULL;
    }
}

void strobe_flight_step(StrobeFlight *flight, gint64 step, double seconds)
{
    if (!flight || flight->config.slow_step <= 0)
        return;
    g_mutex_lock(&flight->lock);
    double median = strobe_running_median_value(&flight->median);
    gboolean is_slow =
        flight->median.n >= LEARN_STEPS && seconds > flight->config.slow_step * median;
    strobe_running_median_add(&flight->median, seconds);
    if (is_slow) {
        g_free(flight->step_reason);
        flight->step_reason =
            g_strdup_printf("step %" G_GINT64_FORMAT " took %.3g ms, %.3g x the running median",
                            step, seconds * 1e3, seconds / median);
    }
    g_mutex_unlock(&flight->lock);
    if (is_slow)
        ask(BY_STEP);
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
        strobe_log(STROBE_LOG_WARNING, "The program handles %s (%s) itself: it makes no dump",
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

StrobeFlight *strobe_flight_start(const StrobeDumpConfig *config, StrobeFlightDump dump,
                                  StrobeFlightTell tell_program, gpointer user)
{
    StrobeFlight *flight = g_new0(StrobeFlight, 1);

    flight->config = *config;
    flight->dump = dump;
    flight->tell = tell_program;
    flight->user = user;
    g_mutex_init(&flight->dumping);
    g_mutex_init(&flight->lock);
    sem_init(&request.wake, 0, 0);
    g_atomic_int_set(&request.asked, 0);
    pthread_sigmask(SIG_SETMASK, NULL, &flight->mask);
    flight->has_thread = strobe_thread_start(&flight->thread, flight_main, flight) == 0;
    if (!flight->has_thread) {
        strobe_log(STROBE_LOG_WARNING, "No thread for dumps: only a call that waits makes one");
        return flight;
    }
    listening = flight;
    g_atomic_int_set(&request.is_listening, 1);
    take_signal(flight);
    return flight;
}

void strobe_flight_stop(StrobeFlight *flight)
{
    if (!flight)
        return;
    give_signal_back(flight);
    g_atomic_int_set(&request.is_listening, 0);
    if (flight->has_thread) {
        ask(STOP);
        pthread_join(flight->thread, NULL);
    }
    listening = NULL;
    g_mutex_clear(&flight->dumping);
    g_mutex_clear(&flight->lock);
    g_free(flight->step_reason);
    g_free(flight);
}

void strobe_flight_forget(void)
{
    g_atomic_int_set(&request.is_listening, 0);
    if (listening)
        give_signal_back(listening);
    listening = NULL;
}
