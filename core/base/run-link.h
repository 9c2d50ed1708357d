/* SPDX-License-Identifier: Apache-2.0 */
/* Communication of a process with its `strobe run`, through the run's folder (attach.h). libc
 * only. */
#ifndef STROBE_CORE_RUN_LINK_H
#define STROBE_CORE_RUN_LINK_H

#include <limits.h>

/* The FIFO in the folder: each message is the path of a pool that needs a writer. */
#define STROBE_RUN_WRITERS "writers"
/* at most PIPE_BUF, so that a message is written as a whole */
#define STROBE_RUN_MESSAGE_BYTES PATH_MAX

/* Returns the folder of the run that this process belongs to; NULL: none. */
const char *strobe_run_folder(void);

/* Writes to a file in the run's folder, if there is one, which collector this thread is opening, so
 * that `strobe run` can name a plugin that ends the process. NULL: removes the file, because the
 * collector is open. */
void strobe_run_opening(const char *collector);

/* Asks `strobe run` to start the writer of the pool at this path. Returns 0, or an errno value
 * if `strobe run` has ended. */
int strobe_run_request_writer(const char *pool);

/* Called by `strobe run`: records in its folder that this pool's writer has failed or could not be
 * started. */
void strobe_run_refuse_writer(const char *folder, const char *pool);

/* Has `strobe run` called strobe_run_refuse_writer for this pool? */
int strobe_run_has_refused(const char *pool);

#endif
