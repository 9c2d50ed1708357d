/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A library whose constructor waits for a thread that makes its first calls of functions which
 * preloaded libraries interpose. The thread that loads the library holds the loader's lock during
 * this time.
 */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

__attribute__((visibility("default"))) int waiting_constructor_error = -1;

static void *make_calls(void *unused)
{
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    struct timespec instant = {0, 1000};
    void *memory = NULL;

    ppoll(NULL, 0, &instant, NULL);
    close(openat(AT_FDCWD, "/dev/null", O_RDONLY));
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    if (posix_memalign(&memory, 64, 64) == 0)
        free(memory);
    return unused;
}

static __attribute__((constructor)) void wait_for_thread(void)
{
    struct timespec until;
    pthread_t thread;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 5;
    waiting_constructor_error = pthread_create(&thread, NULL, make_calls, NULL);
    if (!waiting_constructor_error)
        waiting_constructor_error = pthread_timedjoin_np(thread, NULL, &until);
}
