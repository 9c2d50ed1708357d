/* SPDX-License-Identifier: Apache-2.0 */
#include "proc.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* The head of a file as text. */
static int read_text(int descriptor, char *text, size_t size)
{
    ssize_t n;
    do
        n = pread(descriptor, text, size - 1, 0);
    while (n < 0 && errno == EINTR);
    if (n <= 0)
        return -1;
    text[n] = '\0';
    return 0;
}

static int open_file(const char *root, const char *name, char *path, size_t size)
{
    if (snprintf(path, size, "%s/%s", root, name) >= (int)size) {
        errno = ENAMETOOLONG;
        return -1;
    }
    return open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
}

static uint64_t read_memory_total(const char *root, char *path, size_t size)
{
    char text[4096];
    uint64_t kilobytes = 0;
    int descriptor = open_file(root, "meminfo", path, size);
    if (descriptor < 0)
        return 0;
    const char *line =
        read_text(descriptor, text, sizeof text) == 0 ? strstr(text, "MemTotal:") : NULL;
    if (line && sscanf(line, "MemTotal: %" SCNu64 " kB", &kilobytes) != 1)
        kilobytes = 0;
    close(descriptor);
    errno = 0;
    return kilobytes * 1024;
}

const char *strobe_proc_open(StrobeProc *proc, const char *root, pid_t pid, char *path, size_t size)
{
    char name[64];
    StrobeProcTimes times;
    StrobeProcMemory memory;
    proc->stat = proc->statm = proc->uptime = -1;
    proc->is_live = strcmp(root, "/proc") == 0 && pid == getpid();
    proc->ticks_per_second = sysconf(_SC_CLK_TCK);
    proc->page_size = sysconf(_SC_PAGESIZE);
    proc->memory_total = read_memory_total(root, path, size);
    if (proc->memory_total == 0)
        return path;
    if (!proc->is_live) {
        proc->uptime = open_file(root, "uptime", path, size);
        if (proc->uptime < 0)
            return path;
    }
    /* by number: /proc/self would be another process for a child that inherits the descriptors */
    snprintf(name, sizeof name, "%d/statm", (int)pid);
    proc->statm = open_file(root, name, path, size);
    if (proc->statm < 0 || (errno = 0, strobe_proc_read_memory(proc, &memory)) != 0)
        return path;
    snprintf(name, sizeof name, "%d/stat", (int)pid);
    proc->stat = open_file(root, name, path, size);
    if (proc->stat < 0 || (errno = 0, strobe_proc_read_times(proc, &times)) != 0)
        return path;
    return NULL;
}

void strobe_proc_close(StrobeProc *proc)
{
    int *const descriptors[] = {&proc->stat, &proc->statm, &proc->uptime};
    for (size_t i = 0; i < sizeof descriptors / sizeof *descriptors; i++) {
        if (*descriptors[i] >= 0)
            close(*descriptors[i]);
        *descriptors[i] = -1;
    }
}

static uint64_t timeval_ns(const struct timeval *time)
{
    return (uint64_t)time->tv_sec * 1000000000u + (uint64_t)time->tv_usec * 1000u;
}

/* The process's own account is exact; the ticks in `stat` are of 10 ms, half a usual interval. */
static int read_live_account(StrobeProcTimes *times)
{
    struct rusage usage;
    struct timespec now;
    if (getrusage(RUSAGE_SELF, &usage) != 0)
        return -1;
    clock_gettime(CLOCK_MONOTONIC, &now);
    times->at_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    times->user_ns = timeval_ns(&usage.ru_utime);
    times->system_ns = timeval_ns(&usage.ru_stime);
    return 0;
}

/* "12345.67 ..." seconds with two decimals, as ns. */
static int read_uptime(const StrobeProc *proc, uint64_t *ns)
{
    char text[128];
    uint64_t seconds, hundredths;
    if (read_text(proc->uptime, text, sizeof text) != 0 ||
        sscanf(text, "%" SCNu64 ".%2" SCNu64, &seconds, &hundredths) != 2)
        return -1;
    *ns = seconds * 1000000000u + hundredths * 10000000u;
    return 0;
}

int strobe_proc_read_times(const StrobeProc *proc, StrobeProcTimes *times)
{
    char text[1024];
    uint64_t user, system, threads;
    if (read_text(proc->stat, text, sizeof text) != 0)
        return -1;
    /* the program's name, in parentheses, may hold any character */
    const char *rest = strrchr(text, ')');
    if (!rest || sscanf(rest + 1,
                        " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %" SCNu64 " %" SCNu64
                        " %*d %*d %*d %*d %" SCNu64,
                        &user, &system, &threads) != 3)
        return -1;
    times->threads = (uint32_t)threads;
    if (proc->is_live)
        return read_live_account(times);
    uint64_t tick_ns = 1000000000u / (uint64_t)proc->ticks_per_second;
    times->user_ns = user * tick_ns;
    times->system_ns = system * tick_ns;
    return read_uptime(proc, &times->at_ns);
}

int strobe_proc_read_memory(const StrobeProc *proc, StrobeProcMemory *memory)
{
    char text[256];
    uint64_t size, resident, shared;
    if (read_text(proc->statm, text, sizeof text) != 0 ||
        sscanf(text, "%" SCNu64 " %" SCNu64 " %" SCNu64, &size, &resident, &shared) != 3)
        return -1;
    uint64_t page = (uint64_t)proc->page_size;
    memory->virtual_size = size * page;
    memory->resident = resident * page;
    memory->shared = shared * page;
    return 0;
}
