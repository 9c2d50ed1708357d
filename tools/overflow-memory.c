/* SPDX-License-Identifier: Apache-2.0 */
#include "overflow-memory.h"

#include <unistd.h>

#if !defined(STROBE_HAS_JEMALLOC)

bool overflow_memory_begin(uint64_t limit_bytes, int file, const char *folder)
{
    (void)limit_bytes;
    (void)folder;
    close(file);
    return false;
}

#else

#include <errno.h>
#include <fcntl.h>
#include <jemalloc/jemalloc.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <time.h>

#include "fault-watch.h"
#include "interruption.h"
#include "lone-pages.h"
#include "resources.h"

#define PARTS_MAX 65536u
#define PIECE_BYTES ((size_t)16 << 20)    /* unmapped at once */
#define BESIDE_BYTES ((uint64_t)12 << 20) /* resident besides the heap: programs, stacks */
#define PERIOD_NS 2000000
#define ROOM_LEFT_BYTES ((uint64_t)64 << 20)
#define LOST_TEXT_BYTES 512u
#define OUT_OF_ROOM 6                 /* as any failure to write */
#define FAULT_AROUND_BYTES (2u << 20) /* the largest folio; older kernels bring 64 KB */

/* One arena, so that the hooks see all of it; large allocations not in another one. */
const char *malloc_conf = "narenas:1,oversize_threshold:0,dirty_decay_ms:300,muzzy_decay_ms:0";

/* A mapped part of the file. */
typedef struct Part {
    char *at;
    size_t size;
} Part;

/* The heap calls the hooks from any thread, and must not be called by them. */
static struct {
    atomic_uintptr_t owner; /* thread that has it locked, a signal handler too; 0: none */
    atomic_bool is_due;     /* what is resident is to be looked at */
    Part *parts;            /* by address */
    size_t n_parts;
    uint64_t limit, in_memory, in_file;
    uint64_t lent;             /* of what may be in memory, to something that is no heap */
    size_t hand_part, hand_at; /* where unmapping goes on */
    int file, statm;
    pid_t thread; /* the main one, which gets the signals of faults */
    bool is_lone; /* a fault brings one page: what is resident does not leap */
    bool is_full;
    char lost[LOST_TEXT_BYTES]; /* what is said when a page cannot be had */
} overflow;

static void keep_limit(void);

static uintptr_t this_thread(void)
{
    return (uintptr_t)pthread_self();
}

static bool try_lock(void)
{
    uintptr_t nobody = 0;

    return atomic_compare_exchange_strong_explicit(&overflow.owner, &nobody, this_thread(),
                                                   memory_order_acquire, memory_order_relaxed);
}

static void lock(void)
{
    while (!try_lock())
        sched_yield();
}

/* Does what a signal came for while it was locked. */
static void unlock(void)
{
    do {
        atomic_store_explicit(&overflow.owner, 0, memory_order_release);
        if (!atomic_load(&overflow.is_due) || !try_lock())
            return;
        keep_limit();
    } while (true);
}

/* ---- what is resident ---- */

typedef struct Resident {
    uint64_t all, files; /* bytes, pages of files among them */
} Resident;

static Resident look(void)
{
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    char text[128], *at = text;
    ssize_t n = pread(overflow.statm, text, sizeof text - 1, 0);
    Resident resident = {0, 0};

    text[n > 0 ? n : 0] = '\0';
    strtoull(at, &at, 10); /* address space */
    resident.all = strtoull(at, &at, 10) * page;
    resident.files = strtoull(at, &at, 10) * page;
    return resident;
}

/* What may be resident before pages are unmapped. What lies in no file stays: where that is much,
 * a part of the rest is the file's, or else its pages would go with each look, hardly touched. */
static uint64_t most_resident(const Resident *resident)
{
    uint64_t limit = overflow.limit, beside = resident->all - resident->files, most;

    most = beside < limit ? beside + (limit - beside) / 3 * (overflow.is_lone ? 2 : 1) : limit;
    if (most > limit / 8 * 7) /* more may come until it is looked at again */
        most = limit / 8 * 7;
    return most > limit / 8 * 5 ? most : limit / 8 * 5;
}

/* How much less is left: as much as comes until the next look. */
static uint64_t room_made(void)
{
    return overflow.limit / (overflow.is_lone ? 32 : 8);
}

/* The pages stay in the file's cache as long as the system has room for them. FALSE at the end of
 * the round. */
static bool unmap_piece(void)
{
    const Part *part = &overflow.parts[overflow.hand_part];
    size_t left = part->size > overflow.hand_at ? part->size - overflow.hand_at : 0;
    size_t n = left < PIECE_BYTES ? left : PIECE_BYTES;

    madvise(part->at + overflow.hand_at, n, MADV_DONTNEED);
    overflow.hand_at += n;
    if (overflow.hand_at < part->size)
        return true;
    overflow.hand_at = 0;
    overflow.hand_part = (overflow.hand_part + 1) % overflow.n_parts;
    return overflow.hand_part != 0;
}

/* Locked. Goes round all parts at most once and a bit. */
static void keep_limit(void)
{
    atomic_store(&overflow.is_due, false); /* first: a signal from here on is for the next look */
    Resident resident = look();
    uint64_t most = most_resident(&resident);
    int rounds = 0;

    if (!overflow.n_parts || resident.all < most)
        return;
    if (overflow.hand_part >= overflow.n_parts)
        overflow.hand_part = overflow.hand_at = 0;
    do
        rounds += !unmap_piece();
    while (rounds < 2 && look().all > most - room_made());
}

/* The process touched pages for a while, which tells nobody. In whatever it was doing. A thread
 * that unmaps may wait for a processor: meanwhile no other one goes on touching pages. */
static void on_timer(int number)
{
    int before = errno;

    (void)number;
    atomic_store(&overflow.is_due, true);
    if (atomic_load(&overflow.owner) != this_thread()) { /* or else it looks when it unlocks */
        lock();
        keep_limit();
        unlock();
    }
    errno = before;
}

/* ---- parts ---- */

/* Index of the first part that ends behind the address. */
static size_t find_part(const char *at)
{
    size_t low = 0, high = overflow.n_parts;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (overflow.parts[middle].at + overflow.parts[middle].size <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_in_file(const void *at)
{
    bool is;

    lock();
    size_t place = find_part(at);
    is = place < overflow.n_parts && overflow.parts[place].at <= (const char *)at;
    unlock();
    return is;
}

static void (*others_bus_errors)(int number); /* SIG_DFL: nobody's */

/* Where the disk is full when a page is touched the page cannot be had. */
static void on_bus_error(int number, siginfo_t *info, void *context)
{
    (void)context;
    if (is_in_file(info->si_addr)) {
        if (write(STDERR_FILENO, overflow.lost, strlen(overflow.lost)) >= 0)
            strobe_interruption_abandon();
        _exit(OUT_OF_ROOM);
    }
    signal(number, SIG_DFL); /* something else's: as if there were no handler of ours */
    if (others_bus_errors != SIG_DFL && others_bus_errors != SIG_IGN)
        others_bus_errors(number);
}

static void take_bus_errors(void)
{
    struct sigaction action = {.sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO}, before;

    sigemptyset(&action.sa_mask);
    if (sigaction(SIGBUS, &action, &before) == 0 && !(before.sa_flags & SA_SIGINFO))
        others_bus_errors = before.sa_handler;
}

/* Whoever started the thread may have blocked them. */
static void let_through(void)
{
    sigset_t ours;

    sigemptyset(&ours);
    sigaddset(&ours, SIGBUS);
    sigaddset(&ours, SIGPROF);
    pthread_sigmask(SIG_UNBLOCK, &ours, NULL);
}

/* A thread that works on what the heap holds looks itself: the main one may wait for a processor.
 */
static void thread_begins(void)
{
    let_through();
    fault_watch_thread();
}

static bool take_signals(void)
{
    struct sigaction action = {.sa_handler = on_timer, .sa_flags = SA_RESTART};

    sigemptyset(&action.sa_mask);
    if (sigaction(SIGPROF, &action, NULL) != 0)
        return false;
    let_through(); /* threads that start later have this one's mask */
    strobe_resources_on_thread(thread_begins);
    return true;
}

/* By the process's own time: a busy machine delays no signal of it, where a thread would be late.
 * Much may be resident after few faults, where each brings the pages around: these count as well.
 */
static void start_looks(void)
{
    const struct itimerspec period = {{0, PERIOD_NS}, {0, PERIOD_NS}};
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGPROF};
    timer_t timer;

    /* First, for it waits for threads that begin, and nobody may wait for this one by then. */
    fault_watch_begin(overflow.thread, overflow.is_lone
                                           ? overflow.limit / 64 / (uint64_t)sysconf(_SC_PAGESIZE)
                                           : overflow.limit / 8 / FAULT_AROUND_BYTES);
    if (timer_create(CLOCK_PROCESS_CPUTIME_ID, &event, &timer) == 0)
        timer_settime(timer, 0, &period, NULL);
    take_bus_errors();
}

static void add_part(char *at, size_t size)
{
    size_t place = find_part(at);

    memmove(overflow.parts + place + 1, overflow.parts + place,
            (overflow.n_parts - place) * sizeof *overflow.parts);
    overflow.parts[place] = (Part){at, size};
    overflow.n_parts++;
    if (overflow.n_parts == 1)
        start_looks();
}

/* Address space at a multiple of `alignment`, of file or memory. */
static char *map(size_t size, size_t alignment, int flags, int file, off_t offset)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t more = alignment > page ? alignment - page : 0;
    char *at =
        mmap(NULL, size + more, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    char *good;

    if (at == MAP_FAILED)
        return NULL;
    good = (char *)(((uintptr_t)at + more) & ~(uintptr_t)(alignment - 1));
    if (good > at)
        munmap(at, (size_t)(good - at));
    if (good + size < at + size + more)
        munmap(good + size, (size_t)(at + more - good));
    if (mmap(good, size, PROT_READ | PROT_WRITE, flags | MAP_FIXED, file, offset) != MAP_FAILED)
        return good;
    munmap(good, size);
    return NULL;
}

static void complain_once(void)
{
    static const char text[] = "strobe: warning: no room for temporary files: --max-mem cannot be "
                               "kept to (see --tmp-dir)\n";

    if (!overflow.is_full && write(STDERR_FILENO, text, sizeof text - 1) < 0)
        overflow.is_full = true;
    overflow.is_full = true;
}

/* Where the file system cannot set blocks aside: a byte in each takes it. */
static bool fill_file(size_t size)
{
    const size_t block = 4096;

    for (size_t at = block - 1; at < size; at += block)
        if (pwrite(overflow.file, "", 1, (off_t)(overflow.in_file + at)) != 1)
            return false;
    return true;
}

/* Takes the blocks now: a full disk is an error here, and a bus error when a page is touched. The
 * timer's signal would interrupt some file systems again and again. */
static bool grow_file(size_t size)
{
    sigset_t timer, old;
    int error;

    sigemptyset(&timer);
    sigaddset(&timer, SIGPROF);
    pthread_sigmask(SIG_BLOCK, &timer, &old);
    do
        error = fallocate(overflow.file, 0, (off_t)overflow.in_file, (off_t)size) ? errno : 0;
    while (error == EINTR);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (error == EOPNOTSUPP || error == ENOSYS)
        return fill_file(size);
    return error == 0;
}

static bool has_room(size_t size)
{
    struct statvfs disk;

    return fstatvfs(overflow.file, &disk) == 0 &&
           (uint64_t)disk.f_bavail * disk.f_frsize > size + ROOM_LEFT_BYTES && grow_file(size);
}

/* Locked. Does so much more fit into the plain part? */
static bool fits(uint64_t size)
{
    return overflow.in_memory + overflow.lent + size + BESIDE_BYTES <= overflow.limit / 2;
}

static bool lend(uint64_t bytes)
{
    bool good;

    lock();
    good = fits(bytes);
    overflow.lent += good ? bytes : 0;
    unlock();
    return good;
}

static void take_back(uint64_t bytes)
{
    lock();
    overflow.lent -= bytes;
    unlock();
}

/* Locked. */
static char *map_file(size_t size, size_t alignment)
{
    char *at = NULL;

    if (overflow.n_parts == PARTS_MAX || overflow.is_full)
        return NULL;
    if (!has_room(size)) {
        complain_once();
        return NULL;
    }
    at = map(size, alignment, MAP_SHARED, overflow.file, (off_t)overflow.in_file);
    if (!at) /* no address space: there is none for memory either */
        return NULL;
    /* In large folios a page's first write walks all of its folio, and a fault may bring 2 MB. */
    madvise(at, size, MADV_RANDOM);
    overflow.is_lone = lone_pages_make(at, size);
    overflow.in_file += size;
    add_part(at, size);
    return at;
}

/* ---- what the heap calls ---- */

static void *hook_alloc(extent_hooks_t *hooks, void *wanted, size_t size, size_t alignment,
                        bool *zero, bool *commit, unsigned arena)
{
    char *at = NULL;

    (void)hooks;
    (void)arena;
    if (wanted)
        return NULL;
    lock();
    keep_limit();
    if (!fits(size))
        at = map_file(size, alignment);
    if (!at) {
        at = map(size, alignment, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        overflow.in_memory += at ? size : 0;
    }
    unlock();
    *zero = *commit = true;
    return at;
}

/* Drops the contents, and a file's blocks; true: it did not. */
static bool hook_purge(extent_hooks_t *hooks, void *at, size_t size, size_t offset, size_t length,
                       unsigned arena)
{
    (void)hooks;
    (void)size;
    (void)arena;
    return madvise((char *)at + offset, length, is_in_file(at) ? MADV_REMOVE : MADV_DONTNEED) != 0;
}

static bool hook_split(extent_hooks_t *hooks, void *at, size_t size, size_t size_a, size_t size_b,
                       bool committed, unsigned arena)
{
    (void)hooks;
    (void)at;
    (void)size;
    (void)size_a;
    (void)size_b;
    (void)committed;
    (void)arena;
    return false;
}

static bool hook_merge(extent_hooks_t *hooks, void *a, size_t size_a, void *b, size_t size_b,
                       bool committed, unsigned arena)
{
    (void)hooks;
    (void)size_a;
    (void)size_b;
    (void)committed;
    (void)arena;
    return is_in_file(a) != is_in_file(b);
}

static extent_hooks_t heap_hooks = {
    .alloc = hook_alloc,
    .purge_forced = hook_purge,
    .split = hook_split,
    .merge = hook_merge,
};

/* Shared pages are the parent's: a child that starts a program may read its arguments in them. */
static void protect_in_child(void)
{
    for (size_t i = 0; i < overflow.n_parts; i++)
        mprotect(overflow.parts[i].at, overflow.parts[i].size, PROT_READ);
}

static uint64_t allocated_bytes(void)
{
    uint64_t bytes = 0;
    size_t n = sizeof bytes;

    mallctl("thread.allocated", &bytes, &n, NULL, 0);
    return bytes;
}

/* jemalloc may be linked while another heap, loaded before, answers. */
static bool is_our_heap(void)
{
    uint64_t before = allocated_bytes();
    void *volatile memory = malloc(4096);
    uint64_t after = allocated_bytes();

    free(memory);
    return after != before;
}

/* Whether all of the heap is in arena 0, as malloc_conf above asks for. */
static bool is_one_arena(void)
{
    unsigned arenas = 0;
    size_t oversize = 1, n = sizeof arenas;
    const char *by_cpu = NULL;

    if (mallctl("opt.narenas", &arenas, &n, NULL, 0) != 0 || arenas != 1)
        return false;
    n = sizeof by_cpu;
    if (mallctl("opt.percpu_arena", &by_cpu, &n, NULL, 0) == 0 && strcmp(by_cpu, "disabled") != 0)
        return false;
    n = sizeof oversize;
    return mallctl("opt.oversize_threshold", &oversize, &n, NULL, 0) != 0 || oversize == 0;
}

static bool can_hook_heap(void)
{
    static const char others[] = "strobe: warning: another heap than jemalloc is loaded (see "
                                 "LD_PRELOAD): --max-mem holds for sorting and texts only\n";
    static const char arenas[] = "strobe: warning: jemalloc has other arenas than Strobe's (see "
                                 "MALLOC_CONF): --max-mem holds for sorting and texts only\n";
    bool is_ours = is_our_heap();

    if (is_ours && is_one_arena())
        return true;
    fputs(is_ours ? arenas : others, stderr);
    return false;
}

bool overflow_memory_begin(uint64_t limit_bytes, int file, const char *folder)
{
    extent_hooks_t *hooks = &heap_hooks;
    size_t grow = limit_bytes / 32;

    if (!can_hook_heap()) {
        close(file);
        return false;
    }
    snprintf(
        overflow.lost, sizeof overflow.lost,
        "strobe: Cannot go on: a temporary file in %.400s has no room any more, or cannot be read "
        "(see --tmp-dir, --max-mem)\n",
        folder);
    overflow.limit = limit_bytes;
    overflow.file = file;
    overflow.thread = (pid_t)syscall(SYS_gettid);
    overflow.statm = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    overflow.parts = mmap(NULL, PARTS_MAX * sizeof(Part), PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (overflow.statm < 0 || overflow.parts == MAP_FAILED) {
        close(file);
        return false;
    }
    pthread_atfork(NULL, NULL, protect_in_child);
    if (!take_signals()) {
        close(file);
        return false;
    }
    mallctl("arena.0.retain_grow_limit", NULL, NULL, &grow, sizeof grow);
    if (mallctl("arena.0.extent_hooks", NULL, NULL, &hooks, sizeof hooks))
        return false;
    strobe_resources_on_borrow(lend, take_back);
    return true;
}

#endif
