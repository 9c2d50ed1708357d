/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A part of a file, read or written as a whole: what a signal interrupts and what the system does
 * in pieces goes on. The place in the file that read() and write() know stays. libc only. From any
 * thread. Since 1.0.
 */
#ifndef STROBE_HELPERS_FILE_PART_H
#define STROBE_HELPERS_FILE_PART_H

#include <stddef.h>
#include <stdint.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* Reads `length` bytes from `offset` on. Returns how many there were, fewer where the file ends; -1
 * with errno set. */
int64_t strobe_file_part_read(int file, uint64_t offset, void *bytes, size_t length);
/* Writes all of the bytes from `offset` on. Returns 0 or an errno value; a part may be written
 * then. */
int strobe_file_part_write(int file, uint64_t offset, const void *bytes, size_t length);

#if defined(__cplusplus)
}
#endif

#endif
