/* SPDX-License-Identifier: Apache-2.0 */
/* The item "cpu": the processor use of the process and its threads, of the processors that it runs
 * on, and of the machine's processors. */
#include "cpu.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <strobe/helpers/sys-file.h>
#include "cores.h"
#include "threads.h"

/* Minimum processor time between two computations of the share of user time from ticks. */
#define SHARE_NS 100000000u

typedef struct Account {
    uint64_t at;           /* ns */
    uint64_t user, system; /* ns; sums over all threads, including threads that have ended */
    uint32_t threads;
} Account;

/* The process's CPU clock, and the share of user time, which the clock does not report. */
typedef struct Exact {
    clockid_t clock;
    int has_clock;
    uint64_t used, user; /* ns */
    double user_share;
    Account ticks; /* the ticks in `stat` when the share was last computed */
} Exact;

typedef struct HostCpu {
    HostContext *context;
    int stat;
    StrobeKindId kind, usage_kind;
    StrobeTrackId track;
    uint32_t processors;
    HostThreads *threads; /* NULL: the threads cannot be read */
    HostCores *cores;     /* NULL: /proc/stat cannot be read */
    Exact exact;
    Account last;
    int has_last, has_failed;
    HostRound round;
    uint8_t was_used[HOST_PROCESSORS_MAX];
} HostCpu;

/* Returns the number of processors that the process may use. */
static uint32_t count_processors(pid_t pid)
{
    cpu_set_t set;
    if (sched_getaffinity(pid, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
        return (uint32_t)CPU_COUNT(&set);
    /* the machine has more processors than a cpu_set_t holds */
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (uint32_t)online : 1;
}

/* Updates the share of user time in the process's recent processor time, from the ticks in
 * `stat`. */
static void note_user_share(Exact *exact, const Account *ticks)
{
    uint64_t user = host_grown(ticks->user, exact->ticks.user);
    uint64_t all = user + host_grown(ticks->system, exact->ticks.system);

    if (all < SHARE_NS && exact->used)
        return;
    exact->ticks = *ticks;
    exact->user_share = all ? (double)user / (double)all : 1;
}

/* Replaces the times from `stat` by the time of the process's clock, which is exact. A tick in
 * `stat` is 10 ms, which is half of the default interval. */
static void take_exact_account(HostCpu *cpu, Account *account)
{
    Exact *exact = &cpu->exact;
    struct timespec time;

    if (!exact->has_clock || clock_gettime(exact->clock, &time) != 0)
        return;
    uint64_t used = (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
    note_user_share(exact, account);
    exact->user += (uint64_t)((double)host_grown(used, exact->used) * exact->user_share);
    exact->used = used;
    account->user = exact->user;
    account->system = host_grown(used, exact->user);
}

static int read_account(HostCpu *cpu, Account *account)
{
    char text[1024];
    uint64_t user, system, threads;

    if (strobe_sys_read(cpu->stat, text, sizeof text) < 0)
        return -1;
    /* the program's name, in parentheses, may contain any character */
    const char *at = strrchr(text, ')');
    if (!at || (at++, strobe_sys_skip(&at, 11) != 0) || strobe_sys_number(&at, &user) != 0 ||
        strobe_sys_number(&at, &system) != 0 || strobe_sys_skip(&at, 4) != 0 ||
        strobe_sys_number(&at, &threads) != 0)
        return -1;
    account->threads = (uint32_t)threads;
    account->user = user * cpu->context->tick_ns;
    account->system = system * cpu->context->tick_ns;
    if (cpu->context->is_live)
        take_exact_account(cpu, account);
    account->at = host_clock(cpu->context);
    return account->at ? 0 : -1;
}

static void record_process(HostCpu *cpu, StrobeWriter *writer, const Account *now)
{
    const StrobeHost *host = cpu->context->host;
    const Account *last = &cpu->last;
    uint64_t interval = now->at - last->at;
    StrobeStringId name = host_name(cpu->context, writer, "CPU Usage");
    struct strobe_host_cpu *record =
        host->reserve(writer, cpu->kind, cpu->track, name, host->now(), 0);

    if (!record)
        return;
    /* when threads exit, the kernel's value for user or system time can decrease a little */
    record->user = host_percent(host_grown(now->user, last->user), interval);
    record->system = host_percent(host_grown(now->system, last->system), interval);
    record->usage = record->user + record->system;
    record->processors = cpu->processors;
    record->threads = now->threads;
    record->wait = cpu->threads && cpu->round.is_complete && cpu->round.has_wait
                       ? cpu->round.wait
                       : STROBE_ABSENT_F64;
    host->commit(writer);
}

/* All time of a thread counts for the processor on which it ran last, so that a processor can
 * exceed 100 %. A processor above 100 % gets no row, because the tools that read this table do not
 * expect such a row. */
static void record_processors(HostCpu *cpu, StrobeWriter *writer)
{
    const StrobeHost *host = cpu->context->host;
    char name[16];

    if (!cpu->round.is_complete)
        return;
    for (uint32_t i = 0; i < HOST_PROCESSORS_MAX; i++) {
        double usage = cpu->round.usage[i];
        if ((usage == 0 && !cpu->was_used[i]) || usage > 100)
            continue;
        cpu->was_used[i] = usage > 0;
        snprintf(name, sizeof name, "CPU %u", i);
        StrobeStringId id = host_name(cpu->context, writer, name);
        struct strobe_usage *record =
            host->reserve(writer, cpu->usage_kind, cpu->track, id, host->now(), 0);
        if (!record)
            continue;
        record->usage = usage;
        record->read_rate = record->write_rate = record->speed = STROBE_ABSENT_F64;
        record->processor = i;
        host->commit(writer);
    }
}

static void sample_process(HostCpu *cpu, StrobeWriter *writer)
{
    Account now;

    errno = 0;
    if (read_account(cpu, &now) != 0) {
        host_report(cpu->context, &cpu->has_failed, "stat");
        return;
    }
    if (cpu->has_last && now.at <= cpu->last.at)
        return; /* no time has passed, so there is no rate */
    if (cpu->threads)
        host_threads_sample(cpu->threads, writer, now.threads, &cpu->round);
    if (cpu->has_last)
        record_process(cpu, writer, &now);
    if (cpu->has_last && cpu->threads)
        record_processors(cpu, writer);
    cpu->last = now;
    cpu->has_last = 1;
}

static void cpu_sample(void *state, StrobeWriter *writer)
{
    HostCpu *cpu = state;

    sample_process(cpu, writer);
    if (cpu->cores)
        host_cores_sample(cpu->cores, writer);
}

static void cpu_start(void *state)
{
    HostCpu *cpu = state;

    cpu->has_last = 0;
    cpu->processors = count_processors(cpu->context->pid);
    memset(cpu->was_used, 0, sizeof cpu->was_used);
    if (cpu->threads)
        host_threads_start(cpu->threads);
    if (cpu->cores)
        host_cores_start(cpu->cores);
}

static void cpu_close(void *state)
{
    HostCpu *cpu = state;

    strobe_sys_close(&cpu->stat);
    if (cpu->threads)
        host_threads_close(cpu->threads);
    host_cores_close(cpu->cores);
    free(cpu);
}

static StrobeStatus cpu_open(HostContext *context, void **state)
{
    char name[64];
    Account account;
    HostCpu *cpu = calloc(1, sizeof *cpu);

    if (!cpu)
        return STROBE_ERROR_MEMORY;
    cpu->context = context;
    /* uses the clock of the process id, because in a child that inherits the descriptors the own
     * clock would be the child's */
    cpu->exact.has_clock =
        context->is_live && clock_getcpuclockid(context->pid, &cpu->exact.clock) == 0;
    snprintf(name, sizeof name, "%d/stat", (int)context->pid);
    cpu->stat = strobe_sys_open(context->proc_root, name);
    StrobeStatus status = cpu->stat < 0 || (errno = 0, read_account(cpu, &account)) != 0
                              ? host_unavailable(context, context->proc_root, name)
                              : STROBE_OK;
    if (status == STROBE_OK)
        status = context->host->kind(context->self, &strobe_kind_host_cpu, &cpu->kind);
    if (status == STROBE_OK)
        status = context->host->kind(context->self, &strobe_kind_usage, &cpu->usage_kind);
    if (status != STROBE_OK) {
        cpu_close(cpu);
        return status;
    }
    cpu->track = host_counter_track(context, "CPU Usage");
    cpu->threads = host_threads_open(context);
    cpu->cores = host_cores_open(context);
    *state = cpu;
    return STROBE_OK;
}

const HostItem host_item_cpu = {
    .name = "cpu", .open = cpu_open, .start = cpu_start, .sample = cpu_sample, .close = cpu_close};
