/* SPDX-License-Identifier: Apache-2.0 */
#include "writer-loop.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "testpoint.h"

#define NAME_BYTES 320

static int is_named_by_program(const StrobeRotation *rotation)
{
    return strcmp(rotation->name, STROBE_CAPTURE_NAME) != 0;
}

/* Writes the name that the segment with this number, from 0, gets when the next segment begins. */
static void aside_name(const StrobeRotation *rotation, uint32_t number, char name[NAME_BYTES])
{
    if (is_named_by_program(rotation))
        snprintf(name, NAME_BYTES, "%s" STROBE_SLICE_FORMAT, rotation->name, number);
    else
        snprintf(name, NAME_BYTES, STROBE_SEGMENT_FORMAT, number + 1);
}

/* Writes the name that the next segment has until its head is written. */
static void new_name(const StrobeRotation *rotation, char name[NAME_BYTES])
{
    snprintf(name, NAME_BYTES, "%s" STROBE_CAPTURE_UNNAMED, rotation->name);
}

/* Opens the folder of the file at `path` and stores the file's name in `rotation`. Returns 0 or an
 * errno value. */
static int take_place(StrobeRotation *rotation, const char *path)
{
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');

    snprintf(rotation->name, sizeof rotation->name, "%.255s", slash ? slash + 1 : path);
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
    /* If the program named the file itself, its user chose the folder, which may be a link. */
    rotation->folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC |
                                        (is_named_by_program(rotation) ? 0 : O_NOFOLLOW));
    return rotation->folder < 0 ? errno : 0;
}

/* Finds the file's present folder and name, because the program may have moved the file. Returns 0
 * if the file cannot be rotated now. */
static int follow_file(StrobeRotation *rotation, int fd)
{
    char link[64], path[PATH_MAX];
    ssize_t n;

    if (!is_named_by_program(rotation))
        return 1;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    n = readlink(link, path, sizeof path - 1);
    if (n <= 0)
        return 0;
    path[n] = 0;
    close(rotation->folder);
    return take_place(rotation, path) == 0 && rotation->name[0] != '.';
}

int strobe_rotation_limits_any(const StrobeRotationLimits *limits)
{
    return limits->bytes || limits->ns || limits->on_demand;
}

int strobe_rotation_begin(StrobeRotation *rotation, const StrobeRotationLimits *limits,
                          const char *path, const char *metadata)
{
    int error;

    rotation->limits = *limits;
    rotation->metadata = strdup(metadata);
    if (!rotation->metadata)
        return ENOMEM;
    error = take_place(rotation, path);
    if (error)
        return error;
    rotation->number = 0;
    return 0;
}

void strobe_rotation_end(StrobeRotation *rotation)
{
    if (rotation->folder >= 0)
        close(rotation->folder);
    rotation->folder = -1;
    free(rotation->metadata);
    rotation->metadata = NULL;
}

/* Sets the limits of a segment. They do not include its head: the head repeats all strings, and a
 * segment with a large head must have room for records. */
void strobe_rotation_begin_segment(StrobeRotation *rotation, uint64_t head_bytes, int64_t now_ns)
{
    uint64_t least = head_bytes + rotation->limits.bytes / 2;

    rotation->begun_ns = now_ns;
    rotation->due_bytes = rotation->limits.bytes > least ? rotation->limits.bytes : least;
}

int strobe_rotation_is_due(const StrobeRotation *rotation, uint64_t bytes, int64_t now_ns)
{
    return (rotation->limits.bytes && bytes >= rotation->due_bytes) ||
           (rotation->limits.ns && now_ns - rotation->begun_ns >= rotation->limits.ns);
}

/* ---- rolling ---- */

/* Makes the next segment with its head, next to the current one. */
static int prepare_segment(StrobeWriterLoop *d)
{
    StrobeRotation *p = &d->window.rotation;
    char made[NAME_BYTES];
    int error, fd;

    new_name(p, made);
    unlinkat(p->folder, made, 0);
    fd = openat(p->folder, made, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0640);
    if (fd < 0)
        return errno;
    strobe_capture_writer_begin(&d->other, fd, d->window.number);
    error = strobe_capture_write_metadata(&d->other, p->metadata, p->number + 1);
    if (error == 0)
        error = strobe_capture_write_definitions(&d->other, d->pool);
    if (error == 0)
        error = strobe_capture_write_reserve(&d->other);
    if (error) {
        strobe_capture_writer_end(&d->other);
        unlinkat(p->folder, made, 0);
    }
    return error;
}

/* Writes all existing data and the seal to the current segment, which is then complete. If the disk
 * is full, recording continues in this segment, whose reserve is kept for the window's end. */
static int finish_segment(StrobeWriterLoop *d)
{
    StrobeCaptureWriter *writer = &d->window.writer;
    uint64_t unwritten;

    strobe_flush_all(d);
    /* A span that could not be written is not lost: the next segment contains open spans too. */
    int error = strobe_capture_write_unfinished(writer, d->pool, STROBE_BLOCK_OPEN,
                                                writer->pair.ticks, &unwritten);
    strobe_capture_writer_take_pair(writer);
    if (error == 0)
        error =
            strobe_capture_write_seal(writer, strobe_pool_window(d->pool, d->window.number)->begin,
                                      writer->pair.ticks, STROBE_SEAL_CONTINUED);
    if (error)
        return error;
    if (d->settings.sync >= STROBE_SYNC_WINDOW && fdatasync(writer->fd))
        strobe_flush_remember(d, errno);
    return 0;
}

/* Gives the current segment its later name as a second link, so that capture.strobe always exists.
 * Renames it if the file system has no links. */
static int put_aside(const StrobeRotation *p, const char *name)
{
    if (linkat(p->folder, p->name, p->folder, name, 0) == 0 ||
        renameat(p->folder, p->name, p->folder, name) == 0)
        return 0;
    return errno;
}

static int put_in_place(StrobeRotation *p)
{
    char name[NAME_BYTES], made[NAME_BYTES];

    aside_name(p, p->number, name);
    new_name(p, made);
    int error = put_aside(p, name);
    if (error)
        return error;
    STROBE_TESTPOINT("roll-aside");
    if (renameat(p->folder, made, p->folder, p->name) == 0)
        return 0;
    error = errno;
    if (faccessat(p->folder, p->name, F_OK, 0) == 0)
        unlinkat(p->folder, name, 0);
    else
        renameat(p->folder, name, p->folder, p->name);
    return error;
}

/* Gives the new segment the name of the current segment, and writes to it from now on. */
static void switch_over(StrobeWriterLoop *d)
{
    StrobeRotation *p = &d->window.rotation;
    char name[NAME_BYTES];

    if (d->settings.sync >= STROBE_SYNC_WINDOW &&
        fsync(p->folder)) /* the new file names must be on the disk too */
        strobe_flush_remember(d, errno);
    strobe_capture_writer_end(&d->window.writer);
    strobe_capture_writer_swap(&d->window.writer, &d->other);
    if (d->program.segment_done) {
        aside_name(p, p->number, name);
        d->program.segment_done(d->program.user, name);
    }
    p->number++;
    strobe_rotation_begin_segment(p, d->window.writer.bytes, strobe_clock_ns(CLOCK_MONOTONIC));
    if (p->limits.keep && p->number >= p->limits.keep) {
        aside_name(p, p->number - p->limits.keep, name);
        unlinkat(p->folder, name, 0);
    }
}

void strobe_rotation_roll(StrobeWriterLoop *d)
{
    StrobeRotation *p = &d->window.rotation;
    char made[NAME_BYTES];
    int error;

    if (!follow_file(p, d->window.writer.fd)) {
        /* the next attempt follows when the segment has grown a little */
        p->due_bytes = d->window.writer.bytes + p->limits.bytes / 16;
        return;
    }
    new_name(p, made);
    error = prepare_segment(d);
    if (error == 0) {
        STROBE_TESTPOINT("roll-prepared");
        error = finish_segment(d);
        STROBE_TESTPOINT("roll-finished");
        if (error == 0)
            error = put_in_place(p);
        if (error) {
            strobe_capture_writer_end(&d->other);
            unlinkat(p->folder, made, 0);
        }
    }
    if (error == 0) {
        STROBE_TESTPOINT("roll-placed");
        switch_over(d);
        return;
    }
    /* Recording continues in this segment. The next attempt follows when the segment has grown by
     * the same size again. */
    strobe_flush_remember(d, error);
    p->begun_ns = strobe_clock_ns(CLOCK_MONOTONIC);
    p->due_bytes = d->window.writer.bytes + p->limits.bytes;
}
