/* SPDX-License-Identifier: Apache-2.0 */
/* How a capture's file passes from the program, which makes it with its facts, to the writer, which
 * appends everything else. libc only. */
#ifndef STROBE_CORE_CAPTURE_FILE_H
#define STROBE_CORE_CAPTURE_FILE_H

#include "pool.h"

/* Writes the facts, JSON text, to `fd`, a new and empty file (owned from now on, and closed).
 * Returns 0 or an errno value. */
int strobe_capture_file_begin(int fd, uint32_t window, const char *metadata);

/* Takes the STROBE_CAPTURE_UNNAMED off the name of the file that is to lie at `path`: with its
 * facts it is a capture. Returns 0 or an errno value. */
int strobe_capture_file_name(const char *path);

/* Opens such a file to append to it, and reads its facts (free them). Only one whose facts name the
 * pool, that has one name and is no link: the path is the program's word. Returns 0 or an errno
 * value. */
int strobe_capture_file_open(const char *path, const struct pool_header *pool, int *fd,
                             char **metadata);

#endif
