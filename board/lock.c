/* SPDX-License-Identifier: Apache-2.0 */
/* Allows one recording for each device and each output folder. The system releases the locks when
 * the process ends. */
#include "board.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOCKS_MAX 17u /* one lock for the output folder, and one for each device */

static int locks[LOCKS_MAX];
static unsigned n_locks;

/* Returns the id of the process that has locked an open file; 0: not known. */
static long find_owner(int fd)
{
    FILE *table = fopen("/proc/locks", "re");
    unsigned long inode;
    char line[256];
    struct stat st;
    long owner = 0, pid;

    while (table && fstat(fd, &st) == 0 && fgets(line, sizeof line, table))
        if (sscanf(line, "%*d: FLOCK %*s %*s %ld %*x:%*x:%lu", &pid, &inode) == 2 &&
            inode == (unsigned long)st.st_ino)
            owner = pid;
    if (table)
        fclose(table);
    return owner;
}

/* Takes the lock of a file. Returns 0 if another process has the lock, and sets *owner to its id.
 * Otherwise returns 1, even if the file cannot be opened, because this must not prevent the
 * recording. */
static int take_lock(const char *path, int flags, long *owner)
{
    const int fd = open(path, flags | O_CLOEXEC | O_NONBLOCK, 0600);

    *owner = 0;
    if (fd < 0 || n_locks == LOCKS_MAX) {
        board_complain("%s: cannot be locked: %s", path, strerror(fd < 0 ? errno : EMFILE));
        if (fd >= 0)
            close(fd);
        return 1;
    }
    if (flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK) {
        *owner = find_owner(fd);
        close(fd);
        return 0;
    }
    locks[n_locks++] = fd;
    return 1;
}

int board_lock_output(const char *output)
{
    long owner;
    const int is_taken = take_lock(output, O_RDONLY | O_DIRECTORY, &owner);

    if (!is_taken)
        board_complain("%s: another process (%ld) records into this folder: profiling is off",
                       output, owner);
    return is_taken;
}

int board_lock_device(uint32_t device)
{
    const char *folder = getenv("TMPDIR");
    char path[SVP_PATH_MAX];
    long owner;

    snprintf(path, sizeof path, "%.3800s/strobe-board-%u.device-%u.lock",
             folder && *folder ? folder : "/tmp", (unsigned)geteuid(), device);
    if (take_lock(path, O_NOFOLLOW | O_RDWR | O_CREAT, &owner))
        return 1;
    board_complain("device %u: another process (%ld) profiles it (%s): profiling is off", device,
                   owner, path);
    return 0;
}

void board_unlock(void)
{
    while (n_locks)
        close(locks[--n_locks]);
}
