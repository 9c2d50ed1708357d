/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files that are kept open in somebody else's program. Not in the places of its standard input,
 * output and errors, which it may have closed and still writes to; and not under low numbers: one
 * that closes all of its descriptors (a daemon does) gets those again with the next files that it
 * opens, and what is written to a number from before would land in them. libc only. Since 1.0.
 */
#ifndef STROBE_HELPERS_DESCRIPTOR_H
#define STROBE_HELPERS_DESCRIPTOR_H

#if defined(__cplusplus)
extern "C" {
#endif

/* Takes what open() and its kin returned, and returns another descriptor of the same file
 * (close-on-exec), of 512 or more, in its place; in a program that has threads and a smaller table
 * of descriptors, one of the table's upper half (to enlarge it would take milliseconds); where the
 * process may have none of these, the same one, but for 0, 1 and 2. -1 with errno: it was -1, or
 * one of these and there is no other; the file is closed then. Call it at once: locks of the
 * process go with the first. Any thread. */
int strobe_descriptor_aside(int descriptor);

#if defined(__cplusplus)
}
#endif

#endif
