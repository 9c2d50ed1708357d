/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files that appear complete or not at all.
 *
 * A file is created under a temporary name in its folder, with O_EXCL and O_NOFOLLOW and mode 0640,
 * and renamed when it is finished. A name with a slash is refused. Only one thread at a time may
 * use a StrobeSafeFile. libc only. Since 1.0.
 *
 * If there is a second processor, data after the first 1 MB is written in the background, by one
 * thread for all files of a plugin. If such a write fails, a later call reports the error, at the
 * latest strobe_safe_file_finish.
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
/* Converts the appended bytes before they are written to the file, for example compresses them. */
typedef struct StrobeSafeFilter {
    /* Writes output for the bytes to `sink`. It may keep a part of the output for the next call,
     * except if `is_end` is set. Returns 0 or an errno value. */
    int (*convert)(void *state, const char *bytes, size_t length, int is_end,
                   int (*sink)(void *user, const char *bytes, size_t length), void *user);
    void (*free)(void *state);
} StrobeSafeFilter;

/* Sends all appended bytes through the filter, which owns `state` from now on. Call it before
 * anything is appended. */
void strobe_safe_file_filter(StrobeSafeFile *file, const StrobeSafeFilter *filter, void *state);

/* Appends bytes through a buffer. Returns 0 or an errno value; later calls and
 * strobe_safe_file_finish repeat an error. The function has the type StrobeSink. */
int strobe_safe_file_write(void *file, const char *bytes, size_t length);
int strobe_safe_file_puts(StrobeSafeFile *file, const char *text);
uint64_t strobe_safe_file_size(const StrobeSafeFile *file); /* number of bytes appended */
/* Returns the file's descriptor, which finish and discard close. A caller that writes through this
 * descriptor must not append. */
int strobe_safe_file_descriptor(const StrobeSafeFile *file);

/* Writes the buffer, syncs, renames into place, closes and frees. Returns 0 or an errno value;
 * after an error nothing appears under the final name. */
int strobe_safe_file_finish(StrobeSafeFile *file);
/* Removes the temporary file, closes it and frees `file`. NULL is allowed. */
void strobe_safe_file_discard(StrobeSafeFile *file);

#if defined(__cplusplus)
}
#endif

#endif
