/* SPDX-License-Identifier: Apache-2.0 */
#include "write-behind.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define PIECES 8u /* on their way at most */
#define PIECE_BYTES (256u * 1024)

typedef struct Piece {
    char *bytes;
    size_t length;
    StrobeWrite write;
    void *user;
    unsigned *pending;
} Piece;

/* Of the files of this plugin. */
static struct {
    pthread_mutex_t users_lock, put_lock; /* taken before `lock` */
    unsigned n_users;
    pthread_mutex_t lock;
    pthread_cond_t filled, emptied;
    pthread_t thread;
    char *room;
    Piece pieces[PIECES];
    unsigned first, end; /* of the pieces that are on their way; they count on without end */
    bool is_over;
} behind = {
    .users_lock = PTHREAD_MUTEX_INITIALIZER,
    .put_lock = PTHREAD_MUTEX_INITIALIZER,
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .filled = PTHREAD_COND_INITIALIZER,
    .emptied = PTHREAD_COND_INITIALIZER,
};

static void *serve(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&behind.lock);
    for (;;) {
        Piece *piece;

        while (behind.first == behind.end && !behind.is_over)
            pthread_cond_wait(&behind.filled, &behind.lock);
        if (behind.first == behind.end)
            break;
        piece = &behind.pieces[behind.first % PIECES];
        pthread_mutex_unlock(&behind.lock);
        piece->write(piece->user, piece->bytes, piece->length);
        pthread_mutex_lock(&behind.lock);
        behind.first++;
        --*piece->pending;
        pthread_cond_broadcast(&behind.emptied);
    }
    pthread_mutex_unlock(&behind.lock);
    return NULL;
}

/* The signals are the program's, but for those of what the thread itself does. */
static bool start_thread(void)
{
    static const int own[] = {SIGBUS, SIGSEGV, SIGFPE, SIGILL, SIGPROF};
    sigset_t others, before;
    bool is_started;

    sigfillset(&others);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        sigdelset(&others, own[i]);
    pthread_sigmask(SIG_SETMASK, &others, &before);
    is_started = pthread_create(&behind.thread, NULL, serve, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return is_started;
}

static bool has_second_processor(void)
{
    cpu_set_t set;

    return sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 1;
}

static bool start(void)
{
    behind.room = has_second_processor() ? malloc((size_t)PIECES * PIECE_BYTES) : NULL;
    if (!behind.room)
        return false;
    for (unsigned i = 0; i < PIECES; i++)
        behind.pieces[i].bytes = behind.room + (size_t)i * PIECE_BYTES;
    behind.first = behind.end = 0;
    behind.is_over = false;
    if (start_thread())
        return true;
    free(behind.room);
    return false;
}

bool strobe_write_behind_begin(void)
{
    bool is_there;

    pthread_mutex_lock(&behind.users_lock);
    is_there = behind.n_users || start();
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

static void put_piece(const Piece *wanted, const char *bytes)
{
    Piece *piece;
    char *room;

    pthread_mutex_lock(&behind.lock);
    while (behind.end - behind.first == PIECES)
        pthread_cond_wait(&behind.emptied, &behind.lock);
    piece = &behind.pieces[behind.end % PIECES];
    pthread_mutex_unlock(&behind.lock);
    room = piece->bytes;
    memcpy(room, bytes, wanted->length); /* nobody else looks at a piece that is not on its way */
    *piece = *wanted;
    piece->bytes = room;
    pthread_mutex_lock(&behind.lock);
    ++*piece->pending;
    behind.end++;
    pthread_cond_signal(&behind.filled);
    pthread_mutex_unlock(&behind.lock);
}

void strobe_write_behind_put(unsigned *pending, StrobeWrite write, void *user, const char *bytes,
                             size_t length)
{
    Piece wanted = {.write = write, .user = user, .pending = pending};

    pthread_mutex_lock(&behind.put_lock);
    for (; length; bytes += wanted.length, length -= wanted.length) {
        wanted.length = length < PIECE_BYTES ? length : PIECE_BYTES;
        put_piece(&wanted, bytes);
    }
    pthread_mutex_unlock(&behind.put_lock);
}

void strobe_write_behind_wait(unsigned *pending)
{
    pthread_mutex_lock(&behind.lock);
    while (*pending)
        pthread_cond_wait(&behind.emptied, &behind.lock);
    pthread_mutex_unlock(&behind.lock);
}
