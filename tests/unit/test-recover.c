/* SPDX-License-Identifier: Apache-2.0 */
/* Kills a process with SIGKILL at random times: every committed record must be recovered, and no
 * record may be invented. */
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "capture-writer.h"
#include "json-text.h"
#include "pool.h"
#include "reader.h"
#include "recover.h"
#include "result.h"
#include "support.h"

#define THREADS 3

/* The number of committed records of each thread, in memory that the child shares. */
struct progress {
    guint64 committed[THREADS];
    char directory[4096];
};

struct thread {
    struct progress *progress;
    guint index;
};

static gpointer record_and_tell(gpointer data)
{
    struct thread *thread = data;
    guint64 *mine = &thread->progress->committed[thread->index];
    char name[16];

    g_snprintf(name, sizeof name, "t%u", thread->index);
    for (guint64 i = 0;; i++) {
        StrobeRange outer = strobe_range_begin_argument("open", i);
        StrobeRange range = strobe_range_begin_argument(name, i);
        strobe_range_end(range);
        __atomic_store_n(mine, i + 1, __ATOMIC_RELEASE); /* stored only after the commit */
        strobe_range_end(outer);
        if (i % 64 == 0)
            g_usleep(50); /* the load is light, because only the kill is tested */
    }
    return NULL;
}

/* The ways in which the process ends. */
enum death { DEATH_KILL, DEATH_ABORT, DEATH_SEGFAULT, DEATH_EXIT };

static void end_process(enum death death)
{
    if (death == DEATH_ABORT)
        abort();
    if (death == DEATH_SEGFAULT)
        raise(SIGSEGV);
    _exit(3);
}

static void run_child(struct progress *progress, const char *folder, enum death death,
                      guint delay_us)
{
    struct thread threads[THREADS];
    StrobeSession *session = session_new(folder, "{}", "\"buffer\": {\"size\": \"64MB\"}");

    strobe_session_start(session, NULL);
    g_strlcpy(progress->directory, strobe_session_directory(session), 4096);
    for (guint i = 0; i < THREADS; i++) {
        threads[i] = (struct thread){progress, i};
        g_thread_new("load", record_and_tell, &threads[i]);
    }
    if (death != DEATH_KILL) {
        signal(SIGSEGV, SIG_DFL); /* a sanitizer's handler would end the process in another way */
        for (guint i = 0; i < THREADS; i++)
            while (__atomic_load_n(&progress->committed[i], __ATOMIC_ACQUIRE) == 0)
                g_usleep(100);
        g_usleep(delay_us);
        end_process(death);
    }
    for (;;)
        pause();
}

struct found {
    guint64 next[THREADS];
    guint unfinished;
};

static void check_record(const StrobeView *view, StrobeText name, gpointer user)
{
    struct found *found = user;

    if (view->flags & STROBE_VIEW_UNFINISHED) {
        found->unfinished++;
        return;
    }
    if (name.bytes[0] != 't')
        return;
    guint i = (guint)(name.bytes[1] - '0');
    g_assert_cmpuint(i, <, THREADS);
    /* records are in order, and none is there twice */
    g_assert_cmpuint(strobe_view_u64(view, 0), ==, found->next[i]++);
}

static StrobeResult *only_result(const char *directory, GPtrArray **results)
{
    g_autoptr(GError) error = NULL;

    *results = strobe_result_find(directory, &error);
    g_assert_no_error(error);
    g_assert_cmpuint((*results)->len, ==, 1);
    return g_ptr_array_index(*results, 0);
}

static void check_recovered(const struct progress *progress)
{
    g_autoptr(GPtrArray) results = NULL;
    g_autoptr(GError) error = NULL;
    StrobeResult *result = only_result(progress->directory, &results);
    gboolean live = TRUE;
    struct found found = {0};
    g_autofree char *once = NULL, *twice = NULL;
    gsize n, m;

    g_assert_true(strobe_result_recover(result, &live, &error));
    g_assert_no_error(error);
    g_assert_false(live);
    read_capture(result->capture, "marker", check_record, &found);
    for (guint i = 0; i < THREADS; i++) {
        g_assert_cmpuint(found.next[i], >=, progress->committed[i]);
        g_assert_cmpuint(found.next[i], <=, progress->committed[i] + 1);
    }
    g_assert_cmpuint(found.unfinished, <=, 2 * THREADS);
    g_file_get_contents(result->capture, &once, &n, NULL);
    /* a second recovery changes nothing */
    g_assert_true(strobe_result_recover(result, NULL, &error));
    g_file_get_contents(result->capture, &twice, &m, NULL);
    g_assert_cmpmem(once, n, twice, m);
    StrobeReader *reader = strobe_reader_open(result->capture, &error);
    g_assert_true(strobe_reader_stats(reader)->sealed);
    g_assert_true(strobe_reader_stats(reader)->recovered);
    g_assert_cmpuint(strobe_reader_stats(reader)->n_damaged, ==, 0);
    g_assert_cmpuint(strobe_reader_stats(reader)->clock.n_jumps, ==, 0);
    g_assert_cmpuint(strobe_reader_stats(reader)->clock.error_ns, <, 200000);
    const char *pool = strobe_json_member_text(strobe_reader_metadata(reader), "pool");
    g_assert_cmpstr(pool, !=, "");
    g_assert_false(g_file_test(pool, G_FILE_TEST_EXISTS));
    strobe_reader_free(reader);
}

/* Opens the pool of the capture in this result directory. */
static int open_pool(const char *directory)
{
    g_autoptr(GPtrArray) results = NULL;
    g_autoptr(GError) error = NULL;
    StrobeReader *reader = strobe_reader_open(only_result(directory, &results)->capture, &error);
    int fd =
        open(strobe_json_member_text(strobe_reader_metadata(reader), "pool"), O_RDWR | O_CLOEXEC);

    strobe_reader_free(reader);
    g_assert_cmpint(fd, >=, 0);
    return fd;
}

/* Changes the clock in the pool's header, so that this machine seems to have another counter, as
 * after a reboot. */
static void change_clock(const char *directory)
{
    int fd = open_pool(directory);
    guint32 counter = !strobe_clock_counter;

    g_assert_cmpint(
        pwrite(fd, &counter, sizeof counter, offsetof(struct pool_header, clock_counter)), ==,
        sizeof counter);
    close(fd);
}

static void kill_once(const char *folder, enum death death, guint delay_us, gboolean is_reboot)
{
    struct progress *progress =
        mmap(NULL, sizeof *progress, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pid_t pid = fork();
    int status;

    if (pid == 0)
        run_child(progress, folder, death, delay_us);
    while (__atomic_load_n(&progress->committed[THREADS - 1], __ATOMIC_ACQUIRE) == 0)
        g_usleep(100);
    if (death == DEATH_KILL) {
        g_usleep(delay_us);
        kill(pid, SIGKILL);
    }
    waitpid(pid, &status, 0);
    g_assert_true(death == DEATH_EXIT ? WIFEXITED(status) && WEXITSTATUS(status) == 3
                                      : WIFSIGNALED(status));
    if (is_reboot)
        change_clock(progress->directory);
    check_recovered(progress);
    munmap(progress, sizeof *progress);
}

static void test_kill(void)
{
    guint kills = test_count("STROBE_TEST_KILLS", 12);
    char *folder = scratch_new();

    for (guint i = 0; i < kills; i++)
        kill_once(folder, DEATH_KILL, (guint)g_test_rand_int_range(0, i % 8 ? 20000 : 1500000),
                  FALSE);
    scratch_remove(folder);
}

static void test_other_deaths(void)
{
    char *folder = scratch_new();

    for (guint i = 0; i < 9; i++)
        kill_once(folder, DEATH_ABORT + i % 3, (guint)g_test_rand_int_range(0, 20000), FALSE);
    scratch_remove(folder);
}

static void test_reboot(void)
{
    char *folder = scratch_new();

    strobe_clock_init();
    kill_once(folder, DEATH_KILL, 10000, TRUE);
    kill_once(folder, DEATH_KILL, 1300000, TRUE);
    scratch_remove(folder);
}

/* A program is killed in its second window, and the results are moved. Reading the first window
 * must not lose the second. */
static void test_moved(void)
{
    char *folder = scratch_new();
    g_autofree char *moved = g_strconcat(folder, "-moved", NULL);
    g_autoptr(GError) error = NULL;
    int ready[2], status;
    char byte;

    g_assert_cmpint(pipe(ready), ==, 0);
    pid_t pid = fork();
    if (pid == 0) {
        StrobeSession *session = session_new(folder, "{}", NULL);
        strobe_session_start(session, NULL);
        strobe_session_stop(session, NULL);
        strobe_session_start(session, NULL);
        for (guint i = 0; i < 1000; i++)
            strobe_mark("second");
        if (write(ready[1], "x", 1) == 1)
            pause();
        _exit(1);
    }
    g_assert_cmpint(read(ready[0], &byte, 1), ==, 1);
    kill(pid, SIGKILL);
    waitpid(pid, &status, 0);
    g_assert_cmpint(rename(folder, moved), ==, 0);
    g_autoptr(GPtrArray) results = strobe_result_find(moved, &error);
    g_assert_cmpuint(results->len, ==, 2);
    for (guint i = 0; i < 2; i++)
        g_assert_true(strobe_result_recover(g_ptr_array_index(results, i), NULL, &error));
    StrobeResult *second = g_ptr_array_index(results, 1);
    g_assert_cmpuint(read_capture(second->capture, "marker_instant", NULL, NULL), ==, 1000);
    close(ready[0]);
    close(ready[1]);
    g_free(folder);
    scratch_remove(g_steal_pointer(&moved));
}

/* A killed program counts as ended even before its parent has reaped it. */
static void test_zombie(void)
{
    char *folder = scratch_new();
    struct progress *progress =
        mmap(NULL, sizeof *progress, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pid_t pid = fork();
    siginfo_t info;

    if (pid == 0)
        run_child(progress, folder, DEATH_KILL, 0);
    while (__atomic_load_n(&progress->committed[THREADS - 1], __ATOMIC_ACQUIRE) == 0)
        g_usleep(100);
    kill(pid, SIGKILL);
    g_assert_cmpint(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), ==, 0);
    check_recovered(progress);
    waitpid(pid, NULL, 0);
    munmap(progress, sizeof *progress);
    scratch_remove(folder);
}

static gpointer close_later(gpointer fd)
{
    g_usleep(200000);
    close(GPOINTER_TO_INT(fd));
    return NULL;
}

/* The kernel may keep the memory of a killed program, and with it the lock, for some time after the
 * parent has reaped the program. */
static void test_lock_that_lasts(void)
{
    char *folder = scratch_new();
    struct progress *progress =
        mmap(NULL, sizeof *progress, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pid_t pid = fork();

    if (pid == 0)
        run_child(progress, folder, DEATH_KILL, 0);
    while (__atomic_load_n(&progress->committed[THREADS - 1], __ATOMIC_ACQUIRE) == 0)
        g_usleep(100);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    int fd = open_pool(progress->directory);
    g_assert_cmpint(flock(fd, LOCK_EX), ==, 0);
    GThread *holder = g_thread_new("holder", close_later, GINT_TO_POINTER(fd));
    check_recovered(progress);
    g_thread_join(holder);
    munmap(progress, sizeof *progress);
    scratch_remove(folder);
}

static void note_unfinished(const StrobeView *view, StrobeText name, gpointer user)
{
    if (view->flags & STROBE_VIEW_UNFINISHED)
        g_string_append_printf(user, "%s=%" G_GUINT64_FORMAT ";", name.bytes,
                               strobe_view_u64(view, 0));
}

/* If a program that hangs is killed, the spans in which it hangs are in the capture as
 * unfinished. */
static void test_hung(void)
{
    char *folder = scratch_new();
    g_autoptr(GString) names = g_string_new(NULL);
    g_autoptr(GPtrArray) results = NULL;
    int ready[2];
    char byte;

    g_assert_cmpint(pipe(ready), ==, 0);
    pid_t pid = fork();
    if (pid == 0) {
        StrobeSession *session = session_new(folder, "{}", NULL);
        strobe_session_start(session, NULL);
        strobe_mark("before");
        strobe_range_begin_argument("outer", 1);
        strobe_range_begin_argument("inner", 2);
        if (write(ready[1], "x", 1) == 1)
            pause();
        _exit(1);
    }
    g_assert_cmpint(read(ready[0], &byte, 1), ==, 1);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    StrobeResult *result = only_result(folder, &results);
    g_assert_true(strobe_result_recover(result, NULL, NULL));
    read_capture(result->capture, "marker", note_unfinished, names);
    g_assert_cmpstr(names->str, ==, "inner=2;outer=1;");
    close(ready[0]);
    close(ready[1]);
    scratch_remove(folder);
}

/* Checks that recovery of the capture fails, and does not change the pool. */
static void fail_to_recover(const char *capture, const char *pool_path)
{
    g_autofree StrobeCaptureWriter *writer = g_new0(StrobeCaptureWriter, 1);
    StrobePool pool;
    struct stat st;
    int fd = open(capture, O_RDONLY | O_CLOEXEC);

    g_assert_cmpint(fstat(fd, &st), ==, 0);
    g_assert_cmpint(strobe_pool_open(&pool, pool_path, 1), ==, 0);
    g_assert_cmpint(strobe_capture_writer_init(writer), ==, 0);
    strobe_capture_writer_begin(writer, fd, 1);
    writer->bytes = (guint64)st.st_size;
    g_assert_cmpint(strobe_recover_window(pool.header, writer), !=, 0);
    strobe_capture_writer_end(writer);
    strobe_capture_writer_clear(writer);
    strobe_pool_destroy(&pool, 0);
}

static void check_deep_spans(StrobeResult *result, guint64 lost)
{
    g_autoptr(GError) error = NULL;
    StrobeReader *reader = strobe_reader_open(result->capture, &error);
    StrobeView views[100];

    g_assert_no_error(error);
    while (strobe_reader_next(reader, views, G_N_ELEMENTS(views), &error))
        ;
    g_assert_cmpuint(strobe_reader_stats(reader)->lost[STROBE_LOSS_SPAN_DEPTH], ==, lost);
    strobe_reader_free(reader);
}

/* Open spans for which the pool has no entry are counted only once, even if there are two
 * recoveries. */
static void test_deep(void)
{
    enum { DEEP = STROBE_POOL_SPANS + 50 };
    char *folder = scratch_new();
    g_autoptr(GPtrArray) results = NULL;
    int status;
    pid_t pid = fork();

    if (pid == 0) {
        StrobeSession *session = session_new(folder, "{}", NULL);
        strobe_session_start(session, NULL);
        for (guint i = 0; i < DEEP; i++)
            strobe_range_begin("deep");
        kill(getpid(), SIGKILL);
    }
    waitpid(pid, &status, 0);
    StrobeResult *result = only_result(folder, &results);
    StrobeReader *reader = strobe_reader_open(result->capture, NULL);
    g_autofree char *pool =
        g_strdup(strobe_json_member_text(strobe_reader_metadata(reader), "pool"));
    strobe_reader_free(reader);
    fail_to_recover(result->capture, pool);
    g_assert_true(strobe_result_recover(result, NULL, NULL));
    check_deep_spans(result, DEEP - STROBE_POOL_SPANS);
    scratch_remove(folder);
}

/* Recovery does not change a capture that is being written. */
static void test_live(void)
{
    char *folder = scratch_new();
    StrobeSession *session = session_new(folder, "{}", NULL);
    g_autoptr(GPtrArray) results = NULL;
    gboolean live = FALSE;

    strobe_session_start(session, NULL);
    strobe_mark("x");
    StrobeResult *result = only_result(strobe_session_directory(session), &results);
    g_assert_true(strobe_result_recover(result, &live, NULL));
    g_assert_true(live);
    strobe_mark("y");
    strobe_session_stop(session, NULL);
    g_assert_cmpuint(read_capture(result->capture, "marker_instant", NULL, NULL), ==, 2);
    strobe_session_free(session);
    scratch_remove(folder);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/recover/kill", test_kill);
    g_test_add_func("/recover/other-deaths", test_other_deaths);
    g_test_add_func("/recover/reboot", test_reboot);
    g_test_add_func("/recover/moved", test_moved);
    g_test_add_func("/recover/zombie", test_zombie);
    g_test_add_func("/recover/lock-that-lasts", test_lock_that_lasts);
    g_test_add_func("/recover/hung", test_hung);
    g_test_add_func("/recover/deep", test_deep);
    g_test_add_func("/recover/live", test_live);
    return g_test_run();
}
