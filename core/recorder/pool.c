/* SPDX-License-Identifier: Apache-2.0 */
#include "pool.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>
#include "testpoint.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

/* Sets the descriptor of an unused pool to -1. The descriptor must never be 0: a fork may happen at
 * any moment, and the child closes every pool's descriptor that is not -1. */
static void clear_pool(StrobePool *pool)
{
    pool->fd = -1;
    pool->header = NULL;
    pool->bytes = 0;
    pool->path[0] = 0;
    pool->is_tmpfs = 0;
    pool->mapping_keeps_lock = 0;
}

static uint64_t align_up(uint64_t value, uint64_t to)
{
    return (value + to - 1) / to * to;
}

/* Places the parts of the pool one after the other; the rest of `bytes` is for blocks. */
static void lay_out(struct pool_header *h, size_t bytes)
{
    uint64_t at = align_up(sizeof *h, STROBE_POOL_PAGE);

    memcpy(h->magic, STROBE_POOL_MAGIC, sizeof h->magic);
    h->version = STROBE_POOL_VERSION;
    h->block_bytes = STROBE_POOL_BLOCK_BYTES;
    h->n_thread_buffers = STROBE_POOL_THREAD_BUFFERS;
    h->thread_buffers_at = at;
    at = align_up(at + sizeof(struct pool_thread_buffer) * (uint64_t)h->n_thread_buffers, 4096);
    h->seen_at = at;
    at = align_up(at + STROBE_POOL_COUNTS * sizeof(StrobeLossCounts), 4096);
    h->tracks_at = at;
    at = align_up(at + sizeof(struct pool_track) * (uint64_t)STROBE_POOL_TRACKS, 4096);
    h->kinds_at = at;
    at += STROBE_POOL_KIND_BYTES;
    h->offsets_at = at;
    h->string_places =
        bytes < STROBE_POOL_MANY_STRINGS_FROM ? STROBE_POOL_STRINGS / 4 : STROBE_POOL_STRINGS;
    at += sizeof(uint64_t) * (uint64_t)h->string_places;
    h->slots_at = at;
    at += sizeof(uint32_t) * (uint64_t)strobe_pool_string_slots(h);
    h->n_blocks = (uint32_t)((bytes - align_up(bytes / 8, 4096)) / STROBE_POOL_BLOCK_BYTES);
    h->ring_at = at = align_up(at, 64);
    at += strobe_ring_bytes(h->n_blocks);
    h->arena_at = at = align_up(at, 64);
    h->arena_bytes = align_up(bytes / 8, 4096);
    h->setup_at = at = align_up(at + h->arena_bytes, 64);
    at = align_up(at + h->setup_bytes, STROBE_POOL_BLOCK_BYTES);
    h->blocks_at = at;
    h->total_bytes = at + (uint64_t)h->n_blocks * STROBE_POOL_BLOCK_BYTES;
}

static void fill_random(void *out, size_t n)
{
    if (getrandom(out, n, GRND_NONBLOCK) == (ssize_t)n)
        return;
    uint64_t word = strobe_clock_now() ^ (uint64_t)getpid() << 32;
    for (size_t i = 0; i < n; i++, word = word * 0x5851f42d4c957f2du + 1)
        ((unsigned char *)out)[i] = (unsigned char)(word >> 56);
}

void strobe_pool_id(const struct pool_header *header, char text[33])
{
    snprintf(text, 33, "%016llx%016llx", (unsigned long long)header->id[0],
             (unsigned long long)header->id[1]);
}

static int open_file(StrobePool *pool, const char *directory)
{
    for (int i = 0; i < 16; i++) {
        uint64_t random;

        fill_random(&random, sizeof random);
        int n = snprintf(pool->path, sizeof pool->path, "%s/strobe-%ld-%08x.pool", directory,
                         (long)getpid(), (unsigned)(random >> 32));
        if (n < 0 || (size_t)n >= sizeof pool->path)
            return ENAMETOOLONG;
        pool->fd = open(pool->path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (pool->fd >= 0)
            return 0;
        if (errno != EEXIST)
            return errno;
    }
    return EEXIST;
}

/* Locked from a mapping until its MADV_DONTFORK, and during a fork: otherwise a child could inherit
 * the mapping, and with it the program's lock. */
static pthread_mutex_t mapping = PTHREAD_MUTEX_INITIALIZER;

static void hold_forks(void)
{
    pthread_mutex_lock(&mapping);
}

static void let_forks_go(void)
{
    pthread_mutex_unlock(&mapping);
}

static void heed_forks(void)
{
    pthread_atfork(hold_forks, let_forks_go, let_forks_go);
}

/* Maps the file so that a forked child has no mapping: the child must not write into the parent's
 * thread buffers, and needs no memory for them. */
static void *map_for_program(int fd, size_t total)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, heed_forks);
    hold_forks();
    void *map = mmap(NULL, total, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    STROBE_TESTPOINT("pool-mapped");
    if (map != MAP_FAILED)
        madvise(map, total, MADV_DONTFORK);
    let_forks_go();
    return map;
}

static int map_file(StrobePool *pool, uint64_t total)
{
    int error = posix_fallocate(pool->fd, 0, (off_t)total);

    if (error)
        return error;
    void *map = map_for_program(pool->fd, total);
    if (map == MAP_FAILED)
        return errno;
    pool->header = map;
    pool->bytes = total;
    return 0;
}

static void link_blocks(struct pool_header *h)
{
    for (uint32_t i = 0; i < h->n_blocks; i++) {
        struct pool_block *block = strobe_pool_block(h, i);
        atomic_init(&block->next, i + 1 < h->n_blocks ? i + 1 : STROBE_NO_BLOCK);
    }
    atomic_store(&h->free_blocks, h->n_blocks ? 0 : STROBE_NO_BLOCK);
    atomic_store(&h->full_blocks, STROBE_NO_BLOCK);
    for (uint32_t i = 0; i < h->n_thread_buffers; i++)
        atomic_store_explicit(&strobe_pool_thread_buffer(h, i)->block, STROBE_NO_BLOCK,
                              memory_order_relaxed);
}

/* Bytes of the file that are locked: by the writer (an open-file lock) and by the program (a
 * process lock). */
enum { WRITER_BYTE = 0, PROGRAM_BYTE = 1 };

static struct flock lock_of_byte(off_t byte)
{
    return (struct flock){.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};
}

/* Takes the program's lock, and waits for it if necessary: `strobe doctor` may hold it for a moment
 * while it inspects the file.
 */
static int lock_for_program(const StrobePool *pool)
{
    struct flock lock = lock_of_byte(PROGRAM_BYTE);

    while (flock(pool->fd, LOCK_EX))
        if (errno != EINTR)
            return errno;
    return fcntl(pool->fd, F_SETLK, &lock) ? errno : 0;
}

/* Finds out whether the mapping keeps the lock when the file is closed. Local file systems do so;
 * others may not, such as overlayfs, which maps another file. */
static void note_file_system(StrobePool *pool)
{
    struct statfs fs;

    if (fstatfs(pool->fd, &fs))
        return;
    pool->is_tmpfs = fs.f_type == TMPFS_MAGIC;
    pool->mapping_keeps_lock = pool->is_tmpfs || fs.f_type == EXT4_SUPER_MAGIC ||
                               (uint32_t)fs.f_type == XFS_SUPER_MAGIC ||
                               (uint32_t)fs.f_type == BTRFS_SUPER_MAGIC;
}

static int create_in(StrobePool *pool, const struct pool_header *plan, const char *directory)
{
    struct statvfs fs;
    int error = open_file(pool, directory);

    if (error)
        return error;
    note_file_system(pool);
    /* posix_fallocate on a full tmpfs fails only after it has allocated all free space. */
    if (fstatvfs(pool->fd, &fs) == 0 &&
        (uint64_t)fs.f_bavail * fs.f_frsize < plan->total_bytes + (plan->total_bytes >> 3))
        error = ENOSPC;
    else
        error = map_file(pool, plan->total_bytes);
    if (error == 0)
        error = lock_for_program(pool);
    if (error) {
        if (pool->header)
            munmap(pool->header, pool->bytes);
        pool->header = NULL;
        unlink(pool->path);
        close(pool->fd);
        pool->fd = -1;
    }
    return error;
}

int strobe_pool_shared_memory_lasts(void)
{
    const ino_t initial_pid_namespace =
        0xEFFFFFFC; /* PROC_PID_INIT_INO of the kernel's proc_ns.h */
    struct stat ours;

    return stat("/proc/self/ns/pid", &ours) != 0 || ours.st_ino == initial_pid_namespace;
}

int strobe_pool_create(StrobePool *pool, size_t bytes, const char *fallback_dir, const char *setup)
{
    struct pool_header plan;
    int error;

    clear_pool(pool);
    memset(&plan, 0, sizeof plan);
    if (bytes < STROBE_POOL_LEAST_BYTES)
        bytes = STROBE_POOL_LEAST_BYTES;
    plan.setup_bytes = setup ? strlen(setup) + 1 : 0;
    if (plan.setup_bytes > STROBE_POOL_SETUP_MAX)
        return E2BIG;
    lay_out(&plan, bytes);
    error = strobe_pool_shared_memory_lasts() ? create_in(pool, &plan, "/dev/shm") : ENOTSUP;
    if (error)
        error = create_in(pool, &plan, fallback_dir);
    if (error)
        return error;
    /* Maps the pages of all blocks now, so that writing into a block causes no page fault. The rest
     * is first used when a thread begins to record or a text is interned, which takes longer
     * anyway. */
    madvise((char *)pool->header + plan.blocks_at, pool->bytes - plan.blocks_at,
            MADV_POPULATE_WRITE);
    *pool->header = plan;
    fill_random(pool->header->id, sizeof pool->header->id);
    pool->header->pid = (uint64_t)getpid();
    pool->header->clock_counter = (uint32_t)strobe_clock_counter;
    if (setup)
        memcpy(strobe_pool_at(pool->header, plan.setup_at), setup, plan.setup_bytes);
    link_blocks(pool->header);
    return 0;
}

/* Ends the copy with a NUL, because the program may change the text, and its NUL, at any time. */
char *strobe_pool_copy_setup(const struct pool_header *header)
{
    char *text = header->setup_bytes ? malloc(header->setup_bytes) : NULL;

    if (text) {
        memcpy(text, strobe_pool_at(header, header->setup_at), header->setup_bytes);
        text[header->setup_bytes - 1] = 0;
    }
    return text;
}

void strobe_pool_destroy(StrobePool *pool, int remove)
{
    if (pool->header)
        munmap(pool->header, pool->bytes);
    if (remove && pool->path[0])
        unlink(pool->path);
    int fd = pool->fd;
    clear_pool(pool);
    if (fd >= 0)
        close(fd);
}

/* Is the part [at, at + size) after the header, inside the file's `bytes` bytes, and aligned to a
 * cache line, as thread buffers must be? */
static int part_fits(const struct pool_header *h, uint64_t at, uint64_t size, uint64_t bytes)
{
    return at >= sizeof *h && at % 64 == 0 && at <= bytes && size <= bytes - at;
}

static int layout_is_sound(const struct pool_header *h, uint64_t bytes)
{
    return memcmp(h->magic, STROBE_POOL_MAGIC, sizeof h->magic) == 0 &&
           h->version == STROBE_POOL_VERSION && h->block_bytes == STROBE_POOL_BLOCK_BYTES &&
           h->total_bytes == bytes && h->n_thread_buffers <= STROBE_POOL_THREAD_BUFFERS &&
           h->n_thread_buffers && h->n_blocks &&
           part_fits(h, h->thread_buffers_at,
                     sizeof(struct pool_thread_buffer) * (uint64_t)h->n_thread_buffers, bytes) &&
           part_fits(h, h->tracks_at, sizeof(struct pool_track) * (uint64_t)STROBE_POOL_TRACKS,
                     bytes) &&
           part_fits(h, h->kinds_at, STROBE_POOL_KIND_BYTES, bytes) &&
           part_fits(h, h->seen_at, STROBE_POOL_COUNTS * sizeof(StrobeLossCounts), bytes) &&
           part_fits(h, h->kinds_at, STROBE_POOL_KIND_BYTES, bytes) &&
           h->string_places <= STROBE_POOL_STRINGS &&
           part_fits(h, h->offsets_at, sizeof(uint64_t) * (uint64_t)h->string_places, bytes) &&
           part_fits(h, h->slots_at, sizeof(uint32_t) * (uint64_t)strobe_pool_string_slots(h),
                     bytes) &&
           part_fits(h, h->ring_at, strobe_ring_bytes(h->n_blocks), bytes) &&
           part_fits(h, h->arena_at, h->arena_bytes, bytes) &&
           h->setup_bytes <= STROBE_POOL_SETUP_MAX &&
           part_fits(h, h->setup_at, h->setup_bytes, bytes) &&
           part_fits(h, h->blocks_at, (uint64_t)h->n_blocks * STROBE_POOL_BLOCK_BYTES, bytes) &&
           memchr(h->windows[0].capture, 0, sizeof h->windows[0].capture) != NULL &&
           memchr(h->windows[1].capture, 0, sizeof h->windows[1].capture) != NULL;
}

void strobe_pool_close_file(StrobePool *pool)
{
    int fd = pool->fd;

    if (!pool->mapping_keeps_lock)
        return;
    pool->fd = -1;
    if (fd >= 0)
        close(fd);
}

int strobe_pool_lock_for_writer(const StrobePool *pool)
{
    struct flock lock = lock_of_byte(WRITER_BYTE);

    return fcntl(pool->fd, F_OFD_SETLK, &lock) ? errno : 0;
}

int strobe_pool_has_program(const StrobePool *pool)
{
    if (flock(pool->fd, LOCK_SH | LOCK_NB))
        return 1;
    flock(pool->fd, LOCK_UN);
    return 0;
}

int strobe_pool_has_writer(const StrobePool *pool)
{
    struct flock lock = lock_of_byte(WRITER_BYTE);

    return fcntl(pool->fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

/* Reads who holds the program's lock: the kernel translates the holder's process id into the
 * caller's namespace. */
pid_t strobe_pool_program(const StrobePool *pool)
{
    struct flock lock = lock_of_byte(PROGRAM_BYTE);

    return fcntl(pool->fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK && lock.l_pid > 0
               ? lock.l_pid
               : 0;
}

/* Replaces the mapped page with the layout by a private copy: the program may write anything into
 * its pool at any time, so the layout is read only once. */
static int keep_layout(void *map)
{
    static char page[STROBE_POOL_PAGE];

    memcpy(page, map, sizeof page);
    if (mmap(map, sizeof page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
             0) == MAP_FAILED)
        return -1;
    memcpy(map, page, sizeof page);
    return 0;
}

static int map_existing(StrobePool *pool, int shared)
{
    struct stat st;

    if (fstat(pool->fd, &st) || !S_ISREG(st.st_mode) || st.st_uid != geteuid() ||
        (uint64_t)st.st_size < sizeof(struct pool_header))
        return EINVAL;
    void *map = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE,
                     shared ? MAP_SHARED : MAP_PRIVATE, pool->fd, 0);
    if (map == MAP_FAILED)
        return errno;
    pool->header = map;
    pool->bytes = (size_t)st.st_size;
    if (shared && keep_layout(map))
        return errno;
    return layout_is_sound(pool->header, pool->bytes) ? 0 : EINVAL;
}

int strobe_pool_open(StrobePool *pool, const char *path, int shared)
{
    clear_pool(pool);
    snprintf(pool->path, sizeof pool->path, "%s", path);
    pool->fd = open(path, (shared ? O_RDWR : O_RDONLY) | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (pool->fd < 0)
        return errno;
    note_file_system(pool);
    int error = map_existing(pool, shared);
    if (error)
        strobe_pool_destroy(pool, 0);
    return error;
}

int strobe_pool_open_file(StrobePool *pool, int fd)
{
    clear_pool(pool);
    pool->fd = fd;
    int error = map_existing(pool, 1);
    if (error)
        strobe_pool_destroy(pool, 0);
    return error;
}

uint32_t strobe_pool_deep_spans(const struct pool_thread_buffer *thread_buffer, uint32_t window)
{
    uint32_t depth = atomic_load_explicit(&thread_buffer->depth, memory_order_acquire);

    return depth > STROBE_POOL_SPANS && atomic_load(&thread_buffer->window) == window
               ? depth - STROBE_POOL_SPANS
               : 0;
}

void strobe_pool_tell_losses(struct pool_header *header, const StrobeLossCounts *seen)
{
    memcpy(header->lost_reported, seen->core, sizeof header->lost_reported);
    for (uint32_t i = 0; i < header->n_thread_buffers; i++)
        memcpy(strobe_pool_thread_buffer(header, i)->lost_reported, seen->thread_buffers[i],
               sizeof *seen->thread_buffers);
}

struct pool_block *strobe_pool_take(struct pool_header *header)
{
    uint64_t head = atomic_load_explicit(&header->free_blocks, memory_order_acquire);

    for (;;) {
        uint32_t index = (uint32_t)head;
        if (index >= header->n_blocks) /* also true for STROBE_NO_BLOCK */
            return NULL;
        struct pool_block *block = strobe_pool_block(header, index);
        /* The tag changes with every exchange, so the exchange also fails if the same block was
         * taken and returned meanwhile. */
        uint64_t next =
            ((head >> 32) + 1) << 32 | atomic_load_explicit(&block->next, memory_order_relaxed);
        STROBE_TESTPOINT("free-loaded");
        if (atomic_compare_exchange_weak_explicit(&header->free_blocks, &head, next,
                                                  memory_order_acq_rel, memory_order_acquire))
            return block;
    }
}

void strobe_pool_give(struct pool_header *header, struct pool_block *block)
{
    uint64_t head = atomic_load_explicit(&header->free_blocks, memory_order_relaxed);
    uint64_t next;

    atomic_store_explicit(&block->owned, 0, memory_order_release);
    STROBE_TESTPOINT("block-disowned");
    do {
        atomic_store_explicit(&block->next, (uint32_t)head, memory_order_relaxed);
        next = ((head >> 32) + 1) << 32 | strobe_pool_index(header, block);
    } while (!atomic_compare_exchange_weak_explicit(&header->free_blocks, &head, next,
                                                    memory_order_release, memory_order_relaxed));
}

void strobe_pool_push_full(struct pool_header *header, struct pool_block *block)
{
    uint32_t head = atomic_load_explicit(&header->full_blocks, memory_order_relaxed);

    do
        atomic_store_explicit(&block->next, head, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&header->full_blocks, &head,
                                                  strobe_pool_index(header, block),
                                                  memory_order_release, memory_order_relaxed));
}

uint32_t strobe_pool_take_full(struct pool_header *header)
{
    uint32_t index =
        atomic_exchange_explicit(&header->full_blocks, STROBE_NO_BLOCK, memory_order_acquire);
    uint32_t reversed = STROBE_NO_BLOCK;

    STROBE_TESTPOINT("full-taken");
    for (uint32_t n = 0; index < header->n_blocks && n < header->n_blocks; n++) {
        struct pool_block *block = strobe_pool_block(header, index);
        uint32_t next = atomic_load_explicit(&block->next, memory_order_relaxed);
        atomic_store_explicit(&block->next, reversed, memory_order_relaxed);
        reversed = index;
        index = next;
    }
    return reversed;
}

uint64_t strobe_pool_count_records(const struct pool_block *block, uint32_t from, uint32_t to)
{
    const char *base = (const char *)(block + 1);
    uint64_t n = 0;

    while (from + 8 <= to) {
        uint64_t head;
        memcpy(&head, base + from, sizeof head);
        uint32_t bytes = (uint32_t)(head & STROBE_RECORD_WORDS_MASK) * 8u;
        if (bytes == 0)
            break;
        n += strobe_record_kind(head) != STROBE_KIND_STRING;
        from += bytes;
    }
    return n;
}
