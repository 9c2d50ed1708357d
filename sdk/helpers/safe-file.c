/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/helpers/safe-file.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "write-behind.h"

#define BUFFER_SIZE (256u * 1024)
#define DIRECT_SIZE (64u * 1024)           /* such an append goes past the buffer */
#define WRITEBACK_SIZE (8u * 1024 * 1024u) /* the disk begins to write when so much is there */
#define BEHIND_SIZE (1024u * 1024)         /* a file of so much has a thread to write it */
#define NAME_LENGTH_MAX 255
#define NAME_TRIES 1000

struct StrobeSafeFile {
    int directory; /* own descriptor */
    int fd;
    int error;     /* errno of the first failure */
    uint64_t size; /* bytes appended, those in the buffer too */
    /* The thread's, while there is one; but for late_error, which is atomic. */
    int late_error;
    uint64_t written;
    uint64_t handed_over; /* bytes that the disk was told to write */
    unsigned pending;     /* writes that the thread has not done yet */
    enum { BEHIND_NOT_YET, BEHIND_NEVER, BEHIND_NOW } behind;
    size_t used;
    const StrobeSafeFilter *filter; /* NULL: none */
    void *filter_state;
    char name[NAME_LENGTH_MAX + 1];      /* "" for a scratch file */
    char temporary[NAME_LENGTH_MAX + 1]; /* "" for a scratch file */
    char buffer[BUFFER_SIZE];
};

static StrobeSafeFile *new_file(int directory)
{
    StrobeSafeFile *file = malloc(sizeof *file);

    if (!file)
        return NULL;
    file->fd = -1;
    file->error = file->late_error = 0;
    file->size = file->written = file->handed_over = 0;
    file->pending = 0;
    file->behind = BEHIND_NOT_YET;
    file->used = 0;
    file->filter = NULL;
    file->name[0] = file->temporary[0] = '\0';
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
    if (file->fd >= 0)
        close(file->fd);
    close(file->directory);
    free(file);
    errno = saved;
}

/* Creates a file of a name that was not there; a symbolic link of that name counts as there. */
static int create_temporary(StrobeSafeFile *file)
{
    for (unsigned i = 0; i < NAME_TRIES; i++) {
        snprintf(file->temporary, sizeof file->temporary, ".strobe-%ld-%u.tmp", (long)getpid(), i);
        file->fd = openat(file->directory, file->temporary,
                          O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0640);
        if (file->fd >= 0)
            return 0;
        if (errno != EEXIST)
            break;
    }
    file->temporary[0] = '\0';
    return -1;
}

static int check_name(const char *name)
{
    size_t length = strlen(name);

    if (!length || strchr(name, '/') || !strcmp(name, ".") || !strcmp(name, "..")) {
        errno = EINVAL;
        return -1;
    }
    if (length > NAME_LENGTH_MAX) {
        errno = ENAMETOOLONG;
        return -1;
    }
    return 0;
}

StrobeSafeFile *strobe_safe_file_create(int directory, const char *name)
{
    StrobeSafeFile *file;

    if (check_name(name) || !(file = new_file(directory)))
        return NULL;
    strcpy(file->name, name);
    if (create_temporary(file)) {
        free_file(file);
        return NULL;
    }
    return file;
}

StrobeSafeFile *strobe_safe_file_scratch(int directory)
{
    StrobeSafeFile *file = new_file(directory);

    if (!file)
        return NULL;
    file->fd = openat(file->directory, ".", O_RDWR | O_TMPFILE | O_CLOEXEC, 0600);
    if (file->fd < 0) {
        /* A file system without nameless files. */
        if (create_temporary(file)) {
            free_file(file);
            return NULL;
        }
        unlinkat(file->directory, file->temporary, 0);
        file->temporary[0] = '\0';
    }
    return file;
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
    file->handed_over = file->written;
#endif
}

/* By the thread or by the caller. */
static void write_now(void *user, const char *bytes, size_t length)
{
    StrobeSafeFile *file = user;

    while (length && !__atomic_load_n(&file->late_error, __ATOMIC_RELAXED)) {
        ssize_t done = write(file->fd, bytes, length);

        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0) {
            __atomic_store_n(&file->late_error, done < 0 ? errno : EIO, __ATOMIC_RELAXED);
            break;
        }
        bytes += done;
        length -= (size_t)done;
        file->written += (uint64_t)done;
    }
    begin_writeback(file);
}

static void write_out(StrobeSafeFile *file, const char *bytes, size_t length)
{
    if (file->behind == BEHIND_NOT_YET && file->written >= BEHIND_SIZE)
        file->behind = strobe_write_behind_begin() ? BEHIND_NOW : BEHIND_NEVER;
    if (file->behind == BEHIND_NOW)
        strobe_write_behind_put(&file->pending, write_now, file, bytes, length);
    else
        write_now(file, bytes, length);
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

static int flush(StrobeSafeFile *file)
{
    if (file->used)
        hand_on(file, file->buffer, file->used, 0);
    file->used = 0;
    return file->error;
}

void strobe_safe_file_filter(StrobeSafeFile *file, const StrobeSafeFilter *filter, void *state)
{
    file->filter = filter;
    file->filter_state = state;
}

int strobe_safe_file_write(void *user, const char *bytes, size_t length)
{
    StrobeSafeFile *file = user;

    if (file->error)
        return file->error;
    file->size += length;
    if (length >= DIRECT_SIZE) {
        flush(file);
        hand_on(file, bytes, length, 0);
        return file->error;
    }
    if (length > BUFFER_SIZE - file->used)
        flush(file);
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

int strobe_safe_file_read(StrobeSafeFile *file, uint64_t offset, char *bytes, size_t length)
{
    if (file->filter || offset > file->size || length > file->size - offset)
        return EINVAL;
    if (flush(file) || wait_behind(file))
        return file->error;
    while (length) {
        ssize_t n = pread(file->fd, bytes, length, (off_t)offset);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? errno : EIO;
        bytes += n;
        offset += (uint64_t)n;
        length -= (size_t)n;
    }
    return 0;
}

int strobe_safe_file_append(StrobeSafeFile *to, StrobeSafeFile *from)
{
    off_t at = 0;

    if (to == from || from->filter)
        return EINVAL;
    if (flush(from) || wait_behind(from))
        return from->error;
    if (flush(to))
        return to->error;
    while ((uint64_t)at < from->size) {
        /* The buffer is empty now and serves for the copy. */
        ssize_t n = pread(from->fd, to->buffer, BUFFER_SIZE, at);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return to->error = n < 0 ? errno : EIO;
        hand_on(to, to->buffer, (size_t)n, 0);
        if (to->error)
            return to->error;
        to->size += (uint64_t)n;
        at += n;
    }
    return 0;
}

int strobe_safe_file_finish(StrobeSafeFile *file)
{
    int error;

    flush(file);
    if (file->filter)
        hand_on(file, "", 0, 1);
    end_behind(file);
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
