/* SPDX-License-Identifier: Apache-2.0 */
#include "threads.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strobe/helpers/descriptor.h>

#include <strobe/helpers/sys-file.h>

#define THREADS_MAX 8192
#define HELD_MAX 72 /* maximum number of descriptors that stay open */
#define ROTATION 16 /* number of threads without an open descriptor that each sample reads */
#define STATS_MAX 8 /* maximum number of `stat` files that each sample opens */
#define RESCAN_NS 1000000000u

typedef struct Thread {
    pid_t tid;
    int schedstat; /* -1: not open */
    uint32_t processor;
    uint8_t is_present, is_known, was_idle, is_stale;
    uint64_t at, run, wait; /* ns; time of the last reading, and the values at that time */
    uint64_t user, system;  /* ticks when `stat` was read */
    double user_share;      /* share of user time in the thread's processor time; NaN: unknown */
    char name[16];
} Thread;

struct HostThreads {
    HostContext *context;
    StrobeKindId kind;
    StrobeTrackId track;
    int folder; /* descriptor of the folder "task" */
    int has_schedstat;
    uint32_t n, n_found, n_held;
    uint32_t rotation, stat_turn; /* positions at which the next sample continues */
    uint32_t stats_left;          /* number of `stat` files that this sample may still open */
    uint32_t n_threads;           /* number of threads at the last scan */
    uint64_t scanned_ns;
    Thread threads[THREADS_MAX]; /* sorted by tid */
    Thread merged[THREADS_MAX];
    pid_t found[THREADS_MAX];
    int is_full; /* a message about too many threads was logged */
};

HostThreads *host_threads_open(HostContext *context)
{
    char path[4096];
    HostThreads *threads = calloc(1, sizeof *threads);

    if (!threads)
        return NULL;
    snprintf(path, sizeof path, "%s/%d/task", context->proc_root, (int)context->pid);
    threads->context = context;
    threads->folder = strobe_descriptor_aside(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    threads->has_schedstat = 1;
    if (threads->folder < 0 ||
        context->host->kind(context->self, &strobe_kind_host_thread, &threads->kind)) {
        host_threads_close(threads);
        return NULL;
    }
    threads->track = host_counter_track(context, "CPU Usage");
    return threads;
}

void host_threads_close(HostThreads *threads)
{
    for (uint32_t i = 0; i < threads->n; i++)
        strobe_sys_close(&threads->threads[i].schedstat);
    strobe_sys_close(&threads->folder);
    free(threads);
}

void host_threads_start(HostThreads *threads)
{
    threads->scanned_ns = 0;
    for (uint32_t i = 0; i < threads->n; i++)
        threads->threads[i].is_known = 0;
}

static int compare_tids(const void *a, const void *b)
{
    pid_t left = *(const pid_t *)a, right = *(const pid_t *)b;

    return (left > right) - (left < right);
}

static int take_name(void *user, const char *name)
{
    HostThreads *t = user;
    uint64_t tid;

    if (strobe_sys_number(&name, &tid) != 0 || *name || tid > INT32_MAX)
        return 0;
    if (t->n_found == THREADS_MAX) {
        if (!t->is_full)
            t->context->host->log(t->context->self, STROBE_LOG_WARNING,
                                  "Only %d threads are sampled", THREADS_MAX);
        t->is_full = 1;
        return 1;
    }
    t->found[t->n_found++] = (pid_t)tid;
    return 0;
}

/* Writes the thread ids in the folder "task" to `found`, in ascending order. */
static void list_folder(HostThreads *t)
{
    t->n_found = 0;
    strobe_sys_each(t->folder, take_name, t);
    for (uint32_t i = 1; i < t->n_found; i++)
        if (t->found[i] < t->found[i - 1]) {
            qsort(t->found, t->n_found, sizeof *t->found, compare_tids);
            break;
        }
}

static void forget_thread(HostThreads *t, Thread *thread)
{
    if (thread->schedstat >= 0)
        t->n_held--;
    strobe_sys_close(&thread->schedstat);
}

/* Updates the table: merges `threads` and `found`, which are both in ascending order. */
static void rescan_threads(HostThreads *t)
{
    uint32_t old = 0, n = 0;

    list_folder(t);
    for (uint32_t i = 0; i < t->n_found; i++) {
        while (old < t->n && t->threads[old].tid < t->found[i])
            forget_thread(t, &t->threads[old++]);
        if (old < t->n && t->threads[old].tid == t->found[i])
            t->merged[n++] = t->threads[old++];
        else
            t->merged[n++] = (Thread){.tid = t->found[i],
                                      .schedstat = -1,
                                      .processor = STROBE_ABSENT_U32,
                                      .is_stale = 1,
                                      .user_share = STROBE_ABSENT_F64};
    }
    while (old < t->n)
        forget_thread(t, &t->threads[old++]);
    memcpy(t->threads, t->merged, n * sizeof *t->threads);
    t->n = n;
}

/* Reads from `stat` the values that are not in schedstat: the name, the processor, and the ticks in
 * user and system mode. */
static int read_stat(HostThreads *t, Thread *thread, uint64_t *run_ticks)
{
    char name[32], text[1024];
    uint64_t user, system, processor;

    snprintf(name, sizeof name, "%d/stat", (int)thread->tid);
    if (strobe_sys_read_at(t->folder, name, text, sizeof text) < 0)
        return -1;
    const char *open = strchr(text, '('), *close = strrchr(text, ')');
    const char *at = close ? close + 1 : text;
    if (!open || !close || close < open || strobe_sys_skip(&at, 11) != 0 ||
        strobe_sys_number(&at, &user) != 0 || strobe_sys_number(&at, &system) != 0 ||
        strobe_sys_skip(&at, 23) != 0 || strobe_sys_number(&at, &processor) != 0)
        return -1;
    uint64_t in_user = host_grown(user, thread->user),
             in_system = host_grown(system, thread->system);
    if (in_user + in_system > 0)
        thread->user_share = (double)in_user / (double)(in_user + in_system);
    thread->user = user;
    thread->system = system;
    thread->processor = (uint32_t)processor;
    snprintf(thread->name, sizeof thread->name, "%.*s", (int)(close - open - 1), open + 1);
    *run_ticks = user + system;
    thread->is_stale = 0;
    return 0;
}

static int read_schedstat(HostThreads *t, Thread *thread, uint64_t *run, uint64_t *wait)
{
    char name[32], text[128];
    const char *at = text;

    if (thread->schedstat < 0) {
        snprintf(name, sizeof name, "%d/schedstat", (int)thread->tid);
        thread->schedstat = strobe_sys_open_at(t->folder, name);
        t->n_held += thread->schedstat >= 0;
    }
    int length = strobe_sys_read(thread->schedstat, text, sizeof text);
    if (t->n_held > HELD_MAX)
        forget_thread(t, thread);
    if (length >= 0 && strobe_sys_number(&at, run) == 0 && strobe_sys_number(&at, wait) == 0)
        return 0;
    forget_thread(t, thread);
    return -1;
}

/* Reads the thread's current times. If there is no schedstat, the times come from ticks, and the
 * waiting time is absent. */
static int read_account(HostThreads *t, Thread *thread, uint64_t *run, uint64_t *wait)
{
    uint64_t ticks;

    *wait = STROBE_ABSENT_U64;
    if (t->has_schedstat && read_schedstat(t, thread, run, wait) == 0) {
        if ((thread->is_stale || *run != thread->run) && t->stats_left > 0) {
            t->stats_left--;
            read_stat(t, thread, &ticks);
        }
        return 0;
    }
    if (read_stat(t, thread, &ticks) != 0)
        return -1; /* the thread has ended */
    if (thread->tid == t->context->pid)
        /* if the main thread has no schedstat, the kernel does not provide it */
        t->has_schedstat = 0;
    *run = ticks * t->context->tick_ns;
    return 0;
}

static void record_thread(HostThreads *t, StrobeWriter *writer, const Thread *thread,
                          uint64_t interval, uint64_t ran, uint64_t waited)
{
    const StrobeHost *host = t->context->host;
    StrobeStringId name = host_name(t->context, writer, thread->name);
    struct strobe_host_thread *record =
        host->reserve(writer, t->kind, t->track, name, host->now(), 0);

    if (!record)
        return;
    record->usage = host_percent(ran, interval);
    record->user = ran ? record->usage * thread->user_share : 0;
    record->system = ran ? record->usage - record->user : 0;
    record->wait = waited == STROBE_ABSENT_U64 ? STROBE_ABSENT_F64 : host_percent(waited, interval);
    record->tid = (uint64_t)thread->tid;
    record->interval = interval;
    record->processor = thread->processor;
    host->commit(writer);
}

static void add_to_round(HostRound *round, const Thread *thread, double usage, double wait)
{
    if (isnan(wait))
        round->has_wait = 0;
    else
        round->wait += wait;
    if (thread->processor >= HOST_PROCESSORS_MAX)
        round->is_complete = 0; /* the processor is unknown or its number is too high */
    else if (usage > 0) {
        round->usage[thread->processor] += usage;
        if (thread->processor >= round->n_processors)
            round->n_processors = thread->processor + 1;
    }
}

static void sample_thread(HostThreads *t, StrobeWriter *writer, Thread *thread, HostRound *round)
{
    uint64_t run, wait, now;

    if (read_account(t, thread, &run, &wait) != 0)
        return;
    now = host_clock(t->context);
    if (!thread->is_known || run < thread->run || now <= thread->at) {
        if (now > thread->at || !thread->is_known)
            /* the thread is new, so its time so far belongs to no interval */
            round->is_complete = 0;
    } else {
        uint64_t interval = now - thread->at, ran = run - thread->run;
        uint64_t waited = wait == STROBE_ABSENT_U64 || thread->wait == STROBE_ABSENT_U64
                              ? STROBE_ABSENT_U64
                              : host_grown(wait, thread->wait);
        int is_idle = ran == 0 && (waited == 0 || waited == STROBE_ABSENT_U64);
        if (!is_idle || !thread->was_idle)
            record_thread(t, writer, thread, interval, ran, waited);
        thread->was_idle = (uint8_t)is_idle;
        add_to_round(round, thread, host_percent(ran, interval),
                     waited == STROBE_ABSENT_U64 ? STROBE_ABSENT_F64
                                                 : host_percent(waited, interval));
    }
    thread->is_known = 1;
    thread->at = now;
    thread->run = run;
    thread->wait = wait;
}

/* Samples the threads with an open descriptor. Each sample starts at a different thread, so that
 * after some samples the `stat` of each thread was read. */
static void sample_held(HostThreads *t, StrobeWriter *writer, HostRound *round)
{
    uint32_t first = t->n ? t->stat_turn % t->n : 0;

    t->stats_left = STATS_MAX;
    for (uint32_t i = 0; i < t->n; i++) {
        Thread *thread = &t->threads[(first + i) % t->n];
        if (thread->schedstat >= 0)
            sample_thread(t, writer, thread, round);
    }
    t->stat_turn = first + STATS_MAX;
}

static void sample_rotation(HostThreads *t, StrobeWriter *writer, HostRound *round)
{
    uint32_t n_read = 0, n_seen;
    uint32_t first = t->n ? t->rotation % t->n : 0;
    /* threads that are read get descriptors while there is room */
    uint32_t room = t->n_held < HELD_MAX ? HELD_MAX - t->n_held : 0;
    uint32_t may_read = t->n_held + room >= t->n ? t->n : ROTATION + room;

    t->stats_left = STATS_MAX;
    for (n_seen = 0; n_seen < t->n && n_read < may_read; n_seen++) {
        Thread *thread = &t->threads[(first + n_seen) % t->n];
        if (thread->schedstat >= 0)
            continue;
        sample_thread(t, writer, thread, round);
        n_read++;
    }
    if (n_seen < t->n)
        for (uint32_t i = n_seen; i < t->n && round->is_complete; i++)
            round->is_complete = t->threads[(first + i) % t->n].schedstat >= 0;
    t->rotation = first + n_seen;
}

void host_threads_sample(HostThreads *t, StrobeWriter *writer, uint32_t n_threads, HostRound *round)
{
    uint64_t now = host_clock(t->context);

    memset(round, 0, sizeof *round);
    round->is_complete = round->has_wait = 1;
    if (n_threads != t->n_threads || now - t->scanned_ns >= RESCAN_NS) {
        rescan_threads(t);
        t->n_threads = n_threads;
        t->scanned_ns = now;
    }
    sample_held(t, writer, round);
    sample_rotation(t, writer, round);
}
