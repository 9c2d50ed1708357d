/* SPDX-License-Identifier: Apache-2.0 */
#include "state.h"

#include <pthread.h>
#include <stdlib.h>

#define IDS_AT_ONCE 64

Opencl opencl;

uint64_t opencl_link_id(void)
{
    static __thread struct {
        uint64_t session, next, end;
    } mine;

    if (mine.next == mine.end || mine.session != opencl.session) {
        mine.session = opencl.session;
        mine.next = opencl.host->link_ids(opencl.self, IDS_AT_ONCE);
        mine.end = mine.next + IDS_AT_ONCE;
    }
    return mine.next++;
}

static void register_exit(void)
{
    atexit(opencl.at_exit);
}

void opencl_mind_exit(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    if (atomic_load(&opencl.is_open))
        pthread_once(&once, register_exit);
}
