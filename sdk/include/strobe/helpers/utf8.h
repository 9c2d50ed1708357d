/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks text from outside. Every exporter of text writes U+FFFD for each maximal invalid part: the
 * longest run of bytes that could begin a character, otherwise one byte. libc only; any thread.
 * Since 1.0.
 */
#ifndef STROBE_HELPERS_UTF8_H
#define STROBE_HELPERS_UTF8_H

#include <stddef.h>

#if defined(__cplusplus)
extern "C" {
#endif

#define STROBE_UTF8_REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

/* Returns the length of the character at `bytes` (1 to 4); for an invalid part, its negated length
 * (-1 to -3). `length` must be at least 1. */
int strobe_utf8_next(const char *bytes, size_t length);

#if defined(__cplusplus)
}
#endif

#endif
