/* SPDX-License-Identifier: Apache-2.0 */
#include "progress-bar.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <strobe/helpers/environment.h>
#include <strobe/helpers/thread.h>
#include <unistd.h>

#include "log.h"
#include "terminal.h"

#define WIDTH 40
#define DELAY_US 1000000 /* shorter work shows no bar */
#define PAUSE_US 100000

static struct {
    GMutex lock; /* protects the following members */
    GCond wake;
    gboolean has_thread;
    FILE *out;         /* the terminal on which the bar is drawn; NULL: there is none */
    const char *label; /* label of the current work; NULL: none */
    double share;
    guint64 n_records;
    gint64 begin_us;
    gboolean is_shown;
} bar;

static void draw_bar(double passed_s)
{
    const double share = bar.share;
    char marks[WIDTH + 1];

    bar.is_shown = TRUE;
    if (share < 0) {
        fprintf(bar.out, "\r\033[K%s: %.0f s", bar.label, passed_s);
        fflush(bar.out);
        return;
    }
    g_autofree char *left =
        share > 0 ? strobe_text_duration((gint64)(passed_s * (1 - share) / share * 1e9)) : NULL;

    memset(marks, ' ', WIDTH);
    memset(marks, '#', (size_t)(share * WIDTH));
    marks[WIDTH] = '\0';
    fprintf(bar.out, "\r\033[K%s [%s] %3.0f%%", bar.label, marks, share * 100);
    if (bar.n_records)
        fprintf(bar.out, "  %.3g M records/s", (double)bar.n_records / passed_s / 1e6);
    if (left)
        fprintf(bar.out, "  %s left", left);
    fflush(bar.out);
}

static void *draw_now_and_then(void *unused)
{
    g_mutex_lock(&bar.lock);
    while (TRUE) {
        gint64 now_us = g_get_monotonic_time();

        if (!bar.label)
            g_cond_wait(&bar.wake, &bar.lock);
        else if (now_us - bar.begin_us < DELAY_US)
            g_cond_wait_until(&bar.wake, &bar.lock, bar.begin_us + DELAY_US);
        else {
            draw_bar((double)(now_us - bar.begin_us) / 1e6);
            g_cond_wait_until(&bar.wake, &bar.lock, now_us + PAUSE_US);
        }
    }
    return unused;
}

static void erase_bar(void)
{
    if (bar.is_shown)
        fputs("\r\033[K", bar.out);
    bar.is_shown = FALSE;
}

static StrobeLogSink next_sink; /* set once, before on_log is called */

static void on_log(gint32 level, const char *text)
{
    strobe_bar_erase();
    if (next_sink)
        next_sink(level, text);
}

/* Starts the thread. If that fails, there is no bar. */
static void start_thread(void)
{
    pthread_t thread;

    bar.has_thread = TRUE;
    if (strobe_thread_start(&thread, draw_now_and_then, NULL) != 0)
        return;
    pthread_setname_np(thread, "strobe-bar");
    pthread_detach(thread);
    next_sink = strobe_log_set_sink(on_log);
}

/* Returns the terminal at the descriptor in STROBE_BAR_FD, by default stderr; NULL: it is no
 * terminal. */
static FILE *open_terminal(void)
{
    const char *text = strobe_environment_get("STROBE_BAR_FD");
    guint64 number;

    if (text && g_ascii_string_to_unsigned(text, 10, 3, G_MAXINT, &number, NULL))
        return isatty((int)number) ? fdopen((int)number, "w") : NULL;
    return isatty(STDERR_FILENO) ? stderr : NULL;
}

static gboolean has_terminal(void)
{
    static gsize is_known;

    if (g_once_init_enter(&is_known)) {
        bar.out = open_terminal();
        g_once_init_leave(&is_known, 1);
    }
    return bar.out != NULL;
}

void strobe_bar_show(void *user, double share, guint64 n_records)
{
    if (!has_terminal())
        return;
    g_mutex_lock(&bar.lock);
    if (!bar.has_thread)
        start_thread();
    if (bar.label != user) {
        erase_bar();
        bar.label = user;
        bar.begin_us = g_get_monotonic_time();
        g_cond_signal(&bar.wake);
    }
    bar.share = share == STROBE_BAR_NO_SHARE ? share : CLAMP(share, 0.0, 1.0);
    bar.n_records = n_records;
    g_mutex_unlock(&bar.lock);
}

void strobe_bar_erase(void)
{
    g_mutex_lock(&bar.lock);
    erase_bar();
    g_mutex_unlock(&bar.lock);
}

void strobe_bar_clear(void)
{
    g_mutex_lock(&bar.lock);
    erase_bar();
    bar.label = NULL;
    g_mutex_unlock(&bar.lock);
}
