// SPDX-License-Identifier: Apache-2.0
/* Prints all that a process can find out about itself, except ids of processes and addresses, which
 * differ between runs. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include "program.h"

static volatile sig_atomic_t n_children_ended;

static void count_child(int number)
{
    (void)number;
    n_children_ended++;
}

/* If COMPAT_WATCH_CHILDREN is set, counts ended children from the start on, so that the end of a
 * child of Strobe is noticed too. */
__attribute__((constructor)) static void watch_children(void)
{
    if (getenv("COMPAT_WATCH_CHILDREN"))
        signal(SIGCHLD, count_child);
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

int count_threads(void)
{
    DIR *folder = opendir("/proc/self/task");
    const struct dirent *entry;
    int n = 0;

    while (folder && (entry = readdir(folder)))
        n += isdigit((unsigned char)entry->d_name[0]) != 0;
    if (folder)
        closedir(folder);
    return n;
}

static void print_descriptors(void)
{
    char path[64], target[4096];

    for (int i = 0; i < 1024; i++) {
        snprintf(path, sizeof path, "/proc/self/fd/%d", i);
        ssize_t n = readlink(path, target, sizeof target - 1);
        if (n < 0)
            continue;
        target[n] = 0;
        char *number = strpbrk(target, "0123456789");
        if (number && strchr(target, '['))
            *number = 0; /* removes the number of a pipe or socket */
        printf("descriptor %d: %s\n", i, target);
    }
}

/* Prints the lines of /proc/self/status about signals, rights and similar properties. */
static void print_status(void)
{
    static const char *const names[] = {
        "Umask:",        "Uid:",    "Gid:",        "Groups:",  "SigPnd:",          "ShdPnd:",
        "SigBlk:",       "SigIgn:", "SigCgt:",     "CapInh:",  "CapPrm:",          "CapEff:",
        "CapBnd:",       "CapAmb:", "NoNewPrivs:", "Seccomp:", "Seccomp_filters:", "TracerPid:",
        "Cpus_allowed:", "Threads:"};
    FILE *file = fopen("/proc/self/status", "re");
    char line[512];

    while (file && fgets(line, sizeof line, file))
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            if (strncmp(line, names[i], strlen(names[i])) == 0)
                fputs(line, stdout);
    if (file)
        fclose(file);
}

static void print_limits(void)
{
    for (int i = 0; i < (int)RLIM_NLIMITS; i++) {
        struct rlimit limit;
        if (getrlimit((__rlimit_resource_t)i, &limit) == 0)
            printf("limit %d: %lld %lld\n", i, (long long)limit.rlim_cur,
                   (long long)limit.rlim_max);
    }
}

/* Whether `strobe run` has set the variable for a collector. It stores the names of these variables
 * in the environment. */
static int is_set_by_strobe(const char *variable, size_t length)
{
    const char *names = getenv("STROBE_RUN_VARIABLES");

    for (const char *at = names; at && *at; at += strspn(at, ":")) {
        size_t n = strcspn(at, ":");
        if (n == length && memcmp(at, variable, n) == 0)
            return 1;
        at += n;
    }
    return 0;
}

static int is_own_variable(const char *variable)
{
    static const char *const others[] = {"STROBE_", "LD_PRELOAD=", "PYTHONPATH=", "COMPAT_"};

    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strncmp(variable, others[i], strlen(others[i])) == 0)
            return 0;
    return !is_set_by_strobe(variable, strcspn(variable, "="));
}

static void print_environment(void)
{
    extern char **environ;
    char *found[1024];
    size_t n = 0;

    for (char **each = environ; *each && n < sizeof found / sizeof *found; each++)
        if (is_own_variable(*each))
            found[n++] = *each;
    qsort(found, n, sizeof *found, compare_texts);
    for (size_t i = 0; i < n; i++)
        printf("variable %s\n", found[i]);
}

static void print_timers(void)
{
    for (int which = ITIMER_REAL; which <= ITIMER_PROF; which++) {
        struct itimerval timer;
        if (getitimer((__itimer_which_t)which, &timer) == 0)
            printf("timer %d: %d\n", which, timer.it_value.tv_sec || timer.it_value.tv_usec);
    }
}

static void print_children(void)
{
    int found = (int)waitpid(-1, NULL, WNOHANG | __WALL);

    printf("waitpid: %s, SIGCHLD: %d\n", found == -1 && errno == ECHILD ? "no child" : "a child",
           n_children_ended);
}

static void print_attributes(void)
{
    char name[16] = "";
    stack_t stack;
    char folder[4096] = "";

    prctl(PR_GET_NAME, name);
    sigaltstack(NULL, &stack);
    printf("name %s, dumpable %d, keep capabilities %d, timer slack %d, signal stack %d\n", name,
           prctl(PR_GET_DUMPABLE), prctl(PR_GET_KEEPCAPS), prctl(PR_GET_TIMERSLACK),
           stack.ss_flags);
    printf("folder %s, priority %d, leads its group: %d\n", getcwd(folder, sizeof folder),
           getpriority(PRIO_PROCESS, 0), getpgrp() == getpid());
}

void print_state(void)
{
    printf("threads: %d\n", count_threads());
    print_descriptors();
    print_status();
    print_limits();
    print_environment();
    print_timers();
    print_attributes();
    print_children();
}

/* Prints the rights of each thread, because setxid() of glibc changes all threads, but a system
 * call changes only one. */
void print_rights(void)
{
    DIR *folder = opendir("/proc/self/task");
    const struct dirent *entry;
    char path[300], line[512];

    while (folder && (entry = readdir(folder))) {
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "/proc/self/task/%s/status", entry->d_name);
        FILE *file = fopen(path, "re");
        while (file && fgets(line, sizeof line, file))
            if (strncmp(line, "Cap", 3) == 0 || strncmp(line, "Uid", 3) == 0 ||
                strncmp(line, "Gid", 3) == 0 || strncmp(line, "Groups", 6) == 0)
                fputs(line, stdout);
        if (file)
            fclose(file);
    }
    if (folder)
        closedir(folder);
}
