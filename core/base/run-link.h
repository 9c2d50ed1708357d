/* SPDX-License-Identifier: Apache-2.0 */
/* Communication of a process with its `strobe run`, through the run's folder (attach.h). libc
 * only. */
#ifndef STROBE_CORE_RUN_LINK_H
#define STROBE_CORE_RUN_LINK_H

#include <limits.h>

/* The FIFO in the folder: each message is the path of a pool that needs a writer. */
#define STROBE_RUN_WRITERS "writers"
#define STROBE_RUN_MESSAGE_BYTES PATH_MAX /* at most PIPE_BUF: a message is whole */

/* The folder of the run that this process belongs to; NULL: none. */
const char *strobe_run_folder(void);

/* Notes in the folder, if there is one, which collector this thread is opening, so that `strobe
 * run` can name a plugin that ends the process. NULL: removes the note, because the collector is
 * open. */
void strobe_run_opening(const char *collector);

/* Asks `strobe run` to start the writer of the pool at this path. Returns 0, or an errno value
 * if `strobe run` has ended. */
int strobe_run_request_writer(const char *pool);

/* `strobe run` notes in its folder that this pool's writer has failed or could not be started. */
void strobe_run_refuse_writer(const char *folder, const char *pool);

/* Has `strobe run` noted that for this pool? */
int strobe_run_has_refused(const char *pool);

#endif
