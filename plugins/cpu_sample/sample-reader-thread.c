/* SPDX-License-Identifier: Apache-2.0 */
#include "sample-reader-thread.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <strobe/helpers/thread.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SLICE_NS 100000
#define NICE (-10)

/* The kernel's struct sched_attr (Linux 3.14), which no header of the C library declares. */
typedef struct ScheduleWish {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t slice, deadline, period;
} ScheduleWish;

struct DrainThread {
    pthread_t thread;
    void (*drain)(void *user);
    void *user;
    _Atomic int is_stopping;
};

/* Requests short time slices (Linux 6.12) and, if that is permitted, a higher priority, because the
 * thread works only some microseconds after each wake-up, and must then run soon. */
static void ask_for_early_wakeups(void)
{
    ScheduleWish wish = {.size = sizeof wish, .nice = NICE, .slice = SLICE_NS};

    if (syscall(SYS_sched_setattr, 0, &wish, 0) == 0)
        return;
    wish.nice = 0;
    syscall(SYS_sched_setattr, 0, &wish, 0);
}

static void *drain_main(void *data)
{
    DrainThread *thread = data;

    prctl(PR_SET_NAME, "strobe-python");
    ask_for_early_wakeups();
    while (!atomic_load(&thread->is_stopping))
        thread->drain(thread->user);
    return NULL;
}

DrainThread *drain_thread_start(void (*drain)(void *user), void *user)
{
    DrainThread *thread = calloc(1, sizeof *thread);

    if (!thread)
        return NULL;
    thread->drain = drain;
    thread->user = user;
    if (strobe_thread_start(&thread->thread, drain_main, thread) == 0)
        return thread;
    free(thread);
    return NULL;
}

void drain_thread_stop(DrainThread *thread)
{
    if (!thread)
        return;
    atomic_store(&thread->is_stopping, 1);
    pthread_join(thread->thread, NULL);
    free(thread);
}
