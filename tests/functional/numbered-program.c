/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program with numbered records, so that a missing, duplicate or wrongly ordered record is
 * noticed. Options:
 *
 *   -t N     threads that record spans "t0", "t1" ..., each with numbers from 0 (default 1)
 *   -n N     number of records of each thread; 0: until it is killed (default 0)
 *   -u US    pause of a thread after 64 records (default 0)
 *   -p FILE  u64s that are kept up to date: the process id, then for each thread the number of its
 *            committed records
 *   -s LIST  makes steps instead, one after the other: US or COUNTxUS, such as 20x1000,300000
 *   -w FILE  waits at the end until FILE exists
 *
 * The first thread holds a range "open" all the time.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <strobe/strobe.h>

#define THREADS_MAX 64

static uint64_t own_progress[1 + THREADS_MAX];
static uint64_t *progress = own_progress;
static long n_threads = 1, n_records, pause_us;

static void *record_numbers(void *data)
{
    long index = (long)(intptr_t)data;
    StrobeRange open = {0};
    char name[16];

    snprintf(name, sizeof name, "t%ld", index);
    if (index == 0)
        open = strobe_range_begin("open");
    for (uint64_t i = 0; n_records == 0 || i < (uint64_t)n_records; i++) {
        strobe_range_end(strobe_range_begin_argument(name, i));
        /* stored only after the commit */
        __atomic_store_n(&progress[1 + index], i + 1, __ATOMIC_RELEASE);
        if (pause_us && i % 64 == 63)
            usleep((useconds_t)pause_us);
    }
    strobe_range_end(open);
    return NULL;
}

static void record_all(void)
{
    pthread_t threads[THREADS_MAX];

    for (long i = 0; i < n_threads; i++)
        if (pthread_create(&threads[i], NULL, record_numbers, (void *)(intptr_t)i))
            exit(1);
    for (long i = 0; i < n_threads; i++)
        pthread_join(threads[i], NULL);
}

static void map_progress(const char *path)
{
    int fd = open(path, O_RDWR | O_CREAT, 0600);

    if (fd < 0 || ftruncate(fd, sizeof own_progress))
        exit(1);
    progress = mmap(NULL, sizeof own_progress, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (progress == MAP_FAILED)
        exit(1);
    progress[0] = (uint64_t)getpid();
}

static void make_steps(char *list)
{
    for (char *part = strtok(list, ","); part; part = strtok(NULL, ",")) {
        char *times = strchr(part, 'x');
        long n = times ? atol(part) : 1;
        for (; n > 0; n--) {
            usleep((useconds_t)atol(times ? times + 1 : part));
            strobe_step();
        }
    }
}

int main(int argc, char **argv)
{
    char *steps = NULL, *wait_for = NULL;
    int option;

    while ((option = getopt(argc, argv, "t:n:u:p:s:w:")) != -1) {
        if (option == 't')
            n_threads = atol(optarg);
        else if (option == 'n')
            n_records = atol(optarg);
        else if (option == 'u')
            pause_us = atol(optarg);
        else if (option == 'p')
            map_progress(optarg);
        else if (option == 's')
            steps = optarg;
        else if (option == 'w')
            wait_for = optarg;
        else
            return 2;
    }
    if (n_threads < 1 || n_threads > THREADS_MAX)
        return 2;
    if (steps)
        make_steps(steps);
    else
        record_all();
    while (wait_for && access(wait_for, F_OK))
        usleep(1000);
    return 0;
}
