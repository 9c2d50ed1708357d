/* SPDX-License-Identifier: Apache-2.0 */
#include "folder-rename.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

int strobe_rename_folder(int from_in, const char *from, int to_in, const char *to)
{
    int moved = renameat2(from_in, from, to_in, to, RENAME_NOREPLACE);

    if (moved == 0 || (errno != EINVAL && errno != ENOSYS))
        return moved;
    /* A file system without RENAME_NOREPLACE can replace an empty folder. */
    if (mkdirat(to_in, to, 0700) != 0)
        return -1;
    moved = renameat(from_in, from, to_in, to);
    if (moved != 0) {
        const int number = errno;
        unlinkat(to_in, to, AT_REMOVEDIR);
        errno = number;
    }
    return moved;
}
