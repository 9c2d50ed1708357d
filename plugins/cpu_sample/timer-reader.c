/* SPDX-License-Identifier: Apache-2.0 */
#include "timer-reader.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct ProcessRing {
    pid_t pid;
    /* inode of the ring's file, which changes when the process executes a program */
    ino_t inode;
    TimerRing *ring;
    struct ProcessRing *next;
} ProcessRing;

struct TimerReader {
    char folder[PATH_MAX];
    pid_t pid;
    uint64_t interval_ns;
    int has_children;
    ProcessRing *first, *at;
    union {
        Sample sample;
        char bytes[sizeof(Sample) + TIMER_RING_FRAMES * sizeof(uint64_t)];
    } event;
};

/* ---- finding rings ---- */

/* Finds the folder of the run by the path of the ring that the program has mapped. Returns -1 if
 * the program has mapped no ring. */
static int find_folder(const char *proc_root, pid_t pid, char folder[PATH_MAX])
{
    char path[PATH_MAX], name[64], *line = NULL;
    size_t size = 0;
    int found = -1;

    snprintf(path, sizeof path, "%s/%d/maps", proc_root, (int)pid);
    snprintf(name, sizeof name, "/" TIMER_RING_PREFIX "%d\n", (int)pid);
    FILE *file = fopen(path, "re");
    while (file && found < 0 && getline(&line, &size, file) > 0) {
        char *begin = strchr(line, '/'), *end = strstr(line, name);
        if (begin && end && begin < end && end - begin < PATH_MAX) {
            snprintf(folder, PATH_MAX, "%.*s", (int)(end - begin), begin);
            found = 0;
        }
    }
    free(line);
    if (file)
        fclose(file);
    if (found < 0)
        errno = ENOENT;
    return found;
}

static TimerRing *map_ring(int file, const struct stat *status)
{
    TimerRing *ring = MAP_FAILED;

    if (S_ISREG(status->st_mode) && status->st_size == (off_t)sizeof *ring)
        ring = mmap(NULL, sizeof *ring, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (ring == MAP_FAILED || ring->version != TIMER_RING_VERSION) {
        if (ring != MAP_FAILED)
            munmap(ring, sizeof *ring);
        return NULL;
    }
    return ring;
}

static int is_known(const TimerReader *reader, pid_t pid, ino_t inode)
{
    const ProcessRing *process = reader->first;

    while (process && (process->pid != pid || process->inode != inode))
        process = process->next;
    return process != NULL;
}

static void add_process(TimerReader *reader, pid_t pid)
{
    char path[PATH_MAX + 64];
    struct stat status;

    snprintf(path, sizeof path, "%s/" TIMER_RING_PREFIX "%d", reader->folder, (int)pid);
    int file = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    if (file < 0)
        return;
    ProcessRing *process = NULL;
    if (fstat(file, &status) == 0 && !is_known(reader, pid, status.st_ino) &&
        (process = calloc(1, sizeof *process)) != NULL)
        process->ring = map_ring(file, &status);
    close(file);
    if (!process || !process->ring) {
        free(process);
        return;
    }
    process->pid = pid;
    process->inode = status.st_ino;
    process->next = reader->first;
    reader->first = process;
    atomic_store(&process->ring->interval, reader->interval_ns);
}

void timer_reader_look(TimerReader *reader)
{
    const size_t length = strlen(TIMER_RING_PREFIX);
    DIR *folder = reader->has_children ? opendir(reader->folder) : NULL;
    const struct dirent *entry;

    if (!folder)
        add_process(reader, reader->pid);
    while (folder && (entry = readdir(folder)) != NULL)
        if (strncmp(entry->d_name, TIMER_RING_PREFIX, length) == 0)
            add_process(reader, (pid_t)atoi(entry->d_name + length));
    if (folder)
        closedir(folder);
}

void timer_reader_begin(TimerReader *reader)
{
    reader->at = reader->first;
}

TimerReader *timer_reader_open(const char *proc_root, pid_t pid, uint64_t interval_ns,
                               int has_children)
{
    TimerReader *reader = calloc(1, sizeof *reader);

    if (!reader)
        return NULL;
    reader->pid = pid;
    reader->interval_ns = interval_ns;
    reader->has_children = has_children;
    if (find_folder(proc_root, pid, reader->folder) != 0) {
        free(reader);
        errno = ENOENT;
        return NULL;
    }
    timer_reader_look(reader);
    return reader;
}

void timer_reader_close(TimerReader *reader)
{
    if (!reader)
        return;
    while (reader->first) {
        ProcessRing *process = reader->first;
        reader->first = process->next;
        atomic_store(&process->ring->interval, 0);
        munmap(process->ring, sizeof *process->ring);
        free(process);
    }
    free(reader);
}

/* ---- reading samples ---- */

static const Sample *read_slot(TimerReader *reader, const ProcessRing *process,
                               const TimerSlot *slot)
{
    Sample *sample = &reader->event.sample;
    /* read only once, because the program may change the number */
    uint64_t n = *(const volatile uint64_t *)&slot->n;

    if (n > TIMER_RING_FRAMES)
        n = TIMER_RING_FRAMES;

    *sample = (Sample){.pid = (uint32_t)process->pid,
                       .tid = slot->tid,
                       .time = slot->time,
                       .processor = slot->processor,
                       .period = slot->period,
                       .n_addresses = n};
    memcpy(sample->addresses, slot->addresses, n * sizeof *slot->addresses);
    return sample;
}

/* Returns the oldest complete slot; NULL: there is none. A thread that is killed while it writes
 * never completes its slot, so the search skips an incomplete slot if the ring is at least half
 * full. */
static const TimerSlot *find_written(TimerRing *ring, uint64_t *ticket)
{
    const uint64_t head = atomic_load(&ring->head);

    for (uint64_t at = atomic_load(&ring->tail); at < head; at++) {
        const TimerSlot *slot = &ring->slots[at % TIMER_RING_SLOTS];
        *ticket = at;
        if (atomic_load_explicit(&slot->state, memory_order_acquire) == at + 1)
            return slot;
        if (head - at < TIMER_RING_SLOTS / 2)
            return NULL;
    }
    return NULL;
}

const Sample *timer_reader_next(TimerReader *reader)
{
    for (; reader->at; reader->at = reader->at->next) {
        TimerRing *ring = reader->at->ring;
        uint64_t ticket;
        const TimerSlot *slot = find_written(ring, &ticket);
        if (!slot)
            continue;
        const Sample *sample = read_slot(reader, reader->at, slot);
        atomic_store(&ring->tail, ticket + 1);
        return sample;
    }
    return NULL;
}

uint64_t timer_reader_lost(const TimerReader *reader)
{
    uint64_t lost = 0;

    for (const ProcessRing *process = reader->first; process; process = process->next)
        lost += atomic_load(&process->ring->lost);
    return lost;
}

int timer_reader_is_taken(const TimerReader *reader)
{
    for (const ProcessRing *process = reader->first; process; process = process->next)
        if (atomic_load(&process->ring->state) == TIMER_RING_TAKEN)
            return 1;
    return 0;
}
