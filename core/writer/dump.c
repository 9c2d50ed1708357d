/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the content of a flight recorder as a separate capture. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "capture-file.h"
#include "writer-loop.h"
#include "kind-table.h"
#include "pool-bell.h"
#include "testpoint.h"

/* A block of the ring may stay unwritten for hours, and the times in it can be converted only with
 * clock pairs from those hours. */
void strobe_dump_note_pair(StrobeWriterLoop *d)
{
    int64_t now = strobe_clock_ns(CLOCK_MONOTONIC);

    if (now - d->window.last_flush_ns < d->settings.flush_interval_ns)
        return;
    strobe_capture_writer_take_pair(&d->window.writer);
    d->window.last_flush_ns = now;
}

/* ---- the ring ---- */

/* Removes the block from d->partial if its thread buffer has handed the block over meanwhile, so
 * that the block is not written twice. */
static void forget_partial(StrobeWriterLoop *d, uint32_t thread_buffer, uint32_t index)
{
    if (thread_buffer < d->pool->n_thread_buffers && d->partial[thread_buffer].block == index)
        d->partial[thread_buffer].block = STROBE_NO_BLOCK;
}

static void write_one(StrobeCaptureWriter *writer, const struct pool_block *block, uint32_t used,
                      int *error, _Atomic uint64_t *lost)
{
    int failed = used ? strobe_capture_write_records(writer, block, 0, used) : 0;

    if (failed)
        atomic_fetch_add(lost, strobe_pool_count_records(block, 0, used));
    if (failed && *error == 0)
        *error = failed;
}

/* Skips a block that is too old: counts its records as overwritten in this dump, and at the
 * window's end (`is_end`) also in the pool. */
static void skip_one(StrobeWriterLoop *d, const struct pool_block *block, uint32_t used, int is_end)
{
    uint32_t thread_buffer = block->thread_buffer % d->pool->n_thread_buffers;
    uint64_t n = strobe_pool_count_records(block, 0, used);

    d->seen->thread_buffers[thread_buffer][STROBE_LOSS_OVERWRITTEN] += n;
    if (d->seen->overwritten_until[thread_buffer] < block->full_at)
        d->seen->overwritten_until[thread_buffer] = block->full_at;
    if (is_end)
        atomic_fetch_add(
            &strobe_pool_thread_buffer(d->pool, thread_buffer)->lost[STROBE_LOSS_OVERWRITTEN], n);
}

static int write_blocks(StrobeWriterLoop *d, StrobeCaptureWriter *writer, uint64_t from,
                        uint64_t to, uint64_t not_before, _Atomic uint64_t *lost)
{
    int error = 0, is_end = writer == &d->window.writer;

    for (uint64_t at = from; at < to; at++) {
        uint32_t index = strobe_ring_block(d->ring, d->pool, at);
        struct pool_block *block = strobe_pool_block(d->pool, index);
        uint32_t used = strobe_pool_used(block);
        forget_partial(d, block->thread_buffer, index);
        if (block->full_at < not_before)
            skip_one(d, block, used, is_end);
        else
            write_one(writer, block, used, &error, lost);
        strobe_ring_unpin(d->ring, at);
    }
    for (uint32_t i = 0; i < d->pool->n_thread_buffers; i++)
        if (d->partial[i].block < d->pool->n_blocks)
            write_one(writer, strobe_pool_block(d->pool, d->partial[i].block), d->partial[i].used,
                      &error, lost);
    return error;
}

static uint64_t ring_begin(const StrobeWriterLoop *d, uint64_t end)
{
    uint64_t reach = (uint64_t)((double)d->settings.ring_ns * strobe_clock_rate());

    return d->settings.ring_ns && end > reach ? end - reach : 0;
}

static uint64_t window_begin(const StrobeWriterLoop *d)
{
    return strobe_pool_window(d->pool, d->window.number)->begin;
}

/* Writes the losses of the whole window, and then the seal: the capture of a dump accounts for all
 * records that collectors tried to record in the window. */
static int write_losses_and_seal(StrobeWriterLoop *d, StrobeCaptureWriter *writer, uint64_t end)
{
    uint64_t begin = window_begin(d);
    int error;

    strobe_capture_writer_take_pair(writer);
    error = strobe_capture_write_losses(writer, d->pool, STROBE_KIND_ID_LOSS, begin, end, d->seen);
    return error ? error : strobe_capture_write_seal(writer, begin, end, 0);
}

/* Writes losses and seal; if the disk is full, into the reserve. */
static int write_end(StrobeWriterLoop *d, StrobeCaptureWriter *writer, uint64_t end)
{
    int error = write_losses_and_seal(d, writer, end);

    if (error && strobe_capture_use_reserve(writer) == 0 &&
        write_losses_and_seal(d, writer, end) == 0)
        strobe_capture_close_reserve(writer);
    return error;
}

static void first_of(int *error, int other)
{
    if (*error == 0)
        *error = other;
}

int strobe_dump_ring(StrobeWriterLoop *d, StrobeCaptureWriter *writer, uint64_t end,
                     _Atomic uint64_t *lost)
{
    uint64_t from, to, unwritten;
    int error, is_end = writer == &d->window.writer;

    strobe_ring_pin(d->ring);
    strobe_flush_note_partial(d);
    STROBE_TESTPOINT("dump-noted");
    strobe_ring_collect(d->ring, d->pool, &from, &to);
    /* The losses are read after the blocks were collected, because the dump must report every loss
     * that is older than its last record. */
    strobe_capture_read_losses(d->pool, d->seen);
    STROBE_TESTPOINT("dump-collected");
    strobe_capture_writer_take_pair(writer);
    if (!is_end)
        end = writer->pair.ticks;
    error = strobe_capture_write_definitions(writer, d->pool);
    first_of(&error, write_blocks(d, writer, from, to, ring_begin(d, end), lost));
    STROBE_TESTPOINT("dump-written");
    strobe_ring_unpin_all(d->ring);
    if (is_end)
        return error;
    first_of(&error, strobe_capture_write_unfinished(writer, d->pool, STROBE_BLOCK_RECORDS, end,
                                                     &unwritten));
    d->seen->core[STROBE_LOSS_DISK_FULL] += atomic_load(lost) + unwritten;
    first_of(&error, write_end(d, writer, end));
    return error;
}

int strobe_dump_serve(StrobeWriterLoop *d, const char *path)
{
    _Atomic uint64_t lost = 0;
    char *metadata;
    int fd, error = strobe_capture_file_open(path, d->pool, &fd, &metadata);

    if (error)
        return error;
    free(metadata);
    strobe_capture_writer_begin_copy(&d->other, fd, &d->window.writer);
    error = strobe_capture_write_reserve(&d->other);
    if (error == 0)
        error = strobe_dump_ring(d, &d->other, 0, &lost);
    if (error == 0 && d->settings.sync >= STROBE_SYNC_WINDOW && fdatasync(d->other.fd))
        error = errno;
    strobe_capture_writer_end(&d->other);
    return error;
}

/* ---- requests for dumps ---- */

static int make_dump(StrobeWriterLoop *d, uint32_t why, const char *reason, int is_recording,
                     struct pool_dump *made)
{
    char path[PATH_MAX] = "";
    int error = is_recording && d->ring && d->program.make_dump
                    ? d->program.make_dump(d->program.user, d, why, reason, path)
                    : EINVAL;

    memcpy(made->path, path, sizeof path);
    snprintf(made->reason, sizeof made->reason, "%s", reason);
    made->error = (uint32_t)error;
    return error;
}

/* Makes a dump for which no call waits. */
static void serve_request(StrobeWriterLoop *d, uint32_t why, const char *reason, int is_recording)
{
    uint32_t number = atomic_load(&d->control->n_dumps);
    int error = make_dump(d, why, reason, is_recording, &d->control->dumps[number % STROBE_DUMPS]);

    if (error == EAGAIN)
        atomic_fetch_add(&d->control->n_refused_dumps, 1);
    else
        atomic_store(&d->control->n_dumps, number + 1);
}

static void copy_reason(char reason[STROBE_DUMP_REASON_BYTES], const char *text)
{
    memcpy(reason, text, STROBE_DUMP_REASON_BYTES);
    reason[STROBE_DUMP_REASON_BYTES - 1] = 0;
}

/* Makes the requested dumps. All requests that arrive while a dump is written lead to one further
 * dump together. */
void strobe_dump_answer(StrobeWriterLoop *d, int is_recording)
{
    struct pool_control *control = d->control;
    uint32_t wanted = atomic_load(&control->dump_wanted);
    char of_step[STROBE_DUMP_REASON_BYTES], of_call[STROBE_DUMP_REASON_BYTES];

    if (wanted == 0)
        return;
    copy_reason(of_step, control->step_reason);
    copy_reason(of_call, control->call_reason);
    atomic_fetch_and(&control->dump_wanted, (uint32_t)STROBE_DUMP_AND_WAIT);
    if (wanted & STROBE_DUMP_BY_CALL)
        serve_request(d, STROBE_DUMP_BY_CALL, "call", is_recording);
    if (wanted & STROBE_DUMP_BY_SIGNAL)
        serve_request(d, STROBE_DUMP_BY_SIGNAL, "signal", is_recording);
    if (wanted & STROBE_DUMP_BY_STEP)
        serve_request(d, STROBE_DUMP_BY_STEP, of_step, is_recording);
    if (wanted & STROBE_DUMP_AND_WAIT) {
        make_dump(d, STROBE_DUMP_AND_WAIT, of_call, is_recording, &control->reply);
        atomic_fetch_and(&control->dump_wanted, ~(uint32_t)STROBE_DUMP_AND_WAIT);
    }
    strobe_bell_ring(&control->answer);
}
