/* SPDX-License-Identifier: Apache-2.0 */
/* For LD_PRELOAD: drops the bytes that a program writes with pwrite(2) to files that have a name,
 * like /dev/null, which a program cannot use instead of an output folder. Temporary files have no
 * name and are written. */
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
