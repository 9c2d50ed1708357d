/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/helpers/descriptor.h>

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LEAST 512 /* few programs open so many files that they reach this number */

/* Returns the number after `key` in `status`, the text of /proc/self/status; 0: there is none. */
static long number_of(const char *status, const char *key)
{
    const char *line = strstr(status, key);

    return line ? strtol(line + strlen(key), NULL, 10) : 0;
}

/* Finds the least number to use. If a program has threads, the kernel waits for all processors when
 * the descriptor table grows, which takes milliseconds; so the upper half of the existing table is
 * used. */
static int find_least(void)
{
    char status[4096] = "";
    int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, status, sizeof status - 1);
    long places;

    if (fd >= 0)
        close(fd);
    if (n <= 0)
        return LEAST;
    places = number_of(status, "\nFDSize:");
    if (places <= 0 || places > LEAST || number_of(status, "\nThreads:") <= 1)
        return LEAST;
    return (int)(places / 2);
}

/* Returns the least number to use. Finds it once in each process, because a forked child has its
 * own table and threads. */
static int get_least(void)
{
    static uint64_t known; /* atomic; process id and number in one word */
    uint64_t now = __atomic_load_n(&known, __ATOMIC_RELAXED);
    const uint64_t process = (uint64_t)getpid() << 32;

    if (now >> 32 != process >> 32) {
        now = process | (uint64_t)find_least();
        __atomic_store_n(&known, now, __ATOMIC_RELAXED);
    }
    return (int)(now & UINT32_MAX);
}

int strobe_descriptor_aside(int descriptor)
{
    int other = -1, saved = errno;

    if (descriptor < 0)
        return -1;
    other = fcntl(descriptor, F_DUPFD_CLOEXEC, get_least());
    if (other < 0) { /* the process's limit allows no such number, or all are in use */
        if (descriptor > STDERR_FILENO) {
            errno = saved;
            return descriptor;
        }
        other = fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
        saved = other < 0 ? errno : saved;
    }
    close(descriptor);
    errno = saved;
    return other;
}
