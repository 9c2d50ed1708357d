/* SPDX-License-Identifier: Apache-2.0 */
#include "fault-watch.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#define THREADS_MAX 64 /* further ones have theirs told to the main thread */

typedef struct Watched {
    pid_t thread; /* 0: free */
    int event;    /* -1: none */
} Watched;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key; /* Watched, of the thread */
static Watched threads[THREADS_MAX];
static uint64_t period; /* 0: not begun */

/* With the faults of calls into the system where that is allowed. */
static int open_counter(struct perf_event_attr *wanted, pid_t thread)
{
    for (int is_own_code = 0; is_own_code < 2; is_own_code++) {
        wanted->exclude_kernel = is_own_code != 0;
        int event = (int)syscall(SYS_perf_event_open, wanted, thread, -1, -1, PERF_FLAG_FD_CLOEXEC);
        if (event >= 0)
            return event;
    }
    return -1;
}

/* -1: not here. */
static int count_faults(pid_t thread, int with_threads_to_come)
{
    struct perf_event_attr wanted = {.type = PERF_TYPE_SOFTWARE,
                                     .size = sizeof wanted,
                                     .config = PERF_COUNT_SW_PAGE_FAULTS,
                                     .sample_period = period,
                                     .wakeup_events = 1,
                                     .inherit = with_threads_to_come != 0,
                                     .exclude_hv = 1};
    struct f_owner_ex owner = {F_OWNER_TID, thread};
    int event = open_counter(&wanted, thread);

    if (event >= 0 && fcntl(event, F_SETSIG, SIGPROF) == 0 &&
        fcntl(event, F_SETOWN_EX, &owner) == 0 && fcntl(event, F_SETFL, O_ASYNC | O_NONBLOCK) == 0)
        return event;
    if (event >= 0)
        close(event);
    return -1;
}

static void forget_thread(void *data)
{
    Watched *watched = data;

    pthread_mutex_lock(&mutex);
    if (watched->event >= 0)
        close(watched->event);
    watched->thread = 0;
    pthread_mutex_unlock(&mutex);
}

static void make_key(void)
{
    pthread_key_create(&key, forget_thread);
}

/* NULL: there is none left. */
static Watched *take_place(void)
{
    Watched *watched = NULL;

    pthread_mutex_lock(&mutex);
    for (int i = 0; i < THREADS_MAX && !watched; i++)
        if (!threads[i].thread)
            watched = &threads[i];
    if (watched) {
        watched->thread = (pid_t)syscall(SYS_gettid);
        watched->event = period ? count_faults(watched->thread, 0) : -1;
    }
    pthread_mutex_unlock(&mutex);
    return watched;
}

void fault_watch_thread(void)
{
    pthread_once(&once, make_key);
    pthread_setspecific(key, take_place()); /* not locked: it may need the heap, which begins it */
}

void fault_watch_begin(pid_t main_thread, uint64_t n_faults)
{
    pthread_mutex_lock(&mutex);
    period = n_faults;
    count_faults(main_thread, 1);
    for (int i = 0; i < THREADS_MAX; i++)
        if (threads[i].thread)
            threads[i].event = count_faults(threads[i].thread, 0);
    pthread_mutex_unlock(&mutex);
}
