/* SPDX-License-Identifier: Apache-2.0 */
#include <glib.h>
#include <sched.h>
#include <signal.h>
#include <strobe/helpers/thread.h>

static void *take_mask(void *user)
{
    pthread_sigmask(SIG_SETMASK, NULL, user);
    return NULL;
}

static gboolean is_fault(int number)
{
    return number == SIGBUS || number == SIGSEGV || number == SIGFPE || number == SIGILL ||
           number == SIGTRAP || number == SIGSYS || number == SIGABRT;
}

static void test_mask(void)
{
    sigset_t mask;
    pthread_t thread;

    sigemptyset(&mask);
    g_assert_cmpint(strobe_thread_start(&thread, take_mask, &mask), ==, 0);
    pthread_join(thread, NULL);
    for (int number = 1; number < 32; number++)
        if (number != SIGKILL && number != SIGSTOP)
            g_assert_cmpint(sigismember(&mask, number), ==, !is_fault(number));
}

/* Checks that strobe_thread_start leaves the caller's signal mask unchanged, whatever the mask
 * blocks. */
static void test_caller(void)
{
    sigset_t own, after, mask;
    pthread_t thread;

    sigemptyset(&own);
    sigaddset(&own, SIGUSR1);
    sigaddset(&own, SIGSEGV);
    pthread_sigmask(SIG_SETMASK, &own, NULL);
    g_assert_cmpint(strobe_thread_start(&thread, take_mask, &mask), ==, 0);
    pthread_join(thread, NULL);
    pthread_sigmask(SIG_SETMASK, NULL, &after);
    for (int number = 1; number < 32; number++)
        g_assert_cmpint(sigismember(&after, number), ==, sigismember(&own, number));
    g_assert_cmpint(sigismember(&mask, SIGSEGV), ==, 0);
}

/* Checks that strobe_thread_processors counts only the processors that the thread may use. */
static void test_processors(void)
{
    cpu_set_t all, one;
    int last = -1;

    g_assert_cmpint(sched_getaffinity(0, sizeof all, &all), ==, 0);
    g_assert_cmpuint(strobe_thread_processors(), ==, (guint)CPU_COUNT(&all));
    for (int i = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET(i, &all))
            last = i;
    CPU_ZERO(&one);
    CPU_SET(last, &one);
    g_assert_cmpint(sched_setaffinity(0, sizeof one, &one), ==, 0);
    g_assert_cmpuint(strobe_thread_processors(), ==, 1);
    g_assert_cmpint(sched_setaffinity(0, sizeof all, &all), ==, 0);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/thread/mask", test_mask);
    g_test_add_func("/thread/caller", test_caller);
    g_test_add_func("/thread/processors", test_processors);
    return g_test_run();
}
