/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compresses blocks of bytes. Each block becomes one independent zstd frame (level 1) that states
 * its uncompressed size. If the build has no libzstd, all calls fail. libc and libzstd only. Since
 * 1.0.
 */
#ifndef STROBE_HELPERS_COMPRESSION_H
#define STROBE_HELPERS_COMPRESSION_H

#include <stddef.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* Working memory, which the first call allocates and later calls reuse. Only one thread at a time
 * may use it. */
typedef struct StrobeCompression StrobeCompression;

/* The first bytes of a frame, this many at most, state its uncompressed size. */
#define STROBE_COMPRESSED_HEAD_BYTES 18u

int strobe_compression_exists(void); /* 0: the build has no libzstd */

/* Makes a working memory. NULL: out of memory, or the build has no libzstd; the calls below then
 * fail. */
StrobeCompression *strobe_compression_new(void);
void strobe_compression_free(StrobeCompression *compression); /* NULL is allowed */

/* Compresses `length` bytes to `out`, which has room for `length` bytes. Returns the size of the
 * frame; 0 if the frame would not be smaller than the bytes, or on failure. */
size_t strobe_compress(StrobeCompression *compression, void *out, const void *bytes, size_t length);

/* Returns the uncompressed size that the first `n` bytes of a frame state; 0: they state none. */
size_t strobe_compressed_length(const void *frame, size_t n);

/* Decompresses a frame to `out`, which has room for `length` bytes. Returns 0, or EIO unless the
 * frame contains exactly `length` bytes. */
int strobe_decompress(StrobeCompression *compression, void *out, size_t length, const void *frame,
                      size_t n);

#if defined(__cplusplus)
}
#endif

#endif
