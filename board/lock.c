/* SPDX-License-Identifier: Apache-2.0 */
/* One recording for each device and each output folder: locks that end with the process. */
#include "board.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#define LOCKS_MAX 17u /* the output folder, devices */

static int locks[LOCKS_MAX];
static unsigned n_locks;

/* 0: another process holds it. What cannot be opened is not locked. */
static int take_lock(const char *path, int flags)
{
    const int fd = open(path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);

    if (fd < 0 || n_locks == LOCKS_MAX) {
        board_say("%s: cannot be locked: %s", path, strerror(fd < 0 ? errno : EMFILE));
        if (fd >= 0)
            close(fd);
        return 1;
    }
    if (flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK) {
        close(fd);
        return 0;
    }
    locks[n_locks++] = fd;
    return 1;
}

int board_lock_output(const char *output)
{
    const int is_taken = take_lock(output, O_RDONLY | O_DIRECTORY);

    if (!is_taken)
        board_say("%s: another process records into this folder: profiling is off", output);
    return is_taken;
}

int board_lock_device(uint32_t device)
{
    const char *folder = getenv("TMPDIR");
    char path[SVP_PATH_MAX];

    snprintf(path, sizeof path, "%.3800s/strobe-board-%u.device-%u.lock",
             folder && *folder ? folder : "/tmp", (unsigned)geteuid(), device);
    if (take_lock(path, O_RDWR | O_CREAT))
        return 1;
    board_say("device %u: another process profiles it (%s): profiling is off", device, path);
    return 0;
}

void board_unlock(void)
{
    while (n_locks)
        close(locks[--n_locks]);
}
