/* SPDX-License-Identifier: Apache-2.0 */
#include "loaded-objects.h"

#include <link.h>
#include <pthread.h>

/* Held while the loader's list is locked, and during a fork: a child that is made meanwhile would
 * have that list locked for ever. */
static pthread_mutex_t counting = PTHREAD_MUTEX_INITIALIZER;

static void hold(void)
{
    pthread_mutex_lock(&counting);
}

static void let_go(void)
{
    pthread_mutex_unlock(&counting);
}

static void prepare_process(void)
{
    pthread_atfork(hold, let_go, let_go);
}

static int take_count(struct dl_phdr_info *info, size_t size, void *user)
{
    uint64_t *count = user;

    *count = info->dlpi_adds;
    return 1; /* the first object knows */
}

uint64_t strobe_loaded_objects(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    uint64_t count = 0;

    pthread_once(&once, prepare_process);
    if (pthread_mutex_trylock(&counting) != 0)
        return 0;
    dl_iterate_phdr(take_count, &count);
    let_go();
    return count;
}
