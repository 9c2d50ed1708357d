/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes that a thread does behind those who make the bytes: one thread for all files of a plugin,
 * there while any of them needs it. No part of the interface.
 */
#ifndef STROBE_HELPERS_WRITE_BEHIND_H
#define STROBE_HELPERS_WRITE_BEHIND_H

#include <stdbool.h>
#include <stddef.h>

#define STROBE_WRITE_CHUNK ((size_t)256 * 1024)

typedef void (*StrobeWrite)(void *user, const char *bytes, size_t length);

/* Takes part; false: there is no second processor, no thread or no memory. */
bool strobe_write_behind_begin(void);
void strobe_write_behind_end(void);

/* Has write(user, copy of the bytes, length) called by the thread, in pieces of STROBE_WRITE_CHUNK
 * and a last one, in the order of the puts; waits where too many are on their way. `pending` is
 * theirs until strobe_write_behind_wait has returned, when all are done. */
void strobe_write_behind_put(unsigned *pending, StrobeWrite write, void *user, const char *bytes,
                             size_t length);
void strobe_write_behind_wait(unsigned *pending);

#endif
