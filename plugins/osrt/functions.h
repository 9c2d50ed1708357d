/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of the C library that may wait, each with its result type, name, parameters and
 * arguments. Functions that do not fit this form are defined in osrt-preload.c. */
#ifndef STROBE_PLUGINS_HOST_SYS_OSRT_FUNCTIONS_H
#define STROBE_PLUGINS_HOST_SYS_OSRT_FUNCTIONS_H

/* clang-format off */
#define OSRT_FUNCTIONS(F) \
    F(ssize_t, read, (int fd, void *data, size_t size), (fd, data, size)) \
    F(ssize_t, write, (int fd, const void *data, size_t size), (fd, data, size)) \
    F(ssize_t, pread, (int fd, void *data, size_t size, off_t at), (fd, data, size, at)) \
    F(ssize_t, pwrite, (int fd, const void *data, size_t size, off_t at), (fd, data, size, at)) \
    F(ssize_t, pread64, (int fd, void *data, size_t size, off64_t at), (fd, data, size, at)) \
    F(ssize_t, pwrite64, (int fd, const void *data, size_t size, off64_t at), (fd, data, size, at)) \
    F(ssize_t, readv, (int fd, const struct iovec *parts, int n), (fd, parts, n)) \
    F(ssize_t, writev, (int fd, const struct iovec *parts, int n), (fd, parts, n)) \
    F(int, close, (int fd), (fd)) \
    F(int, fsync, (int fd), (fd)) \
    F(int, fdatasync, (int fd), (fd)) \
    F(int, flock, (int fd, int operation), (fd, operation)) \
    F(int, poll, (struct pollfd *files, nfds_t n, int timeout), (files, n, timeout)) \
    F(int, ppoll, (struct pollfd *files, nfds_t n, const struct timespec *timeout, const sigset_t *mask), (files, n, timeout, mask)) \
    F(int, select, (int n, fd_set *in, fd_set *out, fd_set *other, struct timeval *timeout), (n, in, out, other, timeout)) \
    F(int, pselect, (int n, fd_set *in, fd_set *out, fd_set *other, const struct timespec *timeout, const sigset_t *mask), (n, in, out, other, timeout, mask)) \
    F(int, epoll_wait, (int fd, struct epoll_event *events, int n, int timeout), (fd, events, n, timeout)) \
    F(int, epoll_pwait, (int fd, struct epoll_event *events, int n, int timeout, const sigset_t *mask), (fd, events, n, timeout, mask)) \
    F(int, connect, (int fd, const struct sockaddr *address, socklen_t size), (fd, address, size)) \
    F(int, accept, (int fd, struct sockaddr *address, socklen_t *size), (fd, address, size)) \
    F(int, accept4, (int fd, struct sockaddr *address, socklen_t *size, int flags), (fd, address, size, flags)) \
    F(ssize_t, send, (int fd, const void *data, size_t size, int flags), (fd, data, size, flags)) \
    F(ssize_t, sendto, (int fd, const void *data, size_t size, int flags, const struct sockaddr *to, socklen_t n), (fd, data, size, flags, to, n)) \
    F(ssize_t, sendmsg, (int fd, const struct msghdr *message, int flags), (fd, message, flags)) \
    F(ssize_t, recv, (int fd, void *data, size_t size, int flags), (fd, data, size, flags)) \
    F(ssize_t, recvfrom, (int fd, void *data, size_t size, int flags, struct sockaddr *from, socklen_t *n), (fd, data, size, flags, from, n)) \
    F(ssize_t, recvmsg, (int fd, struct msghdr *message, int flags), (fd, message, flags)) \
    F(int, nanosleep, (const struct timespec *time, struct timespec *left), (time, left)) \
    F(int, clock_nanosleep, (clockid_t clock, int flags, const struct timespec *time, struct timespec *left), (clock, flags, time, left)) \
    F(int, usleep, (useconds_t time), (time)) \
    F(unsigned, sleep, (unsigned time), (time)) \
    F(int, sched_yield, (void), ()) \
    F(pid_t, wait, (int *status), (status)) \
    F(pid_t, waitpid, (pid_t pid, int *status, int options), (pid, status, options)) \
    F(pid_t, wait4, (pid_t pid, int *status, int options, struct rusage *usage), (pid, status, options, usage)) \
    F(int, waitid, (idtype_t type, id_t id, siginfo_t *info, int options), (type, id, info, options)) \
    F(int, sem_wait, (sem_t *semaphore), (semaphore)) \
    F(int, sem_timedwait, (sem_t *semaphore, const struct timespec *until), (semaphore, until)) \
    F(int, pthread_create, (pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *user), (thread, attributes, run, user)) \
    F(int, pthread_join, (pthread_t thread, void **value), (thread, value)) \
    F(int, pthread_timedjoin_np, (pthread_t thread, void **value, const struct timespec *until), (thread, value, until)) \
    F(int, pthread_cond_wait, (pthread_cond_t *condition, pthread_mutex_t *mutex), (condition, mutex)) \
    F(int, pthread_cond_timedwait, (pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *until), (condition, mutex, until)) \
    F(int, pthread_barrier_wait, (pthread_barrier_t *barrier), (barrier)) \
    F(int, pthread_mutex_timedlock, (pthread_mutex_t *mutex, const struct timespec *until), (mutex, until)) \
    F(int, pthread_rwlock_rdlock, (pthread_rwlock_t *lock), (lock)) \
    F(int, pthread_rwlock_wrlock, (pthread_rwlock_t *lock), (lock)) \
    F(ssize_t, __read_chk, (int fd, void *data, size_t size, size_t room), (fd, data, size, room)) \
    F(ssize_t, __pread_chk, (int fd, void *data, size_t size, off_t at, size_t room), (fd, data, size, at, room)) \
    F(ssize_t, __pread64_chk, (int fd, void *data, size_t size, off64_t at, size_t room), (fd, data, size, at, room)) \
    F(ssize_t, __recv_chk, (int fd, void *data, size_t size, size_t room, int flags), (fd, data, size, room, flags)) \
    F(ssize_t, __recvfrom_chk, (int fd, void *data, size_t size, size_t room, int flags, struct sockaddr *from, socklen_t *n), (fd, data, size, room, flags, from, n)) \
    F(int, __poll_chk, (struct pollfd *files, nfds_t n, int timeout, size_t room), (files, n, timeout, room))
/* clang-format on */

#endif
