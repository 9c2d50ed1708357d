/* SPDX-License-Identifier: Apache-2.0 */
#include "turns.h"

#include <pthread.h>

struct StrobeTurns {
    pthread_mutex_t lock;
    pthread_cond_t ended;
    guint most;
    guint64 first;     /* the least that has not ended */
    guint8 *has_ended; /* of those from there on, each at its remainder by `most` */
};

StrobeTurns *strobe_turns_new(guint most)
{
    StrobeTurns *turns = g_new0(StrobeTurns, 1);

    pthread_mutex_init(&turns->lock, NULL);
    pthread_cond_init(&turns->ended, NULL);
    turns->most = MAX(most, 1);
    turns->has_ended = g_new0(guint8, turns->most);
    return turns;
}

void strobe_turns_free(StrobeTurns *turns)
{
    pthread_mutex_destroy(&turns->lock);
    pthread_cond_destroy(&turns->ended);
    g_free(turns->has_ended);
    g_free(turns);
}

void strobe_turns_wait(StrobeTurns *turns, guint64 turn)
{
    pthread_mutex_lock(&turns->lock);
    while (turns->first < turn)
        pthread_cond_wait(&turns->ended, &turns->lock);
    pthread_mutex_unlock(&turns->lock);
}

void strobe_turns_end(StrobeTurns *turns, guint64 turn)
{
    guint8 *has_ended;

    pthread_mutex_lock(&turns->lock);
    turns->has_ended[turn % turns->most] = TRUE;
    while (*(has_ended = &turns->has_ended[turns->first % turns->most])) {
        *has_ended = FALSE;
        turns->first++;
    }
    pthread_cond_broadcast(&turns->ended);
    pthread_mutex_unlock(&turns->lock);
}
