/* SPDX-License-Identifier: Apache-2.0 */
/* Reads host_cpu.data, which has samples of the process's threads from /proc. */
#include <stdlib.h>
#include <string.h>
#include <strobe/helpers/keyed-hash.h>

#include "prof_raw.h"

#define TICKS_DEFAULT 100
#define CPUS_MAX 4096u
#define THREADS_MAX 100000u
/* Indices of words in a line of `stat`, after the closing bracket of the name. */
enum { STAT_USER = 11, STAT_SYSTEM = 12, STAT_CPU = 36, STAT_WORDS };

typedef struct Thread {
    guint64 ticks;
    guint cpu;
} Thread;

typedef struct Sample {
    guint64 time;
    double uptime; /* s */
    gboolean has_uptime;
    GHashTable *threads; /* maps the thread's number to a Thread */
} Sample;

typedef struct HostCpu {
    Prof *prof;
    Sample last, now;
    gboolean has_last, has_now;
    double ticks_a_second;
    gint64 n_cpus;           /* 0: not reported */
    guint64 ticks[CPUS_MAX]; /* ticks of the threads that ran for a part of the interval */
    guint whole[CPUS_MAX];   /* number of threads that ran for the whole interval */
    guint8 seen[CPUS_MAX];
} HostCpu;

static void emit_usage(HostCpu *h, const char *name, guint cpu, double usage)
{
    gint64 time = prof_time(h->prof, h->now.time);
    struct strobe_usage *fields = prof_emit(h->prof, &strobe_kind_usage,
                                            prof_counter(h->prof, "CPU Usage"), name, time, time);

    if (!fields)
        return;
    fields->usage = usage;
    fields->processor = cpu;
}

/* Adds the ticks of all threads, each to the processor on which the thread ran last. Adds at most
 * the whole interval for a thread. Uses only integers, so that the sum does not depend on the
 * order. */
static double add_threads(HostCpu *h, double interval)
{
    GHashTableIter iter;
    gpointer key, value;
    guint64 ticks_of_all = 0, n_whole = 0;

    memset(h->ticks, 0, sizeof h->ticks);
    memset(h->whole, 0, sizeof h->whole);
    memset(h->seen, 0, sizeof h->seen);
    g_hash_table_iter_init(&iter, h->now.threads);
    while (g_hash_table_iter_next(&iter, &key, &value)) {
        const Thread *thread = value, *before = g_hash_table_lookup(h->last.threads, key);
        guint64 ticks;

        h->seen[thread->cpu] = 1;
        if (!before || thread->ticks < before->ticks)
            continue;
        ticks = thread->ticks - before->ticks;
        if ((double)ticks >= interval) {
            h->whole[thread->cpu]++;
            n_whole++;
        } else {
            h->ticks[thread->cpu] += ticks;
            ticks_of_all += ticks;
        }
    }
    return (double)ticks_of_all + (double)n_whole * interval;
}

static double ticks_of(const HostCpu *h, guint cpu, double interval)
{
    return (double)h->ticks[cpu] + h->whole[cpu] * interval;
}

static void take_sample(HostCpu *h)
{
    double interval = (h->now.uptime - h->last.uptime) * h->ticks_a_second, total;

    if (!(interval > 0)) {
        h->prof->n_dropped++;
        return;
    }
    total = add_threads(h, interval);
    for (guint i = 0; i < CPUS_MAX; i++)
        if (h->seen[i] && ticks_of(h, i, interval) > interval)
            h->prof->n_dropped++;
        else if (h->seen[i])
            emit_usage(h, "CPU", i, ticks_of(h, i, interval) / interval * 100);
    if (h->n_cpus > 0)
        emit_usage(h, "CPU Avg", STROBE_ABSENT_U32, total / (interval * (double)h->n_cpus) * 100);
}

static void end_sample(HostCpu *h)
{
    Sample other = h->last;

    if (!h->has_now)
        return;
    if (!h->now.has_uptime) {
        h->prof->n_strange++;
        return;
    }
    if (h->has_last)
        take_sample(h);
    h->last = h->now;
    h->now = other;
    h->has_last = TRUE;
}

static void begin_sample(HostCpu *h, guint64 time)
{
    end_sample(h);
    g_hash_table_remove_all(h->now.threads);
    h->now.time = time;
    h->now.has_uptime = FALSE;
    h->has_now = TRUE;
}

/* Reads a line of `stat`. The name between the brackets may contain any character, even
 * brackets. */
static gboolean read_thread(HostCpu *h, char *line)
{
    char *end = strrchr(line, ')'), *words[WORDS_MAX];
    guint64 number, user, system, cpu;
    Thread *thread;

    if (!end || prof_words(end + 1, words) < STAT_WORDS || !prof_whole(words[STAT_USER], &user) ||
        !prof_whole(words[STAT_SYSTEM], &system) || !prof_whole(words[STAT_CPU], &cpu) ||
        cpu >= CPUS_MAX || user > G_MAXINT64 || system > G_MAXINT64)
        return FALSE;
    *end = 0;
    number = g_ascii_strtoull(line, NULL, 10);
    if (g_hash_table_size(h->now.threads) >= THREADS_MAX)
        return FALSE;
    thread = g_new(Thread, 1);
    *thread = (Thread){user + system, (guint)cpu};
    g_hash_table_insert(h->now.threads, g_memdup2(&number, sizeof number), thread);
    return TRUE;
}

/* Reads a line. A sample consists of "time <ns>", the line of /proc/uptime, and a line of
 * /proc/<pid>/task/<tid>/stat for each thread. */
static gboolean take_line(HostCpu *h, char *line)
{
    char *words[WORDS_MAX];
    guint64 time;

    if (g_str_has_prefix(line, "time ")) {
        if (!prof_whole(g_strstrip(line + strlen("time ")), &time))
            return FALSE;
        begin_sample(h, time);
        return TRUE;
    }
    if (!h->has_now)
        return FALSE;
    if (h->now.has_uptime)
        return read_thread(h, line);
    h->now.has_uptime = prof_words(line, words) >= 1 && prof_real(words[0], &h->now.uptime);
    return h->now.has_uptime;
}

void host_cpu_import(Prof *prof, Slices *slices)
{
    HostCpu *h = g_new0(HostCpu, 1);
    char *line;

    h->prof = prof;
    h->last.threads = g_hash_table_new_full(strobe_hash_of_number, g_int64_equal, g_free, g_free);
    h->now.threads = g_hash_table_new_full(strobe_hash_of_number, g_int64_equal, g_free, g_free);
    if (!side_json_double(prof->info, "sysClockFreq", &h->ticks_a_second) || h->ticks_a_second <= 0)
        h->ticks_a_second = TICKS_DEFAULT;
    if (!side_json_int(prof->info, "cpuNums", &h->n_cpus))
        side_json_int(prof->info, "CPU.0.Logical_CPU_Count", &h->n_cpus);
    while (!prof->is_full && (line = slices_line(slices)))
        if (*g_strchug(line) && !take_line(h, line))
            prof->n_strange++;
    end_sample(h);
    g_hash_table_unref(h->last.threads);
    g_hash_table_unref(h->now.threads);
    g_free(h);
}
