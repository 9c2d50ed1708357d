/* SPDX-License-Identifier: Apache-2.0 */
/* Checksums that a board can compute too: by cksum, or by md5sum where that is missing. */
#ifndef STROBE_REMOTE_FILE_SUM_H
#define STROBE_REMOTE_FILE_SUM_H

#include <glib.h>

typedef enum StrobeSumMethod { STROBE_SUM_CKSUM, STROBE_SUM_MD5 } StrobeSumMethod;

/* Of a whole file from its begin: the sum as a text (free it), and the size. NULL: errno. */
char *strobe_file_sum(StrobeSumMethod method, int file, guint64 *n_bytes);

/* Shell functions: `sum FILE` and `sum_head FILE BYTES` print "SUM SIZE". */
const char *strobe_file_sum_script(StrobeSumMethod method);

#endif
