/* SPDX-License-Identifier: Apache-2.0 */
#include "npu-launches.h"

static void begin_period(NpuLaunches *launches, uint32_t period)
{
    launches->period = period;
    launches->before = launches->greatest;
    launches->first = launches->last = launches->n_sure = launches->n_unsure = 0;
    launches->n_untracked = launches->n_uncalled = 0;
}

void npu_launches_begin(NpuLaunches *launches)
{
    begin_period(launches, (launches->period + 1) | 1u);
}

void npu_launches_end(NpuLaunches *launches)
{
    begin_period(launches, (launches->period + 1) & ~1u);
}

static NpuLaunch *launch_of(NpuLaunches *launches, uint64_t id)
{
    return &launches->launches[id % NPU_LAUNCHES];
}

static int is_awaited(const NpuLaunches *launches, const NpuLaunch *launch)
{
    return launch->period == launches->period && (launch->has & NPU_LAUNCH_CALLED) &&
           !(launch->has & NPU_LAUNCH_REPORTED);
}

static uint64_t *counter_of(NpuLaunches *launches, const NpuLaunch *launch)
{
    return launch->has & NPU_LAUNCH_SURE ? &launches->n_sure : &launches->n_unsure;
}

static uint16_t caller_of(NpuLaunches *launches, const char *name)
{
    uint16_t at = (uint16_t)((uintptr_t)name * UINT64_C(0x9e3779b97f4a7c15) >> 56);

    if (launches->callers[at].name != name)
        launches->callers[at] = (NpuCaller){.name = name};
    return at;
}

/* ---- calls ---- */

/* Returns NPU_LAUNCH_SURE if a call certainly launches, else 0. If memory calls also get ids, only
 * calls of the node level, and calls of a function whose earlier calls had tasks, certainly
 * launch. */
static uint16_t get_sureness(const NpuLaunches *launches, uint16_t caller, int is_node)
{
    int is_sure = launches->is_each_sure || is_node || launches->callers[caller].brings;

    return is_sure ? NPU_LAUNCH_SURE : 0;
}

/* Returns whether the call only repeats an id of an earlier window. A thread's first call in a
 * session may do this. */
static int is_carried_on(const NpuLaunches *launches, const NpuLaunch *launch, uint64_t id)
{
    return launch->id == id && launch->period < launches->period &&
           (launch->has & NPU_LAUNCH_CALLED);
}

/* Corrects the counts for a task that was reported before its call. */
static void settle_stray(NpuLaunches *launches, NpuLaunch *launch)
{
    if (launch->has & NPU_LAUNCH_CALLED)
        return;
    launches->n_uncalled--;
    launches->n_untracked -= (launch->has & NPU_LAUNCH_STRAY) != 0;
    launch->has &= (uint16_t)~NPU_LAUNCH_STRAY;
}

static void widen_range(NpuLaunches *launches, uint64_t id, int place)
{
    if (id > launches->greatest)
        launches->greatest = id;
    if (place == NPU_CALL_BEFORE && id > launches->before)
        launches->before = id;
    if (place != NPU_CALL_OF_WINDOW)
        return;
    if (!launches->first || id < launches->first)
        launches->first = id;
    if (id > launches->last)
        launches->last = id;
}

void npu_launches_see_call(NpuLaunches *launches, uint64_t id, const char *name, int is_node,
                           int place)
{
    NpuLaunch *launch = launch_of(launches, id);
    int is_of_window = place == NPU_CALL_OF_WINDOW;
    uint32_t period = is_of_window ? launches->period : (launches->period + 1) & ~1u;
    uint16_t caller = caller_of(launches, name);

    if (!launches->is_watching || is_carried_on(launches, launch, id))
        return;
    widen_range(launches, id, place);
    if (is_awaited(launches, launch))
        --*counter_of(launches, launch); /* the launch is counted again below, or replaced */
    if (launch->id == id && launch->period == launches->period)
        settle_stray(launches, launch);
    if (launch->id != id || launch->period != period)
        *launch = (NpuLaunch){.id = id, .caller = caller, .period = period};
    launch->has |= NPU_LAUNCH_CALLED | get_sureness(launches, caller, is_node);
    if (is_awaited(launches, launch))
        ++*counter_of(launches, launch);
}

/* ---- tasks ---- */

/* Processes a task whose launch is not known in this window: the launch is of an earlier window, or
 * of a graph that is launched again. If the launch is known and already has a task, this task is of
 * a graph. If the id is unknown and less than the first id of this window, the task may be of an
 * earlier window. */
static uint32_t see_stray(NpuLaunches *launches, NpuLaunch *launch, uint64_t id, uint16_t what)
{
    int is_known = launch->id == id && (launch->has & NPU_LAUNCH_CALLED);
    uint32_t known = is_known ? NPU_TASK_IS_KNOWN : 0;

    if (is_known && !(launch->has & NPU_LAUNCH_REPORTED)) {
        launch->has |= what;
        known |= NPU_TASK_ELSEWHERE;
        if (launch->period & 1u)
            known |= launch->has & NPU_LAUNCH_SURE ? NPU_TASK_OF_PAST | NPU_TASK_COUNTED
                                                   : NPU_TASK_OF_PAST;
    } else if (is_known) {
        launches->n_untracked++;
    } else if (!is_awaited(launches, launch)) { /* the task's call may be reported later */
        uint16_t stray = id < launches->first ? NPU_LAUNCH_STRAY : 0;
        launches->n_untracked += stray != 0;
        launches->n_uncalled++;
        *launch =
            (NpuLaunch){.id = id, .period = launches->period, .has = (uint16_t)(what | stray)};
    }
    return known;
}

uint32_t npu_launches_see_task(NpuLaunches *launches, uint64_t id, uint16_t what)
{
    NpuLaunch *launch = launch_of(launches, id);

    launches->n_tasks++;
    if (!launches->is_watching || id == 0)
        return 0;
    if (launch->id != id || launch->period != launches->period)
        return see_stray(launches, launch, id, what);
    int is_called = (launch->has & NPU_LAUNCH_CALLED) != 0;
    if (is_awaited(launches, launch)) {
        --*counter_of(launches, launch);
        launches->callers[launch->caller].brings = 1;
    } else if ((launch->has & what) && (launch->has & NPU_LAUNCH_CALLED)) {
        launches->n_untracked++;
    }
    launch->has |= what;
    if (!is_called)
        return 0;
    return NPU_TASK_IS_KNOWN | (launches->period & 1u ? NPU_TASK_OF_WINDOW : 0);
}

uint32_t npu_launches_place(NpuLaunches *launches, uint64_t id)
{
    const NpuLaunch *launch = launch_of(launches, id);

    if (!(launches->period & 1u))
        return 0;
    if (launch->id == id && (launch->has & NPU_LAUNCH_CALLED))
        return launch->period == launches->period ? NPU_TASK_OF_WINDOW : NPU_TASK_ELSEWHERE;
    return id > launches->before && id <= launches->last ? NPU_TASK_OF_WINDOW : 0;
}
