/* SPDX-License-Identifier: Apache-2.0 */
/* Starts strobe-writer beside the program, so that the program does not notice: no child that
 * wait() sees, no SIGCHLD, no descriptor, signal or group that the two share. libc only. */
#ifndef STROBE_CORE_WRITER_PROCESS_H
#define STROBE_CORE_WRITER_PROCESS_H

#include <sys/types.h>

/* Of the program, and so of its process. */
#define STROBE_WRITER_NAME "strobe-writer"

/* For the pool at this path. `*pid` is its number. Returns 0 or an errno value; that it has begun
 * does not say that it works. */
int strobe_writer_process_start(const char *pool, pid_t *pid);

#endif
