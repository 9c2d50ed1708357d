/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/helpers/compression.h>

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#if STROBE_HAVE_ZSTD

#include <zstd.h>

#define LEVEL 1

struct StrobeCompression {
    ZSTD_CCtx *compress; /* NULL until it is used for the first time, like `decompress` */
    ZSTD_DCtx *decompress;
};

int strobe_compression_exists(void)
{
    return 1;
}

StrobeCompression *strobe_compression_new(void)
{
    return calloc(1, sizeof(StrobeCompression));
}

void strobe_compression_free(StrobeCompression *compression)
{
    if (!compression)
        return;
    ZSTD_freeCCtx(compression->compress);
    ZSTD_freeDCtx(compression->decompress);
    free(compression);
}

size_t strobe_compress(StrobeCompression *compression, void *out, const void *bytes, size_t length)
{
    size_t n;

    if (compression && !compression->compress)
        compression->compress = ZSTD_createCCtx();
    if (!compression || !compression->compress || length == 0)
        return 0;
    n = ZSTD_compressCCtx(compression->compress, out, length - 1, bytes, length, LEVEL);
    return ZSTD_isError(n) ? 0 : n;
}

size_t strobe_compressed_length(const void *frame, size_t n)
{
    unsigned long long length = ZSTD_getFrameContentSize(frame, n);

    return length < SIZE_MAX && length != ZSTD_CONTENTSIZE_UNKNOWN &&
                   length != ZSTD_CONTENTSIZE_ERROR
               ? (size_t)length
               : 0;
}

int strobe_decompress(StrobeCompression *compression, void *out, size_t length, const void *frame,
                      size_t n)
{
    if (compression && !compression->decompress)
        compression->decompress = ZSTD_createDCtx();
    if (!compression || !compression->decompress)
        return EIO;
    return ZSTD_decompressDCtx(compression->decompress, out, length, frame, n) == length ? 0 : EIO;
}

#else

int strobe_compression_exists(void)
{
    return 0;
}

StrobeCompression *strobe_compression_new(void)
{
    return NULL;
}

void strobe_compression_free(StrobeCompression *compression)
{
}

size_t strobe_compress(StrobeCompression *compression, void *out, const void *bytes, size_t length)
{
    return 0;
}

size_t strobe_compressed_length(const void *frame, size_t n)
{
    return 0;
}

int strobe_decompress(StrobeCompression *compression, void *out, size_t length, const void *frame,
                      size_t n)
{
    return EIO;
}

#endif
