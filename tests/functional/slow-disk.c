/* SPDX-License-Identifier: Apache-2.0 */
/* Loaded before a program, makes each write of a capture's block take SLOW_DISK_US, or wait while
 * the file SLOW_DISK_WHILE is there. The writer stays in the program, where this library is: no
 * process can be begun by clone(). */
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
