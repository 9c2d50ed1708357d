/* SPDX-License-Identifier: Apache-2.0 */
#include "run-claim.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* a program that has recorded for longer than this is no launcher, and its result is kept */
#define SUBSTANCE_SECONDS 10

static int open_in(const char *folder, const char *name, int flags)
{
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s/%s", folder, name);

    if (length < 0 || (size_t)length >= sizeof path)
        return -1;
    return open(path, flags | O_NOFOLLOW | O_CLOEXEC, 0600);
}

/* Returns the start time of this process (field 22 of /proc/PID/stat); 0: not known. */
static unsigned long long start_of_process(void)
{
    unsigned long long start = 0;
    char text[1024];
    int fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;

    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = 0;
    char *field = strrchr(text, ')'); /* the end of field 2, the program's name */
    for (int i = 2; field && i < 22; i++)
        field = strchr(field + 1, ' ');
    if (field)
        sscanf(field, "%llu", &start);
    return start;
}

static int read_claim(int fd, StrobeClaim *claim)
{
    char text[64];
    ssize_t n = pread(fd, text, sizeof text - 1, 0);

    text[n > 0 ? n : 0] = 0;
    return sscanf(text, "%ld %llu %d", &claim->pid, &claim->start, &claim->rank) == 3;
}

static int write_claim(int fd, int rank)
{
    char text[64];
    int n = snprintf(text, sizeof text, "%ld %llu %d\n", (long)getpid(), start_of_process(), rank);

    return ftruncate(fd, 0) == 0 && pwrite(fd, text, (size_t)n, 0) == n;
}

/* Returns the file of the claim, locked until it is closed; -1 on failure. */
static int lock_claim(const char *folder)
{
    int fd = open_in(folder, "claim", O_RDWR | O_CREAT);

    while (fd >= 0 && flock(fd, LOCK_EX) != 0) {
        if (errno == EINTR)
            continue;
        close(fd);
        return -1;
    }
    return fd;
}

int strobe_claim_read(const char *folder, StrobeClaim *claim)
{
    int fd = open_in(folder, "claim", O_RDONLY);
    int found = fd >= 0 && read_claim(fd, claim);

    if (fd >= 0)
        close(fd);
    return found;
}

int strobe_claim_is_mine(const StrobeClaim *claim)
{
    return claim->pid == getpid() && claim->start == start_of_process();
}

static void drop_results(const char *folder)
{
    int from = open_in(folder, "directories", O_RDWR);
    int to = from >= 0 ? open_in(folder, "dropped", O_WRONLY | O_APPEND | O_CREAT) : -1;
    char bytes[4096];
    ssize_t n;

    while (to >= 0 && (n = read(from, bytes, sizeof bytes)) > 0)
        if (write(to, bytes, (size_t)n) != n)
            break;
    if (to >= 0) {
        close(to);
        n = ftruncate(from, 0);
    }
    if (from >= 0)
        close(from);
}

/* Was the program that earlier ran in this process, and made the claim `earlier`, only a launcher?
 * It was if it made the claim less than SUBSTANCE_SECONDS ago, and only collectors that work in any
 * process worked in it. */
static int was_launcher(int fd, const StrobeClaim *earlier)
{
    struct stat status;

    return earlier->rank != STROBE_CLAIM_OWN && fstat(fd, &status) == 0 &&
           time(NULL) - status.st_mtime < SUBSTANCE_SECONDS;
}

static int take_over(const char *folder, int fd, int rank, const StrobeClaim *earlier)
{
    int is_mine = strobe_claim_is_mine(earlier);

    if (!is_mine && (earlier->rank != STROBE_CLAIM_FOR_NOW || rank != STROBE_CLAIM_OWN))
        return 0;
    if (!is_mine || was_launcher(fd, earlier))
        drop_results(folder);
    return write_claim(fd, rank);
}

int strobe_claim_take(const char *folder, int rank, int shared)
{
    StrobeClaim earlier;
    int fd = lock_claim(folder), is_taken;

    if (fd < 0)
        return 0;
    if (!read_claim(fd, &earlier))
        is_taken = write_claim(fd, rank);
    else
        is_taken = shared || take_over(folder, fd, rank, &earlier);
    close(fd);
    return is_taken;
}

void strobe_claim_confirm(const char *folder)
{
    StrobeClaim claim;
    int fd = lock_claim(folder);

    if (fd < 0)
        return;
    if (read_claim(fd, &claim) && claim.rank != STROBE_CLAIM_OWN && strobe_claim_is_mine(&claim))
        write_claim(fd, STROBE_CLAIM_OWN);
    close(fd);
}
