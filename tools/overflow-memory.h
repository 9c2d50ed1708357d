/* SPDX-License-Identifier: Apache-2.0 */
/* The process's heap beyond a limit in a mapped file. */
#ifndef STROBE_TOOLS_OVERFLOW_MEMORY_H
#define STROBE_TOOLS_OVERFLOW_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

/* From now on memory that the heap takes beyond a part of `limit_bytes` lies in `file` (empty,
 * owned from now on, without a name), and its pages are unmapped when the process has nearly
 * `limit_bytes` resident. Once. Where the file has no room the heap goes on in memory, and says so
 * once on stderr. False without jemalloc, and after a warning where another heap or other settings
 * of it were asked for from outside. `folder` is where the file lies, for messages: a page of it
 * that cannot be had ends the process, with what is half made removed. */
bool overflow_memory_begin(uint64_t limit_bytes, int file, const char *folder);

#endif
