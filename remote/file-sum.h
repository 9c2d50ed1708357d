/* SPDX-License-Identifier: Apache-2.0 */
/* Computes checksums that a board can compute too: with cksum or, if the board lacks it, with
 * md5sum. */
#ifndef STROBE_REMOTE_FILE_SUM_H
#define STROBE_REMOTE_FILE_SUM_H

#include <glib.h>

typedef enum StrobeSumMethod { STROBE_SUM_CKSUM, STROBE_SUM_MD5 } StrobeSumMethod;

/* Returns the checksum of a whole file as text (free it), and sets *n_bytes to the file's size.
 * NULL with errno set. */
char *strobe_file_sum(StrobeSumMethod method, int file, guint64 *n_bytes);

/* Returns the definitions of two shell functions for the board: `sum FILE` prints "SUM SIZE" of a
 * file, `sum_head FILE BYTES` of its first BYTES bytes. */
const char *strobe_file_sum_script(StrobeSumMethod method);

#endif
