/* SPDX-License-Identifier: Apache-2.0 */
/* Captures made of arbitrary bytes, and all of one read. */
#ifndef STROBE_TESTS_CAPTURE_BYTES_H
#define STROBE_TESTS_CAPTURE_BYTES_H

#include <glib.h>

/* Makes the checksums of every block right, so that what lies behind them is reached. */
void capture_bytes_repair(guint8 *bytes, gsize n);

/* Reads all that the reader gives, in batches of `batch`, and checks what it promises. Strings are
 * kept if that is odd. */
void capture_read_all(const char *path, gsize batch);

#endif
