/* SPDX-License-Identifier: Apache-2.0 */
#include "turns.h"

#include <pthread.h>
#include <string.h>

struct StrobeTurns {
    pthread_mutex_t lock;
    pthread_cond_t ended;
    guint n, first; /* the least that has not ended */
    guint8 *has_ended;
};

StrobeTurns *strobe_turns_new(guint n)
{
    StrobeTurns *turns = g_new0(StrobeTurns, 1);

    pthread_mutex_init(&turns->lock, NULL);
    pthread_cond_init(&turns->ended, NULL);
    turns->n = n;
    turns->has_ended = g_new0(guint8, n + 1);
    return turns;
}

void strobe_turns_free(StrobeTurns *turns)
{
    pthread_mutex_destroy(&turns->lock);
    pthread_cond_destroy(&turns->ended);
    g_free(turns->has_ended);
    g_free(turns);
}

void strobe_turns_begin(StrobeTurns *turns)
{
    pthread_mutex_lock(&turns->lock);
    memset(turns->has_ended, 0, turns->n);
    turns->first = 0;
    pthread_mutex_unlock(&turns->lock);
}

void strobe_turns_wait(StrobeTurns *turns, guint index)
{
    pthread_mutex_lock(&turns->lock);
    while (turns->first < index)
        pthread_cond_wait(&turns->ended, &turns->lock);
    pthread_mutex_unlock(&turns->lock);
}

void strobe_turns_end(StrobeTurns *turns, guint index)
{
    pthread_mutex_lock(&turns->lock);
    turns->has_ended[index] = TRUE;
    while (turns->has_ended[turns->first]) /* behind the last there is none */
        turns->first++;
    pthread_cond_broadcast(&turns->ended);
    pthread_mutex_unlock(&turns->lock);
}
