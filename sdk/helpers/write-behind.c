/* SPDX-License-Identifier: Apache-2.0 */
#include "write-behind.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <strobe/helpers/thread.h>

#define CHUNKS 8u /* maximum number of pending chunks */

typedef struct Chunk {
    char *bytes;
    size_t length;
    StrobeWrite write;
    void *user;
    unsigned *pending;
} Chunk;

/* State of the thread, shared by all files of this plugin. */
static struct {
    pthread_mutex_t users_lock, put_lock; /* each of them is locked before `lock` */
    unsigned n_users;
    pthread_mutex_t lock;
    pthread_cond_t filled, emptied;
    pthread_t thread;
    char *room;
    Chunk chunks[CHUNKS];
    /* numbers of the pending chunks, from `first` to `end` - 1; they only increase */
    unsigned first, end;
    bool is_over;
} behind = {
    .users_lock = PTHREAD_MUTEX_INITIALIZER,
    .put_lock = PTHREAD_MUTEX_INITIALIZER,
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .filled = PTHREAD_COND_INITIALIZER,
    .emptied = PTHREAD_COND_INITIALIZER,
};

static void *write_chunks(void *unused)
{
    (void)unused;
    prctl(PR_SET_NAME, "strobe-behind");
    pthread_mutex_lock(&behind.lock);
    for (;;) {
        Chunk *chunk;

        while (behind.first == behind.end && !behind.is_over)
            pthread_cond_wait(&behind.filled, &behind.lock);
        if (behind.first == behind.end)
            break;
        chunk = &behind.chunks[behind.first % CHUNKS];
        pthread_mutex_unlock(&behind.lock);
        chunk->write(chunk->user, chunk->bytes, chunk->length);
        pthread_mutex_lock(&behind.lock);
        behind.first++;
        --*chunk->pending;
        pthread_cond_broadcast(&behind.emptied);
    }
    pthread_mutex_unlock(&behind.lock);
    return NULL;
}

static bool start_thread(void)
{
    behind.room =
        strobe_thread_processors() > 1 ? malloc((size_t)CHUNKS * STROBE_WRITE_CHUNK) : NULL;
    if (!behind.room)
        return false;
    for (unsigned i = 0; i < CHUNKS; i++)
        behind.chunks[i].bytes = behind.room + (size_t)i * STROBE_WRITE_CHUNK;
    behind.first = behind.end = 0;
    behind.is_over = false;
    if (strobe_thread_start(&behind.thread, write_chunks, NULL) == 0)
        return true;
    free(behind.room);
    return false;
}

bool strobe_write_behind_begin(void)
{
    bool is_there;

    pthread_mutex_lock(&behind.users_lock);
    is_there = behind.n_users || start_thread();
    behind.n_users += is_there;
    pthread_mutex_unlock(&behind.users_lock);
    return is_there;
}

void strobe_write_behind_end(void)
{
    pthread_mutex_lock(&behind.users_lock);
    if (--behind.n_users == 0) {
        pthread_mutex_lock(&behind.lock);
        behind.is_over = true;
        pthread_cond_signal(&behind.filled);
        pthread_mutex_unlock(&behind.lock);
        pthread_join(behind.thread, NULL);
        free(behind.room);
    }
    pthread_mutex_unlock(&behind.users_lock);
}

static void put_chunk(unsigned *pending, StrobeWrite write, void *user, const char *bytes,
                      size_t length)
{
    Chunk *chunk;

    pthread_mutex_lock(&behind.lock);
    while (behind.end - behind.first == CHUNKS)
        pthread_cond_wait(&behind.emptied, &behind.lock);
    chunk = &behind.chunks[behind.end % CHUNKS];
    pthread_mutex_unlock(&behind.lock);
    memcpy(chunk->bytes, bytes, length); /* no other thread uses this chunk yet */
    *chunk = (Chunk){chunk->bytes, length, write, user, pending};
    pthread_mutex_lock(&behind.lock);
    ++*pending;
    behind.end++;
    pthread_cond_signal(&behind.filled);
    pthread_mutex_unlock(&behind.lock);
}

void strobe_write_behind_put(unsigned *pending, StrobeWrite write, void *user, const char *bytes,
                             size_t length)
{
    while (length) {
        const size_t n = length < STROBE_WRITE_CHUNK ? length : STROBE_WRITE_CHUNK;

        pthread_mutex_lock(&behind.put_lock);
        put_chunk(pending, write, user, bytes, n);
        pthread_mutex_unlock(&behind.put_lock);
        bytes += n;
        length -= n;
    }
}

void strobe_write_behind_wait(unsigned *pending)
{
    pthread_mutex_lock(&behind.lock);
    while (*pending)
        pthread_cond_wait(&behind.emptied, &behind.lock);
    pthread_mutex_unlock(&behind.lock);
}
