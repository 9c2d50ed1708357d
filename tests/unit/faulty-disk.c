/* SPDX-License-Identifier: Apache-2.0 */
#include "faulty-disk.h"

#include <errno.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

struct faulty_disk faulty_disk = {.room = -1};

ssize_t __real_writev(int fd, const struct iovec *iov, int n);
ssize_t __wrap_writev(int fd, const struct iovec *iov, int n);
int __real_fdatasync(int fd);
int __wrap_fdatasync(int fd);
int __real_ftruncate64(int fd, off64_t size);
int __wrap_ftruncate64(int fd, off64_t size);

void faulty_disk_reset(void)
{
    faulty_disk.room = -1;
    faulty_disk.short_every = 0;
    faulty_disk.delay_us = 0;
    faulty_disk.sync_error = 0;
    faulty_disk.cut_error = 0;
    faulty_disk.n_failed = 0;
    faulty_disk.n_short = 0;
}

static ssize_t fail_with(int error)
{
    errno = error;
    return -1;
}

/* Writes the first part of the data, at most `limit` bytes. Returns the number of written bytes. */
static ssize_t write_part(int fd, const struct iovec *iov, int n, size_t limit)
{
    struct iovec part[2];
    int parts = 0;

    for (int i = 0; i < n && parts < 2 && limit; i++) {
        part[parts] = iov[i];
        if (part[parts].iov_len > limit)
            part[parts].iov_len = limit;
        limit -= part[parts++].iov_len;
    }
    return __real_writev(fd, part, parts);
}

/* About one of `every` times, writes only a part of the data and returns its size, or fails with
 * EINTR and returns -1. Otherwise writes nothing and returns -2. */
static ssize_t write_unevenly(int fd, const struct iovec *iov, int n, guint every)
{
    static guint64 state = 1;
    guint64 random = state = state * G_GUINT64_CONSTANT(6364136223846793005) + 1442695040888963407;

    if ((random >> 33) % every)
        return -2;
    faulty_disk.n_short++;
    return random >> 62 ? write_part(fd, iov, n, 1 + (random >> 40) % 200) : fail_with(EINTR);
}

/* Whether a write would make the file larger. Even a full disk accepts a write that only
 * overwrites. */
static gboolean is_growth(int fd)
{
    struct stat st;

    return faulty_disk.error != ENOSPC ||
           (fstat(fd, &st) == 0 && lseek(fd, 0, SEEK_CUR) >= st.st_size);
}

ssize_t __wrap_writev(int fd, const struct iovec *iov, int n)
{
    gint64 room = faulty_disk.room;
    guint every = faulty_disk.short_every;
    ssize_t done = every ? write_unevenly(fd, iov, n, every) : -2;

    if (faulty_disk.delay_us)
        g_usleep(faulty_disk.delay_us);
    if (done != -2)
        return done;
    if (room >= 0 && !is_growth(fd))
        return __real_writev(fd, iov, n);
    if (room == 0) {
        faulty_disk.n_failed++;
        return fail_with(faulty_disk.error);
    }
    done = room < 0 ? __real_writev(fd, iov, n) : write_part(fd, iov, n, (size_t)room);
    if (room > 0 && done > 0)
        faulty_disk.room -= done;
    return done;
}

int __wrap_fdatasync(int fd)
{
    if (faulty_disk.sync_error)
        return (int)fail_with(faulty_disk.sync_error);
    return __real_fdatasync(fd);
}

int __wrap_ftruncate64(int fd, off64_t size)
{
    if (faulty_disk.cut_error)
        return (int)fail_with(faulty_disk.cut_error);
    return __real_ftruncate64(fd, size);
}
