/* SPDX-License-Identifier: Apache-2.0 */
#include "temporary-file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <strobe/helpers/descriptor.h>
#include <unistd.h>

#define NAME_TRIES 1000

int strobe_temporary_file_check_name(const char *name)
{
    size_t length = strlen(name);

    if (!length || strchr(name, '/') || !strcmp(name, ".") || !strcmp(name, "..")) {
        errno = EINVAL;
        return -1;
    }
    if (length >= TEMPORARY_FILE_NAME) {
        errno = ENAMETOOLONG;
        return -1;
    }
    return 0;
}

int strobe_temporary_file_create(int directory, char *name)
{
    static unsigned number; /* of the next one, so that few are tried */

    for (unsigned i = 0; i < NAME_TRIES; i++) {
        int fd;

        snprintf(name, TEMPORARY_FILE_NAME, ".strobe-%ld-%u.tmp", (long)getpid(),
                 __atomic_fetch_add(&number, 1, __ATOMIC_RELAXED));
        fd = strobe_descriptor_aside(
            openat(directory, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0640));
        if (fd >= 0)
            return fd;
        if (errno != EEXIST)
            break;
    }
    name[0] = '\0';
    return -1;
}

int strobe_temporary_file_nameless(int directory)
{
    char name[TEMPORARY_FILE_NAME];
    int fd = strobe_descriptor_aside(openat(directory, ".", O_RDWR | O_TMPFILE | O_CLOEXEC, 0600));

    if (fd >= 0)
        return fd;
    /* A file system without nameless files. */
    fd = strobe_temporary_file_create(directory, name);
    if (fd >= 0)
        unlinkat(directory, name, 0);
    return fd;
}
