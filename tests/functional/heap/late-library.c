/* SPDX-License-Identifier: Apache-2.0 */
/* A library whose constructor waits for a thread that allocates. The thread that loads the library
 * holds the loader's lock at this time. */
#include <pthread.h>
#include <stdlib.h>

#define API __attribute__((visibility("default"), noinline))

static void *volatile kept;

API void *take_late(void *unused);

API void *take_late(void *unused)
{
    kept = malloc(1234);
    return unused;
}

static __attribute__((constructor)) void wait_for_thread(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, take_late, NULL) || pthread_join(thread, NULL))
        abort();
}
