/* SPDX-License-Identifier: Apache-2.0 */
/* Passes a capture's file from the program to the writer. The program creates the file and writes
 * its metadata; the writer appends everything else. libc only. */
#ifndef STROBE_CORE_CAPTURE_FILE_H
#define STROBE_CORE_CAPTURE_FILE_H

#include "pool.h"

/* Writes `metadata`, JSON text, to `fd`, a new and empty file, and closes `fd`. Returns 0 or an
 * errno value. */
int strobe_capture_file_begin(int fd, uint32_t window, const char *metadata);

/* Renames the file `path` with STROBE_CAPTURE_UNNAMED appended to `path`. Call it when the file has
 * its metadata, because the file is then a capture. Returns 0 or an errno value. */
int strobe_capture_file_name(const char *path);

/* Opens a capture at `path` to append to it, and reads its metadata (free it). The path comes from
 * the program and is not trusted: the file's metadata must name the pool, and the file must have
 * only one hard link and not be a symbolic link. Returns 0 or an errno value. */
int strobe_capture_file_open(const char *path, const struct pool_header *pool, int *fd,
                             char **metadata);

#endif
