/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/helpers/safe-file.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strobe/helpers/file-part.h>
#include <unistd.h>

#include "packed-blocks.h"
#include "temporary-file.h"
#include "write-behind.h"

#define BUFFER_SIZE (PACKED_BLOCKS_AT_ONCE * STROBE_PACK_BLOCK)
#define DIRECT_SIZE (64u * 1024)           /* such an append goes past the buffer */
#define WRITEBACK_SIZE (8u * 1024 * 1024u) /* the disk begins to write when so much is there */
#define BEHIND_SIZE (1024u * 1024)         /* a file of so much has a thread to write it */

struct StrobeSafeFile {
    int directory; /* own descriptor */
    int fd;
    int error;     /* errno of the first failure */
    uint64_t size; /* bytes appended, those in the buffer too */
    /* The thread's, while there is one, and so is what is packed; late_error is atomic. */
    int late_error;
    uint64_t written;     /* before it is packed */
    uint64_t handed_over; /* bytes that the disk was told to write */
    unsigned pending;     /* writes that the thread has not done yet */
    enum { BEHIND_NOT_YET, BEHIND_NEVER, BEHIND_NOW } behind;
    size_t used;
    const StrobeSafeFilter *filter; /* NULL: none */
    void *filter_state;
    PackedBlocks *packed;                /* NULL: bytes lie in the file as they are */
    char name[TEMPORARY_FILE_NAME];      /* "" for a scratch file */
    char temporary[TEMPORARY_FILE_NAME]; /* "" for a scratch file */
    char buffer[BUFFER_SIZE];
};

/* In no folder. */
static StrobeSafeFile *new_file(void)
{
    StrobeSafeFile *file = malloc(sizeof *file);

    if (!file)
        return NULL;
    file->fd = file->directory = -1;
    file->error = file->late_error = 0;
    file->size = file->written = file->handed_over = 0;
    file->pending = 0;
    file->behind = BEHIND_NOT_YET;
    file->used = 0;
    file->filter = NULL;
    file->packed = NULL;
    file->name[0] = file->temporary[0] = '\0';
    return file;
}

static StrobeSafeFile *new_file_in(int directory)
{
    StrobeSafeFile *file = new_file();

    if (!file)
        return NULL;
    file->directory = fcntl(directory, F_DUPFD_CLOEXEC, 3);
    if (file->directory < 0) {
        free(file);
        return NULL;
    }
    return file;
}

/* What has failed meanwhile. */
static void take_late_error(StrobeSafeFile *file)
{
    if (!file->error)
        file->error = __atomic_load_n(&file->late_error, __ATOMIC_RELAXED);
}

/* All that was written is in the file. */
static int wait_behind(StrobeSafeFile *file)
{
    if (file->behind == BEHIND_NOW)
        strobe_write_behind_wait(&file->pending);
    take_late_error(file);
    return file->error;
}

static void end_behind(StrobeSafeFile *file)
{
    if (file->behind != BEHIND_NOW)
        return;
    wait_behind(file);
    strobe_write_behind_end();
    file->behind = BEHIND_NEVER;
}

static void free_file(StrobeSafeFile *file)
{
    int saved = errno;

    end_behind(file);
    if (file->filter)
        file->filter->free(file->filter_state);
    strobe_packed_blocks_free(file->packed);
    if (file->fd >= 0)
        close(file->fd);
    if (file->directory >= 0)
        close(file->directory);
    free(file);
    errno = saved;
}

StrobeSafeFile *strobe_safe_file_create(int directory, const char *name)
{
    StrobeSafeFile *file;

    if (strobe_temporary_file_check_name(name) || !(file = new_file_in(directory)))
        return NULL;
    strcpy(file->name, name);
    file->fd = strobe_temporary_file_create(file->directory, file->temporary);
    if (file->fd >= 0)
        return file;
    free_file(file);
    return NULL;
}

StrobeSafeFile *strobe_safe_file_plain_scratch(int directory)
{
    StrobeSafeFile *file = new_file_in(directory);

    if (!file)
        return NULL;
    file->fd = strobe_temporary_file_nameless(file->directory);
    if (file->fd >= 0)
        return file;
    free_file(file);
    return NULL;
}

static StrobeSafeFile *pack(StrobeSafeFile *file, uint64_t plain_bytes)
{
    file->packed = strobe_packed_blocks_new(file->fd, plain_bytes);
    if (file->packed)
        return file;
    errno = ENOMEM;
    free_file(file);
    return NULL;
}

StrobeSafeFile *strobe_safe_file_scratch_behind(int directory, uint64_t plain_bytes)
{
    StrobeSafeFile *file = strobe_safe_file_plain_scratch(directory);

    return file ? pack(file, plain_bytes) : NULL;
}

StrobeSafeFile *strobe_safe_file_scratch(int directory)
{
    return strobe_safe_file_scratch_behind(directory, 0);
}

StrobeSafeFile *strobe_safe_file_scratch_in(int fd, uint64_t plain_bytes)
{
    StrobeSafeFile *file = new_file();

    if (!file) {
        close(fd);
        errno = ENOMEM;
        return NULL;
    }
    file->fd = fd;
    return pack(file, plain_bytes);
}

/* The disk works while the file is being made, so that the sync at its end has little to wait for.
 * A hint: it may fail, and tells nothing of the data. */
static void begin_writeback(StrobeSafeFile *file)
{
#if defined(SYNC_FILE_RANGE_WRITE)
    uint64_t n = file->written - file->handed_over;

    if (!file->name[0] || n < WRITEBACK_SIZE)
        return;
    sync_file_range(file->fd, (off_t)file->handed_over, (off_t)n, SYNC_FILE_RANGE_WRITE);
    file->handed_over += n;
#endif
}

/* By the thread or by the caller. */
static void write_now(void *user, const char *bytes, size_t length)
{
    StrobeSafeFile *file = user;
    int error = __atomic_load_n(&file->late_error, __ATOMIC_RELAXED);

    if (error)
        return;
    error = strobe_file_part_write(file->fd, file->written, bytes, length);
    if (error)
        __atomic_store_n(&file->late_error, error, __ATOMIC_RELAXED);
    else
        file->written += length;
    begin_writeback(file);
}

_Static_assert(STROBE_WRITE_PIECE % STROBE_PACK_BLOCK == 0, "pieces of a packed file are whole");

/* The same for whole buffers of a packed file. */
static void pack_now(void *user, const char *bytes, size_t length)
{
    StrobeSafeFile *file = user;
    int error;

    if (__atomic_load_n(&file->late_error, __ATOMIC_RELAXED))
        return;
    error = strobe_packed_blocks_put(file->packed, bytes, length / STROBE_PACK_BLOCK);
    if (error)
        __atomic_store_n(&file->late_error, error, __ATOMIC_RELAXED);
    file->written += length;
}

static void write_out(StrobeSafeFile *file, const char *bytes, size_t length)
{
    StrobeWrite write = file->packed ? pack_now : write_now;

    if (file->behind == BEHIND_NOT_YET && file->written >= BEHIND_SIZE)
        file->behind = strobe_write_behind_begin() ? BEHIND_NOW : BEHIND_NEVER;
    if (file->behind == BEHIND_NOW)
        strobe_write_behind_put(&file->pending, write, file, bytes, length);
    else
        write(file, bytes, length);
    take_late_error(file);
}

static int take_filtered(void *user, const char *bytes, size_t length)
{
    StrobeSafeFile *file = user;

    write_out(file, bytes, length);
    return file->error;
}

/* Bytes as they were appended. */
static void hand_on(StrobeSafeFile *file, const char *bytes, size_t length, int is_end)
{
    int error;

    if (!file->filter) {
        write_out(file, bytes, length);
    } else if (!file->error) {
        error =
            file->filter->convert(file->filter_state, bytes, length, is_end, take_filtered, file);
        if (!file->error)
            file->error = error;
    }
}

static int empty_buffer(StrobeSafeFile *file)
{
    if (file->used && !file->packed)
        hand_on(file, file->buffer, file->used, 0);
    file->used = 0;
    return file->error;
}

void strobe_safe_file_filter(StrobeSafeFile *file, const StrobeSafeFilter *filter, void *state)
{
    file->filter = filter;
    file->filter_state = state;
}

/* Whole buffers are packed; what does not fill one stays in it. */
static int write_packed(StrobeSafeFile *file, const char *bytes, size_t length)
{
    while (length && !file->error) {
        size_t room = BUFFER_SIZE - file->used;
        size_t part = length < room ? length : room;
        const char *whole = part == BUFFER_SIZE ? bytes : file->buffer;

        if (part < BUFFER_SIZE)
            memcpy(file->buffer + file->used, bytes, part);
        file->used += part;
        if (file->used == BUFFER_SIZE) {
            write_out(file, whole, BUFFER_SIZE);
            file->used = 0;
        }
        bytes += part;
        length -= part;
    }
    return file->error;
}

int strobe_safe_file_write(void *user, const char *bytes, size_t length)
{
    StrobeSafeFile *file = user;

    if (file->error)
        return file->error;
    file->size += length;
    if (file->packed)
        return write_packed(file, bytes, length);
    if (length >= DIRECT_SIZE) {
        empty_buffer(file);
        hand_on(file, bytes, length, 0);
        return file->error;
    }
    if (length > BUFFER_SIZE - file->used)
        empty_buffer(file);
    memcpy(file->buffer + file->used, bytes, length);
    file->used += length;
    return file->error;
}

int strobe_safe_file_puts(StrobeSafeFile *file, const char *text)
{
    return strobe_safe_file_write(file, text, strlen(text));
}

uint64_t strobe_safe_file_size(const StrobeSafeFile *file)
{
    return file->size;
}

int strobe_safe_file_descriptor(const StrobeSafeFile *file)
{
    return file->fd;
}

static int read_packed(StrobeSafeFile *file, uint64_t offset, char *bytes, size_t length)
{
    uint64_t in_file = file->size - file->used;
    size_t part = 0;
    int error;

    if (offset < in_file) {
        part = length < in_file - offset ? length : (size_t)(in_file - offset);
        error = strobe_packed_blocks_read(file->packed, offset, bytes, part);
        if (error)
            return error;
    }
    if (part < length)
        memcpy(bytes + part, file->buffer + (offset + part - in_file), length - part);
    return 0;
}

int strobe_safe_file_read(StrobeSafeFile *file, uint64_t offset, char *bytes, size_t length)
{
    int64_t n;

    if (file->filter || offset > file->size || length > file->size - offset)
        return EINVAL;
    if (file->packed)
        return wait_behind(file) ? file->error : read_packed(file, offset, bytes, length);
    if (empty_buffer(file) || wait_behind(file))
        return file->error;
    n = strobe_file_part_read(file->fd, offset, bytes, length);
    return n < 0 ? errno : (size_t)n < length ? EIO : 0;
}

/* Straight to where the thread takes it from. */
static int append_behind(StrobeSafeFile *to, StrobeSafeFile *from, uint64_t at, size_t n)
{
    int error;

    if (empty_buffer(to))
        return to->error;
    if (!from->packed)
        empty_buffer(from); /* or reading it would put something */
    error = strobe_safe_file_read(from, at, strobe_write_behind_reserve(), n);
    strobe_write_behind_commit(&to->pending, write_now, to, error ? 0 : n);
    if (!error)
        to->size += n;
    take_late_error(to);
    return error;
}

static int append_part(StrobeSafeFile *to, StrobeSafeFile *from, uint64_t at, char *part, size_t n)
{
    int error;

    if (to->behind == BEHIND_NOW && !to->filter && !to->packed && n >= DIRECT_SIZE)
        return append_behind(to, from, at, n);
    error = strobe_safe_file_read(from, at, part, n);
    return error ? error : strobe_safe_file_write(to, part, n);
}

/* By way of a buffer beside: that of `to` may hold what was appended before. */
int strobe_safe_file_append(StrobeSafeFile *to, StrobeSafeFile *from)
{
    char *part;
    int error = 0;

    if (to == from || from->filter)
        return EINVAL;
    part = malloc(BUFFER_SIZE);
    if (!part)
        return ENOMEM;
    for (uint64_t at = 0; at < from->size && !error; at += BUFFER_SIZE) {
        uint64_t left = from->size - at;
        size_t n = left < BUFFER_SIZE ? (size_t)left : BUFFER_SIZE;

        error = append_part(to, from, at, part, n);
        if (error && !to->error)
            to->error = error;
    }
    free(part);
    return error;
}

int strobe_safe_file_finish(StrobeSafeFile *file)
{
    int error;

    empty_buffer(file);
    if (file->filter)
        hand_on(file, "", 0, 1);
    end_behind(file);
    take_late_error(file);
    if (!file->error && !file->name[0])
        file->error = EINVAL; /* a scratch file has no place to go to */
    if (!file->error && fsync(file->fd))
        file->error = errno;
    if (!file->error && renameat(file->directory, file->temporary, file->directory, file->name))
        file->error = errno;
    error = file->error;
    if (!error) {
        file->temporary[0] = '\0';
        fsync(file->directory); /* the name; not every file system can */
    }
    strobe_safe_file_discard(file);
    return error;
}

void strobe_safe_file_discard(StrobeSafeFile *file)
{
    if (!file)
        return;
    if (file->temporary[0])
        unlinkat(file->directory, file->temporary, 0);
    free_file(file);
}
