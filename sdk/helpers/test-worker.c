/* SPDX-License-Identifier: Apache-2.0 */
#include <glib.h>
#include <stdatomic.h>

#include <strobe/helpers/worker.h>

typedef struct Job { /* numbers are atomic, because ThreadSanitizer does not see GLib's locks */
    GMutex lock;
    GCond changed;
    int may_end; /* the run waits until this is set */
    int n_runs, is_released;
} Job;

static void run_job(void *user)
{
    Job *job = user;

    g_mutex_lock(&job->lock);
    g_atomic_int_inc(&job->n_runs);
    g_cond_broadcast(&job->changed);
    while (!g_atomic_int_get(&job->may_end))
        g_cond_wait(&job->changed, &job->lock);
    g_mutex_unlock(&job->lock);
}

static void release_job(void *user)
{
    Job *job = user;

    g_mutex_lock(&job->lock);
    g_atomic_int_set(&job->is_released, 1);
    g_cond_broadcast(&job->changed);
    g_mutex_unlock(&job->lock);
}

static void await_value(Job *job, const int *value, int wanted)
{
    gint64 until = g_get_monotonic_time() + 20 * G_USEC_PER_SEC;

    g_mutex_lock(&job->lock);
    while (g_atomic_int_get(value) != wanted)
        g_assert_true(g_cond_wait_until(&job->changed, &job->lock, until));
    g_mutex_unlock(&job->lock);
}

static void let_end(Job *job)
{
    g_mutex_lock(&job->lock);
    g_atomic_int_set(&job->may_end, 1);
    g_cond_broadcast(&job->changed);
    g_mutex_unlock(&job->lock);
}

/* Checks that each request leads to one run, and that strobe_worker_end waits for a run that has
 * not ended. */
static void test_runs(void)
{
    static Job job = {.may_end = 1};
    StrobeWorker *worker = strobe_worker_start(run_job, release_job, &job);
    g_assert_nonnull(worker);
    for (int i = 1; i <= 3; i++) {
        while (strobe_worker_ask(worker) != 0) /* the last run may not have ended yet */
            g_usleep(100);
        await_value(&job, &job.n_runs, i);
    }
    g_assert_cmpint(strobe_worker_end(worker, G_MAXINT64), ==, 0);
    g_assert_cmpint(g_atomic_int_get(&job.is_released), ==, 1);
    g_assert_cmpint(job.n_runs, ==, 3);
}

/* Checks that no call waits for a run that hangs: strobe_worker_ask returns the time since the
 * run's request, and the thread releases the job later. */
static void test_hangs(void)
{
    static Job job;
    StrobeWorker *worker = strobe_worker_start(run_job, release_job, &job);
    g_assert_nonnull(worker);
    g_assert_cmpuint(strobe_worker_ask(worker), ==, 0);
    await_value(&job, &job.n_runs, 1);
    g_usleep(2000);
    g_assert_cmpuint(strobe_worker_ask(worker), >=, 2000000);
    gint64 before = g_get_monotonic_time();
    g_assert_cmpint(strobe_worker_end(worker, 10000000), ==, 1);
    g_assert_cmpint(g_get_monotonic_time() - before, <, 5 * G_USEC_PER_SEC);
    g_assert_cmpint(g_atomic_int_get(&job.is_released), ==, 0);
    let_end(&job);
    await_value(&job, &job.is_released, 1);
    g_assert_cmpint(job.n_runs, ==, 1);
}

/* Checks that a requested run is made even if strobe_worker_end is called before the thread has
 * seen the request. */
static void test_ends_at_once(void)
{
    for (int i = 0; i < 200; i++) {
        Job job = {.may_end = 1};
        StrobeWorker *worker = strobe_worker_start(run_job, release_job, &job);
        g_assert_nonnull(worker);
        g_assert_cmpuint(strobe_worker_ask(worker), ==, 0);
        g_assert_cmpint(strobe_worker_end(worker, G_MAXINT64 / 2), ==, 0);
        g_assert_cmpint(g_atomic_int_get(&job.n_runs), ==, 1);
        g_assert_cmpint(g_atomic_int_get(&job.is_released), ==, 1);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/worker/runs", test_runs);
    g_test_add_func("/worker/ends-at-once", test_ends_at_once);
    g_test_add_func("/worker/hangs", test_hangs);
    return g_test_run();
}
