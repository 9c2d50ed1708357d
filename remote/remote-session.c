/* SPDX-License-Identifier: Apache-2.0 */
#include "remote-session.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "error.h"
#include "guard-script.h"
#include "remote-error.h"

#define DEADLINE_MS 15000
#define READY_MS 30000
#define CLOSE_MS 5000
#define CLOCK_ROUNDS 16
#define TEXT_MAX 65536
#define UPTIME_STEP_NS 10000000

static gint64 now_us(void)
{
    return g_get_monotonic_time();
}

/* ---- signals ---- */

static void note_signals(StrobeRemote *remote)
{
    struct signalfd_siginfo info;

    while (remote->signals >= 0 &&
           read(remote->signals, &info, sizeof info) == (ssize_t)sizeof info) {
        remote->is_forced = remote->signal != 0;
        remote->signal = (int)info.ssi_signo;
    }
}

static int open_signals(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    sigset_t set;

    sigemptyset(&set);
    for (guint i = 0; i < G_N_ELEMENTS(numbers); i++) {
        struct sigaction present;

        if (sigaction(numbers[i], NULL, &present) == 0 && present.sa_handler != SIG_IGN)
            sigaddset(&set, numbers[i]);
    }
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    return signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
}

gboolean strobe_remote_refuse_signal(const StrobeRemote *remote, GError **error)
{
    g_set_error(error, STROBE_REMOTE_ERROR, STROBE_REMOTE_ERROR_INTERRUPTED + remote->signal,
                "%s: given up after signal %d: the board ends the program by itself", remote->name,
                remote->signal);
    return FALSE;
}

/* ---- heartbeats ---- */

static void flush_lines(StrobeRemote *remote)
{
    gssize n;

    while (remote->guard_input->len &&
           (n = remote->api->write(remote->guard, remote->guard_input->str,
                                   remote->guard_input->len)) > 0)
        g_string_erase(remote->guard_input, 0, n);
}

static void send_line(StrobeRemote *remote, const char *line)
{
    g_string_append(remote->guard_input, line);
    flush_lines(remote);
}

static void send_beat(StrobeRemote *remote)
{
    g_autofree char *line = g_strdup_printf("beat %" G_GUINT64_FORMAT "\n", ++remote->n_beats);

    remote->sent_us = now_us();
    send_line(remote, line);
}

static void take_clock(StrobeRemote *remote, char **words)
{
    const gboolean is_exact = words[2] && words[3] && *words[3];
    const double seconds = g_ascii_strtod(words[2] ? words[2] : "", NULL);
    const gint64 board_ns = is_exact ? g_ascii_strtoll(words[3], NULL, 10)
                                     : (gint64)(seconds * 100 + 0.5) * UPTIME_STEP_NS;

    if (board_ns > 0)
        strobe_clock_offset_add(&remote->clock, remote->sent_us * 1000, now_us() * 1000, board_ns,
                                is_exact ? 0 : UPTIME_STEP_NS);
}

static void take_answer(StrobeRemote *remote, const char *line)
{
    g_auto(GStrv) words = g_strsplit(line, " ", 5);

    if (g_strv_length(words) < 2 || strcmp(words[0], "beat"))
        return;
    if (g_ascii_strtoull(words[1], NULL, 10) != remote->n_beats)
        return;
    remote->answered_us = now_us();
    take_clock(remote, words);
}

/* Reads output or, if `is_error`, error output of the guard into `text`. Reads only a limited
 * amount at once, because a board may print faster than this function reads. FALSE: the guard has
 * ended. */
static gboolean read_guard(StrobeRemote *remote, GString *text, gboolean is_error)
{
    char bytes[4096];
    gsize n_read = 0;
    gssize n = 1;

    while (n > 0 && n_read < TEXT_MAX) {
        n = remote->api->read(remote->guard, is_error, bytes, sizeof bytes);
        n_read += n > 0 ? (gsize)n : 0;
        if (n > 0 && text->len < TEXT_MAX)
            g_string_append_len(text, bytes, n);
    }
    return n >= 0;
}

static gboolean take_answers(StrobeRemote *remote)
{
    const gboolean goes_on = read_guard(remote, remote->guard_output, FALSE);
    char *end;

    flush_lines(remote);
    read_guard(remote, remote->guard_errors, TRUE);
    while ((end = memchr(remote->guard_output->str, '\n', remote->guard_output->len))) {
        *end = '\0';
        take_answer(remote, remote->guard_output->str);
        g_string_erase(remote->guard_output, 0, end - remote->guard_output->str + 1);
    }
    return goes_on;
}

static gboolean check_beats(StrobeRemote *remote, GError **error)
{
    const gint64 beat_us = (gint64)remote->keepalive_s * G_USEC_PER_SEC;

    if (!take_answers(remote)) {
        const char *why = remote->api->failure(remote->link);

        return strobe_remote_refuse(error, "%s: the connection is lost: %s", remote->name,
                                    why ? why : "the board ended Strobe's guard");
    }
    if (remote->answered_us < remote->sent_us && now_us() - remote->sent_us > 3 * beat_us)
        return strobe_remote_refuse(error, "%s: the connection is lost: no answer within %u s",
                                    remote->name, 3 * remote->keepalive_s);
    if (remote->answered_us >= remote->sent_us && now_us() - remote->sent_us > beat_us)
        send_beat(remote);
    return TRUE;
}

/* ---- waiting ---- */

static void poll_all(StrobeRemote *remote, guint timeout_ms)
{
    struct pollfd polled[] = {
        {.fd = remote->signals, .events = POLLIN},
        {.fd = remote->api->descriptor(remote->link), .events = remote->api->events(remote->link)}};

    poll(polled, G_N_ELEMENTS(polled), (int)timeout_ms);
}

gboolean strobe_remote_turn(StrobeRemote *remote, guint timeout_ms, GError **error)
{
    if (remote->background && remote->background(remote->background_user))
        timeout_ms = 0;
    poll_all(remote, timeout_ms);
    note_signals(remote);
    if (remote->is_forced)
        return strobe_remote_refuse_signal(remote, error);
    const char *failure = remote->api->failure(remote->link);
    if (failure)
        return strobe_remote_refuse(error, "%s: the connection is lost: %s", remote->name, failure);
    return check_beats(remote, error);
}

static gboolean await_answer(StrobeRemote *remote, GError **error)
{
    while (remote->answered_us < remote->sent_us)
        if (!strobe_remote_turn(remote, 50, error))
            return FALSE;
    return TRUE;
}

gboolean strobe_remote_beat(StrobeRemote *remote, GError **error)
{
    if (!await_answer(remote, error))
        return FALSE;
    send_beat(remote);
    return await_answer(remote, error);
}

gboolean strobe_remote_measure_clock(StrobeRemote *remote, GError **error)
{
    for (guint i = 0; i < CLOCK_ROUNDS; i++)
        if (!strobe_remote_beat(remote, error))
            return FALSE;
    return TRUE;
}

void strobe_remote_end_program(StrobeRemote *remote)
{
    send_line(remote, "end\n");
}

/* ---- begin ---- */

static gboolean refuse_guard(StrobeRemote *remote, const char *folder, const char *line,
                             GError **error)
{
    const StrobeChannelEnd *end = remote->api->end(remote->guard);
    g_autofree char *errors =
        strobe_remote_excerpt(remote->guard_errors->str, remote->guard_errors->len);
    g_autofree char *said = strobe_remote_excerpt(line, strlen(line));

    if (g_str_has_prefix(said, "busy "))
        return strobe_remote_refuse(error, "%s: another session holds ~/%s: process %s",
                                    remote->name, folder, said + strlen("busy "));
    if (end->is_known && end->status == STROBE_GUARD_NO_FOLDER) {
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_IO, "%s: cannot write ~/%s on the board: %s",
                    remote->name, folder, errors);
        return FALSE;
    }
    const char *why = remote->api->failure(remote->link);
    return strobe_remote_refuse(error, "%s: the board's shell did not start Strobe's guard: %s",
                                remote->name,
                                *errors ? errors
                                : why   ? why
                                        : said);
}

/* Reads the guard's first line, for example "ready /home/board/strobe/net_1234abcd". FALSE with an
 * error: it has another form. */
static gboolean take_ready(StrobeRemote *remote, const char *folder, const char *line,
                           GError **error)
{
    static const char ready[] = "ready /";

    if (!g_str_has_prefix(line, ready))
        return refuse_guard(remote, folder, line, error);
    for (const char *c = line; *c; c++)
        if ((guchar)*c < ' ' || *c == 0x7f)
            return strobe_remote_refuse(error, "%s: the home on the board has a bad name",
                                        remote->name);
    remote->folder = g_strdup(line + strlen(ready) - 1);
    return TRUE;
}

/* Waits for the guard's first line. FALSE with an error, for example that the guard has ended. */
static gboolean await_guard(StrobeRemote *remote, const char *folder, GError **error)
{
    const gint64 end_us = now_us() + (gint64)READY_MS * 1000;
    gboolean goes_on = TRUE;
    char *end = NULL;

    while (!end && goes_on && now_us() < end_us && !remote->signal) {
        poll_all(remote, 50);
        note_signals(remote);
        goes_on = read_guard(remote, remote->guard_output, FALSE);
        if (!goes_on && !remote->api->failure(remote->link) &&
            !remote->api->end(remote->guard)->is_known)
            goes_on = TRUE; /* the loop goes on until the guard's status arrives */
        read_guard(remote, remote->guard_errors, TRUE);
        end = strchr(remote->guard_output->str, '\n');
    }
    if (remote->signal)
        return strobe_remote_refuse_signal(remote, error);
    g_autofree char *line =
        g_strndup(remote->guard_output->str,
                  end ? (gsize)(end - remote->guard_output->str) : remote->guard_output->len);
    g_string_truncate(remote->guard_output, 0);
    return take_ready(remote, folder, line, error);
}

static gboolean start_guard(StrobeRemote *remote, const char *folder, GError **error)
{
    char host[256] = "desk";

    gethostname(host, sizeof host - 1);
    g_autofree char *holder = g_strdup_printf("of %s@%s (%d)", g_get_user_name(), host, getpid());
    g_autofree char *command = strobe_guard_command(folder, holder);

    remote->guard = remote->api->exec(remote->link, command);
    if (!await_guard(remote, folder, error))
        return FALSE;
    remote->answered_us = now_us();
    return TRUE;
}

StrobeRemote *strobe_remote_open(const StrobeRemoteRequest *request, GError **error)
{
    StrobeRemote *remote = g_new0(StrobeRemote, 1);
    StrobeLinkRequest link = {.target = request->target,
                              .known_hosts = request->known_hosts,
                              .deadline_ms = DEADLINE_MS,
                              .report = request->report};

    signal(SIGPIPE, SIG_IGN);
    remote->api = request->api;
    remote->name = g_strdup(request->target->host);
    remote->keepalive_s = request->target->keepalive_s;
    remote->guard_input = g_string_new(NULL);
    remote->guard_output = g_string_new(NULL);
    remote->guard_errors = g_string_new(NULL);
    remote->signals = link.cancel = request->has_signals ? open_signals() : -1;
    remote->link = request->api->open(&link, error);
    if (remote->link && start_guard(remote, request->folder, error))
        return remote;
    note_signals(remote);
    if (remote->signal && error) {
        g_clear_error(error);
        strobe_remote_refuse_signal(remote, error);
    }
    strobe_remote_close(remote);
    return NULL;
}

/* ---- end ---- */

/* Ends the input of the guard, which then ends, and waits for its end. */
static void end_guard(StrobeRemote *remote)
{
    const gint64 end_us = now_us() + (gint64)CLOSE_MS * 1000;

    remote->api->end_input(remote->guard);
    while (!remote->is_forced && now_us() < end_us && !remote->api->failure(remote->link) &&
           take_answers(remote)) {
        poll_all(remote, 20);
        note_signals(remote);
    }
}

void strobe_remote_close(StrobeRemote *remote)
{
    if (!remote)
        return;
    if (remote->guard && !remote->api->failure(remote->link))
        end_guard(remote);
    if (remote->guard)
        remote->api->free(remote->guard);
    if (remote->link)
        remote->api->close(remote->link);
    if (remote->signals >= 0)
        close(remote->signals);
    g_string_free(remote->guard_input, TRUE);
    g_string_free(remote->guard_output, TRUE);
    g_string_free(remote->guard_errors, TRUE);
    g_free(remote->name);
    g_free(remote->folder);
    g_free(remote);
}
