/* SPDX-License-Identifier: Apache-2.0 */
/* Makes calls of the recorder that need memory, threads, files or disk space fail when
 * test-injection requests it. The compiler includes this file before every file of the recorder
 * (-include). Calls by the test and by GLib never fail, because GLib ends a program that has no
 * memory. */
#ifndef STROBE_TESTS_INJECT_H
#define STROBE_TESTS_INJECT_H

#include <sys/uio.h>
#include <unistd.h>

/* Counts the call, and returns whether it must fail. Any thread may call this. */
int inject(const char *call);
/* Writes like writev, but may write only a part, or fail. */
ssize_t injected_writev(int fd, const struct iovec *iov, int n);

#ifdef INJECT_CALLS
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>

#define INJECT(call, error, failed, ...)                                                           \
    (inject(#call) ? (errno = (error), (failed)) : call(__VA_ARGS__))

#define calloc(...) INJECT(calloc, ENOMEM, NULL, __VA_ARGS__)
#define strdup(...) INJECT(strdup, ENOMEM, NULL, __VA_ARGS__)
#define mmap(...) INJECT(mmap, ENOMEM, MAP_FAILED, __VA_ARGS__)
#define madvise(...) INJECT(madvise, EINVAL, -1, __VA_ARGS__)
#define posix_fallocate(...) INJECT(posix_fallocate, ENOSPC, ENOSPC, __VA_ARGS__)
#define open(...) INJECT(open, EMFILE, -1, __VA_ARGS__)
#define openat(...) INJECT(openat, ENOSPC, -1, __VA_ARGS__)
#define renameat(...) INJECT(renameat, ENOSPC, -1, __VA_ARGS__)
#define access(...) INJECT(access, EACCES, -1, __VA_ARGS__)
#define read(...) INJECT(read, EIO, -1, __VA_ARGS__)
#define fstatvfs(...) INJECT(fstatvfs, EIO, -1, __VA_ARGS__)
#define flock(...) INJECT(flock, ENOLCK, -1, __VA_ARGS__)
#define linkat(...) INJECT(linkat, ENOSPC, -1, __VA_ARGS__)
#define lseek(...) INJECT(lseek, EIO, -1, __VA_ARGS__)
#define ftruncate(...) INJECT(ftruncate, EIO, -1, __VA_ARGS__)
#define fdatasync(...) INJECT(fdatasync, ENOSPC, -1, __VA_ARGS__)
#define getrandom(...) INJECT(getrandom, EAGAIN, -1, __VA_ARGS__)
#define prctl(...) INJECT(prctl, EINVAL, -1, __VA_ARGS__)
/* gettid never fails. The functions of glibc that make mutexes and conditions never fail either, so
 * they are not replaced. */
#define syscall(number, ...)                                                                       \
    ((number) != SYS_gettid && inject("syscall") ? (errno = ENOSYS, -1L)                           \
                                                 : syscall(number, ##__VA_ARGS__))
#define writev(...) injected_writev(__VA_ARGS__)
#define pthread_create(...) INJECT(pthread_create, EAGAIN, EAGAIN, __VA_ARGS__)
#define pthread_key_create(...) INJECT(pthread_key_create, EAGAIN, EAGAIN, __VA_ARGS__)
#define pthread_setspecific(...) INJECT(pthread_setspecific, ENOMEM, ENOMEM, __VA_ARGS__)
#define pthread_atfork(...) INJECT(pthread_atfork, ENOMEM, ENOMEM, __VA_ARGS__)

#endif

#endif
