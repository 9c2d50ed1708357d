/* SPDX-License-Identifier: Apache-2.0 */
/* Preloaded into strobe-writer: makes its system call number FAIL_AT (from 1) fail with the errno
 * FAIL_WITH, and writes the name of the call to the file FAIL_LOG. Calls by libraries count too,
 * except those by the C library. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))

static void note_failure(const char *name)
{
    const char *log = getenv("FAIL_LOG");
    int fd = log ? (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_TRUNC, 0600) : -1;

    if (fd < 0)
        return;
    if (syscall(SYS_write, fd, name, strlen(name)) < 0)
        _exit(3);
    syscall(SYS_close, fd);
}

/* Whether this is the call that must fail. If so, sets errno. */
static int is_to_fail(const char *name)
{
    static _Atomic long n_calls;
    const char *at = getenv("FAIL_AT"), *with = getenv("FAIL_WITH");

    if (!at || !with || atomic_fetch_add(&n_calls, 1) + 1 != atol(at))
        return 0;
    note_failure(name);
    errno = atoi(with);
    return 1;
}

/* Defines a function that calls its next definition, or returns `failure` if the call must fail. */
#define CALL(type, name, parameters, arguments, failure)                                           \
    EXPORTED type name parameters                                                                  \
    {                                                                                              \
        static type(*next) parameters;                                                             \
        if (is_to_fail(#name))                                                                     \
            return failure;                                                                        \
        if (!next)                                                                                 \
            *(void **)&next = dlsym(RTLD_NEXT, #name);                                             \
        return next arguments;                                                                     \
    }

CALL(ssize_t, writev, (int fd, const struct iovec *iov, int n), (fd, iov, n), -1)
CALL(ssize_t, read, (int fd, void *out, size_t n), (fd, out, n), -1)
CALL(ssize_t, write, (int fd, const void *in, size_t n), (fd, in, n), -1)
CALL(ssize_t, pread64, (int fd, void *out, size_t n, off64_t at), (fd, out, n, at), -1)
CALL(ssize_t, pwrite64, (int fd, const void *in, size_t n, off64_t at), (fd, in, n, at), -1)
CALL(off64_t, lseek64, (int fd, off64_t at, int from), (fd, at, from), -1)
CALL(int, fdatasync, (int fd), (fd), -1)
CALL(int, fsync, (int fd), (fd), -1)
CALL(int, flock, (int fd, int operation), (fd, operation), -1)
CALL(int, ftruncate64, (int fd, off64_t size), (fd, size), -1)
CALL(int, fstat64, (int fd, struct stat64 *out), (fd, out), -1)
CALL(int, stat64, (const char *path, struct stat64 *out), (path, out), -1)
CALL(int, fstatat64, (int fd, const char *path, struct stat64 *out, int flags),
     (fd, path, out, flags), -1)
CALL(int, fstatfs64, (int fd, struct statfs64 *out), (fd, out), -1)
CALL(int, fstatvfs64, (int fd, struct statvfs64 *out), (fd, out), -1)
CALL(int, renameat, (int from, const char *one, int to, const char *two), (from, one, to, two), -1)
CALL(int, linkat, (int from, const char *one, int to, const char *two, int flags),
     (from, one, to, two, flags), -1)
CALL(int, unlink, (const char *path), (path), -1)
CALL(int, unlinkat, (int fd, const char *path, int flags), (fd, path, flags), -1)
CALL(int, faccessat, (int fd, const char *path, int mode, int flags), (fd, path, mode, flags), -1)
CALL(void *, mmap64, (void *at, size_t n, int protection, int flags, int fd, off64_t from),
     (at, n, protection, flags, fd, from), MAP_FAILED)

/* Closes the descriptor even if the call fails, as Linux does. */
EXPORTED int close(int fd)
{
    int failed = is_to_fail("close"), number = errno;

    if (syscall(SYS_close, fd))
        return -1;
    errno = number;
    return failed ? -1 : 0;
}

EXPORTED int open64(const char *path, int flags, ...)
{
    va_list arguments;

    va_start(arguments, flags);
    int mode = va_arg(arguments, int);
    va_end(arguments);
    return is_to_fail("open") ? -1 : (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

EXPORTED int openat64(int folder, const char *path, int flags, ...)
{
    va_list arguments;

    va_start(arguments, flags);
    int mode = va_arg(arguments, int);
    va_end(arguments);
    return is_to_fail("openat") ? -1 : (int)syscall(SYS_openat, folder, path, flags, mode);
}

EXPORTED int fcntl64(int fd, int command, ...)
{
    va_list arguments;

    va_start(arguments, command);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    return is_to_fail("fcntl") ? -1 : (int)syscall(SYS_fcntl, fd, command, argument);
}
