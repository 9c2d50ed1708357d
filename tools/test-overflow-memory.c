/* SPDX-License-Identifier: Apache-2.0 */
/* The heap in a file, on a file system that is not as one would like it. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "interruption.h"
#include "overflow-memory.h"

#define LIMIT ((uint64_t)32 << 20)
#define MUCH ((size_t)48 << 20) /* beyond what is kept in memory: all of it lies in the file */
#define SKIPPED 77

/* As ext3 and some network file systems answer. */
int fallocate(int file, int mode, off_t begin, off_t size)
{
    errno = EOPNOTSUPP;
    return -1;
}

/* A second descriptor of the file; -1: the heap is not ours here. */
static int begin(uint64_t limit)
{
    int file = open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    int second = file < 0 ? -1 : dup(file);

    return file >= 0 && overflow_memory_begin(limit, file, "/tmp") ? second : -1;
}

static int run(int (*check)(const char *), const char *folder)
{
    int status;
    pid_t pid = fork();

    if (pid == 0)
        _exit(check(folder));
    g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
    if (WIFEXITED(status) && WEXITSTATUS(status) == SKIPPED)
        g_test_skip("The heap is not jemalloc, or there is no room in /tmp");
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static int take_much(const char *folder)
{
    struct stat status;
    int file = begin(LIMIT);
    char *volatile memory = file < 0 ? NULL : malloc(MUCH);

    if (!memory || fstat(file, &status) != 0)
        return SKIPPED;
    if (status.st_size < (off_t)MUCH)
        return 1;
    return (size_t)status.st_blocks * 512 >= MUCH ? 0 : 2;
}

/* A disk that is full must be an error now, and not a bus error when a page is touched. */
static void test_blocks_are_taken(void)
{
    int code = run(take_much, NULL);

    g_assert_true(code == 0 || code == SKIPPED);
}

static int start_program(const char *folder)
{
    int status;
    char *volatile memory = begin(LIMIT) < 0 ? NULL : malloc(MUCH);

    if (!memory)
        return SKIPPED;
    strcpy(memory, "/bin/true");
    char *arguments[] = {memory, NULL};
    pid_t pid = fork();
    if (pid == 0) {
        execv(arguments[0], arguments);
        _exit(1);
    }
    if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
        return 2;
    return WEXITSTATUS(status);
}

/* What it is started with lies in the heap. */
static void test_a_child_starts_a_program(void)
{
    int code = run(start_program, NULL);

    g_assert_true(code == 0 || code == SKIPPED);
}

static void touch(volatile char *at, size_t size)
{
    for (size_t i = 0; i < size; i += 4096)
        at[i]++;
}

/* What lies in no file takes more than the part of the limit where pages begin to be unmapped. */
static int use_beside_much(const char *folder)
{
    const size_t limit = (size_t)256 << 20, beside = (size_t)100 << 20;
    const size_t in_memory = (size_t)64 << 20, used = (size_t)8 << 20;
    char *volatile memory = begin(limit) < 0 ? NULL : malloc(in_memory);
    char *volatile in_file = memory ? malloc(4 * used) : NULL;
    struct rusage before, after;

    if (!in_file)
        return SKIPPED;
    touch(memory, in_memory);
    touch(mmap(NULL, beside, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), beside);
    touch(in_file, used);
    getrusage(RUSAGE_SELF, &before);
    do { /* a hundred looks, by the timer */
        touch(in_file, used);
        getrusage(RUSAGE_SELF, &after);
    } while (after.ru_utime.tv_sec * 1000000 + after.ru_utime.tv_usec <
             before.ru_utime.tv_sec * 1000000 + before.ru_utime.tv_usec + 200000);
    return after.ru_minflt - before.ru_minflt < 300 ? 0 : 1;
}

/* Pages of the file that are in use stay: they are not what takes too much. */
static void test_pages_in_use_stay(void)
{
    int code = run(use_beside_much, NULL);

    g_assert_true(code == 0 || code == SKIPPED);
}

/* ---- two threads ---- */

static struct {
    char *begin, *end; /* madvise() of this is held once; NULL: of nothing */
    atomic_bool is_taken, is_held;
    atomic_bool has_waited; /* another thread, meanwhile */
    atomic_uint n_done;
} held;

int madvise(void *at, size_t size, int advice)
{
    bool is_ours = (char *)at >= held.begin && (char *)at < held.end;

    if (is_ours && advice == MADV_DONTNEED && !atomic_exchange(&held.is_taken, true)) {
        atomic_store(&held.is_held, true);
        while (!atomic_load(&held.has_waited) && !atomic_load(&held.n_done))
            usleep(1000);
        atomic_store(&held.is_held, false);
    }
    return (int)syscall(SYS_madvise, at, size, advice);
}

int sched_yield(void)
{
    if (atomic_load(&held.is_held))
        atomic_store(&held.has_waited, true);
    return (int)syscall(SYS_sched_yield);
}

/* Up to 20 GB of touches. */
static void *touch_all(void *data)
{
    for (int i = 0; i < 200 && !atomic_load(&held.has_waited); i++)
        touch(held.begin, (size_t)(held.end - held.begin));
    atomic_fetch_add(&held.n_done, 1);
    return NULL;
}

static int touch_by_two(const char *folder)
{
    const size_t size = (size_t)100 << 20;
    char *memory = begin(LIMIT) < 0 ? NULL : malloc(size);
    pthread_t thread;

    if (!memory)
        return SKIPPED;
    held.begin = memory;
    held.end = memory + size;
    if (pthread_create(&thread, NULL, touch_all, NULL) != 0)
        return SKIPPED;
    touch_all(NULL);
    pthread_join(thread, NULL);
    return atomic_load(&held.has_waited) ? 0 : 1;
}

/* One unmaps, and waits for a processor in the middle of it: the other touches no more pages. */
static void test_nobody_goes_on_meanwhile(void)
{
    int code = run(touch_by_two, NULL);

    g_assert_true(code == 0 || code == SKIPPED);
}

static int lose_pages(const char *folder)
{
    strobe_interruption_begin();
    if (strobe_interruption_make(folder) != 0)
        return 1;
    int file = begin(LIMIT);
    char *volatile memory = file < 0 ? NULL : malloc(MUCH);
    if (!memory || ftruncate(file, 0) != 0) {
        rmdir(folder);
        return SKIPPED;
    }
    *(volatile char *)memory = 1;
    return 2;
}

static void test_a_bus_error_leaves_nothing_half_made(void)
{
    g_autofree char *parent = g_dir_make_tmp("strobe-overflow-XXXXXX", NULL);
    g_autofree char *folder = g_build_filename(parent, "half", NULL);
    int code = run(lose_pages, folder);

    g_assert_true(code == 6 || code == SKIPPED);
    g_assert_false(g_file_test(folder, G_FILE_TEST_EXISTS));
    g_assert_cmpint(g_rmdir(parent), ==, 0);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/overflow-memory/blocks-are-taken", test_blocks_are_taken);
    g_test_add_func("/overflow-memory/a-child-starts-a-program", test_a_child_starts_a_program);
    g_test_add_func("/overflow-memory/pages-in-use-stay", test_pages_in_use_stay);
    g_test_add_func("/overflow-memory/nobody-goes-on-meanwhile", test_nobody_goes_on_meanwhile);
    g_test_add_func("/overflow-memory/a-bus-error-leaves-nothing-half-made",
                    test_a_bus_error_leaves_nothing_half_made);
    return g_test_run();
}
