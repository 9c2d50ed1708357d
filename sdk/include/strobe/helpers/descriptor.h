/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files that stay open in another program. They must not have the numbers 0, 1 and 2: a program
 * may have closed these and still write to them. They must not have other low numbers either: a
 * program that closes all descriptors (a daemon does) opens its next files under those numbers,
 * and data that Strobe writes would land in them. libc only. Since 1.0.
 */
#ifndef STROBE_HELPERS_DESCRIPTOR_H
#define STROBE_HELPERS_DESCRIPTOR_H

#if defined(__cplusplus)
extern "C" {
#endif

/* Takes the result of open() and the like, and returns another descriptor of the same file
 * (close-on-exec) with a number of 512 or more. If the program has threads and a smaller descriptor
 * table, the number is in the upper half of the table, because enlarging the table would take
 * milliseconds. If the process may have no such number, returns `descriptor` itself, unless it is
 * 0, 1 or 2. Returns -1 with errno if `descriptor` is -1, or if it is 0, 1 or 2 and no other number
 * is free; the file is then closed. Call it right after open(): closing the first descriptor
 * releases the process's locks on the file. Any thread. */
int strobe_descriptor_aside(int descriptor);

#if defined(__cplusplus)
}
#endif

#endif
