/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Background writes: one thread writes for all files of a plugin, as long as any file needs it. Not
 * part of the SDK's interface.
 */
#ifndef STROBE_HELPERS_WRITE_BEHIND_H
#define STROBE_HELPERS_WRITE_BEHIND_H

#include <stdbool.h>
#include <stddef.h>

#define STROBE_WRITE_CHUNK ((size_t)256 * 1024)

typedef void (*StrobeWrite)(void *user, const char *bytes, size_t length);

/* Adds a user of the background thread, which is started if necessary. Returns false if there is no
 * second processor, or the thread cannot be started. */
bool strobe_write_behind_begin(void);
void strobe_write_behind_end(void);

/* Makes the thread call write(user, copy of the bytes, length), in chunks of at most
 * STROBE_WRITE_CHUNK bytes and in the order of the calls; waits if too many chunks are pending. The
 * thread uses `pending` until strobe_write_behind_wait has returned, when all writes are done. */
void strobe_write_behind_put(unsigned *pending, StrobeWrite write, void *user, const char *bytes,
                             size_t length);
void strobe_write_behind_wait(unsigned *pending);

#endif
