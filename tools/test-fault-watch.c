/* SPDX-License-Identifier: Apache-2.0 */
/* Who is told of page faults. */
#include "fault-watch.h"

#include <glib.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EVERY 16
#define PAGES 1024

static _Thread_local atomic_int n_told;

static void on_signal(int number)
{
    n_told++;
}

static void touch_pages(void)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    volatile char *at =
        mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    g_assert_true(at != MAP_FAILED);
    madvise((void *)at, PAGES * page, MADV_NOHUGEPAGE);
    for (size_t i = 0; i < PAGES; i++)
        at[i * page] = 1;
    munmap((void *)at, PAGES * page);
}

/* How often the thread itself was told. */
static void *run(void *begin)
{
    pthread_barrier_t *both = begin;

    fault_watch_thread();
    if (both) {
        pthread_barrier_wait(both); /* it has not begun yet */
        pthread_barrier_wait(both);
    }
    touch_pages();
    return GINT_TO_POINTER(n_told);
}

static int told_in_thread(pthread_barrier_t *both)
{
    void *told;
    pthread_t thread;

    g_assert_cmpint(pthread_create(&thread, NULL, run, both), ==, 0);
    if (both) {
        pthread_barrier_wait(both);
        fault_watch_begin((pid_t)syscall(SYS_gettid), EVERY);
        pthread_barrier_wait(both);
    }
    pthread_join(thread, &told);
    return GPOINTER_TO_INT(told);
}

static void test_each_thread_itself(void)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    pthread_barrier_t both;
    int n_early;

    sigaction(SIGPROF, &action, NULL);
    pthread_barrier_init(&both, NULL, 2);
    n_early = told_in_thread(&both);
    if (!n_early) {
        g_test_skip("The system does not count for us");
        return;
    }
    g_assert_cmpint(n_early, >=, PAGES / EVERY / 4); /* signals that meet are one */
    for (int i = 0; i < 200; i++)                    /* more than there is room for at once */
        g_assert_cmpint(told_in_thread(NULL), >=, PAGES / EVERY / 4);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/fault-watch/each-thread-itself", test_each_thread_itself);
    return g_test_run();
}
