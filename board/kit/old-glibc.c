/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that are missing in the C library 2.28, made from functions and system calls that it
 * has. */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

static int read_status(int folder, const char *path, int flags, struct stat *st)
{
    struct statx read;

    if (statx(folder, path, flags, STATX_BASIC_STATS, &read))
        return -1;
    memset(st, 0, sizeof *st);
    st->st_dev = makedev(read.stx_dev_major, read.stx_dev_minor);
    st->st_ino = read.stx_ino;
    st->st_mode = read.stx_mode;
    st->st_nlink = read.stx_nlink;
    st->st_uid = read.stx_uid;
    st->st_gid = read.stx_gid;
    st->st_size = (off_t)read.stx_size;
    st->st_blocks = (blkcnt_t)read.stx_blocks;
    st->st_blksize = (blksize_t)read.stx_blksize;
    st->st_mtim.tv_sec = (time_t)read.stx_mtime.tv_sec;
    st->st_mtim.tv_nsec = (long)read.stx_mtime.tv_nsec;
    return 0;
}

int fstat(int fd, struct stat *st)
{
    return read_status(fd, "", AT_EMPTY_PATH, st);
}

int stat(const char *path, struct stat *st)
{
    return read_status(AT_FDCWD, path, 0, st);
}

int lstat(const char *path, struct stat *st)
{
    return read_status(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, st);
}

int fstatat(int folder, const char *path, struct stat *st, int flags)
{
    return read_status(folder, path, flags, st);
}

pid_t gettid(void)
{
    return (pid_t)syscall(SYS_gettid);
}
