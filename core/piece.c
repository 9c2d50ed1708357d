/* SPDX-License-Identifier: Apache-2.0 */
#include "piece.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "drain.h"

#define PIECE_CURRENT "capture.strobe"

void strobe_piece_name(uint32_t number, char name[32])
{
    snprintf(name, 32, "capture.%05u.strobe", number);
}

int strobe_piece_limits_any(const StrobePieceLimits *limits)
{
    return limits->bytes || limits->ns || limits->on_demand;
}

int strobe_pieces_begin(StrobePieces *pieces, const StrobePieceLimits *limits, const char *path,
                        const char *facts, int64_t now_ns)
{
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');

    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
    pieces->limits = *limits;
    pieces->facts = strdup(facts);
    if (!pieces->facts)
        return ENOMEM;
    pieces->folder = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (pieces->folder < 0)
        return errno;
    pieces->number = 0;
    pieces->begun_ns = now_ns;
    pieces->due_bytes = limits->bytes;
    return 0;
}

void strobe_pieces_end(StrobePieces *pieces)
{
    if (pieces->folder >= 0)
        close(pieces->folder);
    pieces->folder = -1;
    free(pieces->facts);
    pieces->facts = NULL;
}

int strobe_piece_is_due(const StrobePieces *pieces, uint64_t bytes, int64_t now_ns)
{
    return (pieces->limits.bytes && bytes >= pieces->due_bytes) ||
           (pieces->limits.ns && now_ns - pieces->begun_ns >= pieces->limits.ns);
}

/* ---- rolling ---- */

/* Makes the next piece, head and all, beside the present one. */
static int prepare(StrobeDrain *d)
{
    StrobePieces *p = &d->pieces;
    int error, fd;

    unlinkat(p->folder, STROBE_PIECE_NEW, 0);
    fd = openat(p->folder, STROBE_PIECE_NEW, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                0640);
    if (fd < 0)
        return errno;
    strobe_capture_writer_begin(&d->other, fd, d->writer.window);
    error = strobe_capture_write_facts(&d->other, p->facts, p->number + 1);
    if (error == 0)
        error = strobe_capture_write_definitions(&d->other, d->pool);
    if (error) {
        strobe_capture_writer_end(&d->other);
        unlinkat(p->folder, STROBE_PIECE_NEW, 0);
    }
    return error;
}

/* Writes what is there into the present piece, and what makes it complete in itself. */
static void finish(StrobeDrain *d)
{
    strobe_flush_all(d);
    uint64_t now = d->writer.pair.ticks;
    strobe_flush_remember(
        d, strobe_capture_write_unfinished(&d->writer, d->pool, STROBE_BLOCK_OPEN, now));
    strobe_capture_writer_take_pair(&d->writer);
    strobe_flush_remember(d, strobe_capture_write_seal(&d->writer, d->pool->window_begin,
                                                       d->writer.pair.ticks,
                                                       STROBE_SEAL_CONTINUED));
    if (d->sync >= STROBE_SYNC_WINDOW && fdatasync(d->writer.fd))
        strobe_flush_remember(d, errno);
}

static int put_in_place(StrobePieces *p)
{
    char name[32];

    strobe_piece_name(p->number, name);
    if (renameat(p->folder, PIECE_CURRENT, p->folder, name))
        return errno;
    if (renameat(p->folder, STROBE_PIECE_NEW, p->folder, PIECE_CURRENT) == 0)
        return 0;
    int error = errno;
    renameat(p->folder, name, p->folder, PIECE_CURRENT);
    return error;
}

/* What follows goes into the new piece. */
static void switch_over(StrobeDrain *d)
{
    StrobePieces *p = &d->pieces;
    char name[32];

    strobe_capture_writer_end(&d->writer);
    strobe_capture_writer_swap(&d->writer, &d->other);
    p->number++;
    p->due_bytes = p->limits.bytes;
    if (p->limits.keep && p->number >= p->limits.keep) {
        strobe_piece_name(p->number - p->limits.keep, name);
        unlinkat(p->folder, name, 0);
    }
}

void strobe_piece_roll(StrobeDrain *d)
{
    StrobePieces *p = &d->pieces;
    int error = prepare(d);

    p->begun_ns = strobe_clock_ns(CLOCK_MONOTONIC);
    if (error == 0) {
        finish(d);
        error = put_in_place(p);
        if (error) {
            strobe_capture_writer_end(&d->other);
            unlinkat(p->folder, STROBE_PIECE_NEW, 0);
        }
    }
    if (error == 0) {
        switch_over(d);
        return;
    }
    /* Recording goes on in this piece; the next try is not before it has grown as much again. */
    strobe_flush_remember(d, error);
    p->due_bytes = d->writer.bytes + p->limits.bytes;
}
