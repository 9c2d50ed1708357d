/* SPDX-License-Identifier: Apache-2.0 */
#include "file-watch.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <strobe/helpers/thread.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>
#include "beside-process.h"
#include "pool-bell.h"
#include "process.h"

#define WATCH_NAME "strobe-watch"
/* Maximum start time of the process, and the interval at which the program checks for it. */
#define START_NS 2000000000
#define START_LOOK_NS 5000000

/* Number of changes that are kept for the program. */
#define CHANGES 16u

enum { NO_WATCHER, PROCESS, THREAD };

/* A change of the file: the arguments of strobe_file_version_look. */
struct change {
    uint32_t what; /* StrobeFileChange */
    uint32_t length;
    char text[STROBE_FILE_BYTES_MAX];
};

/* The memory that both share. The program writes the first three members, the watcher the others.
 * Change number n is changes[n % CHANGES]. Pages that no change has filled take no memory. */
struct area {
    _Atomic uint32_t bell; /* the program rings it when it closes the watch */
    _Atomic uint32_t is_closed;
    StrobeFileVersion first;  /* the version that is not reported */
    _Atomic uint32_t watcher; /* which of the two watches; set only once */
    _Atomic uint32_t started; /* a bell: the watcher has begun */
    _Atomic uint32_t n_looks;
    _Atomic uint32_t n_stored; /* number of changes, modulo 2^32 */
    struct change changes[CHANGES];
};

struct StrobeFileWatch {
    struct area *area;
    char *path;
    int64_t poll_ns;
    uint32_t n_taken; /* number of changes that were taken or overwritten */
    pid_t program;
    pthread_t thread;
    int has_thread;
};

/* ---- the watcher ---- */

static void store_change(struct area *area, StrobeFileChange what, const char *text, size_t length)
{
    struct change *change = &area->changes[atomic_load(&area->n_stored) % CHANGES];

    change->what = what;
    change->length = (uint32_t)MIN(length, sizeof change->text);
    memcpy(change->text, text, change->length);
    atomic_fetch_add(&area->n_stored, 1);
}

static void look_once(struct area *area, const char *path, StrobeFileVersion *seen)
{
    g_autofree char *text = NULL;
    size_t length = 0;
    StrobeFileChange what = strobe_file_version_look(path, seen, &text, &length);

    if (what != STROBE_FILE_SAME)
        store_change(area, what, text, length);
    atomic_fetch_add(&area->n_looks, 1);
}

/* Watches until the program closes the watch or has ended. `lock` is a descriptor of the area whose
 * lock the program has; -1: the watcher is a thread of the program. */
static void watch_file(struct area *area, const char *path, int64_t poll_ns, int lock)
{
    StrobeFileVersion seen = area->first;

    for (;;) {
        const uint32_t bell = atomic_load(&area->bell);
        if (atomic_load(&area->is_closed) || (lock >= 0 && flock(lock, LOCK_SH | LOCK_NB) == 0))
            return;
        look_once(area, path, &seen);
        strobe_bell_wait(&area->bell, bell, poll_ns);
    }
}

/* Returns whether `who` is the watcher from now on; another may already be. */
static int become_watcher(struct area *area, uint32_t who)
{
    uint32_t none = NO_WATCHER;
    const int is_watcher = atomic_compare_exchange_strong(&area->watcher, &none, who);

    strobe_bell_ring(&area->started);
    return is_watcher;
}

static struct area *map_area(int file)
{
    void *area = mmap(NULL, sizeof(struct area), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);

    return area == MAP_FAILED ? NULL : area;
}

int strobe_file_watch_run(int descriptor, const char *path, int64_t poll_ns)
{
    char name[32];

    /* A lock belongs to the opened file, which the program's memory keeps open. So this process
     * opens the file anew, to see the lock, and closes the descriptor that it was given. */
    g_snprintf(name, sizeof name, "/proc/self/fd/%d", descriptor);
    const int file = open(name, O_RDWR | O_CLOEXEC);
    if (file < 0)
        return errno;
    close(descriptor);
    struct area *area = map_area(file);
    if (!area)
        return errno;
    if (become_watcher(area, PROCESS))
        watch_file(area, path, poll_ns, file);
    return 0;
}

/* ---- the program ---- */

static void *thread_main(void *user)
{
    const StrobeFileWatch *watch = user;

    prctl(PR_SET_NAME, WATCH_NAME);
    watch_file(watch->area, watch->path, watch->poll_ns, -1);
    return NULL;
}

/* Makes the shared memory, without a name. Returns a descriptor that keeps its lock as long as the
 * memory is mapped; -1 with errno. */
static int make_area(StrobeFileWatch *watch)
{
    const int file = memfd_create(WATCH_NAME, MFD_CLOEXEC);

    if (file < 0)
        return -1;
    if (ftruncate(file, sizeof(struct area)) == 0 && flock(file, LOCK_EX | LOCK_NB) == 0)
        watch->area = map_area(file);
    if (watch->area)
        /* Otherwise a forked child would keep the lock. */
        madvise(watch->area, sizeof(struct area), MADV_DONTFORK);
    return file;
}

static void await_process(struct area *area)
{
    const int64_t end = g_get_monotonic_time() + START_NS / 1000;

    while (atomic_load(&area->watcher) == NO_WATCHER && g_get_monotonic_time() < end)
        strobe_bell_wait(&area->started, 0, START_LOOK_NS);
}

static void start_process(const StrobeFileWatch *watch, int file)
{
    char poll[24];
    const StrobeBesideProcess process = {
        .name = WATCH_NAME, .arguments = {poll, watch->path}, .descriptor = file};
    pid_t pid;

    g_snprintf(poll, sizeof poll, "%" G_GINT64_FORMAT, watch->poll_ns);
    if (strobe_beside_process_start(&process, &pid) == 0)
        await_process(watch->area);
}

/* Starts a thread if the process has not begun. */
static int start_thread(StrobeFileWatch *watch)
{
    if (!become_watcher(watch->area, THREAD))
        return 0;
    int error = strobe_thread_start(&watch->thread, thread_main, watch);
    watch->has_thread = error == 0;
    return error;
}

StrobeFileWatch *strobe_file_watch_new(const char *path, int64_t poll_ns)
{
    StrobeFileWatch *watch = g_new0(StrobeFileWatch, 1);
    int file = make_area(watch), error = watch->area ? 0 : errno;

    watch->path = g_strdup(path);
    watch->poll_ns = poll_ns;
    watch->program = strobe_process_id();
    if (error == 0) {
        watch->area->first = strobe_file_version_of(path);
        start_process(watch, file);
        error = start_thread(watch);
    }
    if (file >= 0)
        close(file);
    if (error == 0)
        return watch;
    strobe_file_watch_free(watch);
    errno = error;
    return NULL;
}

int strobe_file_watch_has_change(const StrobeFileWatch *watch)
{
    return watch->program == strobe_process_id() &&
           atomic_load(&watch->area->n_stored) != watch->n_taken;
}

/* Skips the changes that are overwritten, or may be while they are read. */
static void skip_overwritten(StrobeFileWatch *watch)
{
    const uint32_t n_stored = atomic_load(&watch->area->n_stored);

    if (n_stored - watch->n_taken >= CHANGES)
        watch->n_taken = n_stored - (CHANGES - 1);
}

StrobeFileChange strobe_file_watch_take(StrobeFileWatch *watch, char **text, size_t *length)
{
    while (strobe_file_watch_has_change(watch)) {
        skip_overwritten(watch);
        const uint32_t number = watch->n_taken;
        const struct change *change = &watch->area->changes[number % CHANGES];
        const StrobeFileChange what = (StrobeFileChange)change->what;
        *length = MIN(change->length, sizeof change->text);
        *text = g_malloc(*length + 1);
        memcpy(*text, change->text, *length);
        (*text)[*length] = 0;
        skip_overwritten(watch);
        if (watch->n_taken == number) {
            watch->n_taken++;
            return what;
        }
        g_clear_pointer(text, g_free);
    }
    return STROBE_FILE_SAME;
}

uint32_t strobe_file_watch_looks(const StrobeFileWatch *watch)
{
    return watch->program == strobe_process_id() ? atomic_load(&watch->area->n_looks) : 0;
}

void strobe_file_watch_free(StrobeFileWatch *watch)
{
    if (watch->area && watch->program == strobe_process_id()) {
        atomic_store(&watch->area->is_closed, 1);
        strobe_bell_ring(&watch->area->bell);
        if (watch->has_thread)
            pthread_join(watch->thread, NULL);
        munmap(watch->area, sizeof(struct area));
    }
    g_free(watch->path);
    g_free(watch);
}
