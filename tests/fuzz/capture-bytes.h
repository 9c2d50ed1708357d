/* SPDX-License-Identifier: Apache-2.0 */
/* Corrects captures that are made from arbitrary bytes, and reads captures completely. */
#ifndef STROBE_TESTS_CAPTURE_BYTES_H
#define STROBE_TESTS_CAPTURE_BYTES_H

#include <glib.h>

/* Corrects the checksums of every block, so that the reader evaluates their content. */
void capture_bytes_repair(guint8 *bytes, gsize n);

/* Reads all records of the capture in batches of `batch` records, and checks the reader's promises.
 * If `batch` is odd, the reader keeps strings. */
void capture_read_all(const char *path, gsize batch);

#endif
