/* SPDX-License-Identifier: Apache-2.0 */
/* Reads acl.json, and makes the copy for the runtime. */
#include "board.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

char *board_config_read(const char *path, size_t *length)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    char *text = malloc(SVP_CONFIG_BYTES_MAX + 2);
    ssize_t n = 0;

    *length = 0;
    while (fd >= 0 && text && *length <= SVP_CONFIG_BYTES_MAX &&
           (n = read(fd, text + *length, SVP_CONFIG_BYTES_MAX + 1 - *length)) > 0)
        *length += (size_t)n;
    if (fd < 0 || !text || n < 0) {
        board_complain("%s: cannot be read: %s; profiling is off", path, strerror(errno));
        free(text);
        text = NULL;
    }
    if (fd >= 0)
        close(fd);
    return text;
}

int board_config_copy(const char *text, size_t length, char copy[SVP_PATH_MAX])
{
    char *off = malloc(length + 64);
    size_t n = off ? svp_config_switch_off(text, length, off, length + 64) : 0;
    /* a file in memory, which the runtime opens by a path in /proc */
    int fd = n ? memfd_create("acl.json", 0) : -1;
    int is_good = fd >= 0 && write(fd, off, n) == (ssize_t)n;

    free(off);
    if (is_good)
        snprintf(copy, SVP_PATH_MAX, "/proc/self/fd/%d", fd);
    else if (fd >= 0)
        close(fd);
    return is_good;
}
