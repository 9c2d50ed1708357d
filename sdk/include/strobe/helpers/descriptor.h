/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files that are kept open in somebody else's program: not in the places of its standard input,
 * output and errors, which it may have closed and still writes to. libc only. Since 1.0.
 */
#ifndef STROBE_HELPERS_DESCRIPTOR_H
#define STROBE_HELPERS_DESCRIPTOR_H

#if defined(__cplusplus)
extern "C" {
#endif

/* Takes what open() and its kin returned, and returns it, or, where that is 0, 1 or 2, another
 * descriptor of the same file (close-on-exec) in its place. -1 with errno: it was -1, or there is
 * no other; the file is closed then. Call it at once: locks of the process go with the first. Any
 * thread. */
int strobe_descriptor_aside(int descriptor);

#if defined(__cplusplus)
}
#endif

#endif
