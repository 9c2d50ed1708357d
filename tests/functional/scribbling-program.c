/* SPDX-License-Identifier: Apache-2.0 */
/* scribbling-program SEED MS: makes a few records, prints its process id, writes random numbers
 * into its own pool for MS milliseconds, and ends at once. It does not record while it writes,
 * because it would crash itself. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <strobe/strobe.h>
#include "pool.h"

static uint64_t state;

static uint64_t next_random(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

/* Returns the pool that this process has mapped. NULL: no file *.pool is mapped. */
static struct pool_header *find_pool(void)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    unsigned long from = 0, at = 0;
    char line[8192];

    while (maps && !at && fgets(line, sizeof line, maps))
        if (strstr(line, ".pool") && sscanf(line, "%lx", &from) == 1)
            at = from;
    if (maps)
        fclose(maps);
    return (struct pool_header *)at; // NOLINT: the file contains an address
}

/* Returns the offset of a random word in one of the pool's parts. Half of the words are near the
 * begin of a part. */
static uint64_t choose_place(const struct pool_header *pool)
{
    const uint64_t parts[] = {STROBE_POOL_PAGE,        offsetof(struct pool_header, control),
                              pool->thread_buffers_at, pool->seen_at,
                              pool->tracks_at,         pool->kinds_at,
                              pool->offsets_at,        pool->slots_at,
                              pool->ring_at,           pool->arena_at,
                              pool->blocks_at};
    uint64_t part = parts[next_random() % (sizeof parts / sizeof *parts)];

    if (next_random() % 4 == 0) /* a quarter of the words are in the head of a block */
        part = pool->blocks_at + next_random() % pool->n_blocks * STROBE_POOL_BLOCK_BYTES;
    uint64_t at = part + next_random() % (next_random() % 2 ? 256 : 8192);
    return at / 8 * 8;
}

static uint64_t choose_value(const struct pool_header *pool)
{
    switch (next_random() % 8) {
    case 0:
        return 0;
    case 1:
        return next_random() % 16;
    case 2:
        return UINT64_MAX;
    case 3:
        return next_random() % pool->n_blocks | (next_random() % pool->n_blocks) << 32;
    case 4:
        return pool->total_bytes - next_random() % 128;
    case 5: /* a copy of another word of the pool, which is a valid value at its place */
        return *(volatile uint64_t *)strobe_pool_at(pool, choose_place(pool));
    default:
        return next_random();
    }
}

/* Whether the word must not be changed yet, because this would end the writer or change the file to
 * which it writes. */
static int is_spared(uint64_t at)
{
    const uint64_t stopping = offsetof(struct pool_header, control.is_stopping) / 8 * 8;
    const uint64_t path = offsetof(struct pool_header, windows[1].capture);

    return at == stopping || (at >= path && at < path + PATH_MAX);
}

static int64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void scribble_pool(struct pool_header *pool, int64_t ms)
{
    int64_t end = now_ms() + ms;

    do
        for (int i = 0; i < 64; i++) {
            uint64_t at = choose_place(pool);
            if (at + 8 <= pool->total_bytes && !is_spared(at))
                *(volatile uint64_t *)strobe_pool_at(pool, at) = choose_value(pool);
        }
    while (now_ms() < end && usleep(next_random() % 500) == 0);
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    state = strtoull(argv[1], NULL, 10) * 2654435761u + 1;
    for (int i = 0; i < 20000; i++)
        strobe_range_end(strobe_range_begin_argument("before", (uint64_t)i));
    strobe_range_begin("open");
    struct pool_header *pool = find_pool();
    if (!pool)
        return 3;
    printf("%ld\n", (long)getpid());
    fflush(stdout);
    scribble_pool(pool, atol(argv[2]));
    _exit(0);
}
