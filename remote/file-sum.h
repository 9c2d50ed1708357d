/* SPDX-License-Identifier: Apache-2.0 */
/* Checksums that a board can compute too: by cksum, or by md5sum if the board lacks cksum. */
#ifndef STROBE_REMOTE_FILE_SUM_H
#define STROBE_REMOTE_FILE_SUM_H

#include <glib.h>

typedef enum StrobeSumMethod { STROBE_SUM_CKSUM, STROBE_SUM_MD5 } StrobeSumMethod;

/* Computes the checksum of a whole file. Returns it as text (free it), with the file's size. NULL:
 * errno. */
char *strobe_file_sum(StrobeSumMethod method, int file, guint64 *n_bytes);

/* Shell functions for the board: `sum FILE` and `sum_head FILE BYTES` (of the first BYTES bytes)
 * print "SUM SIZE". */
const char *strobe_file_sum_script(StrobeSumMethod method);

#endif
