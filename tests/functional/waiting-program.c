/* SPDX-License-Identifier: Apache-2.0 */
/* Makes calls that may wait. The arguments are the number of each type of call. */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_int n_held, n_done;

/* Holds the lock until the other thread waits for it, so that the call of the other thread has
 * begun. */
static void *hold_lock(void *n)
{
    for (int i = 0; i < *(int *)n; i++) {
        pthread_mutex_lock(&mutex); /* does not wait, because no other thread wants the lock yet */
        atomic_store(&n_held, i + 1);
        /* 2 is the value that the C library sets when a thread waits */
        while (*(volatile int *)&mutex != 2)
            sched_yield();
        pthread_mutex_unlock(&mutex);
        while (atomic_load(&n_done) <= i)
            continue;
    }
    return NULL;
}

static int contend_lock(int n)
{
    pthread_t thread;

    if (pthread_create(&thread, NULL, hold_lock, &n) != 0)
        return -1;
    for (int i = 0; i < n; i++) {
        while (atomic_load(&n_held) <= i)
            continue;
        pthread_mutex_lock(&mutex);
        pthread_mutex_unlock(&mutex);
        atomic_store(&n_done, i + 1);
    }
    return pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 10;
    struct timespec instant = {.tv_nsec = 1000};
    uint32_t word = 1;
    char byte = 'x';
    int pair[2], failed = 0;

    if (pipe(pair) != 0)
        return 1;
    for (int i = 0; i < n; i++) {
        failed |= write(pair[1], &byte, 1) != 1;
        failed |= read(pair[0], &byte, 1) != 1;
    }
    /* the word of the futex has another value, so the call does not wait */
    for (int i = 0; i < n + 1; i++)
        failed |= syscall(SYS_futex, &word, FUTEX_WAIT, 2, NULL, NULL, 0) != -1 || errno != EAGAIN;
    for (int i = 0; i < n + 2; i++)
        failed |= nanosleep(&instant, NULL) != 0;
    failed |= contend_lock(n + 3) != 0;
    failed |= read(-1, &byte, 1) != -1 || errno != EBADF; /* the call sets errno itself */
    return failed;
}
