/* SPDX-License-Identifier: Apache-2.0 */
/* Properties of processes and of the machine, from /proc. libc only. */
#ifndef STROBE_CORE_PROCESS_H
#define STROBE_CORE_PROCESS_H

#include <stddef.h>
#include <sys/types.h>

/* Returns the process id like getpid(), but makes a system call only in the first call of a
 * process. Any thread. */
pid_t strobe_process_id(void);
/* Returns the thread id like gettid(), but makes a system call only in the first call of a
 * thread. */
pid_t strobe_thread_id(void);

/* Writes the process's command line to `out`, with blanks between the arguments, truncated to
 * `size`; "" if it cannot be read. */
void strobe_process_command(pid_t pid, char *out, size_t size);

/* Does a process with this id and name exist that has not ended? A zombie has ended. `name` is NULL
 * (any name) or the kernel's name for the process, at most 15 bytes. If the process's name cannot
 * be read, it is not compared. */
int strobe_process_is_there(pid_t pid, const char *name);

/* Is the process's program statically linked, so that nothing can be loaded into it? 0 if the
 * program cannot be read. */
int strobe_process_is_static(pid_t pid);

/* Does the process's program only start another program (launchers.h)? 0 if its name cannot be
 * read. */
int strobe_process_is_launcher(pid_t pid);

/* Is the process's effective user different from that of the calling process? 0 if its user cannot
 * be read. */
int strobe_process_is_of_other_user(pid_t pid);

/* Writes the kernel's id of this boot of this machine to `out`, "" if it is unknown. */
void strobe_boot_id(char out[64]);

#endif
