/* SPDX-License-Identifier: Apache-2.0 */
#include "capture-writer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strobe/kinds.h>
#include <sys/mman.h>
#include <unistd.h>
#include "crc32c.h"
#include "intern.h"
#include "span-names.h"
#include "track-table.h"

/* A block of strings is full at this size. The buffer is larger, for a long string; with this limit
 * it does not use all its pages when there are only many short strings. */
#define STRINGS_AT_ONCE 16384u

/* Shorter blocks stay uncompressed: compression would save next to nothing. */
#define COMPRESSED_MIN 256u

static char *map_pages(size_t bytes)
{
    void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    return pages == MAP_FAILED ? NULL : pages;
}

int strobe_capture_writer_init(StrobeCaptureWriter *writer)
{
    memset(writer, 0, sizeof *writer);
    writer->fd = -1;
    writer->buffer = map_pages(STROBE_WRITER_BUFFER);
    return writer->buffer ? 0 : ENOMEM;
}

void strobe_capture_writer_compress(StrobeCaptureWriter *writer)
{
    writer->plain = map_pages(2u * STROBE_COMPRESSED_MAX);
    if (!writer->plain)
        return;
    writer->compressed = writer->plain + STROBE_COMPRESSED_MAX;
    writer->compression = strobe_compression_new();
}

static void free_buffers(StrobeCaptureWriter *writer)
{
    strobe_compression_free(writer->compression);
    if (writer->plain)
        munmap(writer->plain, 2u * STROBE_COMPRESSED_MAX);
    if (writer->buffer)
        munmap(writer->buffer, STROBE_WRITER_BUFFER);
    writer->compression = NULL;
    writer->buffer = writer->plain = writer->compressed = NULL;
}

void strobe_capture_writer_clear(StrobeCaptureWriter *writer)
{
    strobe_capture_writer_end(writer);
    free_buffers(writer);
}

void strobe_capture_writer_resume(StrobeCaptureWriter *writer, int fd, uint32_t window,
                                  const StrobeClockTrend *trend, const StrobeClockPair *pair)
{
    off_t end = lseek(fd, 0, SEEK_END);

    if (end < 0) /* the file position is unknown, so writing fails */
        close(fd);
    writer->fd = end < 0 ? -1 : fd;
    writer->bytes = end > 0 ? (uint64_t)end : 0;
    writer->reserve_at = writer->reserve_end = 0;
    writer->window = window;
    writer->kinds_done = 0;
    writer->tracks_done = 0;
    writer->strings_done = 1;
    memset(writer->string_written, 0, sizeof writer->string_written);
    memset(writer->track_written, 0, sizeof writer->track_written);
    strobe_capture_begin_clock(writer, trend, pair);
}

void strobe_capture_writer_end(StrobeCaptureWriter *writer)
{
    if (writer->fd >= 0)
        close(writer->fd);
    writer->fd = -1;
}

void strobe_capture_writer_forget(StrobeCaptureWriter *writer)
{
    writer->fd = -1; /* the descriptor belongs to the parent; the caller closes it */
    free_buffers(writer);
}

void strobe_capture_writer_swap(StrobeCaptureWriter *one, StrobeCaptureWriter *other)
{
    StrobeCaptureWriter kept = *one;

    *one = *other;
    *other = kept;
}

static int write_all(int fd, struct iovec *iov, int n)
{
    while (n) {
        ssize_t done = writev(fd, iov, n);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return done < 0 ? errno : EIO;
        while (n && (size_t)done >= iov->iov_len) {
            done -= (ssize_t)iov->iov_len;
            iov++;
            n--;
        }
        if (n) {
            iov->iov_base = (char *)iov->iov_base + done;
            iov->iov_len -= (size_t)done;
        }
    }
    return 0;
}

/* Does the reserve have room for the block, and for the header of a block with the rest of the
 * reserve? */
static int fits_reserve(const StrobeCaptureWriter *writer, uint32_t payload_bytes)
{
    uint64_t size = sizeof(struct strobe_block_header) + payload_bytes;
    uint64_t left = writer->reserve_end - writer->bytes;

    return left == size || left >= size + sizeof(struct strobe_block_header);
}

/* Must a block of this type and size be compressed? Blocks that a reader needs first, short blocks,
 * and blocks in the reserve stay uncompressed. */
static int is_compressible(const StrobeCaptureWriter *writer,
                           const struct strobe_block_header *header)
{
    return writer->compression && !writer->reserve_end &&
           (header->type == STROBE_BLOCK_RECORDS || header->type == STROBE_BLOCK_OPEN ||
            header->type == STROBE_BLOCK_KINDS || header->type == STROBE_BLOCK_STRINGS ||
            header->type == STROBE_BLOCK_TRACKS) &&
           header->payload_bytes >= COMPRESSED_MIN &&
           header->payload_bytes <= STROBE_COMPRESSED_MAX;
}

/* Returns the payload in its stored form. A copy is compressed, because the program may write to
 * the pool at any time. */
static const void *compress_payload(StrobeCaptureWriter *writer, struct strobe_block_header *header,
                                    const void *payload)
{
    size_t n;

    if (!is_compressible(writer, header))
        return payload;
    memcpy(writer->plain, payload, header->payload_bytes);
    n = strobe_compress(writer->compression, writer->compressed, writer->plain,
                        header->payload_bytes);
    if (n == 0)
        return payload;
    header->type |= STROBE_BLOCK_COMPRESSED;
    header->payload_bytes = (uint32_t)n;
    return writer->compressed;
}

static int append_block(StrobeCaptureWriter *writer, struct strobe_block_header *header,
                        const void *plain)
{
    const void *payload = compress_payload(writer, header, plain);
    struct iovec iov[2] = {{header, sizeof *header},
                           {(void *)(uintptr_t)payload, header->payload_bytes}};
    int error;

    if (writer->fd < 0)
        return EBADF;
    if (writer->reserve_end && !fits_reserve(writer, header->payload_bytes))
        return ENOSPC;
    memcpy(header->magic, STROBE_BLOCK_MAGIC, sizeof header->magic);
    header->window = writer->window;
    header->pair = writer->pair;
    header->payload_crc = strobe_crc32c(0, payload, header->payload_bytes);
    header->header_crc = 0;
    header->header_crc = strobe_crc32c(0, header, sizeof *header);
    error = write_all(writer->fd, iov, header->payload_bytes ? 2 : 1);
    if (error && !writer->reserve_end) {
        /* Removes a partly written block, which a reader would skip as damaged. If the file cannot
         * be truncated, the next block overwrites the part, so that `bytes` stays right. */
        lseek(writer->fd, (off_t)writer->bytes, SEEK_SET);
        if (ftruncate(writer->fd, (off_t)writer->bytes))
            return error;
    }
    if (error)
        return error;
    writer->bytes += sizeof *header + header->payload_bytes;
    writer->is_pair_written = 1;
    return 0;
}

int strobe_capture_write_block(StrobeCaptureWriter *writer, uint32_t type, const void *payload,
                               uint32_t bytes)
{
    struct strobe_block_header header = {
        .type = type, .payload_bytes = bytes, .thread_buffer = STROBE_THREAD_BUFFER_NONE};
    return append_block(writer, &header, payload);
}

int strobe_capture_write_metadata(StrobeCaptureWriter *writer, const char *metadata,
                                  uint32_t segment)
{
    struct strobe_block_header header = {.type = STROBE_BLOCK_METADATA,
                                         .payload_bytes = (uint32_t)strlen(metadata),
                                         .thread_buffer = STROBE_THREAD_BUFFER_NONE,
                                         .sequence = segment};
    return append_block(writer, &header, metadata);
}

int strobe_capture_write_records(StrobeCaptureWriter *writer, const struct pool_block *block,
                                 uint32_t from, uint32_t to)
{
    struct strobe_block_header header = {.type = STROBE_BLOCK_RECORDS,
                                         .payload_bytes = to - from,
                                         .thread_buffer = block->thread_buffer,
                                         .sequence = block->sequence,
                                         .offset = from,
                                         .track = block->track,
                                         .base = block->base};
    strobe_capture_write_idle_pairs(writer);
    return append_block(writer, &header, (const char *)(block + 1) + from);
}

int strobe_capture_write_reserve(StrobeCaptureWriter *writer)
{
    uint64_t at = writer->bytes;
    uint32_t bytes = STROBE_RESERVE_BYTES - (uint32_t)sizeof(struct strobe_block_header);
    int error;

    memset(writer->buffer, 0, bytes);
    error = strobe_capture_write_block(writer, STROBE_BLOCK_RESERVE, writer->buffer, bytes);
    if (error == 0)
        writer->reserve_at = at;
    return error;
}

int strobe_capture_use_reserve(StrobeCaptureWriter *writer)
{
    if (writer->reserve_at == 0)
        return ENOSPC;
    if (lseek(writer->fd, (off_t)writer->reserve_at, SEEK_SET) < 0)
        return errno;
    writer->bytes = writer->reserve_at;
    writer->reserve_end = writer->reserve_at + STROBE_RESERVE_BYTES;
    return 0;
}

int strobe_capture_close_reserve(StrobeCaptureWriter *writer)
{
    uint64_t left = writer->reserve_end - writer->bytes;

    if (left == 0)
        return 0;
    left -= sizeof(struct strobe_block_header);
    memset(writer->buffer, 0, left);
    return strobe_capture_write_block(writer, STROBE_BLOCK_RESERVE, writer->buffer, (uint32_t)left);
}

static int write_kinds(StrobeCaptureWriter *writer, const struct pool_header *pool)
{
    uint32_t used = atomic_load_explicit(&pool->kinds_used, memory_order_acquire);
    int error;

    if (used > STROBE_POOL_KIND_BYTES || used <= writer->kinds_done)
        return 0;
    error = strobe_capture_write_block(writer, STROBE_BLOCK_KINDS,
                                       (const char *)strobe_pool_at(pool, pool->kinds_at) +
                                           writer->kinds_done,
                                       used - writer->kinds_done);
    if (error == 0)
        writer->kinds_done = used;
    return error;
}

static int is_set(const uint64_t *bits, uint32_t i)
{
    return (int)(bits[i / 64] >> (i % 64) & 1);
}

static void set_bit(uint64_t *bits, uint32_t i)
{
    bits[i / 64] |= 1ull << (i % 64);
}

static void clear_range(uint64_t *bits, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++)
        bits[i / 64] &= ~(1ull << (i % 64));
}

/* Appends to the `used` tracks in the buffer those of the `n` entries from `first` that the file
 * lacks; returns the new number of tracks. */
static uint32_t put_tracks(StrobeCaptureWriter *writer, const struct pool_header *pool,
                           uint32_t first, uint32_t n, uint32_t used)
{
    struct strobe_stored_track *out = (void *)writer->buffer;

    for (uint32_t place = first; place < first + n; place++) {
        if (!strobe_track_at(pool, place, &out[used]) ||
            out[used].id == writer->track_written[place])
            continue;
        writer->track_written[place] = out[used++].id;
    }
    return used;
}

static int write_tracks(StrobeCaptureWriter *writer, const struct pool_header *pool)
{
    /* The number is read before the entries: a track that is published meanwhile is found now or by
     * the next call. */
    uint32_t published = atomic_load_explicit(&pool->n_tracks, memory_order_acquire);
    uint32_t used;
    int error = 0;

    _Static_assert(STROBE_POOL_TRACKS * sizeof(struct strobe_stored_track) <= STROBE_WRITER_BUFFER,
                   "all tracks fit the buffer");
    if (published == writer->tracks_done)
        return 0;
    used = put_tracks(writer, pool, 0, strobe_track_n_thread_places(pool), 0);
    used = put_tracks(writer, pool, STROBE_POOL_THREAD_TRACKS, strobe_track_n_other_places(pool),
                      used);
    if (used)
        error = strobe_capture_write_block(writer, STROBE_BLOCK_TRACKS, writer->buffer,
                                           used * (uint32_t)sizeof(struct strobe_stored_track));
    if (error) /* the next call writes all these tracks again */
        memset(writer->track_written, 0, sizeof writer->track_written);
    else
        writer->tracks_done = published;
    return error;
}

/* Puts string `id` into the buffer; returns its size there, 0 if it is not published or does not
 * fit. */
static uint32_t put_string(StrobeCaptureWriter *writer, const struct pool_header *pool, uint32_t id,
                           uint32_t at)
{
    uint32_t length;
    const char *bytes = strobe_pool_string(pool, id, &length);
    uint32_t n = length & ~STROBE_STRING_IS_STACK;

    if (!bytes || at + 8ull + n + 3 > STROBE_WRITER_BUFFER)
        return 0;
    memcpy(writer->buffer + at, &id, 4);
    memcpy(writer->buffer + at + 4, &length, 4);
    memcpy(writer->buffer + at + 8, bytes, n);
    uint32_t whole = (8 + n + 3) & ~3u;
    memset(writer->buffer + at + 8 + n, 0, whole - 8 - n);
    return whole;
}

static int write_strings(StrobeCaptureWriter *writer, const struct pool_header *pool)
{
    uint32_t n = atomic_load_explicit(&pool->n_strings, memory_order_acquire);
    int error = 0;

    if (n > pool->string_places)
        n = pool->string_places;
    for (uint32_t id = writer->strings_done; id < n && error == 0;) {
        uint32_t at = 0, first = id;
        for (; id < n && at < STRINGS_AT_ONCE; id++) {
            if (is_set(writer->string_written, id))
                continue;
            uint32_t length, put = put_string(writer, pool, id, at);
            if (put == 0 && strobe_pool_string(pool, id, &length) && at)
                break; /* buffer full */
            at += put;
            if (put)
                set_bit(writer->string_written, id);
        }
        if (at)
            error = strobe_capture_write_block(writer, STROBE_BLOCK_STRINGS, writer->buffer, at);
        if (error)
            clear_range(writer->string_written, first, id);
    }
    while (writer->strings_done < n && is_set(writer->string_written, writer->strings_done))
        writer->strings_done++;
    return error;
}

int strobe_capture_write_definitions(StrobeCaptureWriter *writer, const struct pool_header *pool)
{
    int error = write_kinds(writer, pool);
    int tracks_error = write_tracks(writer, pool);
    /* Strings are written after tracks, because a track's name was interned before the track was
     * published. */
    int strings_error = write_strings(writer, pool);

    return error ? error : tracks_error ? tracks_error : strings_error;
}

static int flush_unfinished(StrobeCaptureWriter *writer, uint32_t type, uint32_t *at,
                            uint32_t *n_spans, uint64_t *n_lost)
{
    int error = *at ? strobe_capture_write_block(writer, type, writer->buffer, *at) : 0;

    if (error)
        *n_lost += *n_spans;
    *at = *n_spans = 0;
    return error;
}

/* Did the span begin after `end`? If so, the definitions in the file may lack its name. */
static int began_after(const char *record, uint32_t words, uint64_t end)
{
    uint64_t begin;

    memcpy(&begin, record + 8 * (words - STROBE_UNFINISHED_WORDS + 1), sizeof begin);
    return begin > end;
}

int strobe_capture_write_unfinished(StrobeCaptureWriter *writer, const struct pool_header *pool,
                                    uint32_t type, uint64_t end, uint64_t *n_lost)
{
    uint32_t at = 0, n_spans = 0;
    int error = 0;

    *n_lost = 0;
    for (uint32_t i = 0; i < pool->n_thread_buffers; i++) {
        const struct pool_thread_buffer *thread_buffer = strobe_pool_thread_buffer(pool, i);
        uint32_t depth = atomic_load_explicit(&thread_buffer->depth, memory_order_acquire);
        if (atomic_load(&thread_buffer->window) != writer->window)
            continue;
        if (depth > STROBE_POOL_SPANS)
            depth = STROBE_POOL_SPANS;
        uint32_t track = atomic_load(&thread_buffer->track);
        for (uint32_t k = depth; k-- > 0;) { /* innermost first, as spans end */
            uint32_t words =
                strobe_unfinished_words(thread_buffer, &thread_buffer->spans[k], track, end,
                                        STROBE_NAME_IS_KEPT | (i * STROBE_POOL_SPANS + k),
                                        (uint64_t *)(void *)(writer->buffer + at));
            if (words && began_after(writer->buffer + at, words, end))
                continue;
            at += words * 8;
            n_spans += words != 0;
        }
        if (at > STROBE_WRITER_BUFFER - STROBE_POOL_SPANS * STROBE_UNFINISHED_WORDS_MAX * 8)
            error = flush_unfinished(writer, type, &at, &n_spans, n_lost);
    }
    int last = flush_unfinished(writer, type, &at, &n_spans, n_lost);
    return error ? error : last;
}

struct loss_place {
    uint32_t kind, cause;
    uint64_t begin, end;
};

/* Puts a record of `count` losses into `out`, or nothing if `count` is 0; returns its size. */
static uint32_t put_loss(char *out, const struct loss_place *place, uint64_t count, uint32_t track)
{
    struct strobe_loss loss = {count, place->cause, track};
    uint64_t words[3 + sizeof loss / 8] = {(uint64_t)place->kind << 16 | (sizeof words / 8),
                                           place->begin, place->end};

    if (count == 0)
        return 0;
    memcpy(words + 3, &loss, sizeof loss);
    memcpy(out, words, sizeof words);
    return sizeof words;
}

/* Returns the sum of the new losses of all thread buffers for one cause. Unless the reserve is in
 * use, also puts a record for each thread buffer with new losses into the writer's buffer. */
static uint64_t put_thread_buffers(StrobeCaptureWriter *writer, const struct pool_header *pool,
                                   struct loss_place *place, const StrobeLossCounts *seen,
                                   uint32_t *at)
{
    uint64_t sum = 0, end = place->end;

    for (uint32_t i = 0; i < pool->n_thread_buffers; i++) {
        const struct pool_thread_buffer *thread_buffer = strobe_pool_thread_buffer(pool, i);
        uint64_t growth =
            seen->thread_buffers[i][place->cause] - thread_buffer->lost_reported[place->cause];
        sum += growth;
        if (place->cause == STROBE_LOSS_OVERWRITTEN)
            place->end = seen->overwritten_until[i];
        if (!writer->reserve_end)
            *at +=
                put_loss(writer->buffer + *at, place, growth, atomic_load(&thread_buffer->track));
    }
    place->end = end;
    return sum;
}

void strobe_capture_read_losses(const struct pool_header *pool, StrobeLossCounts *seen)
{
    for (uint32_t cause = 0; cause < STROBE_LOSS_CAUSES; cause++)
        seen->core[cause] = atomic_load(&pool->lost[cause]);
    for (uint32_t i = 0; i < pool->n_thread_buffers; i++) {
        const struct pool_thread_buffer *thread_buffer = strobe_pool_thread_buffer(pool, i);
        for (uint32_t cause = 0; cause < STROBE_LOSS_CAUSES; cause++)
            seen->thread_buffers[i][cause] =
                atomic_load_explicit(&thread_buffer->lost[cause], memory_order_relaxed);
        seen->overwritten_until[i] = atomic_load(&thread_buffer->overwritten_until);
    }
}

int strobe_capture_write_losses(StrobeCaptureWriter *writer, const struct pool_header *pool,
                                uint32_t kind, uint64_t begin, uint64_t end,
                                const StrobeLossCounts *seen)
{
    uint32_t at = 0;

    for (uint32_t cause = 0; cause < STROBE_LOSS_CAUSES; cause++) {
        struct loss_place place = {kind, cause, begin, end};
        uint64_t of_thread_buffers = put_thread_buffers(writer, pool, &place, seen, &at);
        uint64_t growth = seen->core[cause] - pool->lost_reported[cause];
        if (writer->reserve_end)
            growth += of_thread_buffers;
        at += put_loss(writer->buffer + at, &place, growth, 0);
    }
    return at ? strobe_capture_write_block(writer, STROBE_BLOCK_RECORDS, writer->buffer, at) : 0;
}

int strobe_capture_write_seal(StrobeCaptureWriter *writer, uint64_t begin, uint64_t end,
                              uint32_t flags)
{
    /* The trend is copied, because more pairs may follow after this seal. */
    StrobeClockTrend trend = writer->trend;
    struct strobe_stored_seal seal = {.begin_ticks = begin,
                                      .end_ticks = end,
                                      .recovered = (flags & STROBE_SEAL_RECOVERED) != 0,
                                      .continued = (flags & STROBE_SEAL_CONTINUED) != 0};

    strobe_clock_trend_finish(&trend, end);
    seal.clock = trend.summary;
    strobe_capture_write_idle_pairs(writer);
    return strobe_capture_write_block(writer, STROBE_BLOCK_SEAL, &seal, sizeof seal);
}
