/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The launches of a window, by id, and whether a device has reported their tasks.
 *
 * MSPTI numbers the launches of a process from 1, and a call's record has the id of its launch. So
 * the plugin knows for which tasks a window still waits, even while other records come in. It does
 * not know this for a graph that is launched again: the graph's tasks have the ids with which they
 * were captured, so the plugin can only wait for a fixed time. Ids are kept between windows and
 * sessions, until the table overwrites them.
 */
#ifndef STROBE_PLUGINS_NPU_TASK_LAUNCHES_H
#define STROBE_PLUGINS_NPU_TASK_LAUNCHES_H

#include <stdint.h>

#define NPU_LAUNCHES 131072u /* size of the table of the latest launches */
#define NPU_CALLERS 256u

enum {
    NPU_LAUNCH_CALLED = 1,    /* a call has this id */
    NPU_LAUNCH_SURE = 2,      /* the call with this id certainly launches */
    NPU_LAUNCH_KERNEL = 4,    /* a kernel with this id was reported */
    NPU_LAUNCH_OPERATION = 8, /* a communication operation with this id was reported */
    /* a task with this id was reported, and counted as a task without a launch */
    NPU_LAUNCH_STRAY = 16,
    NPU_LAUNCH_REPORTED = NPU_LAUNCH_KERNEL | NPU_LAUNCH_OPERATION
};

/* Position of a call relative to the window, by its begin. */
enum { NPU_CALL_BEFORE, NPU_CALL_OF_WINDOW, NPU_CALL_BEHIND };

/* Properties of a task that its id shows, as bits. */
enum {
    NPU_TASK_OF_WINDOW = 1, /* the task was launched in this window */
    NPU_TASK_OF_PAST = 2,   /* the task was launched in an earlier window */
    NPU_TASK_COUNTED = 4,   /* the earlier window has counted it as missing */
    NPU_TASK_IS_KNOWN = 8,  /* a call with this id was reported */
    /* the call does not belong to this window, and this is its first task */
    NPU_TASK_ELSEWHERE = 16
};

typedef struct NpuLaunch {
    uint64_t id; /* 0: the entry is free */
    uint32_t period;
    uint16_t has;
    uint16_t caller; /* index of the first call reported with this id */
} NpuLaunch;

/* An entry of a hash table of called functions, by the addresses of their names. If two functions
 * have the same index, the later one replaces the earlier one. */
typedef struct NpuCaller {
    const char *name;
    int brings; /* 1: a call of this function had a task */
} NpuCaller;

typedef struct NpuLaunches {
    int is_watching; /* MSPTI reports both tasks and calls */
    /* only launches get ids; if MSPTI is preloaded, memory calls get ids too */
    int is_each_sure;
    /* odd: number of a window; even: number of the time between two windows */
    uint32_t period;
    uint64_t first, last; /* first and last id of this window; 0: nothing was launched */
    uint64_t before;      /* greatest id that is known to have been launched before the window */
    uint64_t greatest;    /* greatest id that was reported */
    uint64_t n_sure;      /* number of launches of this window whose tasks are awaited */
    uint64_t n_unsure;    /* number of awaited calls of this window that may have launched */
    /* number of tasks without their own launch, of graphs that are launched again */
    uint64_t n_untracked;
    uint64_t n_uncalled; /* number of tasks reported in this window whose calls were not reported */
    uint64_t n_tasks;    /* number of tasks so far */
    NpuCaller callers[NPU_CALLERS];
    NpuLaunch launches[NPU_LAUNCHES];
} NpuLaunches;

/* Begin and end a window. After the end none of the window's tasks is awaited. */
void npu_launches_begin(NpuLaunches *launches);
void npu_launches_end(NpuLaunches *launches);

/* Processes a call that ended with a new id of its thread. `is_node`: the call is of the node
 * level, which launches. `place` is NPU_CALL_*: only calls that began in the window are awaited. */
void npu_launches_see_call(NpuLaunches *launches, uint64_t id, const char *name, int is_node,
                           int place);

/* Processes a task; `what` is NPU_LAUNCH_KERNEL or NPU_LAUNCH_OPERATION. Returns NPU_TASK_*. */
uint32_t npu_launches_see_task(NpuLaunches *launches, uint64_t id, uint16_t what);

/* Returns whether a task with this id was launched in this window or elsewhere, as one bit of
 * NPU_TASK_*; 0: unknown. A call that launches several tasks has the id of its last task; the order
 * of ids shows where the other tasks were launched. */
uint32_t npu_launches_place(NpuLaunches *launches, uint64_t id);

#endif
