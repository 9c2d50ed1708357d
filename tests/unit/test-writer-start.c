/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the start of the writer under `strobe run`. A thread of the test acts as `strobe run`. */
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "clock.h"
#include "run-link.h"
#include "support.h"
#include "writer-link.h"

static char *folder, *fifo;
static int requests;

static void begin_run(void)
{
    folder = scratch_new();
    fifo = g_build_filename(folder, STROBE_RUN_WRITERS, NULL);
    g_assert_cmpint(mkfifo(fifo, 0600), ==, 0);
    requests = open(fifo, O_RDWR | O_CLOEXEC);
    g_assert_cmpint(requests, >=, 0);
    g_setenv("STROBE_RUN_DIR", folder, TRUE);
}

static void end_run(void)
{
    g_unsetenv("STROBE_RUN_DIR");
    close(requests);
    g_free(fifo);
    scratch_remove(folder);
}

/* Acts as a `strobe run` whose writer fails at once. */
static gpointer refuse_pool(gpointer user)
{
    char pool[STROBE_RUN_MESSAGE_BYTES];

    g_assert_cmpint(read(requests, pool, sizeof pool), ==, sizeof pool);
    g_assert_cmpint(strobe_run_has_refused(pool), ==, 0);
    strobe_run_refuse_writer(folder, pool);
    return NULL;
}

/* Acts as a `strobe run` whose writer ends after it has claimed the pool. */
static gpointer kill_writer(gpointer user)
{
    struct pool_header *pool = user;
    char path[STROBE_RUN_MESSAGE_BYTES];

    g_assert_cmpint(read(requests, path, sizeof path), ==, sizeof path);
    atomic_store(&pool->control.writer, FUTEX_OWNER_DIED | 1);
    return NULL;
}

/* Checks that the program does not wait for the whole time that a writer of `strobe run` may take,
 * and starts its own writer at once. This is a thread, because the test has no strobe-writer next
 * to it. */
static void check_start(GThreadFunc play)
{
    StrobeWriterLink link = {0};
    StrobePool pool;

    begin_run();
    strobe_clock_init();
    g_assert_cmpint(strobe_pool_create(&pool, 8 << 20, folder, NULL), ==, 0);
    g_autoptr(GThread) run = g_thread_new("run", play, pool.header);
    g_assert_cmpint(strobe_link_start(&link, &pool, 1), ==, 0);
    g_thread_join(g_steal_pointer(&run));
    g_assert_cmpint(link.run_error, ==, ESRCH);
    g_assert_cmpint(link.process_error, ==, ENOENT);
    g_assert_cmpint(strobe_writer_is_gone(pool.header), ==, 0);
    g_assert_cmpint(strobe_link_stop(&link), ==, 1);
    strobe_pool_destroy(&pool, 1);
    end_run();
}

static void test_refused(void)
{
    check_start(refuse_pool);
}

static void test_dead(void)
{
    check_start(kill_writer);
}

/* A refusal is not noted for another pool, or outside of a run. */
static void test_whose_refusal(void)
{
    begin_run();
    strobe_run_refuse_writer(folder, "/dev/shm/strobe-1-2.pool");
    g_assert_cmpint(strobe_run_has_refused("/dev/shm/strobe-1-2.pool"), ==, 1);
    g_assert_cmpint(strobe_run_has_refused("/dev/shm/strobe-1-3.pool"), ==, 0);
    g_unsetenv("STROBE_RUN_DIR");
    g_assert_cmpint(strobe_run_has_refused("/dev/shm/strobe-1-2.pool"), ==, 0);
    end_run();
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/writer-start/refused", test_refused);
    g_test_add_func("/writer-start/dead", test_dead);
    g_test_add_func("/writer-start/whose-refusal", test_whose_refusal);
    return g_test_run();
}
