/* SPDX-License-Identifier: Apache-2.0 */
/* Makes captures from arbitrary bytes, and reads all of a capture. */
#ifndef STROBE_TESTS_CAPTURE_BYTES_H
#define STROBE_TESTS_CAPTURE_BYTES_H

#include <glib.h>

/* Corrects the checksums of every block, so that the reader evaluates their content. */
void capture_bytes_repair(guint8 *bytes, gsize n);

/* Reads everything that the reader returns, in batches of `batch`, and checks the reader's
 * promises. If `batch` is odd, strings are kept. */
void capture_read_all(const char *path, gsize batch);

#endif
