/* SPDX-License-Identifier: Apache-2.0 */
/*
 * LD_PRELOAD: what a program writes with pwrite(2) into files that have a name is dropped, as on
 * /dev/null, which is no folder to make files in. Scratch files have none.
 */
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

__attribute__((visibility("default"))) ssize_t pwrite(int file, const void *bytes, size_t length,
                                                      off_t at)
{
    struct stat status;

    if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_nlink)
        return (ssize_t)length;
    return syscall(SYS_pwrite64, file, bytes, length, at);
}
