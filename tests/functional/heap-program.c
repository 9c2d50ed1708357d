/* SPDX-License-Identifier: Apache-2.0 */
/* heap-program [SEED | brief | first]: allocates memory and prints how much. Several threads
 * allocate, move and release blocks at random, and other threads release some of the blocks. With
 * "brief" there are many threads that end at once, with "first" only allocations before main. For
 * each function that allocates, it prints the numbers of blocks and bytes that were requested, and
 * of those that were not released. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define API __attribute__((visibility("default"), noinline))
#define N_THREADS 4
#define N_ROUNDS 3000
#define N_PLACES 256

enum { PLAIN, CLEARED, ALIGNED, MOVED, SMALL, N_WAYS };
static const char *const names[N_WAYS] = {"take_plain", "take_cleared", "take_aligned",
                                          "take_moved", "take_small"};

typedef struct Taken {
    void *memory;
    size_t size;
    int way;
} Taken;

static struct {
    atomic_long blocks, bytes, live_blocks, live_bytes;
} counts[N_WAYS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Taken places[N_PLACES];

API void *take_plain(size_t size);
API void *take_cleared(size_t size);
API void *take_aligned(size_t size);
API void *take_moved(void *memory, size_t size);
API void *take_small(size_t size);

/* volatile, so that the compiler does not remove an unused allocation */
static void *volatile touched;

static void *touch_memory(void *memory)
{
    if (!memory)
        abort();
    touched = memory;
    return memory;
}

API void *take_plain(size_t size)
{
    return touch_memory(malloc(size));
}

API void *take_cleared(size_t size)
{
    unsigned char *memory = touch_memory(calloc(size, 1));
    if (memory[0] || memory[size - 1])
        abort();
    return memory;
}

API void *take_aligned(size_t size)
{
    void *memory = NULL;
    if (posix_memalign(&memory, 64, size) || (size_t)memory % 64)
        abort();
    return touch_memory(memory);
}

API void *take_moved(void *memory, size_t size)
{
    return touch_memory(realloc(memory, size));
}

API void *take_small(size_t size)
{
    return touch_memory(malloc(size));
}

static void count_block(int way, size_t size, int sign)
{
    if (sign > 0) {
        counts[way].blocks++;
        counts[way].bytes += (long)size;
    }
    counts[way].live_blocks += sign;
    counts[way].live_bytes += sign * (long)size;
}

static Taken take_block(int way, size_t size)
{
    Taken taken = {NULL, size, way};
    if (way == PLAIN)
        taken.memory = take_plain(size);
    else if (way == CLEARED)
        taken.memory = take_cleared(size);
    else if (way == ALIGNED)
        taken.memory = take_aligned(size);
    else
        taken.memory = take_small(taken.size = size % 16);
    count_block(way, taken.size, 1);
    return taken;
}

static void give_back(Taken taken)
{
    if (taken.memory)
        count_block(taken.way, taken.size, -1);
    free(taken.memory);
}

static Taken first_kept[100];

/* Allocates before main. Keeps some blocks, and releases others. */
static __attribute__((constructor)) void take_first(void)
{
    for (int i = 0; i < 100; i++) {
        first_kept[i] = take_block(PLAIN, 1000 + (size_t)i);
        give_back(take_block(CLEARED, 50));
    }
}

static void give_first(void)
{
    for (int i = 0; i < 50; i++)
        give_back(first_kept[i]);
}

static void *run_thread(void *argument)
{
    unsigned seed = *(unsigned *)argument;
    for (int i = 0; i < N_ROUNDS; i++) {
        static const int ways[] = {PLAIN, CLEARED, ALIGNED, SMALL};
        Taken taken = take_block(ways[rand_r(&seed) % 4], (size_t)rand_r(&seed) % 5000 + 16);
        if (rand_r(&seed) % 3 == 0) {
            count_block(taken.way, taken.size, -1);
            taken.size = (size_t)rand_r(&seed) % 9000 + 16;
            taken.memory = take_moved(taken.memory, taken.size);
            taken.way = MOVED;
            count_block(MOVED, taken.size, 1);
        }
        pthread_mutex_lock(&lock);
        Taken *place = &places[rand_r(&seed) % N_PLACES], before = *place;
        *place = taken;
        pthread_mutex_unlock(&lock);
        give_back(before);
    }
    return NULL;
}

/* Forks a child that allocates, which must not be recorded. */
static void fork_child(void)
{
    pid_t child = fork();
    if (child == 0) {
        for (int i = 0; i < 1000; i++)
            free(take_plain(100));
        _exit(0);
    }
    int status;
    if (waitpid(child, &status, 0) != child || status)
        abort();
}

static pthread_key_t last_key;

static void give_last(void *memory)
{
    count_block(PLAIN, 100, -1);
    free(memory);
}

/* Runs a thread whose destructors release its blocks. After these the C library releases its own
 * blocks. */
static void *run_briefly(void *unused)
{
    pthread_setspecific(last_key, take_plain(100));
    count_block(PLAIN, 100, 1);
    touched = strerror(123456);
    return unused;
}

static void run_many(void)
{
    pthread_key_create(&last_key, give_last);
    for (int i = 0; i < 2500; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, run_briefly, NULL) || pthread_join(thread, NULL))
            abort();
    }
}

static void run_together(unsigned seed)
{
    unsigned seeds[N_THREADS];
    pthread_t threads[N_THREADS];
    for (int i = 0; i < N_THREADS; i++) {
        seeds[i] = seed * 100 + (unsigned)i;
        pthread_create(&threads[i], NULL, run_thread, &seeds[i]);
    }
    fork_child();
    for (int i = 0; i < N_THREADS; i++)
        pthread_join(threads[i], NULL);
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "brief"))
        run_many();
    else if (argc > 1 && !strcmp(argv[1], "first"))
        give_first();
    else
        run_together(argc > 1 ? (unsigned)atoi(argv[1]) : 1);
    for (int i = 0; i < N_WAYS; i++)
        printf("%s %ld %ld %ld %ld\n", names[i], (long)counts[i].blocks, (long)counts[i].bytes,
               (long)counts[i].live_blocks, (long)counts[i].live_bytes);
    return 0;
}
