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
#include "track-table.h"

int strobe_capture_writer_init(StrobeCaptureWriter *writer)
{
    memset(writer, 0, sizeof *writer);
    writer->fd = -1;
    writer->buffer = mmap(NULL, STROBE_WRITER_BUFFER, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (writer->buffer == MAP_FAILED)
        writer->buffer = NULL;
    return writer->buffer ? 0 : ENOMEM;
}

void strobe_capture_writer_clear(StrobeCaptureWriter *writer)
{
    strobe_capture_writer_end(writer);
    if (writer->buffer)
        munmap(writer->buffer, STROBE_WRITER_BUFFER);
    writer->buffer = NULL;
}

void strobe_capture_writer_begin(StrobeCaptureWriter *writer, int fd, uint32_t window)
{
    off_t end = lseek(fd, 0, SEEK_END);

    writer->fd = fd;
    writer->bytes = end > 0 ? (uint64_t)end : 0;
    writer->window = window;
    writer->kinds_done = 0;
    writer->tracks_done = 0;
    writer->strings_done = 1;
    memset(writer->string_written, 0, sizeof writer->string_written);
    memset(writer->track_written, 0, sizeof writer->track_written);
    strobe_capture_writer_take_pair(writer);
}

void strobe_capture_writer_end(StrobeCaptureWriter *writer)
{
    if (writer->fd >= 0)
        close(writer->fd);
    writer->fd = -1;
}

void strobe_capture_writer_forget(StrobeCaptureWriter *writer)
{
    writer->fd = -1; /* closed by the caller: it is the parent's */
    if (writer->buffer)
        munmap(writer->buffer, STROBE_WRITER_BUFFER);
    writer->buffer = NULL;
}

void strobe_capture_writer_swap(StrobeCaptureWriter *one, StrobeCaptureWriter *other)
{
    StrobeCaptureWriter kept = *one;

    *one = *other;
    *other = kept;
}

void strobe_capture_writer_take_pair(StrobeCaptureWriter *writer)
{
    writer->pair = strobe_clock_pair();
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

static int append(StrobeCaptureWriter *writer, struct strobe_block_header *header,
                  const void *payload)
{
    struct iovec iov[2] = {{header, sizeof *header},
                           {(void *)(uintptr_t)payload, header->payload_bytes}};
    int error;

    if (writer->fd < 0)
        return EBADF;
    memcpy(header->magic, STROBE_BLOCK_MAGIC, sizeof header->magic);
    header->window = writer->window;
    header->ticks = writer->pair.ticks;
    header->monotonic_ns = writer->pair.monotonic_ns;
    header->realtime_ns = writer->pair.realtime_ns;
    header->payload_crc = strobe_crc32c(0, payload, header->payload_bytes);
    header->header_crc = 0;
    header->header_crc = strobe_crc32c(0, header, sizeof *header);
    error = write_all(writer->fd, iov, header->payload_bytes ? 2 : 1);
    if (error) {
        /* What was written of this block would only be skipped as damaged. */
        if (ftruncate(writer->fd, (off_t)writer->bytes) == 0)
            lseek(writer->fd, (off_t)writer->bytes, SEEK_SET);
        return error;
    }
    writer->bytes += sizeof *header + header->payload_bytes;
    return 0;
}

int strobe_capture_write_block(StrobeCaptureWriter *writer, uint32_t type, const void *payload,
                               uint32_t bytes)
{
    struct strobe_block_header header = {
        .type = type, .payload_bytes = bytes, .lane = STROBE_LANE_NONE};
    return append(writer, &header, payload);
}

int strobe_capture_write_facts(StrobeCaptureWriter *writer, const char *facts, uint32_t piece)
{
    struct strobe_block_header header = {.type = STROBE_BLOCK_FACTS,
                                         .payload_bytes = (uint32_t)strlen(facts),
                                         .lane = STROBE_LANE_NONE,
                                         .sequence = piece};
    return append(writer, &header, facts);
}

int strobe_capture_write_records(StrobeCaptureWriter *writer, const struct pool_block *block,
                                 uint32_t from, uint32_t to)
{
    struct strobe_block_header header = {.type = STROBE_BLOCK_RECORDS,
                                         .payload_bytes = to - from,
                                         .lane = block->lane,
                                         .sequence = block->sequence,
                                         .offset = from,
                                         .track = block->track};
    return append(writer, &header, (const char *)(block + 1) + from);
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

static void set(uint64_t *bits, uint32_t i)
{
    bits[i / 64] |= 1ull << (i % 64);
}

static void clear_range(uint64_t *bits, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++)
        bits[i / 64] &= ~(1ull << (i % 64));
}

/* Copies what is not yet in the capture of `n` places from `first` behind the `used` tracks in the
 * buffer; returns how many tracks are then there. */
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
    /* Read first: a track published meanwhile is found, or looked for the next time. */
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
    if (error) /* all again, next time */
        memset(writer->track_written, 0, sizeof writer->track_written);
    else
        writer->tracks_done = published;
    return error;
}

/* Puts string `id` into the buffer; returns its bytes there, 0 if it is not published or does not
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

    if (n > STROBE_POOL_STRINGS)
        n = STROBE_POOL_STRINGS;
    for (uint32_t id = writer->strings_done; id < n && error == 0;) {
        uint32_t at = 0, first = id;
        for (; id < n; id++) {
            if (is_set(writer->string_written, id))
                continue;
            uint32_t length, put = put_string(writer, pool, id, at);
            if (put == 0 && strobe_pool_string(pool, id, &length) && at)
                break; /* buffer full */
            at += put;
            if (put)
                set(writer->string_written, id);
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
    /* Strings last: a track's name was interned before the track was published. */
    int strings_error = write_strings(writer, pool);

    return error ? error : tracks_error ? tracks_error : strings_error;
}

/* One open span as the record it would have become, its first field the argument; 0 bytes when it
 * ends just now, or began after `end`: its name may be newer than the definitions. */
static uint32_t put_unfinished(char *out, const struct pool_span *span, uint32_t track,
                               uint64_t end)
{
    uint64_t words[STROBE_UNFINISHED_WORDS];

    if (!strobe_pool_span_words(span, track, end, words) || words[1] > end)
        return 0;
    memcpy(out, words, sizeof words);
    return sizeof words;
}

int strobe_capture_write_unfinished(StrobeCaptureWriter *writer, const struct pool_header *pool,
                                    uint32_t type, uint64_t end)
{
    uint32_t at = 0;
    int error = 0;

    for (uint32_t i = 0; i < pool->n_lanes && error == 0; i++) {
        const struct pool_lane *lane = strobe_pool_lane(pool, i);
        uint32_t depth = atomic_load_explicit(&lane->depth, memory_order_acquire);
        if (atomic_load(&lane->window) != writer->window || depth > STROBE_POOL_SPANS)
            continue;
        uint32_t track = atomic_load(&lane->track);
        for (uint32_t k = depth; k-- > 0;) /* innermost first, as spans end */
            at += put_unfinished(writer->buffer + at, &lane->spans[k], track, end);
        if (at > STROBE_WRITER_BUFFER - STROBE_POOL_SPANS * 40) {
            error = strobe_capture_write_block(writer, type, writer->buffer, at);
            at = 0;
        }
    }
    if (at && error == 0)
        error = strobe_capture_write_block(writer, type, writer->buffer, at);
    return error;
}

static uint32_t put_loss(char *out, uint32_t kind, const struct strobe_loss *loss, uint64_t begin,
                         uint64_t end)
{
    uint64_t words[3 + sizeof *loss / 8] = {(uint64_t)kind << 16 | (sizeof words / 8), begin, end};

    memcpy(words + 3, loss, sizeof *loss);
    memcpy(out, words, sizeof words);
    return sizeof words;
}

/* Puts what `lost` has grown by since `told`; returns the bytes. */
static uint32_t put_growth(char *out, uint32_t kind, uint32_t cause, uint64_t lost, uint64_t told,
                           uint32_t track, uint64_t begin, uint64_t end)
{
    struct strobe_loss loss = {lost - told, cause, track};

    return loss.count ? put_loss(out, kind, &loss, begin, end) : 0;
}

void strobe_capture_read_losses(const struct pool_header *pool, StrobeLossCounts *seen)
{
    for (uint32_t cause = 0; cause < STROBE_LOSS_CAUSES; cause++)
        seen->core[cause] = atomic_load(&pool->lost[cause]);
    for (uint32_t i = 0; i < pool->n_lanes; i++) {
        const struct pool_lane *lane = strobe_pool_lane(pool, i);
        for (uint32_t cause = 0; cause < STROBE_LOSS_CAUSES; cause++)
            seen->lanes[i][cause] = atomic_load_explicit(&lane->lost[cause], memory_order_relaxed);
        seen->overwritten_until[i] = atomic_load(&lane->overwritten_until);
    }
}

int strobe_capture_write_losses(StrobeCaptureWriter *writer, const struct pool_header *pool,
                                uint32_t kind, uint64_t begin, uint64_t end,
                                const StrobeLossCounts *seen)
{
    uint32_t at = 0;

    for (uint32_t cause = 0; cause < STROBE_LOSS_CAUSES; cause++) {
        at += put_growth(writer->buffer + at, kind, cause, seen->core[cause],
                         pool->lost_told[cause], 0, begin, end);
        for (uint32_t i = 0; i < pool->n_lanes; i++) {
            const struct pool_lane *lane = strobe_pool_lane(pool, i);
            uint64_t until = cause == STROBE_LOSS_OVERWRITTEN ? seen->overwritten_until[i] : end;
            at += put_growth(writer->buffer + at, kind, cause, seen->lanes[i][cause],
                             lane->lost_told[cause], atomic_load(&lane->track), begin, until);
        }
    }
    return at ? strobe_capture_write_block(writer, STROBE_BLOCK_RECORDS, writer->buffer, at) : 0;
}

int strobe_capture_write_seal(StrobeCaptureWriter *writer, uint64_t begin, uint64_t end,
                              uint32_t flags)
{
    struct strobe_stored_seal seal = {begin, end, (flags & STROBE_SEAL_RECOVERED) != 0,
                                      (flags & STROBE_SEAL_CONTINUED) != 0};
    return strobe_capture_write_block(writer, STROBE_BLOCK_SEAL, &seal, sizeof seal);
}

uint64_t strobe_capture_count_records(const struct pool_block *block, uint32_t from, uint32_t to)
{
    const char *base = (const char *)(block + 1);
    uint64_t n = 0;

    while (from + 8 <= to) {
        StrobeRecordHeader header;
        memcpy(&header, base + from, sizeof header);
        uint32_t bytes = (header.words & STROBE_RECORD_WORDS_MASK) * 8u;
        if (bytes == 0)
            break;
        n += header.kind != STROBE_KIND_STRING;
        from += bytes;
    }
    return n;
}
