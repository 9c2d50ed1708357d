/* SPDX-License-Identifier: Apache-2.0 */
/* Runs four threads that work for a ms at a time while they hold a lock. All use the same lock or,
 * with the argument "apart", each its own lock. */
#include <pthread.h>
#include <string.h>
#include <time.h>

#define THREADS 4
#define ROUNDS 50

static pthread_mutex_t locks[THREADS] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                                         PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};

static void *work_with_lock(void *lock)
{
    const struct timespec millisecond = {.tv_nsec = 1000000};

    for (int i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(lock);
        nanosleep(&millisecond, NULL);
        pthread_mutex_unlock(lock);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int is_apart = argc > 1 && !strcmp(argv[1], "apart");
    pthread_t threads[THREADS];

    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, work_with_lock, &locks[is_apart ? i : 0]) != 0)
            return 1;
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
