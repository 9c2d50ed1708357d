/* SPDX-License-Identifier: Apache-2.0 */
/* Computes the checksum of the command cksum, which most boards have. */
#ifndef STROBE_REMOTE_POSIX_CKSUM_H
#define STROBE_REMOTE_POSIX_CKSUM_H

#include <glib.h>

typedef struct StrobeCksum {
    guint32 crc;
    guint64 n_bytes;
} StrobeCksum;

/* Adds bytes to the sum. The caller must initialise `sum` with zeros. */
void strobe_cksum_add(StrobeCksum *sum, const void *bytes, gsize length);
guint32 strobe_cksum_value(const StrobeCksum *sum);
/* Computes the checksum of a whole file, and sets *n_bytes to its size. FALSE with errno set. */
gboolean strobe_cksum_file(int file, guint32 *value, guint64 *n_bytes);

#endif
