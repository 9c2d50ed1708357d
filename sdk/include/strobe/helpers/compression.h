/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compresses blocks of bytes, each by itself, as one frame of zstd (level 1) that states its plain
 * size. Without libzstd in the build nothing can be compressed or decompressed. libc and libzstd
 * only. Since 1.0.
 */
#ifndef STROBE_HELPERS_COMPRESSION_H
#define STROBE_HELPERS_COMPRESSION_H

#include <stddef.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* Working memory, which the first call takes and later ones use again; for one thread at a time. */
typedef struct StrobeCompression StrobeCompression;

/* So many first bytes of a frame state its plain size. */
#define STROBE_COMPRESSED_HEAD_BYTES 18u

int strobe_compression_exists(void); /* 0: the build has no libzstd */

/* NULL: out of memory, or the build has no libzstd; the calls below then fail. */
StrobeCompression *strobe_compression_new(void);
void strobe_compression_free(StrobeCompression *compression); /* NULL is allowed */

/* `out` has room for `length` bytes. Returns the bytes of the frame; 0 where it would not be
 * smaller, or where that fails. */
size_t strobe_compress(StrobeCompression *compression, void *out, const void *bytes, size_t length);

/* The plain size that a frame states in its first bytes; 0: it states none. */
size_t strobe_compressed_length(const void *frame, size_t n);

/* `out` has room for `length` bytes. Returns 0, or EIO unless the frame has exactly so many. */
int strobe_decompress(StrobeCompression *compression, void *out, size_t length, const void *frame,
                      size_t n);

#if defined(__cplusplus)
}
#endif

#endif
