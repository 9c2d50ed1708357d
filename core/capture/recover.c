/* SPDX-License-Identifier: Apache-2.0 */
#include "recover.h"

#include <errno.h>
#include <fcntl.h>
#include <json-glib/json-glib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <strobe/helpers/keyed-hash.h>
#include "block-cursor.h"
#include "capture-notes.h"
#include "capture-writer.h"
#include "error.h"
#include "json-text.h"
#include "kind-table.h"
#include "clock-recovery.h"
#include "pool-salvage.h"
#include "segments.h"
#include "pool.h"
#include "process.h"
#include "result-completion.h"
#include "testpoint.h"

/* Maximum waits for the end of a window, and for the kernel to release a killed program's lock. */
#define PATIENCE_S 60
#define PATIENCE_KILLED_S 1
#define POOL_FOLDERS 3 /* OUTPUT/RESULT/FRAMEWORK holds the capture, OUTPUT a container's pool */

/* Results of one walk over the capture. */
struct index_pass {
    int fd;
    const char *capture; /* path of the capture */
    char *pool_path;
    char *pool_id;
    char *boot_id;
    gboolean has_metadata, is_sealed, is_same_boot;
    guint patience_s; /* maximum wait for the capture's completion; 0: do not wait */
    guint32 window;
    guint32 segment;
    guint64 good_end; /* offset of the end of the last valid block */
    guint64 core_at;  /* offset of the last block of records outside of thread buffers */
    StrobeClockRecovery clock;
    GHashTable *written; /* thread buffer << 48 ^ sequence -> number of written bytes of that
                          * block */
    guint64 recovery_at; /* offset at which an earlier recovery began; 0: none */
    gboolean torn;
    gboolean is_writer; /* this is the writer, and the program has just ended */
};

static guint64 *block_key(guint32 thread_buffer, guint64 sequence)
{
    guint64 key = (guint64)thread_buffer << 48 ^ sequence;
    return g_memdup2(&key, sizeof key);
}

static void take_metadata(struct index_pass *index_pass, const StrobeBlockPlace *place)
{
    if (index_pass->has_metadata || place->header.payload_bytes > STROBE_JSON_MAX_BYTES)
        return;
    g_autofree char *text = g_malloc(place->header.payload_bytes + 1u);
    if (!strobe_block_read(index_pass->fd, place, text))
        return;
    g_autoptr(JsonNode) root =
        strobe_json_parse(text, place->header.payload_bytes, "metadata", NULL);
    if (!root)
        return;
    JsonObject *metadata = json_node_get_object(root);
    index_pass->has_metadata = TRUE;
    index_pass->window = place->header.window;
    index_pass->segment = (guint32)place->header.sequence;
    index_pass->pool_path = g_strdup(strobe_json_member_text(metadata, "pool"));
    index_pass->pool_id = g_strdup(strobe_json_member_text(metadata, "pool_id"));
    index_pass->boot_id = g_strdup(strobe_json_member_text(metadata, "boot_id"));
}

static void note_written(struct index_pass *index_pass, const struct strobe_block_header *h)
{
    g_autofree guint64 *key = block_key(h->thread_buffer, h->sequence);
    guint32 end = h->offset + h->payload_bytes;

    if (end > GPOINTER_TO_UINT(g_hash_table_lookup(index_pass->written, key)))
        g_hash_table_insert(index_pass->written, g_steal_pointer(&key), GUINT_TO_POINTER(end));
}

/* Is this seal final? A seal with `continued` is not: the walk is over the newest segment, so the
 * next segment is missing. */
static gboolean is_final(const struct index_pass *index_pass, const StrobeBlockPlace *place)
{
    struct strobe_stored_seal seal;
    g_autofree char *bytes = NULL;

    if (place->header.payload_bytes < sizeof seal || place->header.payload_bytes > 4096)
        return TRUE;
    bytes = g_malloc(place->header.payload_bytes);
    if (!strobe_block_read(index_pass->fd, place, bytes))
        return FALSE;
    memcpy(&seal, bytes, sizeof seal);
    return !seal.continued;
}

static gboolean on_block(void *user, const StrobeBlockPlace *place)
{
    struct index_pass *index_pass = user;
    const struct strobe_block_header *h = &place->header;

    /* If a recovery was killed, the next recovery starts again at the same place. */
    if (h->type == STROBE_BLOCK_RECOVERY && !index_pass->recovery_at)
        index_pass->recovery_at = place->offset - sizeof *h;
    if (index_pass->recovery_at && h->type != STROBE_BLOCK_SEAL)
        return TRUE;
    index_pass->good_end = strobe_block_place_end(place);
    strobe_clock_recovery_follow(&index_pass->clock, &h->pair);
    if (h->type == STROBE_BLOCK_METADATA)
        take_metadata(index_pass, place);
    else if (h->type == STROBE_BLOCK_SEAL)
        /* the final seal may be in the reserve, before other blocks */
        index_pass->is_sealed |= is_final(index_pass, place);
    else if (h->type == STROBE_BLOCK_RECORDS && h->thread_buffer == STROBE_THREAD_BUFFER_NONE)
        index_pass->core_at = place->offset - sizeof *h;
    else if (h->type == STROBE_BLOCK_RECORDS)
        note_written(index_pass, h);
    return TRUE;
}

static gboolean on_earlier_block(void *user, const StrobeBlockPlace *place)
{
    if (place->header.type == STROBE_BLOCK_RECORDS &&
        place->header.thread_buffer != STROBE_THREAD_BUFFER_NONE)
        note_written(user, &place->header);
    return TRUE;
}

static void ignore_damage(void *user, guint64 from, guint64 to, const char *reason)
{
}

/* Returns the path of an open capture if the program gave it another name; NULL: it is called
 * capture.strobe. `capture` may be a path such as /proc/self/fd/N. */
static char *path_by_program(int fd, const char *capture)
{
    g_autofree char *link = g_strdup_printf("/proc/self/fd/%d", fd);
    g_autofree char *path = g_file_read_link(link, NULL);
    g_autofree char *name = g_path_get_basename(path ? path : capture);

    return path && strcmp(name, STROBE_CAPTURE_NAME) ? g_steal_pointer(&path) : NULL;
}

/* Is the file, by its name, an earlier segment (slice) of a capture with another name? The records
 * of the pool belong only to the newest segment. */
static gboolean is_earlier(int fd, const char *capture)
{
    g_autofree char *path = path_by_program(fd, capture);
    const char *mark = path ? g_strrstr(path, STROBE_SLICE_MARK) : NULL;

    return mark && mark[strlen(STROBE_SLICE_MARK)] &&
           strspn(mark + strlen(STROBE_SLICE_MARK), G_CSET_DIGITS) ==
               strlen(mark + strlen(STROBE_SLICE_MARK));
}

/* Returns the path of the segment before this one. The names of numbered segments count from 1, the
 * names of slices (a capture with another name) from 0. */
static char *earlier_path(const struct index_pass *index_pass, const char *capture)
{
    g_autofree char *own = path_by_program(index_pass->fd, capture);
    g_autofree char *folder = g_path_get_dirname(capture);
    g_autofree char *name = strobe_segment_name(index_pass->segment);

    return own ? g_strdup_printf("%s" STROBE_SLICE_FORMAT, own, index_pass->segment - 1)
               : g_build_filename(folder, name, NULL);
}

/* Notes which bytes of blocks the previous segment contains: if a block was filled during a
 * rotation, its first part is there. */
static void index_pass_earlier(struct index_pass *index_pass, const char *capture)
{
    struct stat st;

    if (index_pass->segment == 0)
        return;
    g_autofree char *path = earlier_path(index_pass, capture);
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return;
    if (fstat(fd, &st) == 0)
        strobe_block_walk(fd, (guint64)st.st_size, on_earlier_block, ignore_damage, index_pass,
                          NULL);
    close(fd);
}

static void on_damage(void *user, guint64 from, guint64 to, const char *reason)
{
    struct index_pass *index_pass = user;
    struct stat st;

    index_pass->torn = fstat(index_pass->fd, &st) == 0 && to == (guint64)st.st_size;
}

/* Does the pool belong to this capture? The pool's path in a capture may be wrong or forged. */
static gboolean belongs_to(const struct index_pass *index_pass, const struct pool_header *pool)
{
    const struct pool_window *window = strobe_pool_window(pool, index_pass->window);
    struct stat mine, named;
    char own_id[33];

    strobe_pool_id(pool, own_id);
    if (strcmp(own_id, index_pass->pool_id))
        return FALSE;
    if (fstat(index_pass->fd, &mine) || stat(window->capture, &named))
        /* The capture was moved. The pool belongs to the capture if the pool still has the
         * capture's window. */
        return errno == ENOENT && !index_pass->is_sealed &&
               atomic_load(&window->window) == index_pass->window;
    return mine.st_dev == named.st_dev && mine.st_ino == named.st_ino;
}

/* Opens the pool: the file next to the capture if there is one (both were copied from another
 * machine), or in the folders above it (a container's output folder was moved), otherwise the file
 * at the recorded path. */
static int open_pool_file(const struct index_pass *index_pass, const char *name, StrobePool *pool)
{
    g_autofree char *folder = g_strdup(index_pass->capture);

    for (guint i = 0; folder && i < POOL_FOLDERS; i++) {
        char *above = g_path_get_dirname(folder);
        g_free(folder);
        folder = above;
        g_autofree char *beside = g_build_filename(folder, name, NULL);
        if (strobe_pool_open(pool, beside, 0) == 0)
            return 0;
    }
    return strobe_pool_open(pool, index_pass->pool_path, 0);
}

static gboolean open_pool(struct index_pass *index_pass, StrobePool *pool)
{
    g_autofree char *name = g_path_get_basename(index_pass->pool_path);

    if (!g_path_is_absolute(index_pass->pool_path) || !g_str_has_prefix(name, "strobe-") ||
        !g_str_has_suffix(name, ".pool") || open_pool_file(index_pass, name, pool))
        return FALSE;
    if (!belongs_to(index_pass, pool->header)) {
        strobe_pool_destroy(pool, 0);
        return FALSE;
    }
    return TRUE;
}

/* If the program died after it had written its losses and before it marked them as reported, marks
 * them as reported. */
static void note_reported(const struct index_pass *index_pass, struct pool_header *pool)
{
    guint64 at = atomic_load(&pool->telling_at);

    if (at && at == index_pass->core_at)
        strobe_pool_tell_losses(pool, strobe_pool_at(pool, pool->seen_at));
}

/* Returns the number of bytes of a block that need no recovery: bytes in the capture, and bytes
 * that the writer counted as lost because it could not write them. After a power cut only the bytes
 * in the capture count. */
static guint32 done_of(const struct index_pass *index_pass, const struct pool_block *block)
{
    g_autofree guint64 *key = block_key(block->thread_buffer, block->sequence);
    guint32 written = GPOINTER_TO_UINT(g_hash_table_lookup(index_pass->written, key));

    return index_pass->is_same_boot ? MAX(written, atomic_load(&block->flushed)) : written;
}

/* Returns the clock pair at the latest time in the pool, for the blocks of the recovery. After a
 * reboot, or with another clock, this machine's counter has no relation to the recorded counter. */
static StrobeClockPair latest_pair(const struct index_pass *index_pass,
                                   const struct pool_header *pool, const StrobePoolSalvage *left)
{
    guint64 end = atomic_load(&strobe_pool_window(pool, index_pass->window)->end);
    guint64 latest = index_pass->clock.pair.ticks;
    StrobeClockPair taken = strobe_clock_pair(), *now = &taken;

    if (!index_pass->is_same_boot || pool->clock_counter != (guint32)strobe_clock_counter ||
        !strobe_clock_recovery_goes_on(&index_pass->clock, now))
        now = NULL;
    guint64 limit = strobe_clock_recovery_limit(&index_pass->clock, now);
    latest = strobe_pool_salvage_latest(left, pool, latest, limit);
    if (now && index_pass->is_writer)
        latest = now->ticks;
    /* The program may have stored the window's end itself. */
    return strobe_clock_recovery_at(&index_pass->clock, end ? end : latest, now);
}

static int write_blocks(struct index_pass *index_pass, StrobeCaptureWriter *writer,
                        const StrobePoolSalvage *left)
{
    int error = 0;

    for (guint i = 0; i < left->blocks->len && error == 0; i++) {
        const struct pool_block *block = g_ptr_array_index(left->blocks, i);
        guint32 used = MIN(atomic_load(&block->used), STROBE_BLOCK_DATA);
        guint32 from = done_of(index_pass, block);
        if (used > from)
            error = strobe_capture_write_records(writer, block, from, used);
    }
    return error;
}

/* Sets `writer` to continue where the program's writer stopped. Returns the time of the last
 * event. */
static guint64 resume_writer(struct index_pass *index_pass, StrobeCaptureWriter *writer, int fd,
                             const struct pool_header *pool, const StrobePoolSalvage *left)
{
    guint64 end = atomic_load(&strobe_pool_window(pool, index_pass->window)->end);
    char boot_id[64];

    strobe_clock_init();
    strobe_boot_id(boot_id);
    /* The writer itself need not compare boot ids. If it could not read the id, it would write the
     * same records again. */
    index_pass->is_same_boot = index_pass->is_writer || strcmp(boot_id, index_pass->boot_id) == 0;
    StrobeClockPair pair = latest_pair(index_pass, pool, left);
    strobe_capture_writer_resume(writer, fd, index_pass->window, &index_pass->clock.trend, &pair);
    return end ? end : pair.ticks;
}

static void raise_each(guint64 *values, const guint64 *least)
{
    for (guint i = 0; i < STROBE_LOSS_CAUSES; i++)
        values[i] = MAX(values[i], least[i]);
}

/* Reads the losses of the window: up to its end if the end is known, and without losses of the
 * previous window, whose rest was still being written. */
static void read_losses(const struct index_pass *index_pass, struct pool_header *pool,
                        StrobeLossCounts *seen)
{
    const struct pool_window *window = strobe_pool_window(pool, index_pass->window);
    const struct pool_window *before = strobe_pool_window(pool, index_pass->window - 1);
    const StrobeLossCounts *reported = strobe_pool_ending(pool, index_pass->window - 1);

    if (atomic_load(&window->end))
        *seen = *strobe_pool_ending(pool, index_pass->window);
    else
        strobe_capture_read_losses(pool, seen);
    if (index_pass->window < 2 || atomic_load(&before->window) != index_pass->window - 1)
        return;
    raise_each(pool->lost_reported, reported->core);
    for (guint32 i = 0; i < pool->n_thread_buffers; i++)
        raise_each(strobe_pool_thread_buffer(pool, i)->lost_reported, reported->thread_buffers[i]);
    raise_each(seen->core, pool->lost_reported);
    for (guint32 i = 0; i < pool->n_thread_buffers; i++)
        raise_each(seen->thread_buffers[i], strobe_pool_thread_buffer(pool, i)->lost_reported);
}

/* Adds losses that recovery found to `seen`, not to the pool, which must stay unchanged if recovery
 * fails. If the program has ended the window, `seen` already contains its counts. */
static void add_losses(const struct index_pass *index_pass, const struct pool_header *pool,
                       const StrobePoolSalvage *left, StrobeLossCounts *seen)
{
    gboolean is_shut = atomic_load(&strobe_pool_window(pool, index_pass->window)->end) != 0;

    for (guint32 i = 0; i < pool->n_thread_buffers; i++) {
        const struct pool_thread_buffer *thread_buffer = strobe_pool_thread_buffer(pool, i);
        seen->thread_buffers[i][STROBE_LOSS_OVERWRITTEN] += left->overwritten[i];
        if (!is_shut)
            seen->thread_buffers[i][STROBE_LOSS_SPAN_DEPTH] +=
                strobe_pool_deep_spans(thread_buffer, index_pass->window);
    }
}

char *strobe_trackless_text(guint32 n_threads)
{
    return g_strdup_printf("%u threads found no room in the track table: their records are shown "
                           "without a thread",
                           n_threads);
}

/* Writes the program's notes, which the program itself would have written at the end of the
 * window. */
static int write_notes(struct pool_header *pool, StrobeCaptureWriter *writer, guint64 ticks)
{
    guint32 n_trackless = atomic_load(&pool->n_trackless);
    g_autofree char *text = strobe_trackless_text(n_trackless);

    if (atomic_load(&strobe_pool_window(pool, writer->window)->end))
        return 0;
    if (n_trackless)
        strobe_notes_set(&pool->notes, STROBE_NOTES - 1, "recorder", text);
    return strobe_capture_write_notes(pool, writer, ticks);
}

static void complete_directory(int fd, const struct pool_header *pool,
                               const StrobeCaptureWriter *writer)
{
    guint32 n = MIN(atomic_load(&pool->notes.log_used), sizeof pool->notes.log);
    g_autofree char *log = g_memdup2(pool->notes.log, n);

    strobe_result_complete(fd, &writer->pair, log, n);
}

static int finish_capture(struct index_pass *index_pass, int fd, struct pool_header *pool,
                          guint64 size)
{
    g_autofree StrobeCaptureWriter *writer = g_new0(StrobeCaptureWriter, 1);
    g_autofree StrobeLossCounts *seen = g_new(StrobeLossCounts, 1);
    g_autoptr(StrobePoolSalvage) left = strobe_pool_salvage_new(pool, index_pass->window);
    guint64 last_ticks = index_pass->clock.pair.ticks, unwritten;
    int error = strobe_capture_writer_init(writer);

    if (error)
        return error;
    note_reported(index_pass, pool);
    guint64 latest = resume_writer(index_pass, writer, fd, pool, left);
    error = strobe_capture_write_block(writer, STROBE_BLOCK_RECOVERY, NULL, 0);
    if (error == 0)
        error = strobe_capture_write_definitions(writer, pool);
    STROBE_TESTPOINT("recover-definitions");
    if (error == 0)
        error = write_blocks(index_pass, writer, left);
    read_losses(index_pass, pool, seen);
    add_losses(index_pass, pool, left, seen);
    STROBE_TESTPOINT("recover-records");
    if (error == 0)
        error = strobe_capture_write_losses(writer, pool, STROBE_KIND_ID_LOSS, last_ticks, latest,
                                            seen);
    if (error == 0)
        error =
            strobe_capture_write_unfinished(writer, pool, STROBE_BLOCK_RECORDS, latest, &unwritten);
    STROBE_TESTPOINT("recover-unfinished");
    if (error == 0)
        error = write_notes(pool, writer, latest);
    if (error == 0) /* the directory is completed before the seal, because with the seal the result
                       is complete */
        complete_directory(fd, pool, writer);
    if (error == 0)
        error =
            strobe_capture_write_seal(writer, strobe_pool_window(pool, index_pass->window)->begin,
                                      latest, index_pass->is_writer ? 0 : STROBE_SEAL_RECOVERED);
    if (error && ftruncate(fd, (off_t)size))
        error = errno; /* the new blocks stay in the file, and the next attempt writes losses and
                          open spans again */
    strobe_capture_writer_clear(writer);
    return error;
}

static void index_pass_init(struct index_pass *index_pass, int fd)
{
    memset(index_pass, 0, sizeof *index_pass);
    index_pass->fd = fd;
    index_pass->written = g_hash_table_new_full(strobe_hash_of_number, g_int64_equal, g_free, NULL);
}

static void index_pass_clear(struct index_pass *index_pass)
{
    if (index_pass->fd >= 0)
        close(index_pass->fd);
    g_hash_table_unref(index_pass->written);
    g_free(index_pass->pool_path);
    g_free(index_pass->pool_id);
    g_free(index_pass->boot_id);
}

int strobe_recover_window(struct pool_header *pool, const StrobeCaptureWriter *writer)
{
    struct index_pass index_pass;
    int fd = fcntl(writer->fd, F_DUPFD_CLOEXEC, 0);

    if (fd < 0)
        return errno;
    index_pass_init(&index_pass, -1);
    index_pass.window = writer->window;
    index_pass.good_end = writer->bytes;
    index_pass.is_writer = TRUE;
    index_pass.clock = (StrobeClockRecovery){.trend = writer->trend, .pair = writer->pair, .n = 1};
    int error = finish_capture(&index_pass, fd, pool, writer->bytes);
    index_pass_clear(&index_pass);
    return error;
}

/* Does the pool contain anything that the capture lacks? */
static gboolean needs_pool(const struct index_pass *index_pass, const struct pool_header *pool)
{
    return !index_pass->is_sealed &&
           atomic_load(&strobe_pool_window(pool, index_pass->window)->window) == index_pass->window;
}

static gboolean walk_blocks(struct index_pass *index_pass, GError **error)
{
    struct stat st;

    if (fstat(index_pass->fd, &st)) {
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_INPUT, "Cannot read: %s", g_strerror(errno));
        return FALSE;
    }
    return strobe_block_walk(index_pass->fd, (guint64)st.st_size, on_block, on_damage, index_pass,
                             error);
}

/* Opens the capture of the program's other window: at its recorded path or, if the results were
 * moved, in the result directory with the same name next to this result directory. */
static int open_other(const char *capture, const char *other)
{
    g_autofree char *framework = g_path_get_dirname(capture),
                    *result = g_path_get_dirname(framework);
    g_autofree char *other_framework = g_path_get_dirname(other);
    g_autofree char *other_result = g_path_get_dirname(other_framework);
    g_autofree char *name = g_path_get_basename(other_result);
    g_autofree char *moved =
        g_build_filename(result, "..", name, STROBE_FRAMEWORK_DIR, STROBE_CAPTURE_NAME, NULL);
    int fd = open(other, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);

    return fd >= 0 ? fd : open(moved, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
}

/* Is the pool needed for another window? If the program died while it wrote the rest of one window
 * and recorded the next, the pool is needed until both captures are complete. */
static gboolean other_needs_pool(const struct index_pass *index_pass, const char *capture,
                                 const struct pool_header *pool)
{
    const struct pool_window *window = strobe_pool_window(pool, index_pass->window + 1);
    guint32 number = atomic_load(&window->window);
    struct index_pass other;
    struct stat st;

    if (number == 0 || number == index_pass->window)
        return FALSE;
    int fd = open_other(capture, window->capture);
    if (fd < 0)
        return FALSE;
    index_pass_init(&other, fd);
    gboolean is_open = fstat(fd, &st) == 0 && st.st_uid == geteuid() && walk_blocks(&other, NULL) &&
                       other.has_metadata && other.window == number && !other.is_sealed &&
                       g_strcmp0(other.pool_id, index_pass->pool_id) == 0;
    index_pass_clear(&other);
    return is_open;
}

/* Opens the file again for writing, through its descriptor, because its name may belong to another
 * file now. */
static int open_again(int fd)
{
    g_autofree char *path = g_strdup_printf("/proc/self/fd/%d", fd);

    return open(path, O_RDWR | O_CLOEXEC);
}

/* Is a process with the pool's process id there? The program may have another id here, in another
 * PID namespace: then the answer says nothing of the program. */
static gboolean has_process(const struct pool_header *pool)
{
    return pool->pid > 0 && pool->pid <= G_MAXINT32 &&
           strobe_process_is_there((pid_t)pool->pid, NULL);
}

/* A live capture: how long to wait for its completion. */
static guint choose_patience(const struct index_pass *index_pass, const struct pool_header *pool,
                             gboolean has_program)
{
    const struct pool_window *window = strobe_pool_window(pool, index_pass->window);

    /* The window's entry has another number if the writer has just sealed the window. */
    if (!has_program || atomic_load(&window->end) != 0 ||
        atomic_load(&window->window) != index_pass->window)
        return PATIENCE_S;
    return has_process(pool) ? 0 : PATIENCE_KILLED_S;
}

static gboolean recover_open(struct index_pass *index_pass, const char *capture, StrobePool *pool,
                             gboolean *live, GError **error)
{
    int result = 0;

    gboolean has_program = strobe_pool_has_program(pool);
    if (has_program || strobe_pool_has_writer(pool)) {
        *live = !index_pass->is_sealed;
        if (*live)
            index_pass->patience_s = choose_patience(index_pass, pool->header, has_program);
        strobe_pool_destroy(pool, 0);
        return TRUE;
    }
    if (needs_pool(index_pass, pool->header)) {
        guint64 size = index_pass->good_end;
        int fd = open_again(index_pass->fd);
        if (fd < 0)
            result = errno;
        else if ((index_pass->torn || index_pass->recovery_at) &&
                 ftruncate(fd, (off_t)index_pass->good_end))
            result = errno;
        else
            result = finish_capture(index_pass, fd, pool->header, size);
    }
    STROBE_TESTPOINT("recover-finished");
    strobe_pool_destroy(pool, result == 0 && !other_needs_pool(index_pass, capture, pool->header));
    if (result)
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_IO,
                    "Cannot finish %s from the pool of its program, which is kept: %s", capture,
                    g_strerror(result));
    return result == 0;
}

/* Removes the begin of the next segment, which may exist if the program was killed during a
 * rotation. */
static void remove_next(int fd, const char *capture)
{
    g_autofree char *own = path_by_program(fd, capture);
    g_autofree char *path = g_path_get_dirname(own ? own : capture);
    g_autofree char *name = g_path_get_basename(own ? own : capture);
    g_autofree char *next =
        g_strconcat(own ? name : STROBE_CAPTURE_NAME, STROBE_CAPTURE_UNNAMED, NULL);
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct stat mine, named, around;

    if (folder < 0)
        return;
    if (fstat(fd, &mine) == 0 && fstatat(folder, name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
        mine.st_dev == named.st_dev && mine.st_ino == named.st_ino && fstat(folder, &around) == 0 &&
        around.st_uid == geteuid())
        unlinkat(folder, next, 0);
    close(folder);
}

static gboolean is_of_user(int fd)
{
    struct stat st;

    return fstat(fd, &st) == 0 && st.st_uid == geteuid();
}

static gboolean try_recover(const char *capture, gboolean *live, guint *patience_s, GError **error)
{
    struct index_pass index_pass;
    int fd = open(capture, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    gboolean ok = TRUE;
    StrobePool pool;

    *live = FALSE;
    *patience_s = 0;
    if (fd < 0) {
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_INPUT, "Cannot open %s: %s", capture,
                    g_strerror(errno));
        return FALSE;
    }
    if (!is_of_user(fd)) { /* only the owner of a capture may complete it, or hold its lock */
        close(fd);
        return TRUE;
    }
    index_pass_init(&index_pass, fd);
    index_pass.capture = capture;
    flock(fd, LOCK_EX); /* if two analyses run at once, only one completes the capture */
    ok = walk_blocks(&index_pass, error);
    if (ok && index_pass.has_metadata && !is_earlier(fd, capture) &&
        open_pool(&index_pass, &pool)) {
        index_pass_earlier(&index_pass, capture);
        ok = recover_open(&index_pass, capture, &pool, live, error);
        if (ok && !*live)
            remove_next(fd, capture);
    }
    *patience_s = index_pass.patience_s;
    index_pass_clear(&index_pass);
    return ok;
}

/* Recovers the capture. If the program is alive and still writes the rest of the window after its
 * stop(), first waits until the rest is written, for at most PATIENCE_S. If the program has been
 * killed, first waits until the kernel has released its memory, and with it the lock, for at most
 * PATIENCE_KILLED_S. */
gboolean strobe_recover(const char *capture, gboolean *live, GError **error)
{
    const gint64 begin = g_get_monotonic_time();
    gboolean ignored, ok;
    guint patience_s;

    for (;;) {
        ok = try_recover(capture, live ? live : &ignored, &patience_s, error);
        if (!ok || g_get_monotonic_time() - begin >= (gint64)patience_s * G_USEC_PER_SEC)
            return ok;
        g_usleep(10000);
    }
}
