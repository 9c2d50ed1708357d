/* SPDX-License-Identifier: Apache-2.0 */
/* Beyond the limit of file sizes (ulimit -f) a write sends SIGXFSZ, which ends a program that does
 * not expect it. Between hold and release the calling thread gets the error alone. libc only. */
#ifndef STROBE_CORE_FILE_LIMIT_H
#define STROBE_CORE_FILE_LIMIT_H

#include <signal.h>

typedef struct StrobeFileLimit {
    sigset_t old;
    int was_pending;
} StrobeFileLimit;

void strobe_file_limit_hold(StrobeFileLimit *limit);
/* Takes the signal back if one was sent in between. */
void strobe_file_limit_release(const StrobeFileLimit *limit);

#endif
