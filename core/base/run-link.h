/* SPDX-License-Identifier: Apache-2.0 */
/* What a process under `strobe run` reads and requests of it, through the run's folder (attach.h).
 * libc only. */
#ifndef STROBE_CORE_RUN_LINK_H
#define STROBE_CORE_RUN_LINK_H

#include <limits.h>

/* The FIFO in the folder: each message is the path of a pool that needs a writer. */
#define STROBE_RUN_WRITERS "writers"
#define STROBE_RUN_MESSAGE_BYTES PATH_MAX /* at most PIPE_BUF: a message is whole */

/* The folder of the run that this process belongs to; NULL: of none. */
const char *strobe_run_folder(void);

/* Notes in the folder, if there is one, that this thread opens the collector: a plugin that ends
 * the process is known by it. NULL: it is open. */
void strobe_run_opening(const char *collector);

/* Requests that `strobe run` starts the writer of the pool at this path. Returns 0, or an errno
 * value where it is not there to do that. */
int strobe_run_request_writer(const char *pool);

#endif
