/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/helpers/safe-file.h>

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strobe/helpers/file-part.h>
#include <unistd.h>

#include <strobe/helpers/descriptor.h>

#include "write-behind.h"

#define NAME_MAX_BYTES 256 /* maximum length of a file's name, including the NUL */
#define NAME_TRIES 1000
#define BUFFER_SIZE (256u * 1024)
#define DIRECT_SIZE (64u * 1024) /* an append of at least this many bytes is not buffered */
/* after this many bytes, writing to the disk is started */
#define WRITEBACK_SIZE (8u * 1024 * 1024u)
#define BEHIND_SIZE (1024u * 1024) /* the background thread writes data beyond this size */

struct StrobeSafeFile {
    int directory; /* descriptor of the folder, owned */
    int fd;
    int error;     /* errno of the first failure */
    uint64_t size; /* number of bytes appended, including those in the buffer */
    /* The background thread uses these members while it writes; late_error is atomic. */
    int late_error;
    uint64_t written;
    uint64_t handed_over; /* number of bytes for which writing to the disk was started */
    unsigned pending;     /* number of writes that the thread has not finished */
    enum { BEHIND_NOT_YET, BEHIND_NEVER, BEHIND_NOW } behind;
    size_t used;
    const StrobeSafeFilter *filter; /* NULL: none */
    void *filter_state;
    char name[NAME_MAX_BYTES];
    char temporary[NAME_MAX_BYTES]; /* "" when the file has its final name */
    char buffer[BUFFER_SIZE];
};

/* Checks that the name can be the name of a new file in the folder itself. Returns 0, or -1 with
 * errno set. */
static int check_name(const char *name)
{
    const size_t length = strlen(name);

    if (!length || strchr(name, '/') || !strcmp(name, ".") || !strcmp(name, "..")) {
        errno = EINVAL;
        return -1;
    }
    if (length >= NAME_MAX_BYTES) {
        errno = ENAMETOOLONG;
        return -1;
    }
    return 0;
}

/* Creates a file with an unused name; a symbolic link with that name counts as existing. Returns
 * its descriptor; -1 with errno set, and no name. */
static int create_temporary(int directory, char *name)
{
    /* number of the next temporary name, so that only few names are tried */
    static unsigned number;

    for (unsigned i = 0; i < NAME_TRIES; i++) {
        int fd;

        snprintf(name, NAME_MAX_BYTES, ".strobe-%ld-%u.tmp", (long)getpid(),
                 __atomic_fetch_add(&number, 1, __ATOMIC_RELAXED));
        fd = strobe_descriptor_aside(
            openat(directory, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0640));
        if (fd >= 0)
            return fd;
        if (errno != EEXIST)
            break;
    }
    name[0] = '\0';
    return -1;
}

/* Copies an error of the background thread to `error`. */
static void take_late_error(StrobeSafeFile *file)
{
    if (!file->error)
        file->error = __atomic_load_n(&file->late_error, __ATOMIC_RELAXED);
}

static void end_behind(StrobeSafeFile *file)
{
    if (file->behind != BEHIND_NOW)
        return;
    strobe_write_behind_wait(&file->pending);
    take_late_error(file);
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
    if (file->directory >= 0)
        close(file->directory);
    free(file);
    errno = saved;
}

static StrobeSafeFile *new_file(int directory, const char *name)
{
    StrobeSafeFile *file = malloc(sizeof *file);

    if (!file)
        return NULL;
    memset(file, 0, offsetof(StrobeSafeFile, buffer));
    strcpy(file->name, name);
    file->fd = -1;
    file->directory = fcntl(directory, F_DUPFD_CLOEXEC, 3);
    return file;
}

StrobeSafeFile *strobe_safe_file_create(int directory, const char *name)
{
    StrobeSafeFile *file = check_name(name) ? NULL : new_file(directory, name);

    if (file && file->directory >= 0)
        file->fd = create_temporary(file->directory, file->temporary);
    if (!file || file->fd >= 0)
        return file;
    free_file(file);
    return NULL;
}

/* Starts writing to the disk while the file is being made, so that the sync at the end waits less.
 * The call is only a hint to the kernel: it may fail, and reports no write errors. */
static void begin_writeback(StrobeSafeFile *file)
{
#if defined(SYNC_FILE_RANGE_WRITE)
    uint64_t n = file->written - file->handed_over;

    if (n < WRITEBACK_SIZE)
        return;
    sync_file_range(file->fd, (off_t)file->handed_over, (off_t)n, SYNC_FILE_RANGE_WRITE);
    file->handed_over += n;
#endif
}

/* Writes bytes to the file. Called in the background thread, or in the caller's thread if there is
 * no background thread. */
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

/* Writes appended bytes, through the filter if there is one. */
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

    if (file->error || length == 0)
        return file->error;
    file->size += length;
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

int strobe_safe_file_finish(StrobeSafeFile *file)
{
    int error;

    empty_buffer(file);
    if (file->filter)
        hand_on(file, "", 0, 1);
    end_behind(file);
    take_late_error(file);
    if (!file->error && fsync(file->fd))
        file->error = errno;
    if (!file->error && renameat(file->directory, file->temporary, file->directory, file->name))
        file->error = errno;
    error = file->error;
    if (!error) {
        file->temporary[0] = '\0';
        fsync(file->directory); /* syncs the name; some file systems cannot sync a folder */
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
