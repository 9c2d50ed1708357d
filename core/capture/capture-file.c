/* SPDX-License-Identifier: Apache-2.0 */
#include "capture-file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "capture-writer.h"

int strobe_capture_file_begin(int fd, uint32_t window, const char *metadata)
{
    StrobeCaptureWriter *writer = calloc(1, sizeof *writer);
    int error = ENOMEM;

    if (!writer) {
        close(fd);
        return error;
    }
    strobe_capture_writer_begin(writer, fd, window);
    error = strobe_capture_write_metadata(writer, metadata, 0);
    strobe_capture_writer_end(writer);
    free(writer);
    return error;
}

int strobe_capture_file_name(const char *path)
{
    char made[PATH_MAX];

    if (snprintf(made, sizeof made, "%s" STROBE_CAPTURE_UNNAMED, path) >= (int)sizeof made)
        return ENAMETOOLONG;
    return renameat(AT_FDCWD, made, AT_FDCWD, path) ? errno : 0;
}

/* Reads the file's metadata (free it). NULL: the file does not begin with metadata. */
static char *read_metadata(int fd)
{
    struct strobe_block_header header;

    if (pread(fd, &header, sizeof header, 0) != (ssize_t)sizeof header ||
        memcmp(header.magic, STROBE_BLOCK_MAGIC, sizeof header.magic) ||
        header.type != STROBE_BLOCK_METADATA || header.payload_bytes > STROBE_PAYLOAD_MAX)
        return NULL;
    char *metadata = calloc(1, header.payload_bytes + 1u);
    if (metadata &&
        pread(fd, metadata, header.payload_bytes, sizeof header) != (ssize_t)header.payload_bytes) {
        free(metadata);
        metadata = NULL;
    }
    return metadata;
}

/* Do the file's metadata name this pool? The path comes from the program, so any file may be
 * there. */
static int is_of_pool(int fd, const char *metadata, const struct pool_header *pool)
{
    struct stat status;
    char id[33];

    strobe_pool_id(pool, id);
    return fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_nlink == 1 && metadata &&
           strstr(metadata, id) != NULL;
}

int strobe_capture_file_open(const char *path, const struct pool_header *pool, int *fd,
                             char **metadata)
{
    *fd = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (*fd < 0)
        return errno;
    *metadata = read_metadata(*fd);
    if (is_of_pool(*fd, *metadata, pool) && lseek(*fd, 0, SEEK_END) > 0)
        return 0;
    free(*metadata);
    *metadata = NULL;
    close(*fd);
    *fd = -1;
    return EINVAL;
}
