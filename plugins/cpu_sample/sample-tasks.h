/* SPDX-License-Identifier: Apache-2.0 */
/* The processes and threads that are sampled, with the code that each process has mapped and the
 * track of each thread. */
#ifndef STROBE_CPU_SAMPLE_TASKS_H
#define STROBE_CPU_SAMPLE_TASKS_H

#include <strobe/collector.h>

#include "address-space.h"
#include "python-process.h"

typedef struct SampledProcess {
    AddressSpace space;
    PythonProcess python;
    uint32_t n_threads;
    /* `n_starts` of the unwinder when it sent the process's mappings */
    uint32_t unwound_start;
    uint64_t unwound_changes; /* `n_changes` of the mappings that were sent, see unwinder.c */
    uint32_t n_read;          /* `now` of the last tasks_refresh that read the mappings */
    /* the reason why the process's Python frames are missing was logged */
    int is_reported;
    /* the process has a pool, or is a child of a process that has one: another session samples
     * it */
    int is_recorded;
} SampledProcess;

typedef struct SampledThread {
    StrobeTrackId track;
    char name[16];
    /* the wait that has begun, see wait-samples.c; NULL: there was none */
    struct PendingWait *wait;
} SampledThread;

typedef struct Tasks {
    const StrobeHost *host;
    StrobeInstance *self;
    CodeObjects objects;
    NumberTable processes; /* process id -> SampledProcess */
    NumberTable threads;   /* thread id -> SampledThread */
} Tasks;

/* Return the process or the thread with this id. A new one is looked up in /proc. Returns NULL if
 * there is no memory. */
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

/* Forgets all data that may change between two windows. Keeps frames and tracks. */
void tasks_forget(Tasks *tasks);
void tasks_clear(Tasks *tasks);

#endif
