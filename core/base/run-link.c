/* SPDX-License-Identifier: Apache-2.0 */
#include "run-link.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <strobe/helpers/environment.h>
#include <sys/stat.h>
#include <unistd.h>

_Static_assert(STROBE_RUN_MESSAGE_BYTES <= PIPE_BUF, "a message is written at once");

const char *strobe_run_folder(void)
{
    const char *folder = strobe_environment_get("STROBE_RUN_DIR");
    struct stat st;

    /* Only a folder that belongs to this user is trusted: `strobe run` of this user made it. */
    if (!folder || stat(folder, &st) || !S_ISDIR(st.st_mode) || st.st_uid != geteuid() ||
        (st.st_mode & (S_IWGRP | S_IWOTH)))
        return NULL;
    return folder;
}

/* Calls libc directly, not through GLib: the library that intercepts the program's calls of libc
 * (osrt) recognises Strobe's calls by the caller's address. */
void strobe_run_opening(const char *collector)
{
    const char *folder = strobe_run_folder();
    char path[PATH_MAX];

    if (!folder || (size_t)snprintf(path, sizeof path, "%s/opening.%ld.%ld", folder, (long)getpid(),
                                    (long)gettid()) >= sizeof path)
        return;
    if (!collector) {
        unlink(path);
        return;
    }
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return;
    ssize_t n = write(fd, collector, strlen(collector));
    close(fd);
    if (n < 0)
        unlink(path);
}

/* Opens the FIFO; returns 0 or an errno value. ENXIO: the FIFO has no reader. */
static int open_writers(const char *folder, int mode, int *fd)
{
    char path[PATH_MAX];
    struct stat st;

    if (snprintf(path, sizeof path, "%s/" STROBE_RUN_WRITERS, folder) >= (int)sizeof path)
        return ENAMETOOLONG;
    *fd = open(path, mode | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
    if (*fd < 0)
        return errno;
    return fstat(*fd, &st) == 0 && S_ISFIFO(st.st_mode) ? 0 : EINVAL;
}

/* Returns 0 if the path is too long. The pool's file has a random name, so the path is unique. */
static int make_refusal_path(const char *folder, const char *pool, char path[PATH_MAX])
{
    const char *slash = strrchr(pool, '/');

    return snprintf(path, PATH_MAX, "%s/refused.%s", folder, slash ? slash + 1 : pool) < PATH_MAX;
}

void strobe_run_refuse_writer(const char *folder, const char *pool)
{
    char path[PATH_MAX];

    if (!make_refusal_path(folder, pool, path))
        return;
    int fd = open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd >= 0)
        close(fd);
}

int strobe_run_has_refused(const char *pool)
{
    const char *folder = strobe_run_folder();
    char path[PATH_MAX];

    return folder && make_refusal_path(folder, pool, path) && access(path, F_OK) == 0;
}

int strobe_run_request_writer(const char *pool)
{
    const char *folder = strobe_run_folder();
    char message[STROBE_RUN_MESSAGE_BYTES] = "";
    int writing = -1, reading = -1;

    if (!folder || *pool != '/')
        return ENOENT;
    int error = open_writers(folder, O_WRONLY, &writing);
    if (error == 0) /* This process opens the FIFO for reading too, so that a write causes no
                       SIGPIPE if the reader ends at this moment. */
        error = open_writers(folder, O_RDONLY, &reading);
    strncpy(message, pool, sizeof message - 1);
    if (error == 0 && write(writing, message, sizeof message) != (ssize_t)sizeof message)
        error = errno;
    if (reading >= 0)
        close(reading);
    if (writing >= 0)
        close(writing);
    return error;
}
