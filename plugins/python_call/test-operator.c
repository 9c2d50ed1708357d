/* SPDX-License-Identifier: Apache-2.0 */
/* Acts like an operator of a library, which requests its stack while it holds a mutex. */
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "../../sdk/check/mock-host.h"
#include <strobe/helpers/python-stack.h>

#define PATIENCE_S 20

#define TEST_EXPORT __attribute__((visibility("default")))

TEST_EXPORT uint32_t test_operator(const StrobePythonStack *stacks, StrobeMockHost *mock,
                                   _Atomic int *is_waiting);
TEST_EXPORT int test_has_mutex(void);
TEST_EXPORT int test_wait_for_operator(_Atomic int *is_waiting);

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static _Atomic int has_mutex;

/* Locks the mutex, lets another thread wait for the mutex, and requests the stack. The caller must
 * not hold the interpreter's lock. */
uint32_t test_operator(const StrobePythonStack *stacks, StrobeMockHost *mock,
                       _Atomic int *is_waiting)
{
    const StrobeHost *host = strobe_mock_host_table(mock);
    StrobeStackId stack;

    pthread_mutex_lock(&mutex);
    atomic_store(&has_mutex, 1);
    while (!atomic_load(is_waiting))
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    stack = stacks->stack(host->writer(strobe_mock_host_instance(mock)));
    atomic_store(&has_mutex, 0);
    pthread_mutex_unlock(&mutex);
    return stack;
}

int test_has_mutex(void)
{
    return atomic_load(&has_mutex);
}

/* Waits for the mutex while the operator holds it. The caller must hold the interpreter's lock.
 * Returns 0 if the mutex could be locked, otherwise an errno. */
int test_wait_for_operator(_Atomic int *is_waiting)
{
    struct timespec deadline = {.tv_sec = time(NULL) + PATIENCE_S};
    int problem;

    atomic_store(is_waiting, 1);
    problem = pthread_mutex_timedlock(&mutex, &deadline);
    if (!problem)
        pthread_mutex_unlock(&mutex);
    return problem;
}
