/* SPDX-License-Identifier: Apache-2.0 */
/* Starts strobe-writer so that the program is not affected: wait() does not return the writer, no
 * SIGCHLD is sent for it, and the writer shares no descriptor, signal disposition or process group
 * with the program. libc only. */
#ifndef STROBE_CORE_WRITER_PROCESS_H
#define STROBE_CORE_WRITER_PROCESS_H

#include <sys/types.h>

/* Starts the writer of the pool at this path and stores its process id. Returns 0 or an errno
 * value. Success does not mean that the writer could open the pool. */
int strobe_writer_process_start(const char *pool, pid_t *pid);

/* Starts `program` as the writer, as a child of the calling process, and stores its process id. For
 * `strobe run`, which may end before the writer. */
int strobe_writer_process_start_child(const char *program, const char *pool, pid_t *pid);

#endif
