/* SPDX-License-Identifier: Apache-2.0 */
/* The processes and threads that are sampled: the code that a process has mapped, the track of a
 * thread. */
#ifndef STROBE_CPU_SAMPLE_TASKS_H
#define STROBE_CPU_SAMPLE_TASKS_H

#include <strobe/collector.h>

#include "address-space.h"
#include "python-process.h"

typedef struct SampledProcess {
    AddressSpace space;
    PythonProcess python;
    uint32_t n_threads;
    uint32_t unwound_start;   /* which start of the unwind program got its mappings */
    uint64_t unwound_changes; /* n_changes of the mappings that it got, see unwinder.c */
    uint32_t n_read;          /* `now` of the last tasks_refresh that read its mappings */
    int is_reported;          /* the log already says why its Python frames are missing */
    int is_recorded; /* it has a pool, or is a child of a process that has one: another session
                        samples it */
} SampledProcess;

typedef struct SampledThread {
    StrobeTrackId track;
    char name[16];
    struct PendingWait *wait; /* see wait-samples.c; NULL: no wait yet */
} SampledThread;

typedef struct Tasks {
    const StrobeHost *host;
    StrobeInstance *self;
    CodeObjects objects;
    NumberTable processes; /* process id -> SampledProcess */
    NumberTable threads;   /* thread id -> SampledThread */
} Tasks;

/* Return the process or thread with this id; a new one is looked up in /proc. NULL: no memory. */
SampledProcess *tasks_process(Tasks *tasks, pid_t pid);
SampledThread *tasks_thread(Tasks *tasks, pid_t pid, pid_t tid);

/* Reads the mappings of a process again, at most once for each value of `now`. */
void tasks_refresh(Tasks *tasks, pid_t pid, uint32_t now);

/* Apply the kernel's events: fork, exit, a new name, exec, mappings of code and of data. */
void tasks_fork(Tasks *tasks, pid_t parent, pid_t pid);
void tasks_exit(Tasks *tasks, pid_t pid);
void tasks_rename(Tasks *tasks, pid_t pid, pid_t tid, const char *name);
void tasks_exec(Tasks *tasks, pid_t pid);
void tasks_map(Tasks *tasks, pid_t pid, const CodeMapping *mapping);
void tasks_map_data(Tasks *tasks, pid_t pid, const char *path);

/* Forgets everything that may change between windows; frames and tracks stay. */
void tasks_forget(Tasks *tasks);
void tasks_clear(Tasks *tasks);

#endif
