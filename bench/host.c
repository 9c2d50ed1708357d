/* SPDX-License-Identifier: Apache-2.0 */
/* host sample FOLDER THREADS [SECONDS [COLLECTORS]]: measures the share of one processor (in %)
 * that the host collectors use at 10 Hz in a process with THREADS threads, each of which works a
 * little ten times a second. Only the time of the sampling threads counts.
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

/* Returns the ns of processor time that the sampler and the workers have used so far. */
static double own_time(void)
{
    char path[300], name[32] = "";
    double total = 0, used;
    struct dirent *entry;
    DIR *folder = opendir("/proc/self/task");

    while (folder && (entry = readdir(folder))) {
        snprintf(path, sizeof path, "/proc/self/task/%s/comm", entry->d_name);
        FILE *file = fopen(path, "r");
        if (!file || !fgets(name, sizeof name, file))
            name[0] = '\0';
        if (file)
            fclose(file);
        snprintf(path, sizeof path, "/proc/self/task/%s/schedstat", entry->d_name);
        file = strncmp(name, "strobe-sampler", 14) == 0 || strncmp(name, "strobe-worker", 13) == 0
                   ? fopen(path, "r")
                   : NULL;
        if (file && fscanf(file, "%lf", &used) == 1)
            total += used;
        if (file)
            fclose(file);
    }
    if (folder)
        closedir(folder);
    return total;
}

static int measure_sampling(const char *folder, long n_threads, long seconds,
                            const char *collectors)
{
    char config[1024];
    static Samples cost = {.name = "cost"};
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
    for (long i = 0; i < seconds; i++) {
        double begin = now_ns(), before = own_time();
        sleep(1);
        samples_add(&cost, (own_time() - before) * 100 / (now_ns() - begin));
    }
    session_stop(session);
    samples_print(&cost);
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
    if (argc > 2 && !strcmp(argv[1], "calls"))
        return measure_calls(argv[2]);
    fail("usage", "host sample FOLDER THREADS [SECONDS] | host calls FOLDER");
}
