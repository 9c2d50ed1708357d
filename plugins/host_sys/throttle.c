/* SPDX-License-Identifier: Apache-2.0 */
/* The item "throttle": how long the processor limit of the control group stopped its tasks. */
#include "throttle.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <strobe/helpers/sys-file.h>
#include "cgroup.h"

typedef struct Account {
    uint64_t at, periods, throttled, time; /* ns */
} Account;

typedef struct HostThrottle {
    HostContext *context;
    HostCgroup cgroup;
    int file;
    StrobeKindId kind;
    StrobeTrackId track;
    double limit; /* in processors; NaN: there is no limit */
    Account last;
    int has_failed;
} HostThrottle;

/* Reads the counters. The time is in us in version 2 and in ns in version 1. A group without a
 * limit, for example the root, may not have the counters. */
static int read_account(const HostThrottle *throttle, Account *account)
{
    char text[1024];

    if (strobe_sys_read(throttle->file, text, sizeof text) < 0 ||
        strobe_sys_field(text, "nr_periods ", &account->periods) != 0 ||
        strobe_sys_field(text, "nr_throttled ", &account->throttled) != 0)
        return -1;
    if (strobe_sys_field(text, "throttled_usec ", &account->time) == 0)
        account->time *= 1000;
    else if (strobe_sys_field(text, "throttled_time ", &account->time) != 0)
        return -1;
    account->at = host_clock(throttle->context);
    return account->at ? 0 : -1;
}

static double read_quota(const HostThrottle *throttle, const HostCgroup *cgroup)
{
    char text[64], period_text[64];
    const char *at = text, *period_at = period_text;
    uint64_t quota, period;

    (void)throttle;
    if (cgroup->version == 2) {
        if (strobe_sys_read_path(cgroup->folder, "cpu.max", text, sizeof text) < 0 ||
            strobe_sys_number(&at, &quota) != 0 || strobe_sys_number(&at, &period) != 0)
            return STROBE_ABSENT_F64;
    } else if (strobe_sys_read_path(cgroup->folder, "cpu.cfs_quota_us", text, sizeof text) < 0 ||
               strobe_sys_read_path(cgroup->folder, "cpu.cfs_period_us", period_text,
                                    sizeof period_text) < 0 ||
               strobe_sys_number(&at, &quota) != 0 || strobe_sys_number(&period_at, &period) != 0) {
        return STROBE_ABSENT_F64;
    }
    return period ? (double)quota / (double)period : STROBE_ABSENT_F64;
}

/* Returns the smallest limit of the group and its parents. */
static double read_limit(const HostThrottle *throttle)
{
    HostCgroup cgroup = throttle->cgroup;
    double least = STROBE_ABSENT_F64;

    do {
        double limit = read_quota(throttle, &cgroup);
        if (!(limit >= least)) /* `least` may be NaN */
            least = limit > 0 ? limit : least;
    } while (host_cgroup_up(&cgroup) == 0);
    return least;
}

static void record_throttle(HostThrottle *throttle, StrobeWriter *writer, const Account *now)
{
    const StrobeHost *host = throttle->context->host;
    const Account *last = &throttle->last;
    uint64_t interval = now->at - last->at;
    StrobeStringId name = host_name(throttle->context, writer, throttle->cgroup.path);
    struct strobe_host_throttle *record =
        host->reserve(writer, throttle->kind, throttle->track, name, host->now(), 0);

    if (!record)
        return;
    record->throttled_time = now->time - last->time;
    record->throttled = host_percent(record->throttled_time, interval);
    record->periods = now->periods - last->periods;
    record->throttled_periods = now->throttled - last->throttled;
    record->limit = throttle->limit;
    record->interval = interval;
    host->commit(writer);
}

static void throttle_sample(void *state, StrobeWriter *writer)
{
    HostThrottle *throttle = state;
    const Account *last = &throttle->last;
    Account now;

    errno = 0;
    if (read_account(throttle, &now) != 0) {
        host_report(throttle->context, &throttle->has_failed, "cpu.stat");
        throttle->last.at = 0;
        return;
    }
    if (last->at && now.at <= last->at)
        return;
    if (last->at && now.periods >= last->periods && now.throttled >= last->throttled &&
        now.time >= last->time)
        record_throttle(throttle, writer, &now);
    throttle->last = now;
}

static void throttle_start(void *state)
{
    HostThrottle *throttle = state;

    throttle->last.at = 0;
    throttle->limit = read_limit(throttle);
}

static void throttle_close(void *state)
{
    HostThrottle *throttle = state;

    strobe_sys_close(&throttle->file);
    free(throttle);
}

static StrobeStatus throttle_open(HostContext *context, void **state)
{
    Account account;
    HostThrottle *throttle = calloc(1, sizeof *throttle);
    StrobeStatus status = STROBE_OK;

    if (!throttle)
        return STROBE_ERROR_MEMORY;
    throttle->context = context;
    throttle->file = -1;
    errno = 0;
    if (host_cgroup_find(context, "cpu", "cpu.stat", "cpu.stat", &throttle->cgroup) == 0)
        throttle->file = strobe_sys_open(throttle->cgroup.folder, "cpu.stat");
    if (throttle->file < 0 || (errno = 0, read_account(throttle, &account)) != 0)
        status = host_unavailable(context, context->sys_root, "fs/cgroup");
    if (status == STROBE_OK)
        status = context->host->kind(context->self, &strobe_kind_host_throttle, &throttle->kind);
    if (status != STROBE_OK) {
        throttle_close(throttle);
        return status;
    }
    throttle->track = host_counter_track(context, "CPU Throttling");
    *state = throttle;
    return STROBE_OK;
}

const HostItem host_item_throttle = {.name = "throttle",
                                     .open = throttle_open,
                                     .start = throttle_start,
                                     .sample = throttle_sample,
                                     .close = throttle_close};
