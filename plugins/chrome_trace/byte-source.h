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

/* The text ends after so many bytes for whoever reads on. */
void byte_source_limit(ByteSource *source, guint64 bytes);

/* Up to `size` bytes; 0 at the end, -1 for an error, which byte_source_error tells; what was read
 * before it is good. */
gssize byte_source_read(ByteSource *source, char *bytes, gsize size);
const char *byte_source_error(const ByteSource *source);

/* How far the file itself was read, and its size. */
guint64 byte_source_position(const ByteSource *source);
guint64 byte_source_total(const ByteSource *source);

/* Do the bytes begin a gzip file? */
gboolean byte_source_is_gzip(const guchar *head, gsize length);

#endif
