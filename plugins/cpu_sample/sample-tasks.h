/* SPDX-License-Identifier: Apache-2.0 */
/* Processes and threads of the samples: where a process has code, on which track a thread is. */
#ifndef STROBE_CPU_SAMPLE_TASKS_H
#define STROBE_CPU_SAMPLE_TASKS_H

#include <strobe/collector.h>

#include "address-space.h"
#include "python-process.h"

typedef struct SampledProcess {
    AddressSpace space;
    PythonProcess python;
    uint32_t n_threads;
    uint32_t unwound_start;   /* of the unwinder: the one that knows its mappings */
    uint64_t unwound_changes; /* and which: see unwinder.c */
    uint32_t n_read;          /* when its mappings were read last, see tasks_refresh */
    int is_reported;          /* what is missing of its Python frames was said */
    int is_recorded; /* it has a pool, or is a child of such a process: another session samples it
                      */
} SampledProcess;

typedef struct SampledThread {
    StrobeTrackId track;
    char name[16];
    struct PendingWait *wait; /* see wait-samples.c; NULL: none was seen */
} SampledThread;

typedef struct Tasks {
    const StrobeHost *host;
    StrobeInstance *self;
    CodeObjects objects;
    NumberTable processes; /* number -> SampledProcess */
    NumberTable threads;   /* number -> SampledThread */
} Tasks;

/* The process or thread of this number, which is looked up in /proc where it is new. NULL: no
 * memory. */
SampledProcess *tasks_process(Tasks *tasks, pid_t pid);
SampledThread *tasks_thread(Tasks *tasks, pid_t pid, pid_t tid);

/* Reads the mappings of a process again, once for each value of `now`. */
void tasks_refresh(Tasks *tasks, pid_t pid, uint32_t now);

/* What the kernel tells of them. */
void tasks_fork(Tasks *tasks, pid_t parent, pid_t pid);
void tasks_exit(Tasks *tasks, pid_t pid);
void tasks_rename(Tasks *tasks, pid_t pid, pid_t tid, const char *name);
void tasks_exec(Tasks *tasks, pid_t pid);
void tasks_map(Tasks *tasks, pid_t pid, const CodeMapping *mapping);
void tasks_map_data(Tasks *tasks, pid_t pid, const char *path);

/* Forgets all that may change while nothing is sampled; frames and tracks stay. */
void tasks_forget(Tasks *tasks);
void tasks_clear(Tasks *tasks);

#endif
