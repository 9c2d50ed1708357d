/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/helpers/worker.h>

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <strobe/helpers/thread.h>
#include <time.h>

struct StrobeWorker {
    pthread_mutex_t lock;
    pthread_cond_t asked, done;
    void (*run)(void *user);
    void (*release)(void *user);
    void *user;
    /* is_left: strobe_worker_end() no longer waits for the thread */
    int is_busy, is_ending, is_ended, is_left;
    uint64_t since; /* ns; when the run was requested */
};

static uint64_t monotonic_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void free_worker(StrobeWorker *worker)
{
    pthread_cond_destroy(&worker->asked);
    pthread_cond_destroy(&worker->done);
    pthread_mutex_destroy(&worker->lock);
    worker->release(worker->user);
    free(worker);
}

static void *worker_main(void *data)
{
    StrobeWorker *worker = data;
    int is_left;

    pthread_mutex_lock(&worker->lock);
    /* a requested run is still made when the worker is ended */
    while (!worker->is_ending || worker->is_busy) {
        if (!worker->is_busy) {
            pthread_cond_wait(&worker->asked, &worker->lock);
            continue;
        }
        pthread_mutex_unlock(&worker->lock);
        worker->run(worker->user);
        pthread_mutex_lock(&worker->lock);
        worker->is_busy = 0;
    }
    worker->is_ended = 1;
    is_left = worker->is_left;
    pthread_cond_signal(&worker->done);
    pthread_mutex_unlock(&worker->lock);
    if (is_left)
        free_worker(worker);
    return NULL;
}

static int start_thread(StrobeWorker *worker)
{
    pthread_t thread;
    int failed = strobe_thread_start(&thread, worker_main, worker);

    if (failed)
        return failed;
    pthread_setname_np(thread, "strobe-worker");
    pthread_detach(thread);
    return 0;
}

StrobeWorker *strobe_worker_start(void (*run)(void *user), void (*release)(void *user), void *user)
{
    pthread_condattr_t attributes;
    StrobeWorker *worker = calloc(1, sizeof *worker);

    if (!worker)
        return NULL;
    worker->run = run;
    worker->release = release;
    worker->user = user;
    pthread_mutex_init(&worker->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&worker->asked, &attributes);
    pthread_cond_init(&worker->done, &attributes);
    pthread_condattr_destroy(&attributes);
    if (start_thread(worker) == 0)
        return worker;
    free(worker);
    return NULL;
}

uint64_t strobe_worker_ask(StrobeWorker *worker)
{
    uint64_t now = monotonic_ns(), busy_for = 0;

    pthread_mutex_lock(&worker->lock);
    if (worker->is_busy) {
        busy_for = now > worker->since ? now - worker->since : 1;
    } else {
        worker->is_busy = 1;
        worker->since = now;
        pthread_cond_signal(&worker->asked);
    }
    pthread_mutex_unlock(&worker->lock);
    return busy_for;
}

int strobe_worker_end(StrobeWorker *worker, uint64_t patience_ns)
{
    uint64_t until = monotonic_ns() + patience_ns;
    struct timespec deadline = {.tv_sec = (time_t)(until / 1000000000u),
                                .tv_nsec = (long)(until % 1000000000u)};
    int waited = 0;

    pthread_mutex_lock(&worker->lock);
    worker->is_ending = 1;
    pthread_cond_signal(&worker->asked);
    while (!worker->is_ended && waited != ETIMEDOUT)
        waited = pthread_cond_timedwait(&worker->done, &worker->lock, &deadline);
    int is_ended = worker->is_ended;
    worker->is_left = !is_ended;
    pthread_mutex_unlock(&worker->lock);
    if (is_ended)
        free_worker(worker);
    return !is_ended;
}
