/* SPDX-License-Identifier: Apache-2.0 */
/* Starts a process of Strobe beside the program, so that the program is not affected: wait() does
 * not return the process, no SIGCHLD is sent for it, and it shares no descriptor, signal
 * disposition or process group with the program. libc only. */
#ifndef STROBE_CORE_BESIDE_PROCESS_H
#define STROBE_CORE_BESIDE_PROCESS_H

#include <sys/types.h>

#define STROBE_BESIDE_ARGUMENTS 3
/* The number of the descriptor that the program gives to the process. */
#define STROBE_BESIDE_DESCRIPTOR 3

typedef struct StrobeBesideProcess {
    const char *name;                               /* one of Strobe's programs */
    const char *arguments[STROBE_BESIDE_ARGUMENTS]; /* without the name; NULL after the last */
    int descriptor; /* the process gets it as STROBE_BESIDE_DESCRIPTOR; -1: none */
} StrobeBesideProcess;

/* Starts the process and stores its process id. Returns 0 or an errno value. Success does not mean
 * that the process could begin its work. */
int strobe_beside_process_start(const StrobeBesideProcess *process, pid_t *pid);

/* Starts the program at the path `program` as a child of the calling process, and stores its
 * process id. For `strobe run`, which may end before the writer. */
int strobe_beside_process_start_child(const char *program, const StrobeBesideProcess *process,
                                      pid_t *pid);

#endif
