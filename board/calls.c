/* SPDX-License-Identifier: Apache-2.0 */
/* Records calls like all records of Strobe, with thread buffers, a pool and a writer. The writer is
 * a thread of the program, because a board may not have Strobe's own programs. */
#include "board.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "capture-format.h"
#include "capture-metadata.h"
#include "clock.h"
#include "thread-buffer.h"
#include "recorder.h"

/* size of the pool, and so the most data that is lost if the power of a board is cut. A thread that
 * finds no room waits for the writer, at most PATIENCE_NS. */
#define POOL_BYTES ((size_t)2 << 20)
#define PATIENCE_NS 1000000000
#define METADATA_MAX 16384u
#define HIDDEN_PREFIX ".strobe-calls-"
#define POOL_FOLDER "/dev/shm"
/* On a disk with little room, slices are smaller, so that a computer that fetches finished files
 * while the program runs makes room for the next ones. */
#define SLICE_SHARE 8u /* of the free bytes */
#define SLICE_BYTES_MIN (64u << 10)
/* Up to this size a slice gets its file .done at once: that reads it, in the thread of the writer,
 * while other threads may wait for the writer. */
#define DONE_BYTES_MAX (4u << 20)

static StrobeKindId call_kind;
/* path of the file of calls, which is hidden until board_calls_place */
static char file_path[SVP_PATH_MAX];
static int is_placed, is_limited;
/* Used only by the thread of the writer, until it has ended: */
static int (*report_slice)(const char *name); /* slice_done of board_calls_begin */
static unsigned n_complete;                   /* number of complete slices */
static unsigned n_done;                       /* number of slices that were reported with success */

static int begin_window(int is_simulated)
{
    char made[SVP_PATH_MAX + 8], reason[256];
    char *metadata;
    int fd, error;

    call_kind = strobe_recorder_kind(&svp_kind_api_call, reason, sizeof reason);
    if (!call_kind)
        return EINVAL;
    snprintf(made, sizeof made, "%s" STROBE_CAPTURE_UNNAMED, file_path);
    fd = open(made, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0640);
    if (fd < 0)
        return errno;
    fchmod(fd, 0640); /* the mode must not depend on the umask */
    /* the metadata contain the path of the pool, by which recovery finds it */
    metadata = board_capture_metadata(
        getpid(), NULL, is_simulated ? "{\"simulated\":true}" : "{\"simulated\":false}");
    error = metadata ? strobe_recorder_begin_window(fd, file_path, metadata) : ENOMEM;
    if (!metadata)
        close(fd);
    free(metadata);
    if (error) {
        unlink(made);
        unlink(file_path);
    }
    return error;
}

/* Returns the size at which a slice ends; 0: never. */
static uint64_t choose_slice_bytes(const char *output, const SvpConfig *config)
{
    const uint64_t most = (uint64_t)config->slice_mb << 20;
    struct statvfs disk;
    uint64_t share;

    if (statvfs(output, &disk) || disk.f_blocks == 0) /* such as an initramfs */
        return most;
    share = (uint64_t)disk.f_bavail * disk.f_frsize / SLICE_SHARE;
    if (share >= most)
        return most;
    if (share < SLICE_BYTES_MIN)
        return SLICE_BYTES_MIN;
    return share < DONE_BYTES_MAX ? share : DONE_BYTES_MAX;
}

static void take_segment(void *user, const char *newest)
{
    const size_t length = (size_t)(strrchr(newest, '_') - newest) + 1;
    char name[SVP_FILE_NAME_MAX + 32];

    (void)user;
    for (n_complete++; n_done < n_complete; n_done++) {
        snprintf(name, sizeof name, "%.*s%u", (int)length, newest, n_done);
        if (report_slice(name))
            break;
    }
}

int board_calls_begin(const char *output, const SvpConfig *config, int is_simulated,
                      int (*slice_done)(const char *name))
{
    const uint64_t slice_bytes = choose_slice_bytes(output, config);
    const StrobeRecorderSettings settings = {
        .pool_bytes = POOL_BYTES,
        .patience_ns = PATIENCE_NS,
        .writer = {.policy = STROBE_POLICY_BLOCK,
                   .sync = config->syncs ? STROBE_SYNC_INTERVAL : STROBE_SYNC_NONE,
                   .flush_interval_ns = (int64_t)config->flush_ms * 1000000,
                   .rotation = {.bytes = slice_bytes}},
        .segment_done = slice_bytes <= DONE_BYTES_MAX ? take_segment : NULL,
        .fallback_dir = output};
    int error = strobe_recorder_open(&settings);

    is_placed = 0;
    n_complete = n_done = 0;
    report_slice = slice_done;
    if (!error)
        error = board_kept_begin(config->api_limit);
    is_limited = config->api_limit > 0;
    snprintf(file_path, sizeof file_path, "%.3800s/" HIDDEN_PREFIX "%d", output, (int)getpid());
    if (!error)
        error = begin_window(is_simulated);
    if (error) {
        board_kept_end(NULL);
        strobe_recorder_close();
    }
    return error;
}

int board_calls_place(const char *path)
{
    if (rename(file_path, path))
        return errno;
    snprintf(file_path, sizeof file_path, "%s", path);
    is_placed = 1;
    return 0;
}

uint64_t board_calls_now(void)
{
    return strobe_clock_now();
}

static void write_call(StrobeWriter *writer, const BoardCall *call, StrobeTrackId track)
{
    const StrobeStringId of_name =
        strobe_thread_buffer_intern(writer, call->name, strlen(call->name), 0);
    const StrobeStringId of_level = strobe_thread_buffer_intern(writer, "acl", 3, 0);
    const StrobeStringId of_mode =
        strobe_thread_buffer_intern(writer, call->mode, strlen(call->mode), 0);
    const StrobeStringId of_model =
        call->model ? strobe_thread_buffer_intern(writer, call->model, strlen(call->model), 0) : 0;
    struct svp_api_call *fields =
        strobe_thread_buffer_reserve(writer, call_kind, track, of_name, call->begin, call->end);

    if (!fields)
        return;
    fields->level = of_level;
    fields->mode = of_mode;
    fields->item = of_model;
    fields->connection = call->capture ? call->capture : STROBE_ABSENT_U64;
    fields->exact_us = STROBE_ABSENT_F64;
    fields->device = call->device;
    fields->model = call->model ? call->model_id : STROBE_ABSENT_U32;
    fields->status = call->status;
    strobe_thread_buffer_commit(writer);
}

void board_calls_record(BoardCall *call)
{
    call->end = strobe_clock_now();
    if (is_limited) {
        call->thread = (int32_t)gettid();
        board_kept_add(call);
        return;
    }
    StrobeWriter *writer = strobe_thread_buffer_writer();

    if (writer)
        write_call(writer, call, 0);
}

/* ---- end ---- */

/* Returns the number of calls in the bytes of a block. */
static uint64_t count_records(const char *bytes, uint32_t length)
{
    uint64_t head, n = 0;

    for (uint32_t at = 0; at + sizeof head <= length;) {
        memcpy(&head, bytes + at, sizeof head);
        if (!(head & STROBE_RECORD_WORDS_MASK))
            break;
        n += strobe_record_kind(head) == call_kind;
        at += (uint32_t)(head & STROBE_RECORD_WORDS_MASK) * 8u;
    }
    return n;
}

uint64_t board_calls_count(const char *path)
{
    struct strobe_block_header header;
    char *bytes = malloc(STROBE_POOL_BLOCK_BYTES);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    off_t at = 0;
    uint64_t n = 0;

    while (bytes && pread(fd, &header, sizeof header, at) == (ssize_t)sizeof header) {
        const uint32_t length = header.payload_bytes;

        at += (off_t)sizeof header;
        if (header.type == STROBE_BLOCK_RECORDS && length <= STROBE_POOL_BLOCK_BYTES &&
            pread(fd, bytes, length, at) == (ssize_t)length)
            n += count_records(bytes, length);
        at += length;
    }
    if (fd >= 0)
        close(fd);
    free(bytes);
    return n;
}

/* Records a kept call on the track of the thread that made the call. */
static void write_kept(const BoardCall *call)
{
    const StrobeTrack track = {.struct_size = sizeof track,
                               .type = STROBE_TRACK_THREAD,
                               .device = -1,
                               .id = (uint64_t)call->thread};
    StrobeWriter *writer = strobe_thread_buffer_writer();

    if (writer)
        write_call(writer, call, strobe_recorder_track(&track));
}

/* If the writer has rotated files, gives the newest one the next number too, and sets *n to the
 * number of files. The first n_done files may be gone: a computer that fetches them removes them.
 */
static void number_slices(unsigned *n)
{
    char path[SVP_PATH_MAX + 32];

    for (*n = n_done;; ++*n) {
        snprintf(path, sizeof path, "%s" STROBE_SLICE_FORMAT, file_path, *n);
        if (access(path, F_OK))
            break;
    }
    if (*n && rename(file_path, path) == 0)
        ++*n;
}

int board_calls_end(BoardCallTotals *totals)
{
    uint64_t lost[STROBE_LOSS_CAUSES];
    const uint64_t n_overwritten = board_kept_end(write_kept);
    int error;

    if (n_overwritten)
        strobe_recorder_lost(STROBE_LOSS_OVERWRITTEN, n_overwritten);
    error = strobe_recorder_end_window(-1);

    totals->n_lost = 0;
    strobe_recorder_losses(lost);
    for (int i = 0; i < STROBE_LOSS_CAUSES; i++)
        totals->n_lost += lost[i];
    strobe_recorder_close();
    totals->n_slices = 0;
    totals->n_done = n_done;
    if (!is_placed)
        unlink(file_path);
    else
        number_slices(&totals->n_slices);
    return error;
}

void board_calls_forget(void)
{
    is_limited = 0;
    board_kept_forget();
    strobe_recorder_forget();
}

/* ---- files of killed programs ---- */

/* Removes a pool, but only if `path` has the name of a pool and is in a folder for pools. */
static void remove_pool(const char *path, const char *output)
{
    const char *name = strrchr(path, '/');
    const size_t n = name ? (size_t)(name - path) : 0, length = strlen(path);

    if (!name || strncmp(name, "/strobe-", 8) || length < 5 || strcmp(path + length - 5, ".pool"))
        return;
    if ((n == strlen(POOL_FOLDER) && !strncmp(path, POOL_FOLDER, n)) ||
        (n == strlen(output) && !strncmp(path, output, n)))
        unlink(path);
}

/* Removes a file of calls, and the pool whose path is in the metadata at the file's begin. */
static void remove_file(const char *path, const char *output)
{
    static const char key[] = "\"pool\":\"";
    char *bytes = calloc(1, METADATA_MAX + 1), *from, *to;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    struct stat st;

    if (bytes && fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid()) {
        const ssize_t n = pread(fd, bytes, METADATA_MAX, sizeof(struct strobe_block_header));

        from = n > 0 ? strstr(bytes, key) : NULL;
        from = from ? from + strlen(key) : NULL;
        to = from ? strchr(from, '"') : NULL;
        if (to) {
            *to = 0;
            remove_pool(from, output);
        }
        unlink(path);
    }
    if (fd >= 0)
        close(fd);
    free(bytes);
}

void board_calls_clean(const char *output)
{
    char path[SVP_PATH_MAX];
    DIR *folder = opendir(output);
    struct dirent *entry;

    while (folder && (entry = readdir(folder))) {
        if (strncmp(entry->d_name, HIDDEN_PREFIX, strlen(HIDDEN_PREFIX)))
            continue;
        const pid_t pid = atoi(entry->d_name + strlen(HIDDEN_PREFIX));

        snprintf(path, sizeof path, "%.3800s/%.255s", output, entry->d_name);
        /* a file with the id of this process is from an earlier process */
        if (pid > 0 && (pid == getpid() || (kill(pid, 0) && errno == ESRCH)))
            remove_file(path, output);
    }
    if (folder)
        closedir(folder);
}
