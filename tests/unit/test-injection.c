/* SPDX-License-Identifier: Apache-2.0 */
/* Makes every call of the recorder that needs memory, threads, files or disk space fail: in one run
 * once, in another run from its nth call on. The program must continue and end as without the
 * failure, the recorded data must be readable, and calls of the API that could not do their work
 * must return the reason. For this test the recorder is compiled with inject.h. Each failure has a
 * separate process. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>
#include "capture-format.h"
#include "inject.h"
#include "capture-file.h"
#include "writer-loop.h"
#include "recorder.h"
#include "support.h"

#define EXIT_CODE 42
#define WINDOWS 2u
#define THREADS 2u
#define MARKS 300u

enum mode { FAIL_ONCE, FAIL_FROM_ON };

/* Data shared by the test and the process in which calls fail. */
static struct shared {
    char call[32]; /* name of the call that fails; "": none */
    guint fail_at; /* number of the failing call among those with its name, from 1 */
    enum mode mode;
    guint n_calls;
    guint n_failed;
    guint n_errors;  /* number of calls of the API that returned an error */
    guint n_windows; /* number of windows that began */
    struct {
        guint64 offered, lost;
        gboolean is_ended; /* the window ended without an error */
    } windows[WINDOWS];
} *shared;

/* ---- failing ---- */

int inject(const char *call)
{
    guint n;

    /* if writes fail from some call on, a file cannot be truncated either */
    if (strcmp(call, "ftruncate") == 0)
        return shared->mode == FAIL_FROM_ON && strcmp(shared->call, "writev") == 0;
    if (strcmp(call, shared->call))
        return 0;
    n = __atomic_add_fetch(&shared->n_calls, 1, __ATOMIC_RELAXED);
    if (shared->mode == FAIL_ONCE ? n != shared->fail_at : n < shared->fail_at)
        return 0;
    __atomic_add_fetch(&shared->n_failed, 1, __ATOMIC_RELAXED);
    return 1;
}

/* Simulates a disk that fills up: it accepts a part of the first write that fails, and no bytes
 * after that. */
ssize_t injected_writev(int fd, const struct iovec *iov, int n)
{
    if (!inject("writev"))
        return writev(fd, iov, n);
    if (shared->mode == FAIL_FROM_ON && shared->n_failed == 1)
        return write(fd, iov->iov_base, iov->iov_len / 2);
    errno = ENOSPC;
    return -1;
}

/* ---- programs that record ---- */

static void *mark_many(void *user)
{
    for (guint i = 0; i < MARKS; i++)
        strobe_mark("mark");
    strobe_range_end(strobe_range_begin("range"));
    return user;
}

/* Runs threads that record and end, and a fork at the same time. In the first window, then waits
 * for a cycle of the writer thread. */
static void run_threads(guint window)
{
    pthread_t threads[THREADS];
    int status;

    for (guint i = 0; i < THREADS; i++)
        g_assert_cmpint(pthread_create(&threads[i], NULL, mark_many, NULL), ==, 0);
    strobe_mark("mark");
    pid_t pid = fork();
    if (pid == 0) {
        mark_many(NULL);
        _exit(7);
    }
    g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
    g_assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 7);
    for (guint i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    if (window == 0)
        g_usleep(12000);
    strobe_mark("mark");
}

static char *capture_path(const char *folder, guint window)
{
    return g_strdup_printf("%s/%u/" STROBE_CAPTURE_NAME, folder, window);
}

static int new_capture(const char *path)
{
    g_autofree char *folder = g_path_get_dirname(path);

    g_assert_cmpint(g_mkdir_with_parents(folder, 0700), ==, 0);
    return open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
}

static void end_recorder_window(guint window, gboolean is_begun)
{
    uint64_t lost[STROBE_LOSS_CAUSES] = {0};
    int error = strobe_recorder_end_window(-1);

    strobe_recorder_losses(lost);
    shared->n_errors += error != 0;
    if (!is_begun)
        return;
    shared->windows[window].is_ended = error == 0;
    shared->windows[window].offered = THREADS * MARKS + 2;
    for (guint i = 0; i < STROBE_LOSS_CAUSES; i++)
        shared->windows[window].lost += lost[i];
}

/* Returns metadata with the id of the pool (free them). */
static char *make_metadata(void)
{
    char id[33];
    int is_tmpfs;

    strobe_recorder_pool(&is_tmpfs, id);
    return g_strdup_printf("{\"pool_id\": \"%s\"}", id);
}

static gboolean begin_recorder_window(const char *folder, guint window)
{
    g_autofree char *path = capture_path(folder, window);
    g_autofree char *unnamed = g_strconcat(path, STROBE_CAPTURE_UNNAMED, NULL);
    g_autofree char *metadata = make_metadata();
    gboolean is_begun = strobe_recorder_begin_window(new_capture(unnamed), path, metadata) == 0;

    shared->n_errors += !is_begun;
    shared->n_windows += is_begun;
    if (!is_begun) /* removes the file, which gets its final name when the metadata are written */
        g_assert_true(unlink(unnamed) == 0 || unlink(path) == 0);
    return is_begun;
}

/* Makes a dump, called in the writer. `user` is the folder, `reason` the number of the window. */
static int make_dump(void *user, StrobeWriterLoop *loop, uint32_t why, const char *reason,
                     char path[PATH_MAX])
{
    g_autofree char *metadata = make_metadata();

    g_snprintf(path, PATH_MAX, "%s/dump-%s/" STROBE_CAPTURE_NAME, (const char *)user, reason);
    int error = strobe_capture_file_begin(new_capture(path), loop->window.number, metadata);
    if (error == 0)
        error = strobe_dump_serve(loop, path);
    if (error)
        g_assert_cmpint(unlink(path), ==, 0);
    return error;
}

/* Requests a dump of the ring, and counts an error. */
static void dump_ring(guint window)
{
    char path[PATH_MAX];
    g_autofree char *reason = g_strdup_printf("%u", window);

    shared->n_errors += strobe_recorder_dump(reason, path) != 0;
}

static void record_windows(const char *folder, const StrobeRecorderSettings *settings)
{
    gboolean is_open = strobe_recorder_open(settings) == 0;

    shared->n_errors += !is_open;
    for (guint i = 0; i < WINDOWS; i++) {
        gboolean is_begun = is_open && begin_recorder_window(folder, i);
        run_threads(i);
        if (is_begun && settings->writer.policy == STROBE_POLICY_RING)
            dump_ring(i);
        if (is_open)
            end_recorder_window(i, is_begun);
    }
    if (is_open)
        strobe_recorder_close();
}

static StrobeRecorderSettings settings_with(const char *folder)
{
    return (StrobeRecorderSettings){
        .pool_bytes = 8 << 20,
        .writer = {.flush_interval_ns = 1000000, .sync = STROBE_SYNC_INTERVAL},
        .fallback_dir = folder,
        .make_dump = make_dump,
        .user = (void *)(uintptr_t)folder};
}

static void run_recorder(const char *folder)
{
    const StrobeRecorderSettings settings = settings_with(folder);
    record_windows(folder, &settings);
}

static void run_ring(const char *folder)
{
    StrobeRecorderSettings settings = settings_with(folder);
    settings.writer.policy = STROBE_POLICY_RING;
    record_windows(folder, &settings);
}

static void run_rotation(const char *folder)
{
    StrobeRecorderSettings settings = settings_with(folder);
    settings.writer.rotation.bytes = 4096;
    record_windows(folder, &settings);
}

/* Returns whether the status is STROBE_OK. If not, checks that `error` has a message, frees it and
 * counts an error. */
static gboolean is_ok(StrobeStatus status, StrobeError **error)
{
    if (status == STROBE_OK)
        return TRUE;
    g_assert_cmpuint(strlen(strobe_error_message(*error)), >, 10);
    strobe_error_free(*error);
    *error = NULL;
    shared->n_errors++;
    return FALSE;
}

static void run_session(const char *folder)
{
    g_autofree char *config = g_strdup_printf(
        "{\"collectors\": {}, \"output\": {\"directory\": \"%s\"}, "
        "\"buffer\": {\"size\": \"8MB\", \"flush_interval\": \"1ms\", \"sync\": \"interval\"}}",
        folder);
    StrobeSession *session = NULL;
    StrobeError *error = NULL;

    if (!is_ok(strobe_session_new(config, "test", &session, &error), &error)) {
        run_threads(0);
        return;
    }
    for (guint i = 0; i < WINDOWS; i++) {
        shared->n_windows += is_ok(strobe_session_start(session, &error), &error);
        run_threads(i);
        is_ok(strobe_session_step(session, &error), &error);
        is_ok(strobe_session_stop(session, &error), &error);
    }
    strobe_session_free(session);
}

/* ---- checks ---- */

static void check_recorder(const char *folder)
{
    guint found = 0;

    for (guint i = 0; i < WINDOWS; i++) {
        g_autofree char *path = capture_path(folder, i);
        if (!g_file_test(path, G_FILE_TEST_EXISTS))
            continue;
        /* the folder of the result, so that all segments are read */
        g_autofree char *all = g_path_get_dirname(path);
        guint64 stored = read_capture(all, "marker_instant", NULL, NULL);
        guint64 ranges = read_capture(all, "marker", NULL, NULL);
        found++;
        g_assert_cmpuint(stored + ranges + shared->windows[i].lost, ==,
                         shared->windows[i].offered + THREADS);
    }
    g_assert_cmpuint(found, ==, shared->n_windows);
}

static void check_ring(const char *folder)
{
    check_recorder(folder);
    for (guint i = 0; i < WINDOWS; i++) {
        g_autofree char *path = g_strdup_printf("%s/dump-%u/" STROBE_CAPTURE_NAME, folder, i);
        if (g_file_test(path, G_FILE_TEST_EXISTS))
            g_assert_cmpuint(read_capture(path, "marker_instant", NULL, NULL), <=,
                             shared->windows[i].offered);
    }
}

static void check_session(const char *folder)
{
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
    const char *name;
    guint found = 0;

    while ((name = g_dir_read_name(dir))) {
        g_autofree char *path = g_build_filename(folder, name, "FRAMEWORK", "capture.strobe", NULL);
        if (!g_file_test(path, G_FILE_TEST_EXISTS))
            continue;
        found++;
        g_assert_cmpuint(read_capture(path, "marker_instant", NULL, NULL), <=, THREADS * MARKS + 2);
    }
    g_assert_cmpuint(found, ==, shared->n_windows);
}

/* Returns the number of pools in /dev/shm of this process, or of earlier processes with the same
 * id. */
static guint n_pools(void)
{
    g_autoptr(GDir) dir = g_dir_open("/dev/shm", 0, NULL);
    g_autofree char *prefix = g_strdup_printf("strobe-%ld-", (long)getpid());
    const char *name;
    guint n = 0;

    while (dir && (name = g_dir_read_name(dir)))
        n += g_str_has_prefix(name, prefix);
    return n;
}

/* ---- the loop ---- */

static int in_child(void (*run)(const char *), const char *folder)
{
    int status;

    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        guint n = n_pools();
        alarm(60);
        run(folder);
        g_assert_cmpuint(n_pools(), ==, n); /* no pool is left */
        exit(EXIT_CODE);
    }
    g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
    return status;
}

/* Runs a process in which the n-th call of the function `call` fails. Returns the number of calls
 * that failed. */
static guint fail_one(const char *call, guint n, enum mode mode, void (*run)(const char *),
                      void (*check)(const char *))
{
    char *folder = scratch_new();

    memset(shared, 0, sizeof *shared);
    g_strlcpy(shared->call, call, sizeof shared->call);
    shared->fail_at = n;
    shared->mode = mode;
    int status = in_child(run, folder);
    shared->call[0] = 0;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != EXIT_CODE)
        g_error("%s, call %u: wait status %#x", call, n, (guint)status);
    check(folder);
    scratch_remove(folder);
    if (shared->n_failed == 0) {
        g_assert_cmpuint(shared->n_errors, ==, 0);
        g_assert_cmpuint(shared->n_windows, ==, WINDOWS);
    }
    return shared->n_failed;
}

struct scenario {
    const char *path;
    enum mode mode;
    void (*run)(const char *);
    void (*check)(const char *);
    const char *calls[24];
};

#define BASIC                                                                                      \
    {"mmap",                                                                                       \
     "madvise",                                                                                    \
     "posix_fallocate",                                                                            \
     "open",                                                                                       \
     "read",                                                                                       \
     "fstatvfs",                                                                                   \
     "flock",                                                                                      \
     "renameat",                                                                                   \
     "lseek",                                                                                      \
     "fdatasync",                                                                                  \
     "writev",                                                                                     \
     "getrandom",                                                                                  \
     "prctl",                                                                                      \
     "syscall",                                                                                    \
     "pthread_create",                                                                             \
     "pthread_atfork",                                                                             \
     "pthread_key_create",                                                                         \
     "pthread_setspecific"}
#define RING {"mmap", "calloc", "open", "writev", "lseek"}
#define ROTATION                                                                                   \
    {"mmap", "strdup", "open", "openat", "linkat", "renameat", "writev", "lseek", "fdatasync"}

static const struct scenario scenarios[] = {
    {"basic/once", FAIL_ONCE, run_recorder, check_recorder, BASIC},
    {"basic/from-on", FAIL_FROM_ON, run_recorder, check_recorder, BASIC},
    {"ring/once", FAIL_ONCE, run_ring, check_ring, RING},
    {"ring/from-on", FAIL_FROM_ON, run_ring, check_ring, RING},
    {"rotation/once", FAIL_ONCE, run_rotation, check_recorder, ROTATION},
    {"rotation/from-on", FAIL_FROM_ON, run_rotation, check_recorder, ROTATION},
    {"session", FAIL_FROM_ON, run_session, check_session, BASIC},
};

#define TRIES 20

/* For each function, makes its first call fail, then the second and so on, until there is no n-th
 * call. */
static void test_each(gconstpointer data)
{
    const struct scenario *s = data;

    for (const char *const *call = s->calls; *call; call++) {
        guint n = 1, tries = TRIES;
        /* Tries several times, because on a busy machine the writer may find all records at once,
         * and make no such call. */
        while (n == 1 && tries-- > 0)
            while (fail_one(*call, n, s->mode, s->run, s->check))
                n++;
        g_test_message("%s: %u calls", *call, n - 1);
        g_assert_cmpuint(n, >, 1); /* the function was called at least once */
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    g_assert_true(shared != MAP_FAILED);
    /* no plugins, because loading them only takes time */
    g_setenv("STROBE_PLUGIN_PATH", "/nonexistent", TRUE);
    for (guint i = 0; i < G_N_ELEMENTS(scenarios); i++) {
        g_autofree char *path = g_strconcat("/injection/", scenarios[i].path, NULL);
        g_test_add_data_func(path, &scenarios[i], test_each);
    }
    return g_test_run();
}
