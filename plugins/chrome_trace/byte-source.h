/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes of a file, decompressed if they are gzip's. */
#ifndef STROBE_CHROME_TRACE_BYTE_SOURCE_H
#define STROBE_CHROME_TRACE_BYTE_SOURCE_H

#include <glib.h>

typedef struct ByteSource ByteSource;

/* Reads the descriptor (lent) from its begin. */
ByteSource *byte_source_new(int descriptor);
void byte_source_free(ByteSource *source);

/* Goes to an offset in the (decompressed) text, before the first reading. */
void byte_source_skip(ByteSource *source, guint64 offset);

/* Makes the text end after so many bytes. */
void byte_source_limit(ByteSource *source, guint64 bytes);

/* Reads up to `size` bytes. Returns 0 at the end and -1 for an error, see byte_source_error;
 * bytes read before the error are good. */
gssize byte_source_read(ByteSource *source, char *bytes, gsize size);
const char *byte_source_error(const ByteSource *source);

/* How far the file itself was read, and its size. */
guint64 byte_source_position(const ByteSource *source);
guint64 byte_source_total(const ByteSource *source);

/* Do the bytes begin a gzip file? */
gboolean byte_source_is_gzip(const guchar *head, gsize length);

#endif
