/* SPDX-License-Identifier: Apache-2.0 */
#include "abandoned.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strobe/helpers/thread.h>
#include <unistd.h>
#include "clock.h"

#define LOOK_NS 1000000000
#define OWN "strobe-" /* prefix of the names of Strobe's threads */

/* Reads the thread's name and state from /proc; 0: the thread does not exist. */
static int read_thread(const char *tid, char name[32], char *state)
{
    char path[64], line[256];
    const char *begin, *end;

    snprintf(path, sizeof path, "/proc/self/task/%s/stat", tid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, line, sizeof line - 1) : -1;
    if (fd >= 0)
        close(fd);
    line[n > 0 ? n : 0] = 0;
    begin = strchr(line, '(');
    end = strrchr(line, ')');
    if (!begin || !end || end < begin || end[1] != ' ')
        return 0;
    snprintf(name, 32, "%.*s", (int)(end - begin - 1), begin + 1);
    *state = end[2];
    return 1;
}

static int has_main_ended(char name[32])
{
    char tid[16], state;

    snprintf(tid, sizeof tid, "%d", (int)getpid());
    return read_thread(tid, name, &state) && state == 'Z';
}

/* Does the name belong to a thread of Strobe? A thread inherits the name of the thread that started
 * it, so in a program called strobe-demo a thread of that name is not Strobe's. */
static int is_own(const char *name, const char *program)
{
    return strncmp(name, OWN, strlen(OWN)) == 0 && strcmp(name, program) != 0;
}

static int is_abandoned(void)
{
    struct dirent *entry;
    char program[32], name[32], state;
    int n_others = 0;

    if (!has_main_ended(program))
        return 0;
    DIR *threads = opendir("/proc/self/task");
    if (!threads)
        return 0;
    while ((entry = readdir(threads)))
        if (read_thread(entry->d_name, name, &state) && state != 'Z' && state != 'X')
            n_others += !is_own(name, program);
    closedir(threads);
    return n_others == 0;
}

static void *end_main(void *user)
{
    sigset_t none;

    sigemptyset(&none);
    pthread_sigmask(SIG_SETMASK, &none, NULL);
    exit(0);
    return user;
}

static void end_abandoned(void)
{
    pthread_t thread;

    if (strobe_thread_start(&thread, end_main, NULL) == 0)
        pthread_detach(thread);
}

void strobe_look_for_program(void)
{
    static _Atomic int64_t looked_ns;
    int64_t last = atomic_load(&looked_ns), now = strobe_clock_ns(CLOCK_MONOTONIC);

    if (now - last < LOOK_NS || !atomic_compare_exchange_strong(&looked_ns, &last, now))
        return;
    if (is_abandoned()) {
        atomic_store(&looked_ns, INT64_MAX); /* no later call checks again */
        end_abandoned();
    }
}
