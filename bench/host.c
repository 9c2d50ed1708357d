/* SPDX-License-Identifier: Apache-2.0 */
/* host sample FOLDER THREADS [SECONDS [COLLECTORS]]: measures the share of one processor (in %)
 * and the anonymous memory (in bytes) of the writer process, which samples for the host collectors
 * at 10 Hz, beside a program with THREADS threads, each of which works a little ten times a second.
 * COLLECTORS "" measures the writer when it has nothing to do.
 *
 * host sleep [SECONDS]: measures the share of one processor (in %) of a process that only wakes up
 * every 10 ms, as often as the writer.
 *
 * host calls FOLDER: measures the ns of a call that may wait, but does not wait here. With
 * osrt-preload.so in LD_PRELOAD, also measures it in a session that records such calls, and the ns
 * of a span. */
#include <dirent.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "measure.h"

#define REPEATS 11
#define CALLS 200000

static void *work_a_little(void *unused)
{
    struct timespec pause = {.tv_nsec = 100000000};
    volatile double x = 1;

    (void)unused;
    while (x > 0) {
        for (int i = 0; i < 2000; i++)
            x = x * 1.0000001;
        nanosleep(&pause, NULL);
    }
    return NULL;
}

/* Returns whether a process is the writer of this program's pool. */
static int is_writer(const char *id)
{
    char path[300], words[1200], pool[40];
    size_t n = 0;

    snprintf(path, sizeof path, "/proc/%s/cmdline", id);
    FILE *file = fopen(path, "r");
    if (file) {
        n = fread(words, 1, sizeof words - 1, file);
        fclose(file);
    }
    words[n] = '\0';
    if (!strstr(words, "strobe-writer"))
        return 0;
    snprintf(pool, sizeof pool, "/strobe-%ld-", (long)getpid());
    return strlen(words) + 1 < n && strstr(words + strlen(words) + 1, pool) != NULL;
}

/* Stores the writer's process id as text. */
static void find_writer(char id[static 32])
{
    struct dirent *entry;
    DIR *folder = opendir("/proc");

    id[0] = '\0';
    while (folder && !id[0] && (entry = readdir(folder)))
        if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9' && is_writer(entry->d_name))
            snprintf(id, 32, "%.31s", entry->d_name);
    if (folder)
        closedir(folder);
    if (!id[0])
        fail("/proc", "no writer of this program");
}

/* Returns the ns of processor time that all threads of a process have used so far. */
static double process_time(const char *id)
{
    char path[600];
    double total = 0, used;
    struct dirent *entry;

    snprintf(path, sizeof path, "/proc/%s/task", id);
    DIR *folder = opendir(path);
    if (!folder)
        fail(path, "the process has ended");
    while ((entry = readdir(folder))) {
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "/proc/%s/task/%s/schedstat", id, entry->d_name);
        FILE *file = fopen(path, "r");
        if (file && fscanf(file, "%lf", &used) == 1)
            total += used;
        if (file)
            fclose(file);
    }
    closedir(folder);
    return total;
}

static int measure_sleep(long seconds)
{
    const struct timespec pause = {.tv_nsec = 10000000};
    static Samples cost = {.name = "cost"};

    for (long i = 0; i < seconds; i++) {
        double begin = now_ns(), before = process_time("self");
        for (int k = 0; k < 100; k++)
            nanosleep(&pause, NULL);
        samples_add(&cost, (process_time("self") - before) * 100 / (now_ns() - begin));
    }
    samples_print(&cost);
    return 0;
}

/* Returns the writer's anonymous memory in bytes. */
static double writer_memory(const char *writer)
{
    char path[64], line[256];
    double kilobytes = 0;

    snprintf(path, sizeof path, "/proc/%s/smaps_rollup", writer);
    FILE *file = fopen(path, "r");
    if (!file)
        fail(path, "cannot be read");
    while (fgets(line, sizeof line, file) && !sscanf(line, "Anonymous: %lf", &kilobytes))
        ;
    fclose(file);
    return kilobytes * 1024;
}

static int measure_sampling(const char *folder, long n_threads, long seconds,
                            const char *collectors)
{
    char config[1024], writer[32];
    static Samples cost = {.name = "cost"}, memory = {.name = "memory"};
    pthread_attr_t attributes;
    pthread_t thread;

    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 65536);
    for (long i = 0; i < n_threads; i++)
        if (pthread_create(&thread, &attributes, work_a_little, NULL))
            fail("pthread_create", "no more threads");
    snprintf(config, sizeof config, "\"collectors\": {%s}", collectors);
    StrobeSession *session = session_begin_with(folder, config);
    sleep(1); /* time for the collectors to find the new threads and read their names */
    find_writer(writer);
    for (long i = 0; i < seconds; i++) {
        double begin = now_ns(), before = process_time(writer);
        sleep(1);
        samples_add(&cost, (process_time(writer) - before) * 100 / (now_ns() - begin));
        samples_add(&memory, writer_memory(writer));
    }
    session_stop(session);
    samples_print(&cost);
    samples_print(&memory);
    fflush(stdout);
    _exit(0); /* the threads never end */
}

static double time_calls(void)
{
    sem_t semaphore;
    double begin;

    sem_init(&semaphore, 0, CALLS + 1);
    begin = now_ns();
    for (int i = 0; i < CALLS; i++)
        sem_wait(&semaphore); /* never waits */
    return (now_ns() - begin) / CALLS;
}

static double time_spans(void)
{
    double begin = now_ns();

    for (int i = 0; i < CALLS; i++)
        strobe_range_end(strobe_range_begin("benchmark"));
    return (now_ns() - begin) / CALLS;
}

static int measure_calls(const char *folder)
{
    static Samples shut = {.name = "shut"}, open = {.name = "open"}, span = {.name = "span"};
    const char *preload = getenv("LD_PRELOAD");

    for (int i = 0; i < REPEATS; i++)
        samples_add(&shut, time_calls());
    samples_print(&shut);
    if (!preload || !strstr(preload, "osrt"))
        return 0;
    StrobeSession *session =
        session_begin_with(folder, "\"buffer\": {\"policy\": \"ring\"}, \"collectors\": {\"osrt\": "
                                   "{\"threshold\": \"0s\"}}");
    for (int i = 0; i < REPEATS; i++) {
        samples_add(&open, time_calls());
        samples_add(&span, time_spans());
    }
    session_stop(session);
    strobe_session_free(session);
    samples_print(&open);
    samples_print(&span);
    return 0;
}

int main(int argc, char **argv)
{
    const char *all =
        "\"sys_io\": {\"interval\": \"100ms\"}, \"host_sys\": {\"interval\": \"100ms\", "
        "\"items\": \"cpu+mem+disk+network+pressure+throttle\"}";

    if (argc > 3 && !strcmp(argv[1], "sample"))
        return measure_sampling(argv[2], number_argument(argc, argv, 3, 1),
                                number_argument(argc, argv, 4, 3), argc > 5 ? argv[5] : all);
    if (argc > 1 && !strcmp(argv[1], "sleep"))
        return measure_sleep(number_argument(argc, argv, 2, 3));
    if (argc > 2 && !strcmp(argv[1], "calls"))
        return measure_calls(argv[2]);
    fail("usage",
         "host sample FOLDER THREADS [SECONDS] | host sleep [SECONDS] | host calls FOLDER");
}
