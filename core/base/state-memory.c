/* SPDX-License-Identifier: Apache-2.0 */
#include "state-memory.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "memory-limit.h"

/* Blocks up to this fraction of the limit stay on the heap: a command has some dozens of them. */
#define HEAP_SHARE 128

/* Precedes a block and keeps its alignment. */
typedef struct Head {
    int file; /* descriptor of the mapped file, which begins with the head; -1: the block is on the
                 heap */
    char unused[60];
} Head;

/* Must a block of this size be in a mapped file? A small block stays on the heap. Any block stays
 * there if the default folder is on tmpfs, because a file on tmpfs uses memory too. */
static gboolean belongs_in_file(gsize bytes)
{
    return bytes > strobe_memory_limit() / HEAP_SHARE && strobe_temporary_has_disk();
}

/* May a file have this size? A file above the file size limit would end the process (SIGXFSZ). */
static gboolean may_be_as_large(gsize bytes)
{
    struct rlimit limit;

    return getrlimit(RLIMIT_FSIZE, &limit) != 0 || bytes <= limit.rlim_cur;
}

/* Allocates the disk blocks now: on a full disk a later write of a page ends the process. */
static gboolean grow_file(int file, gsize old_bytes, gsize bytes)
{
    int error;

    if (!may_be_as_large(bytes))
        return FALSE;
    do
        error = posix_fallocate(file, (off_t)old_bytes, (off_t)(bytes - old_bytes));
    while (error == EINTR);
    return error == 0;
}

/* Maps a new temporary file of this size. NULL: there is no room on the disk. */
static Head *map_file(gsize bytes)
{
    const int file = strobe_temporary_file(NULL);
    Head *head = MAP_FAILED;

    if (file >= 0 && grow_file(file, 0, bytes))
        head = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (head != MAP_FAILED) {
        /* Access to the state is random: read-ahead would evict needed pages. */
        madvise(head, bytes, MADV_RANDOM);
        head->file = file;
        return head;
    }
    if (file >= 0)
        close(file);
    return NULL;
}

static Head *remap_file(Head *head, gsize old_bytes, gsize bytes)
{
    const int file = head->file;

    if (bytes > old_bytes && !grow_file(file, old_bytes, bytes))
        return NULL;
    head = mremap(head, old_bytes, bytes, MREMAP_MAYMOVE);
    if (head == MAP_FAILED)
        return NULL;
    /* The file must be truncated, or the removed bytes would reappear when the block grows
     * again. */
    return bytes < old_bytes && ftruncate(file, (off_t)bytes) != 0 ? NULL : head;
}

static void free_block(Head *head, gsize bytes)
{
    if (head && head->file >= 0) {
        close(head->file);
        munmap(head, bytes);
    } else {
        g_free(head);
    }
}

static Head *grow_on_heap(Head *head, gsize old_bytes, gsize bytes)
{
    head = g_realloc(head, bytes);
    if (bytes > old_bytes)
        memset((char *)head + old_bytes, 0, bytes - old_bytes);
    head->file = -1;
    return head;
}

/* Copies the block `head` (NULL: none) to the new block `to` in the other kind of memory, and frees
 * `head`. */
static Head *move_block(Head *to, Head *head, gsize old_bytes, gsize bytes)
{
    if (head)
        memcpy(to + 1, head + 1, MIN(old_bytes, bytes) - sizeof *head);
    free_block(head, old_bytes);
    return to;
}

static Head *resize_block(Head *head, gsize old_bytes, gsize bytes)
{
    const gboolean is_mapped = head && head->file >= 0;
    Head *mapped = NULL;

    if (is_mapped)
        mapped = remap_file(head, old_bytes, bytes);
    else if (belongs_in_file(bytes))
        mapped = map_file(bytes);
    if (mapped)
        return is_mapped ? mapped : move_block(mapped, head, old_bytes, bytes);
    return is_mapped ? move_block(grow_on_heap(NULL, 0, bytes), head, old_bytes, bytes)
                     : grow_on_heap(head, old_bytes, bytes);
}

void *strobe_state_memory(void *block, gsize old_bytes, gsize bytes)
{
    Head *head = block ? (Head *)block - 1 : NULL;

    if (bytes)
        return resize_block(head, head ? old_bytes + sizeof *head : 0, bytes + sizeof *head) + 1;
    free_block(head, old_bytes + sizeof *head);
    return NULL;
}
