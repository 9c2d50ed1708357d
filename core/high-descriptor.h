/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Descriptors that Strobe keeps in somebody else's program. One that closes all of its descriptors
 * (a daemon does) gets the low numbers again with the next files that it opens, and what is written
 * to a number from before would land in them. So ours lie high. libc only; any thread.
 */
#ifndef STROBE_CORE_HIGH_DESCRIPTOR_H
#define STROBE_CORE_HIGH_DESCRIPTOR_H

#include <fcntl.h>
#include <unistd.h>

#define STROBE_DESCRIPTOR_LEAST 512

/* The same file under a high number, the given one closed; where there is none, and for -1, the
 * given one, errno as it is. */
static inline int strobe_descriptor_high(int file)
{
    int high = file < 0 ? -1 : fcntl(file, F_DUPFD_CLOEXEC, STROBE_DESCRIPTOR_LEAST);

    if (high < 0)
        return file;
    close(file);
    return high;
}

#endif
