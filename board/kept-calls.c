/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps only the last calls, for `acl_api_limit`. When the limit is reached, each new call
 * overwrites the oldest one. */
#include "board.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

static BoardCall *kept; /* the kept calls; NULL: their number is not limited */
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
    int is_kept;

    pthread_mutex_lock(&lock);
    is_kept = kept != NULL;
    if (is_kept)
        kept[n_calls++ % limit] = *call;
    pthread_mutex_unlock(&lock);
    return is_kept;
}

uint64_t board_kept_end(void (*write)(const BoardCall *call))
{
    BoardCall *calls;
    uint64_t n, n_lost;

    /* The calls are written without the lock, because writing may wait for the disk, and other
     * threads must not wait for the lock that long. */
    pthread_mutex_lock(&lock);
    calls = kept;
    n = n_calls;
    kept = NULL;
    pthread_mutex_unlock(&lock);
    if (!calls)
        return 0;
    n_lost = n > limit ? n - limit : 0;
    for (uint64_t i = n_lost; write && i < n; i++)
        write(&calls[i % limit]);
    free(calls);
    return n_lost;
}

void board_kept_forget(void)
{
    /* in a forked child, a thread that the child does not have may have held the lock */
    pthread_mutex_init(&lock, NULL);
    kept = NULL;
}
