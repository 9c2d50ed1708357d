/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Watches a file for changes in a process beside the program, strobe-watch, so that no call of the
 * program waits for a file system. The process stores the changes in memory that the two share.
 */
#ifndef STROBE_CORE_FILE_WATCH_H
#define STROBE_CORE_FILE_WATCH_H

#include <stdint.h>
#include <strobe/strobe.h>
#include "file-version.h"

typedef struct StrobeFileWatch StrobeFileWatch;

/* Begins to watch the file at the absolute path `path`, every `poll_ns`. The version that is there
 * now is not reported. If no process can be started, a thread of the program (strobe-watch) watches
 * the file. Returns NULL with errno if that fails too. */
STROBE_API StrobeFileWatch *strobe_file_watch_new(const char *path, int64_t poll_ns);

/* Returns the next of the last 15 changes, oldest first, as strobe_file_version_look does. Makes no
 * system call if there is none. STROBE_FILE_SAME in a forked child. Calls must not overlap. */
STROBE_API StrobeFileChange strobe_file_watch_take(StrobeFileWatch *watch, char **text,
                                                   size_t *length);

/* Returns whether the next call of strobe_file_watch_take returns a change. */
STROBE_API int strobe_file_watch_has_change(const StrobeFileWatch *watch);

/* Returns how often the file has been looked at. */
STROBE_API uint32_t strobe_file_watch_looks(const StrobeFileWatch *watch);

/* Ends the watch. */
STROBE_API void strobe_file_watch_free(StrobeFileWatch *watch);

/* For strobe-watch: watches the file for the program that has given this descriptor, until the
 * program ends. Returns 0 or an errno value. */
int strobe_file_watch_run(int descriptor, const char *path, int64_t poll_ns);

#endif
