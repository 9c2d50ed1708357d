/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps only the last calls, for `acl_api_limit`: each new call overwrites the oldest one. */
#include "board.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

static BoardCall *kept; /* NULL: calls are not limited */
static uint64_t limit, n_calls;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int board_kept_begin(uint32_t wanted)
{
    n_calls = 0;
    limit = wanted;
    kept = wanted ? calloc(wanted, sizeof *kept) : NULL;
    return wanted && !kept ? ENOMEM : 0;
}

int board_kept_add(const BoardCall *call)
{
    if (!kept)
        return 0;
    pthread_mutex_lock(&lock);
    if (kept)
        kept[n_calls++ % limit] = *call;
    pthread_mutex_unlock(&lock);
    return 1;
}

uint64_t board_kept_end(void (*write)(const BoardCall *call))
{
    BoardCall *calls = kept;
    uint64_t n_lost = 0;

    if (!calls)
        return 0;
    pthread_mutex_lock(&lock);
    n_lost = n_calls > limit ? n_calls - limit : 0;
    for (uint64_t i = n_lost; write && i < n_calls; i++)
        write(&calls[i % limit]);
    kept = NULL;
    pthread_mutex_unlock(&lock);
    free(calls);
    return n_lost;
}

void board_kept_forget(void)
{
    pthread_mutex_init(&lock, NULL); /* the thread that held it is not in the child */
    kept = NULL;
}
