/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the bytes of a file. Decompresses them if it is a gzip file. */
#ifndef STROBE_CHROME_TRACE_BYTE_SOURCE_H
#define STROBE_CHROME_TRACE_BYTE_SOURCE_H

#include <glib.h>

typedef struct ByteSource ByteSource;

/* Makes a source that reads from the begin of the file. The caller must keep the descriptor open,
 * and close it later. */
ByteSource *byte_source_new(int descriptor);
void byte_source_free(ByteSource *source);

/* Goes to an offset in the (decompressed) text. Must be called before the first
 * byte_source_read. */
void byte_source_skip(ByteSource *source, guint64 offset);

/* Makes the text end after `bytes` bytes. */
void byte_source_limit(ByteSource *source, guint64 bytes);

/* Reads up to `size` bytes. Returns 0 at the end and -1 for an error, see byte_source_error; bytes
 * that were read before the error are valid. */
gssize byte_source_read(ByteSource *source, char *bytes, gsize size);
const char *byte_source_error(const ByteSource *source);

/* byte_source_position returns how many bytes of the file itself were read; byte_source_total
 * returns the size of the file. */
guint64 byte_source_position(const ByteSource *source);
guint64 byte_source_total(const ByteSource *source);

/* Returns whether the bytes are the begin of a gzip file. */
gboolean byte_source_is_gzip(const guchar *head, gsize length);

#endif
