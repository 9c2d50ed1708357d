/* SPDX-License-Identifier: Apache-2.0 */
/* SIGKILL at every test point of the recorder, and of recovery itself: what had been committed is
 * there, once; nothing is invented; no pool is left. The points are taken from the sources, so that
 * a new one is tried too. */
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <strobe/kinds.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "hold.h"
#include "json-text.h"
#include "kind-table.h"
#include "lane.h"
#include "reader.h"
#include "result.h"
#include "support.h"

#define THREADS 2
#define RECORDS_MAX 400000 /* of each thread */
#define WINDOWS 5
#define WINDOW_US 12000
#define WINDOW_RECORDS 3000 /* of each thread at least: some blocks */

enum { STATE_NONE, STATE_BEGUN, STATE_COMMITTED, STATE_FOUND };

/* Shared with the process that dies. */
struct progress {
    guint8 ranges[THREADS][RECORDS_MAX]; /* STATE_* by argument */
    guint8 marks[THREADS][RECORDS_MAX];
    guint64 refused_least, refused_most; /* reservations that no block can take */
    gint n_done[THREADS];
    gint is_over;
    gint is_closing; /* the window's end may be marked already */
};

/* ---- the process that dies ---- */

struct load {
    struct progress *progress;
    guint index;
};

/* Was what happened since `window` was read in that window, for certain? */
static gboolean is_certain(const struct progress *progress, guint32 window)
{
    return window && !g_atomic_int_get(&progress->is_closing) &&
           __atomic_load_n(&strobe_gate, __ATOMIC_ACQUIRE) == window;
}

static void one_mark(struct progress *progress, guint index, guint64 i)
{
    guint32 window = __atomic_load_n(&strobe_gate, __ATOMIC_ACQUIRE);
    char name[32];

    g_snprintf(name, sizeof name, "mark %u.%" G_GUINT64_FORMAT, index, i);
    progress->marks[index][i] = STATE_BEGUN;
    strobe_mark_recorded(name, i);
    if (is_certain(progress, window))
        progress->marks[index][i] = STATE_COMMITTED;
}

static void one_range(struct progress *progress, guint index, guint64 i)
{
    guint32 window = __atomic_load_n(&strobe_gate, __ATOMIC_ACQUIRE);
    char name[16];

    g_snprintf(name, sizeof name, "range %u", index);
    progress->ranges[index][i] = STATE_BEGUN;
    StrobeRange outer = strobe_range_begin("open");
    StrobeRange range = {0};
    const struct strobe_marker fields = {i};
    gboolean is_keyed = i % 2 == 1;
    if (is_keyed)
        strobe_lane_span_open(NULL, i, STROBE_KIND_ID_MARKER, name, i);
    else
        range = strobe_range_begin_argument(name, i);
    gboolean begun = is_certain(progress, window);
    if (is_keyed)
        strobe_lane_span_close(NULL, i, STROBE_KIND_ID_MARKER, &fields, sizeof fields);
    else
        strobe_range_end(range);
    if (begun && __atomic_load_n(&strobe_gate, __ATOMIC_ACQUIRE) == window)
        progress->ranges[index][i] = STATE_COMMITTED;
    strobe_range_end(outer);
}

static void one_refusal(struct progress *progress)
{
    guint32 window = __atomic_load_n(&strobe_gate, __ATOMIC_ACQUIRE);
    StrobeWriter *writer = strobe_lane_writer();

    if (!writer)
        return;
    __atomic_add_fetch(&progress->refused_most, 1, __ATOMIC_RELAXED);
    strobe_lane_reserve_bulk(writer, 0, 1);
    if (is_certain(progress, window))
        __atomic_add_fetch(&progress->refused_least, 1, __ATOMIC_RELAXED);
}

static gpointer load_main(gpointer data)
{
    struct load *load = data;

    for (guint64 i = 0; i < RECORDS_MAX && !g_atomic_int_get(&load->progress->is_over); i++) {
        one_range(load->progress, load->index, i);
        one_mark(load->progress, load->index, i);
        g_atomic_int_inc(&load->progress->n_done[load->index]);
        if (i % 64 == 0) {
            one_refusal(load->progress);
            g_usleep(50);
        }
    }
    return NULL;
}

static gpointer short_main(gpointer data)
{
    strobe_range_begin("open");
    return NULL;
}

/* However slow the machine is. */
static void wait_for_records(struct progress *progress)
{
    for (guint i = 0; i < THREADS; i++) {
        gint until = g_atomic_int_get(&progress->n_done[i]) + WINDOW_RECORDS;
        while (g_atomic_int_get(&progress->n_done[i]) < MIN(until, RECORDS_MAX))
            g_usleep(500);
    }
}

static void one_window(StrobeSession *session, struct progress *progress)
{
    strobe_session_start(session, NULL);
    g_atomic_int_set(&progress->is_closing, 0);
    g_thread_join(g_thread_new("short", short_main, NULL));
    g_usleep(WINDOW_US);
    wait_for_records(progress);
    pid_t pid = fork();
    if (pid == 0)
        _exit(0);
    waitpid(pid, NULL, 0);
    g_atomic_int_set(&progress->is_closing, 1);
    strobe_session_stop(session, NULL);
}

static void run_process(const char *folder, struct progress *progress)
{
    StrobeSession *session =
        session_new(folder, "{}", "\"buffer\": {\"size\": \"32MB\", \"flush_interval\": \"2ms\"}");
    struct load loads[THREADS];
    GThread *threads[THREADS];

    for (guint i = 0; i < THREADS; i++) {
        loads[i] = (struct load){progress, i};
        threads[i] = g_thread_new("load", load_main, &loads[i]);
    }
    for (guint i = 0; i < WINDOWS; i++)
        one_window(session, progress);
    g_atomic_int_set(&progress->is_over, 1);
    for (guint i = 0; i < THREADS; i++)
        g_thread_join(threads[i]);
    strobe_session_free(session);
    _exit(0);
}

/* ---- what is found ---- */

struct found {
    struct progress *progress;
    guint n_unfinished;
};

static void find_one(guint8 states[THREADS][RECORDS_MAX], const StrobeView *view, StrobeText name,
                     const char *prefix)
{
    guint64 i = strobe_view_u64(view, 0);
    guint index = (guint)(name.bytes[strlen(prefix)] - '0');

    g_assert_cmpuint(index, <, THREADS);
    g_assert_cmpuint(i, <, RECORDS_MAX);
    g_assert_cmpuint(states[index][i], !=, STATE_NONE);  /* not invented */
    g_assert_cmpuint(states[index][i], !=, STATE_FOUND); /* nor there twice */
    states[index][i] = STATE_FOUND;
}

static void find(const StrobeView *view, StrobeText name, gpointer user)
{
    struct found *found = user;

    if (view->flags & STROBE_VIEW_UNFINISHED) {
        found->n_unfinished++;
        g_assert_true(strcmp(name.bytes, "open") == 0 || g_str_has_prefix(name.bytes, "range "));
    } else if (strcmp(view->kind->name, "marker") == 0 && strcmp(name.bytes, "open") != 0) {
        g_assert_true(g_str_has_prefix(name.bytes, "range "));
        find_one(found->progress->ranges, view, name, "range ");
    } else if (strcmp(view->kind->name, "marker_instant") == 0) {
        g_autofree char *expected =
            g_strdup_printf("mark %c.%" G_GUINT64_FORMAT, name.bytes[5], strobe_view_u64(view, 0));
        g_assert_cmpstr(name.bytes, ==, expected);
        find_one(found->progress->marks, view, name, "mark ");
    }
}

/* Adds up what a recovered capture says that was lost; its pool is gone. */
static void add_losses(const char *path, guint64 lost[STROBE_LOSS_CAUSES])
{
    g_autoptr(GError) error = NULL;
    StrobeReader *reader = strobe_reader_open(path, &error);
    StrobeView views[200];

    g_assert_no_error(error);
    while (strobe_reader_next(reader, views, G_N_ELEMENTS(views), &error))
        ;
    const StrobeReaderStats *stats = strobe_reader_stats(reader);
    g_assert_cmpuint(stats->n_damaged, ==, 0);
    const char *pool = strobe_json_member_text(strobe_reader_facts(reader), "pool");
    g_assert_true(*pool && !g_file_test(pool, G_FILE_TEST_EXISTS));
    for (guint i = 0; i < STROBE_LOSS_CAUSES; i++)
        lost[i] += stats->lost[i];
    strobe_reader_free(reader);
}

static void check_missing(struct progress *progress)
{
    for (guint t = 0; t < THREADS; t++)
        for (guint i = 0; i < RECORDS_MAX; i++) {
            g_assert_cmpuint(progress->ranges[t][i], !=, STATE_COMMITTED);
            g_assert_cmpuint(progress->marks[t][i], !=, STATE_COMMITTED);
        }
}

static GPtrArray *find_results(const char *folder)
{
    g_autoptr(GError) error = NULL;
    GPtrArray *results = strobe_result_find(folder, &error);

    /* Killed before there was any. */
    return results ? results : g_ptr_array_new();
}

static void check_all(const char *folder, struct progress *progress)
{
    g_autoptr(GPtrArray) results = find_results(folder);
    guint64 lost[STROBE_LOSS_CAUSES] = {0};
    struct found found = {.progress = progress};

    for (guint i = 0; i < results->len; i++) {
        const StrobeResult *result = g_ptr_array_index(results, i);
        g_autoptr(GError) error = NULL;
        gboolean live = TRUE;
        g_assert_true(strobe_result_recover(result, &live, &error));
        g_assert_no_error(error);
        g_assert_false(live);
        read_capture(result->capture, NULL, find, &found);
    }
    for (guint i = 0; i < results->len; i++)
        add_losses(((StrobeResult *)g_ptr_array_index(results, i))->capture, lost);
    if (lost[STROBE_LOSS_POOL_EMPTY] == 0)
        check_missing(progress);
    else
        g_test_message("an overloaded machine: %d records lost", (int)lost[0]);
    g_assert_cmpuint(found.n_unfinished, <=, WINDOWS * (2 * THREADS + 1));
    g_assert_cmpuint(lost[STROBE_LOSS_TOO_LARGE], >=, progress->refused_least);
    g_assert_cmpuint(lost[STROBE_LOSS_TOO_LARGE], <=, progress->refused_most);
}

/* ---- deaths ---- */

static struct progress *progress_new(void)
{
    struct progress *progress =
        mmap(NULL, sizeof *progress, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    g_assert_true(progress != MAP_FAILED);
    return progress;
}

/* Returns whether the process came to the point so often. */
static gboolean die_at(const char *point, guint nth)
{
    char *folder = scratch_new();
    struct progress *progress = progress_new();
    int status;
    pid_t pid = fork();

    if (pid == 0) {
        hold_kill_at(point, nth);
        run_process(folder, progress);
    }
    g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
    g_test_message("%s, time %u: %s", point, nth, WIFSIGNALED(status) ? "killed" : "not reached");
    g_assert_true(WIFSIGNALED(status) ? WTERMSIG(status) == SIGKILL : status == 0);
    check_all(folder, progress);
    munmap(progress, sizeof *progress);
    scratch_remove(folder);
    return WIFSIGNALED(status);
}

static gboolean is_of_recovery(const char *point)
{
    return g_str_has_prefix(point, "recover-");
}

static void test_recorder(void)
{
    g_auto(GStrv) points = hold_all_points();
    guint more = test_count("STROBE_TEST_DEATHS", 1);

    for (char **point = points; *point; point++) {
        if (is_of_recovery(*point))
            continue;
        gboolean is_reached = die_at(*point, 1);
        /* In a forked child: it dies, and its parent records on. */
        g_assert_true(is_reached == (strcmp(*point, "fork-child") != 0));
        for (guint i = 0; i < more; i++)
            die_at(*point, (guint)g_test_rand_int_range(2, 8 << i % 8));
    }
}

static void recover_and_die(const char *folder, const char *point)
{
    g_autoptr(GPtrArray) results = find_results(folder);
    int status;
    pid_t pid = fork();

    if (pid == 0) {
        hold_kill_at(point, 1);
        for (guint i = 0; i < results->len; i++)
            strobe_result_recover(g_ptr_array_index(results, i), NULL, NULL);
        _exit(1); /* the point is not reached */
    }
    g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
    g_assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

/* The recovery of a killed program is killed too, and done once more. */
static void die_twice(const char *point)
{
    char *folder = scratch_new();
    struct progress *progress = progress_new();
    int status;
    pid_t pid = fork();

    if (pid == 0) {
        hold_kill_at("record-reserved", (guint)g_test_rand_int_range(2000, 9000));
        run_process(folder, progress);
    }
    g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
    g_assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    g_test_message("%s", point);
    recover_and_die(folder, point);
    check_all(folder, progress);
    munmap(progress, sizeof *progress);
    scratch_remove(folder);
}

static void test_recovery(void)
{
    g_auto(GStrv) points = hold_all_points();
    guint times = 3 * test_count("STROBE_TEST_DEATHS", 1);

    for (char **point = points; *point; point++)
        for (guint i = 0; is_of_recovery(*point) && i < times; i++)
            die_twice(*point);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/death/recorder", test_recorder);
    g_test_add_func("/death/recovery", test_recovery);
    return g_test_run();
}
