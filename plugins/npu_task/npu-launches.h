/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Launches of a window, by their ids, and whether a device has told of their tasks.
 *
 * MSPTI counts launches of a process from 1, and a call's record has the id of what it launched.
 * So it is known what a window still waits for, whatever else is told meanwhile. Not known are
 * tasks of a graph that is launched again, which have the id that they were captured with: of
 * these only the time says that they have come. Ids stay known between windows and sessions, as far
 * as the table reaches back.
 */
#ifndef STROBE_PLUGINS_NPU_TASK_LAUNCHES_H
#define STROBE_PLUGINS_NPU_TASK_LAUNCHES_H

#include <stdint.h>

#define NPU_LAUNCHES 131072u /* that are known at once: the latest */
#define NPU_CALLERS 256u

enum {
    NPU_LAUNCH_CALLED = 1,    /* a call has this id */
    NPU_LAUNCH_SURE = 2,      /* and launches, for certain */
    NPU_LAUNCH_KERNEL = 4,    /* a kernel with this id was told */
    NPU_LAUNCH_OPERATION = 8, /* a communication operation was */
    NPU_LAUNCH_STRAY = 16,    /* its task was told, and counted as one that no launch stands for */
    NPU_LAUNCH_REPORTED = NPU_LAUNCH_KERNEL | NPU_LAUNCH_OPERATION
};

/* Position of a call relative to the window, by its begin. */
enum { NPU_CALL_BEFORE, NPU_CALL_OF_WINDOW, NPU_CALL_BEHIND };

/* Facts about a task by its id, as bits. */
enum {
    NPU_TASK_OF_WINDOW = 1, /* it was launched in this one */
    NPU_TASK_OF_PAST = 2,   /* in an earlier one */
    NPU_TASK_COUNTED = 4,   /* which has counted it as one that did not come */
    NPU_TASK_IS_KNOWN = 8,  /* a call has this id */
    NPU_TASK_ELSEWHERE = 16 /* which was not made in this window, and the task is its first */
};

typedef struct NpuLaunch {
    uint64_t id; /* 0: free */
    uint32_t period;
    uint16_t has;
    uint16_t caller; /* the call that was told first: its place */
} NpuLaunch;

/* Calls by their names' addresses; two with one place make way for each other. */
typedef struct NpuCaller {
    const char *name;
    int brings; /* a task was told of such a call */
} NpuCaller;

typedef struct NpuLaunches {
    int is_watching;      /* tasks and calls are told */
    int is_each_sure;     /* nothing but a launch takes an id: MSPTI is not preloaded */
    uint32_t period;      /* odd: a window; even: between two */
    uint64_t first, last; /* of this window, 0: nothing was launched */
    uint64_t before;      /* the last one that is known to have been launched before it */
    uint64_t greatest;    /* id of all that were told */
    uint64_t n_sure;      /* launches of this window that are awaited */
    uint64_t n_unsure;    /* calls that may have been one */
    uint64_t n_untracked; /* tasks that no launch stands for: graphs that are launched again */
    uint64_t n_uncalled;  /* tasks that were told in this window, and their calls were not */
    uint64_t n_tasks;     /* ever */
    NpuCaller callers[NPU_CALLERS];
    NpuLaunch launches[NPU_LAUNCHES];
} NpuLaunches;

/* A window begins; no more of it is waited for. */
void npu_launches_begin(NpuLaunches *launches);
void npu_launches_end(NpuLaunches *launches);

/* A call ended with an id that its thread did not have before. `is_node`: it is of the level that
 * launches. `place` is NPU_CALL_*: what did not begin in the window is not awaited. */
void npu_launches_see_call(NpuLaunches *launches, uint64_t id, const char *name, int is_node,
                           int place);

/* A task was told, `what` is one of the two. Returns NPU_TASK_*. */
uint32_t npu_launches_see_task(NpuLaunches *launches, uint64_t id, uint16_t what);

/* Returns a bit for the place where a task with this id was launched: in this window or
 * elsewhere; 0: unknown. A call that launches several tasks has the id of the last one; the
 * order of ids identifies the others. */
uint32_t npu_launches_place(NpuLaunches *launches, uint64_t id);

#endif
