/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Everything at the same time, at random: many threads, all calls, signals, forks, windows,
 * sessions, a disk that sometimes fails, and pauses at the recorder's test points. Each window is
 * read back: every offered record is accounted for, every thread's records are in order, and each
 * record has the data of its name.
 *
 * STROBE_STRESS_SECONDS sets how long it runs (default 5). STROBE_STRESS_SEED repeats the decisions
 * of a run, but not the moments at which its threads meet.
 */
#include <errno.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include "faulty-disk.h"
#include "reader.h"
#include "recorder.h"
#include "stress-load.h"
#include "support.h"
#include "testpoint.h"

#define WORKERS 6
#define DEPTHS 1200

void (*strobe_testpoint_hook)(const char *name);

/* The data that was read back, of all windows. */
static struct {
    /* for each thread and type, the smallest number that may come next */
    guint64 next[STRESS_THREADS_MAX][STRESS_RANGE];
    /* thread << 16 | depth -> smallest number of a range that may come next */
    GHashTable *next_range;
    guint64 windows, offered, stored, lost, outside, forks, dumps;
} total;

/* ---- disturbances ---- */

static __thread guint64 point_random;

/* Sometimes pauses a thread at a test point, as if it lost its processor there. */
static void on_point(const char *name)
{
    if (point_random == 0)
        point_random = (guint64)(guintptr)&point_random | 1;
    guint64 random = stress_random(&point_random) >> 40;
    if (random % 512 == 0)
        sched_yield();
    if (random % 8192 == 1)
        usleep(50);
}

static void on_signal(int number)
{
    int saved = errno;

    stress_record_in_handler();
    errno = saved;
}

static void send_signals(gboolean on)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    struct itimerval timer = {{0, on ? 700 : 0}, {0, on ? 700 : 0}};

    if (WITH_TSAN) /* it calls handlers without the kernel's frame on the stack */
        return;
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &timer, NULL);
}

/* Makes the disk fail at random in this window, so that the seal may need the reserve. */
static void disturb_disk(guint64 *random)
{
    faulty_disk_reset();
    switch (stress_below(random, 10)) {
    case 0:
        faulty_disk.short_every = 2 + stress_below(random, 6);
        break;
    case 1:
        faulty_disk.delay_us = stress_below(random, 8000);
        break;
    case 2:
        faulty_disk.error = ENOSPC;
        faulty_disk.room = stress_below(random, 4 << 20);
        break;
    default:
        break;
    }
}

/* ---- reading back ---- */

struct window {
    StrobeReader *reader;
    guint64 stored, nameless;
};

static void check_number(guint64 *least, guint64 number)
{
    g_assert_cmpuint(number, >=, *least); /* numbers are in order, and none is there twice */
    *least = number + 1;
}

static void check_range(guint thread, guint depth, guint64 number)
{
    gint64 key = (gint64)thread << 16 | depth;
    guint64 *least = g_hash_table_lookup(total.next_range, &key);

    if (!least) {
        least = g_new0(guint64, 1);
        g_hash_table_insert(total.next_range, g_memdup2(&key, sizeof key), least);
    }
    check_number(least, number);
}

static guint64 number_of(const StrobeView *view)
{
    if (strcmp(view->kind->name, "counter") != 0)
        return strobe_view_u64(view, 0);
    double value = strobe_view_f64(view, 0);
    g_assert_true(value >= 0 && value == floor(value));
    return (guint64)value;
}

static int class_of(char letter, const char *kind)
{
    static const char letters[] = "mucibh";
    static const char *const kinds[] = {"marker_instant", "marker_instant", "counter",
                                        "stress.item",    "stress.item",    "marker_instant"};
    const char *at = strchr(letters, letter);

    g_assert_true(at && *at);
    g_assert_cmpstr(kinds[at - letters], ==, kind);
    return (int)(at - letters);
}

/* Checks that a record has the data that its name says, is on its thread's track, and comes after
 * the thread's earlier records. */
static void check_record(struct window *window, const StrobeView *view, StrobeText name)
{
    guint thread, second = 0;
    char letter;

    if (strcmp(name.bytes, "in a handler") == 0)
        return;
    if (name.length == 0) { /* there was no room for the name, or the name was overwritten */
        window->nameless++;
        return;
    }
    int parts = sscanf(name.bytes, "%c%u.%u", &letter, &thread, &second);
    g_assert_cmpint(parts, ==, letter == 'r' || letter == 'u' ? 3 : 2);
    g_assert_cmpuint(thread, <, STRESS_THREADS_MAX);
    const StrobeTrackView *track = strobe_reader_track(window->reader, view->track);
    g_assert_nonnull(track);
    g_assert_cmpint((gint64)track->number, ==, stress_loss_report.tid[thread]);
    if (letter == 'u')
        g_assert_cmpuint(second, ==, number_of(view));
    if (letter == 'l') /* async spans end in any order */
        g_assert_cmpstr(view->kind->name, ==, "marker");
    else if (letter != 'r')
        check_number(&total.next[thread][class_of(letter, view->kind->name)], number_of(view));
    else if (!(view->flags & STROBE_VIEW_UNFINISHED))
        check_range(thread, second, number_of(view));
}

static void read_window(struct window *window)
{
    static const char *const own[] = {"loss", "collector_call", "diagnostic", NULL};
    g_autoptr(GError) error = NULL;
    StrobeView views[500];
    gsize n;

    while ((n = strobe_reader_next(window->reader, views, G_N_ELEMENTS(views), &error)))
        for (gsize i = 0; i < n; i++) {
            if (g_strv_contains(own, views[i].kind->name))
                continue;
            window->stored++;
            check_record(window, &views[i], strobe_reader_string(window->reader, views[i].name));
        }
    g_assert_no_error(error);
}

static void check_window(StrobeSession *session, guint32 number, gboolean is_ring)
{
    g_autoptr(GError) error = NULL;
    struct window window = {NULL};
    uint64_t lost[STROBE_LOSS_CAUSES];
    guint64 sum = 0;

    strobe_recorder_losses(lost); /* also waits until all records are written */
    window.reader = strobe_reader_open(strobe_session_directory(session), &error);
    g_assert_no_error(error);
    read_window(&window);
    const StrobeReaderStats *stats = strobe_reader_stats(window.reader);
    for (guint i = 0; i < STROBE_LOSS_CAUSES; i++) {
        g_assert_cmpuint(stats->lost[i], ==, lost[i]);
        sum += i == STROBE_LOSS_STRING_CUT ? 0 : lost[i];
    }
    g_assert_true(stats->sealed);
    g_assert_cmpuint(stats->n_damaged, ==, 0);
    g_assert_cmpuint(window.nameless, <=, lost[STROBE_LOSS_STRING_CUT] + stats->n_nameless);
    guint64 all = window.stored + stats->n_outside + sum;
    /* If no write failed, few names are missing: those after which tens of thousands of other names
     * have occurred, and those for which a small table had no room. */
    if (!is_ring && faulty_disk.n_failed == 0)
        g_assert_cmpuint(stats->n_nameless, <=, all / 100);
    g_assert_cmpuint(all, >=, __atomic_load_n(&stress_loss_report.least[number], __ATOMIC_RELAXED));
    g_assert_cmpuint(all, <=, __atomic_load_n(&stress_loss_report.most[number], __ATOMIC_RELAXED));
    total.windows++;
    total.offered += stress_loss_report.least[number];
    total.stored += window.stored;
    total.lost += sum;
    total.outside += stats->n_outside;
    strobe_reader_free(window.reader);
}

/* ---- windows ---- */

static void record_in_child(const char *folder)
{
    alarm(60);
    if (strobe_enabled())
        _exit(2);
    strobe_mark("nowhere");
    if (WITH_TSAN)
        _exit(0);
    faulty_disk_reset();
    StrobeSession *session = session_new(folder, "{}", NULL);
    strobe_session_start(session, NULL);
    for (guint i = 0; i < 3000; i++)
        strobe_mark("child");
    strobe_session_stop(session, NULL);
    g_autofree char *capture = capture_of(session);
    guint64 found = read_capture(capture, "marker_instant", NULL, NULL);
    strobe_session_free(session);
    _exit(found == 3000 ? 0 : 1);
}

static void fork_once(const char *folder)
{
    int status;
    pid_t pid = fork();

    if (pid == 0)
        record_in_child(folder);
    while (waitpid(pid, &status, 0) < 0)
        g_assert_cmpint(errno, ==, EINTR);
    g_assert_cmpint(status, ==, 0);
    total.forks++;
}

/* Makes a dump and checks that it is complete, and that it is not empty if a record had been
 * offered. Its records are read again at the window's end. */
static void dump_once(StrobeSession *session, guint32 number)
{
    guint64 before = __atomic_load_n(&stress_loss_report.least[number], __ATOMIC_RELAXED);
    const char *directory;

    if (strobe_session_dump(session, "stress", &directory, NULL) != STROBE_OK) {
        g_assert_cmpint(faulty_disk.error, ==, ENOSPC);
        return;
    }
    g_autofree char *capture = g_build_filename(directory, "FRAMEWORK", "capture.strobe", NULL);
    guint64 n = read_capture(capture, NULL, NULL, NULL);
    g_assert_true(n > 0 || before == 0);
    total.dumps++;
}

static void run_window(StrobeSession *session, const char *folder, gboolean is_ring,
                       guint64 *random)
{
    StrobeError *error = NULL;

    disturb_disk(random);
    StrobeStatus status = strobe_session_start(session, &error);
    guint32 number = __atomic_load_n(&strobe_gate, __ATOMIC_RELAXED);
    if (status) { /* the dump failed, because there was no room even for the begin of a capture */
        g_assert_cmpint(faulty_disk.error, ==, ENOSPC);
        strobe_error_free(error);
        strobe_session_stop(session, NULL);
        return;
    }
    g_usleep(stress_below(random, 4) ? stress_below(random, 60000) : stress_below(random, 2000));
    if (stress_below(random, 4) == 0)
        fork_once(folder);
    if (is_ring && stress_below(random, 2))
        dump_once(session, number);
    strobe_session_stop(session, NULL);
    stress_settle();
    check_window(session, number, is_ring);
}

static StrobeSession *random_session(const char *folder, guint64 *random, gboolean *is_ring)
{
    static const char *const policies[] = {"drop", "drop", "drop", "block", "ring"};
    const char *policy = policies[stress_below(random, G_N_ELEMENTS(policies))];
    *is_ring = strcmp(policy, "ring") == 0;
    gboolean rolls = !*is_ring && stress_below(random, 4) == 0;
    g_autofree char *more = g_strdup_printf(
        "\"buffer\": {\"size\": \"%uMB\", \"flush_interval\": \"%ums\", \"policy\": \"%s\"}%s",
        8 + 8 * stress_below(random, 5), 1 + stress_below(random, 60), policy,
        rolls ? ", \"rotate\": {\"size\": \"1MB\"}" : "");
    StrobeSession *session = session_new(folder, "{}", more);
    char text[256];

    stress_set_item(strobe_recorder_kind(&stress_item, text, sizeof text));
    return session;
}

static void run_session(guint64 *random, gint64 end)
{
    char *folder = scratch_new();
    gboolean is_ring;
    StrobeSession *session = random_session(folder, random, &is_ring);

    for (guint n = 1 + stress_below(random, 12); n && g_get_monotonic_time() < end; n--)
        run_window(session, folder, is_ring, random);
    stress_set_item(0);
    strobe_session_free(session);
    scratch_remove(folder);
}

static void test_stress(void)
{
    gint64 end =
        g_get_monotonic_time() + (gint64)test_count("STROBE_STRESS_SECONDS", 5) * G_USEC_PER_SEC;
    guint64 seed = test_count("STROBE_STRESS_SEED", (guint)g_random_int_range(1, G_MAXINT32));
    guint64 random = seed * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15) | 1;

    g_test_message("STROBE_STRESS_SEED=%" G_GUINT64_FORMAT, seed);
    total.next_range = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
    __atomic_store_n(&strobe_testpoint_hook, on_point, __ATOMIC_RELEASE);
    stress_start(stress_random(&random), WORKERS);
    send_signals(TRUE);
    while (g_get_monotonic_time() < end)
        run_session(&random, end);
    send_signals(FALSE);
    stress_stop();
    g_hash_table_unref(total.next_range);
    g_test_message("%d windows, %d threads, %d forks, %d dumps; %" G_GUINT64_FORMAT
                   " records offered for certain: %" G_GUINT64_FORMAT " stored, %" G_GUINT64_FORMAT
                   " begun outside of their window, %" G_GUINT64_FORMAT " lost",
                   (int)total.windows, (int)stress_loss_report.n_threads, (int)total.forks,
                   (int)total.dumps, total.offered, total.stored, total.outside, total.lost);
    g_assert_cmpuint(total.stored, >, 0);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/stress", test_stress);
    return g_test_run();
}
