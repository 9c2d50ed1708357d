/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files that appear whole or not at all.
 *
 * A file is written under a temporary name beside its final one, created with O_EXCL and
 * O_NOFOLLOW, mode 0640, and renamed into place when it is finished. Names are plain file names:
 * a name with a slash is refused. libc only. One file, one thread. Since 1.0.
 *
 * What exceeds 1 MB is written behind the caller, by one thread for all files of a plugin, where
 * there is a second processor: an error may then be told by a later call, by finish at the latest.
 */
#ifndef STROBE_HELPERS_SAFE_FILE_H
#define STROBE_HELPERS_SAFE_FILE_H

#include <stddef.h>
#include <stdint.h>

#if defined(__cplusplus)
extern "C" {
#endif

typedef struct StrobeSafeFile StrobeSafeFile;

/* Creates the temporary file in the folder `directory` (a descriptor, not owned). NULL on failure,
 * errno set. */
StrobeSafeFile *strobe_safe_file_create(int directory, const char *name);
/* What changes the bytes on their way to the file, such as a compressor. */
typedef struct StrobeSafeFilter {
    /* Hands what it makes of the bytes to `sink`, as far as it can; `is_end`: all of it. Returns 0
     * or an errno value. */
    int (*convert)(void *state, const char *bytes, size_t length, int is_end,
                   int (*sink)(void *user, const char *bytes, size_t length), void *user);
    void (*free)(void *state);
} StrobeSafeFilter;

/* Sends all that is appended through the filter, which owns `state` from now on. Before anything
 * was appended. */
void strobe_safe_file_filter(StrobeSafeFile *file, const StrobeSafeFilter *filter, void *state);

/* Buffered append. Returns 0 or an errno value, which later calls and finish repeat. Has the form
 * of a StrobeSink. */
int strobe_safe_file_write(void *file, const char *bytes, size_t length);
int strobe_safe_file_puts(StrobeSafeFile *file, const char *text);
uint64_t strobe_safe_file_size(const StrobeSafeFile *file); /* bytes appended */
/* The file's descriptor, for a writer that goes to and fro in it: nothing is appended then. It is
 * closed with the file. */
int strobe_safe_file_descriptor(const StrobeSafeFile *file);

/* Writes what is buffered, syncs, renames into place, closes and frees. Returns 0 or an errno
 * value, in which case nothing appeared under the final name. */
int strobe_safe_file_finish(StrobeSafeFile *file);
/* Removes the temporary file, closes and frees. NULL is allowed. */
void strobe_safe_file_discard(StrobeSafeFile *file);

#if defined(__cplusplus)
}
#endif

#endif
