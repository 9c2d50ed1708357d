/* SPDX-License-Identifier: Apache-2.0 */
/* Tests disks that fail, fill up or are slow. The program continues, the content of the capture is
 * valid, and each offered record is stored or is counted in the capture's loss records. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <strobe/kinds.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include "faulty-disk.h"
#include "hold.h"
#include "log.h"
#include "pool.h"
#include "reader.h"
#include "recorder.h"
#include "result.h"
#include "support.h"

#define THREADS 3
#define MARKS 60000 /* number of marks, and also of ranges, of each thread */

/* ---- the load ---- */

/* Called in the middle of the load and at its end. */
typedef void (*Change)(void);

/* The first thread of the load calls it, so that there is load after it, whenever the main thread
 * gets a processor. */
static Change change_midway;

static gpointer record_some(gpointer data)
{
    guint index = GPOINTER_TO_UINT(data);
    char name[32];

    for (guint64 i = 0; i < MARKS; i++) {
        StrobeRange range = strobe_range_begin_argument("range", i);
        g_snprintf(name, sizeof name, "t%u", index);
        strobe_mark_recorded(name, i);
        strobe_range_end(range);
        if (i % 500 == 0)
            g_usleep(200);
        if (i == MARKS / 4 && index == 0 && change_midway)
            change_midway();
    }
    return NULL;
}

static guint64 record_load(Change midway, Change at_end)
{
    GThread *threads[THREADS];

    change_midway = midway;
    for (guint i = 0; i < THREADS; i++)
        threads[i] = g_thread_new("load", record_some, GUINT_TO_POINTER(i));
    for (guint i = 0; i < THREADS; i++)
        g_thread_join(threads[i]);
    strobe_range_begin("left open");
    if (at_end)
        at_end();
    return THREADS * MARKS * 2 + 1;
}

/* ---- the records of a capture ---- */

struct found {
    guint64 next[THREADS]; /* for each thread, the smallest argument that its next mark may have */
    guint64 n, n_unfinished;
};

static void check_record(const StrobeView *view, StrobeText name, gpointer user)
{
    struct found *found = user;

    found->n +=
        strcmp(view->kind->name, "marker") == 0 || strcmp(view->kind->name, "marker_instant") == 0;
    if (view->flags & STROBE_VIEW_UNFINISHED) {
        found->n_unfinished++;
        g_assert_cmpstr(name.bytes, ==, "left open");
    } else if (strcmp(view->kind->name, "marker_instant") == 0) {
        guint i = (guint)(name.bytes[1] - '0');
        g_assert_cmpuint(i, <, THREADS);
        g_assert_cmpuint(strobe_view_u64(view, 0), >=, found->next[i]);
        found->next[i] = strobe_view_u64(view, 0) + 1;
    } else if (strcmp(view->kind->name, "marker") == 0) {
        g_assert_cmpstr(name.bytes, ==, "range");
    }
}

/* Checks that the stored records and the losses in the capture together are the `offered` records,
 * and that `reported` (may be NULL) has the same losses. Returns the number of lost records. */
static guint64 check_capture(const char *path, guint64 offered, const uint64_t *reported)
{
    g_autoptr(GError) error = NULL;
    struct found found = {0};
    guint64 sum = 0;

    read_capture(path, NULL, check_record, &found);
    StrobeReader *reader = strobe_reader_open(path, &error);
    StrobeView views[200];
    g_assert_no_error(error);
    while (strobe_reader_next(reader, views, G_N_ELEMENTS(views), &error))
        ;
    const StrobeReaderStats *stats = strobe_reader_stats(reader);
    for (guint i = 0; i < STROBE_LOSS_CAUSES; i++) {
        if (reported)
            g_assert_cmpuint(stats->lost[i], ==, reported[i]);
        sum += stats->lost[i];
    }
    g_assert_true(stats->sealed);
    g_assert_false(stats->continued);
    g_assert_cmpuint(stats->n_damaged, ==, 0);
    g_assert_cmpuint(stats->n_outside, ==, 0);
    g_test_message("%" G_GUINT64_FORMAT " stored, %" G_GUINT64_FORMAT " lost", found.n, sum);
    g_assert_cmpuint(found.n + sum, ==, offered);
    strobe_reader_free(reader);
    return sum;
}

static guint64 check_loss_report(StrobeSession *session, guint64 offered)
{
    g_autofree char *path = capture_of(session);
    uint64_t lost[STROBE_LOSS_CAUSES];

    strobe_recorder_losses(lost);
    return check_capture(path, offered, lost);
}

/* ---- cases ---- */

#define FAST "\"buffer\": {\"size\": \"8MB\", \"flush_interval\": \"2ms\"}"

/* Records a window on a disk that changes, and a second window on a working disk. Returns the
 * number of records that the first window lost. */
static guint64 run_case(const char *more, Change before, Change midway, Change at_end,
                        StrobeStatus stopped)
{
    char *folder = scratch_new();
    StrobeSession *session = patient_session(folder, more);

    faulty_disk_reset();
    g_assert_cmpint(strobe_session_start(session, NULL), ==, STROBE_OK);
    if (before)
        before();
    guint64 offered = record_load(midway, at_end);
    g_assert_cmpint(strobe_session_stop(session, NULL), ==, stopped);
    g_assert_true(stopped == STROBE_OK || faulty_disk.n_failed || faulty_disk.sync_error);
    guint64 lost = check_loss_report(session, offered);
    faulty_disk_reset();
    g_assert_cmpint(strobe_session_start(session, NULL), ==, STROBE_OK);
    strobe_mark_recorded("t0", 0);
    g_assert_cmpint(strobe_session_stop(session, NULL), ==, STROBE_OK);
    g_assert_cmpuint(check_loss_report(session, 1), ==, 0);
    strobe_session_free(session);
    scratch_remove(folder);
    return lost;
}

static void be_uneven(void)
{
    faulty_disk.short_every = 3;
}

static void test_short_writes(void)
{
    run_case(FAST, be_uneven, NULL, NULL, STROBE_OK);
}

static void be_full_at_1mb(void)
{
    faulty_disk.error = ENOSPC;
    faulty_disk.room = 1 << 20;
}

/* Waits for failures, because the writer may not have had a processor during the load. The first
 * two may be of data that are no records. */
static void be_roomy(void)
{
    for (guint i = 0; i < 50000 && faulty_disk.n_failed < 3; i++)
        g_usleep(100);
    faulty_disk.room = -1;
}

/* The disk becomes full, and has room again when the window ends. */
static void test_full_for_a_while(void)
{
    g_assert_cmpuint(run_case(FAST, be_full_at_1mb, NULL, be_roomy, STROBE_ERROR_IO), >, 0);
}

/* The disk becomes full, and stays full until after the window's end. */
static void test_full(void)
{
    g_assert_cmpuint(run_case(FAST, be_full_at_1mb, NULL, NULL, STROBE_ERROR_IO), >, 0);
}

static void be_broken(void)
{
    faulty_disk.error = EIO;
    faulty_disk.room = 0;
}

static void test_broken_for_a_while(void)
{
    g_assert_cmpuint(run_case(FAST, NULL, be_broken, be_roomy, STROBE_ERROR_IO), >, 0);
}

/* Makes writes fail in the middle of a block, and the truncation of the file too, so that the first
 * part of the block stays. */
static void be_broken_for_good(void)
{
    faulty_disk.error = faulty_disk.cut_error = EIO;
    faulty_disk.room = 100;
}

/* The next block overwrites the part of a block that could not be truncated. */
static void test_uncut(void)
{
    g_assert_cmpuint(run_case(FAST, NULL, be_broken_for_good, be_roomy, STROBE_ERROR_IO), >, 0);
}

static void be_slow(void)
{
    faulty_disk.delay_us = 200000; /* for each block, slower than any load, even with a sanitizer */
}

static void be_fast(void)
{
    faulty_disk.delay_us = 0;
}

/* The writer is slower than the threads, so the pool has no free block. */
static void test_slow(void)
{
    g_assert_cmpuint(run_case(NULL, be_slow, NULL, be_fast, STROBE_OK), >, 0);
}

static void be_unsyncable(void)
{
    faulty_disk.sync_error = EIO;
}

/* If data cannot be forced to the disk, stop() returns an error, and nothing else changes. */
static void test_sync(void)
{
    run_case("\"buffer\": {\"size\": \"64MB\", \"sync\": \"window\"}", NULL, NULL, be_unsyncable,
             STROBE_ERROR_IO);
}

/* Returns the number of entries in the folder, without the pool, which is there in a container. */
static guint count_names(const char *folder)
{
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
    const char *name;
    guint n = 0;

    while ((name = g_dir_read_name(dir)))
        n += !g_str_has_suffix(name, ".pool");
    return n;
}

/* If the capture cannot be created, the window is refused, and the next one works. */
static void test_refused(void)
{
    char *folder = scratch_new();
    StrobeSession *session = patient_session(folder, NULL);
    StrobeError *error = NULL;

    for (guint room = 0; room < 3000; room += 700) {
        faulty_disk.error = ENOSPC;
        faulty_disk.room = room;
        g_assert_cmpint(strobe_session_start(session, &error), ==, STROBE_ERROR_IO);
        g_assert_nonnull(strstr(strobe_error_message(error), "No space left"));
        strobe_error_free(g_steal_pointer(&error));
        strobe_mark_recorded("t0", 0);
        strobe_session_stop(session, NULL);
    }
    faulty_disk_reset();
    g_assert_cmpint(strobe_session_start(session, NULL), ==, STROBE_OK);
    strobe_mark_recorded("t0", 0);
    g_assert_cmpint(strobe_session_stop(session, NULL), ==, STROBE_OK);
    g_assert_cmpuint(check_loss_report(session, 1), ==, 0);
    g_assert_cmpuint(count_names(folder), ==, 1); /* the refused windows left nothing behind */
    strobe_session_free(session);
    scratch_remove(folder);
}

/* ---- a capture that rolls over ---- */

#define ROLLING FAST ", \"rotate\": {\"steps\": 1}"

static char *segment_of(StrobeSession *session, const char *name)
{
    return g_build_filename(strobe_session_directory(session), "FRAMEWORK", name, NULL);
}

/* If the disk is full when a segment must be completed, this segment is continued. */
static void test_full_while_rolling(void)
{
    char *folder = scratch_new();
    StrobeSession *session = patient_session(folder, ROLLING);
    uint64_t lost[STROBE_LOSS_CAUSES];

    faulty_disk_reset();
    g_assert_cmpint(strobe_session_start(session, NULL), ==, STROBE_OK);
    g_autofree char *next = segment_of(session, STROBE_SEGMENT_NEW);
    strobe_mark_recorded("t0", 0);
    faulty_disk.error = ENOSPC;
    Hold *hold = hold_at("roll-prepared", 1);
    strobe_recorder_roll();
    hold_wait(hold);
    g_assert_true(g_file_test(next, G_FILE_TEST_EXISTS));
    faulty_disk.room = 0;
    hold_release(hold);
    while (g_file_test(next, G_FILE_TEST_EXISTS))
        g_usleep(100);
    faulty_disk_reset();
    strobe_mark_recorded("t0", 1);
    g_assert_cmpint(strobe_session_stop(session, NULL), ==, STROBE_ERROR_IO);
    strobe_recorder_losses(lost);
    check_capture(strobe_session_directory(session), 2, lost);
    strobe_session_free(session);
    scratch_remove(folder);
}

/* A segment that must be continued although its end already says "continued" gets its real end in
 * the reserve, if the disk is then full. */
static void test_full_after_failed_roll(void)
{
    char *folder = scratch_new();
    StrobeSession *session = patient_session(folder, ROLLING);

    faulty_disk_reset();
    g_assert_cmpint(strobe_session_start(session, NULL), ==, STROBE_OK);
    g_autofree char *taken = segment_of(session, "capture.00001.strobe");
    g_autofree char *next = segment_of(session, STROBE_SEGMENT_NEW);
    g_assert_cmpint(g_mkdir_with_parents(taken, 0750), ==, 0);
    strobe_mark_recorded("t0", 0);
    Hold *hold = hold_at("roll-prepared", 1);
    strobe_recorder_roll();
    hold_wait(hold);
    g_assert_true(g_file_test(next, G_FILE_TEST_EXISTS));
    hold_release(hold);
    while (g_file_test(next, G_FILE_TEST_EXISTS))
        g_usleep(100);
    faulty_disk.error = ENOSPC;
    faulty_disk.room = 0;
    strobe_mark_recorded("t0", 1);
    g_assert_cmpint(strobe_session_stop(session, NULL), ==, STROBE_ERROR_IO);
    g_assert_cmpuint(check_loss_report(session, 2), ==, 1);
    faulty_disk_reset();
    strobe_session_free(session);
    scratch_remove(folder);
}

/* ---- real limits, in separate processes ---- */

static void limit_files(rlim_t bytes)
{
    struct rlimit limit = {bytes, RLIM_INFINITY};

    g_assert_cmpint(setrlimit(RLIMIT_FSIZE, &limit), ==, 0);
}

static void in_process(void (*run)(const char *folder))
{
    char *folder = scratch_new();
    int status;
    pid_t pid = fork();

    if (pid == 0) {
        faulty_disk_reset();
        /* stdout may be a file to which the limit applies too */
        if (!freopen("/dev/null", "w", stdout))
            _exit(1);
        run(folder);
        _exit(0);
    }
    g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
        g_test_skip("no small file system for the output here");
    else
        g_assert_cmpint(status, ==, 0);
    scratch_remove(folder);
}

static void run_limited(const char *folder)
{
    StrobeSession *session = patient_session(folder, FAST);

    limit_files(1 << 20);
    g_assert_cmpint(strobe_session_start(session, NULL), ==, STROBE_OK);
    guint64 offered = record_load(NULL, NULL);
    g_assert_cmpint(strobe_session_stop(session, NULL), ==, STROBE_ERROR_IO);
    g_assert_cmpuint(check_loss_report(session, offered), >, 0);
    limit_files(0);
    StrobeError *error = NULL;
    g_assert_cmpint(strobe_session_start(session, &error), ==, STROBE_ERROR_IO);
    g_assert_nonnull(strstr(strobe_error_message(error), "File too large"));
    strobe_session_stop(session, NULL);
    strobe_session_free(session);
    strobe_error_free(g_steal_pointer(&error));
    g_assert_cmpint(strobe_session_new("{\"collectors\": {}}", "test", &session, &error), ==,
                    STROBE_ERROR_IO);
    limit_files(RLIM_INFINITY);
}

static void run_with_metadata(const char *folder)
{
    StrobeSession *session = patient_session(folder, NULL);

    g_assert_cmpint(strobe_session_start(session, NULL), ==, STROBE_OK);
    limit_files(1);
    g_assert_cmpint(strobe_session_add_metadata(session, "key", "value", 0, NULL), ==, STROBE_OK);
    limit_files(RLIM_INFINITY);
    strobe_session_free(session);
}

static void run_deaf(const char *folder)
{
    char *data = g_strnfill(10000, 'd');
    int ends[2];

    if (pipe(ends) || dup2(ends[1], STDERR_FILENO) < 0)
        _exit(1);
    close(ends[0]);
    close(ends[1]);
    StrobeSession *session = patient_session(folder, NULL);
    strobe_session_start(session, NULL);
    strobe_log(STROBE_LOG_WARNING, "%s", data);
    strobe_session_free(session);
    g_free(data);
}

/* If nothing reads the program's stderr, a warning does not end the program by SIGPIPE. */
static void test_deaf(void)
{
    signal(SIGPIPE, SIG_DFL);
    in_process(run_deaf);
}

/* With a limit of a file's size (ulimit -f), neither the writer nor a call of the session ends the
 * program by SIGXFSZ. */
static void test_file_limit(void)
{
    signal(SIGXFSZ, SIG_DFL);
    in_process(run_limited);
    in_process(run_with_metadata);
}

/* If a program is killed on a full disk, recovery, which has room, does not add records that were
 * already counted as lost. */
static void test_killed_when_full(void)
{
    char *folder = scratch_new();
    guint64 *offered =
        mmap(NULL, sizeof *offered, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pid_t pid = fork();

    faulty_disk_reset();
    if (pid == 0) {
        StrobeSession *session = patient_session(folder, FAST);
        strobe_session_start(session, NULL);
        be_full_at_1mb();
        *offered = record_load(NULL, NULL);
        g_usleep(20000); /* time for some flushes */
        kill(getpid(), SIGKILL);
    }
    g_assert_cmpint(waitpid(pid, NULL, 0), ==, pid);
    g_autoptr(GPtrArray) results = strobe_result_find(folder, NULL);
    const StrobeResult *result = g_ptr_array_index(results, 0);
    g_assert_true(strobe_result_recover(result, NULL, NULL));
    g_assert_cmpuint(check_capture(result->capture, *offered, NULL), >, 0);
    munmap(offered, sizeof *offered);
    scratch_remove(folder);
}

static void run_on_small_disk(const char *folder)
{
    g_autofree char *disk = g_build_filename(folder, "disk", NULL);

    g_assert_cmpint(g_mkdir_with_parents(disk, 0700), ==, 0);
    /* The test is skipped in a container, where the pool is in the output folder and fills the
     * disk. */
    if (!strobe_pool_shared_memory_lasts() || unshare(CLONE_NEWNS) ||
        mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
        mount("strobe-test", disk, "tmpfs", 0, "size=1m"))
        _exit(77);
    StrobeSession *session = patient_session(disk, FAST);
    g_assert_cmpint(strobe_session_start(session, NULL), ==, STROBE_OK);
    guint64 offered = record_load(NULL, NULL);
    g_assert_cmpint(strobe_session_stop(session, NULL), ==, STROBE_ERROR_IO);
    g_assert_cmpuint(check_loss_report(session, offered), >, 0);
    strobe_session_free(session);
    g_assert_cmpint(umount(disk), ==, 0);
}

static void test_small_disk(void)
{
    in_process(run_on_small_disk);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/faults/short-writes", test_short_writes);
    g_test_add_func("/faults/full-for-a-while", test_full_for_a_while);
    g_test_add_func("/faults/full", test_full);
    g_test_add_func("/faults/broken-for-a-while", test_broken_for_a_while);
    g_test_add_func("/faults/uncut", test_uncut);
    g_test_add_func("/faults/slow", test_slow);
    g_test_add_func("/faults/sync", test_sync);
    g_test_add_func("/faults/refused", test_refused);
    g_test_add_func("/faults/full-while-rolling", test_full_while_rolling);
    g_test_add_func("/faults/full-after-failed-roll", test_full_after_failed_roll);
    g_test_add_func("/faults/killed-when-full", test_killed_when_full);
    g_test_add_func("/faults/file-limit", test_file_limit);
    g_test_add_func("/faults/deaf", test_deaf);
    g_test_add_func("/root/small-disk", test_small_disk);
    return g_test_run();
}
