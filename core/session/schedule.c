/* SPDX-License-Identifier: Apache-2.0 */
#include "schedule.h"

StrobeAction strobe_schedule_action(const StrobeScheduleConfig *schedule, gint64 step)
{
    gint64 cycle = schedule->wait + schedule->warmup + schedule->active;
    gint64 s = step - schedule->skip_first;

    if (step < 0 || s < 0)
        return STROBE_ACTION_NONE;
    if (schedule->skip_first_wait != 0)
        s += MIN(schedule->wait, G_MAXINT64 - s);
    if (schedule->repeat > 0 && s / cycle >= schedule->repeat)
        return STROBE_ACTION_NONE;
    gint64 m = s % cycle;
    if (m < schedule->wait)
        return STROBE_ACTION_NONE;
    if (m < schedule->wait + schedule->warmup)
        return STROBE_ACTION_WARMUP;
    return m < cycle - 1 ? STROBE_ACTION_RECORD : STROBE_ACTION_RECORD_AND_SAVE;
}

#define WARN STROBE_CALL_WARN
#define STOP STROBE_CALL_STOP
#define HANDLER STROBE_CALL_HANDLER
#define COOL STROBE_CALL_COOL
#define WARM STROBE_CALL_WARM
#define START STROBE_CALL_START

/* The row is the previous action and the column the next action; the last column is the end of the
 * session. The messages are those of torch_npu. */
static const StrobeTransition table[4][5] = {
    [STROBE_ACTION_NONE] = {{0, NULL}, {WARM, NULL}, {START, NULL}, {START, NULL}, {0, NULL}},
    [STROBE_ACTION_WARMUP] = {{WARN | COOL, "Incorrect schedule: WARMUP followed by NONE"},
                              {0, NULL},
                              {START, NULL},
                              {START, NULL},
                              {WARN | COOL,
                               "Incorrect schedule: Stop profiler while current state is WARMUP "
                               "which will result in empty parsed data."}},
    [STROBE_ACTION_RECORD] = {{WARN | STOP | COOL, "Incorrect schedule: RECORD followed by NONE"},
                              {WARN | STOP | WARM, "Incorrect schedule: RECORD followed by WARMUP"},
                              {0, NULL},
                              {0, NULL},
                              {WARN | STOP | HANDLER | COOL,
                               "Incorrect schedule: Stop profiler while current state is RECORD "
                               "which may result in incomplete parsed data."}},
    [STROBE_ACTION_RECORD_AND_SAVE] = {{STOP | HANDLER | COOL, NULL},
                                       {STOP | HANDLER | WARM, NULL},
                                       {STOP | HANDLER | START, NULL},
                                       {STOP | HANDLER | START, NULL},
                                       {WARN | STOP | HANDLER | COOL,
                                        "Stop profiler while current state is RECORD_AND_SAVE, "
                                        "perhaps the scheduling cycle has not yet completed."}},
};

const StrobeTransition *strobe_schedule_transition(int previous, int next)
{
    return &table[previous & 3][next < 0 || next > STROBE_ACTION_EXIT ? STROBE_ACTION_EXIT : next];
}
