/* SPDX-License-Identifier: Apache-2.0 */
#include "crew.h"

#include <pthread.h>
#include <strobe/helpers/thread.h>

struct StrobeCrew {
    pthread_mutex_t lock;
    pthread_cond_t begun, ended;
    pthread_t *threads;
    guint n_threads;
    guint number;     /* of the run, so that a thread knows a new one */
    guint n_inside;   /* threads that take calls of it */
    gboolean is_open; /* there may be calls to take: who wakes later is not waited for */
    gboolean is_over;

    /* Of the run. */
    StrobeCrewCall call;
    gpointer user;
    guint n;
    gint next; /* call that nobody has taken yet; atomic */
};

static void take_calls(StrobeCrew *crew)
{
    guint index;

    while ((index = (guint)g_atomic_int_add(&crew->next, 1)) < crew->n)
        crew->call(crew->user, index);
}

static void *serve(void *data)
{
    StrobeCrew *crew = data;
    guint done = 0;

    pthread_mutex_lock(&crew->lock);
    for (;;) {
        while ((crew->number == done || !crew->is_open) && !crew->is_over)
            pthread_cond_wait(&crew->begun, &crew->lock);
        if (crew->is_over)
            break;
        done = crew->number;
        crew->n_inside++;
        pthread_mutex_unlock(&crew->lock);
        take_calls(crew);
        pthread_mutex_lock(&crew->lock);
        if (--crew->n_inside == 0)
            pthread_cond_signal(&crew->ended);
    }
    pthread_mutex_unlock(&crew->lock);
    return NULL;
}

static gboolean start(StrobeCrew *crew)
{
    pthread_t *thread = &crew->threads[crew->n_threads];

    if (strobe_thread_start(thread, serve, crew) != 0)
        return FALSE;
    pthread_setname_np(*thread, "strobe-crew");
    return TRUE;
}

StrobeCrew *strobe_crew_new(guint most)
{
    guint n = MIN(g_get_num_processors() - 1, most);
    StrobeCrew *crew;

    if (n == 0)
        return NULL;
    crew = g_new0(StrobeCrew, 1);
    pthread_mutex_init(&crew->lock, NULL);
    pthread_cond_init(&crew->begun, NULL);
    pthread_cond_init(&crew->ended, NULL);
    crew->threads = g_new0(pthread_t, n);
    while (crew->n_threads < n && start(crew))
        crew->n_threads++;
    return crew;
}

void strobe_crew_free(StrobeCrew *crew)
{
    if (!crew)
        return;
    pthread_mutex_lock(&crew->lock);
    crew->is_over = TRUE;
    pthread_cond_broadcast(&crew->begun);
    pthread_mutex_unlock(&crew->lock);
    for (guint i = 0; i < crew->n_threads; i++)
        pthread_join(crew->threads[i], NULL);
    pthread_mutex_destroy(&crew->lock);
    pthread_cond_destroy(&crew->begun);
    pthread_cond_destroy(&crew->ended);
    g_free(crew->threads);
    g_free(crew);
}

void strobe_crew_run(StrobeCrew *crew, StrobeCrewCall call, gpointer user, guint n)
{
    if (!crew || crew->n_threads == 0 || n < 2) {
        for (guint i = 0; i < n; i++)
            call(user, i);
        return;
    }
    pthread_mutex_lock(&crew->lock);
    crew->call = call;
    crew->user = user;
    crew->n = n;
    g_atomic_int_set(&crew->next, 1);
    crew->is_open = TRUE;
    crew->number++;
    pthread_cond_broadcast(&crew->begun);
    pthread_mutex_unlock(&crew->lock);
    call(user, 0);
    take_calls(crew);
    pthread_mutex_lock(&crew->lock);
    crew->is_open = FALSE;
    while (crew->n_inside)
        pthread_cond_wait(&crew->ended, &crew->lock);
    pthread_mutex_unlock(&crew->lock);
}
