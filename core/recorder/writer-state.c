/* SPDX-License-Identifier: Apache-2.0 */
#include "writer-state.h"

#include <errno.h>
#include <sys/types.h>
#include "process.h"

int strobe_writer_is_gone(struct pool_header *pool)
{
    struct pool_control *control = &pool->control;
    pid_t pid = (pid_t)atomic_load(&control->writer_pid); /* 0: a thread */
    int number = errno;

    if (pid && !strobe_process_is_there(pid, STROBE_WRITER_NAME))
        atomic_store(&control->writer_state, STROBE_WRITER_GONE);
    errno = number;
    return strobe_writer_was_gone(pool);
}
