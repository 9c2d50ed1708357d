/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads or writes a part of a file completely: continues after signals and short reads or
 * writes. Leaves the file position of read() and write() unchanged. libc only. Any thread. Since
 * 1.0.
 */
#ifndef STROBE_HELPERS_FILE_PART_H
#define STROBE_HELPERS_FILE_PART_H

#include <stddef.h>
#include <stdint.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* Reads `length` bytes at `offset`. Returns the number of bytes, fewer at the end of the file;
 * -1 with errno. */
int64_t strobe_file_part_read(int file, uint64_t offset, void *bytes, size_t length);
/* Writes all bytes at `offset`. Returns 0 or an errno value; after an error a part may be
 * written. */
int strobe_file_part_write(int file, uint64_t offset, const void *bytes, size_t length);

#if defined(__cplusplus)
}
#endif

#endif
