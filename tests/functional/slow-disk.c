/* SPDX-License-Identifier: Apache-2.0 */
/* Preloaded into a program: each write of a capture's block takes SLOW_DISK_US, or waits while the
 * file SLOW_DISK_WHILE exists. clone() fails, so that the writer is a thread of the program, to
 * which this library applies. */
#include <dlfcn.h>
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

__attribute__((visibility("default"))) ssize_t writev(int fd, const struct iovec *iov, int n)
{
    static ssize_t (*real)(int, const struct iovec *, int);
    const char *pause = getenv("SLOW_DISK_US"), *held = getenv("SLOW_DISK_WHILE");

    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "writev");
    if (pause && n > 1)
        usleep((useconds_t)atol(pause));
    while (held && n > 1 && access(held, F_OK) == 0)
        usleep(1000);
    return real(fd, iov, n);
}

__attribute__((visibility("default"))) int clone(int (*run)(void *), void *stack, int flags,
                                                 void *user, ...)
{
    (void)run;
    (void)stack;
    (void)flags;
    (void)user;
    errno = EAGAIN;
    return -1;
}
