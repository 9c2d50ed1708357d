/* SPDX-License-Identifier: Apache-2.0 */
#include "crew.h"

#include <pthread.h>
#include <strobe/helpers/thread.h>

/* Before a thread falls asleep it looks so long whether something has changed: as long as it takes
 * to wake one. More threads than these do not. */
#define LOOK_US 20
#define LOOKERS_MAX 2u

/* Calls that are being made, on the stack of who waits for them. */
struct job {
    StrobeCrewCall call;
    gpointer user;
    guint n;
    gint next;      /* call that nobody has taken yet; atomic */
    guint n_inside; /* threads of the crew that take calls of it */
    struct job *older;
};

static inline void pause_processor(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("isb"); /* yield takes no time */
#endif
}

struct StrobeCrew {
    pthread_mutex_t lock;
    pthread_cond_t changed; /* a job has begun, or nobody is inside of one any more */
    gint n_changes;         /* of that; atomic */
    guint n_asleep, n_looking;
    pthread_t *threads;
    guint n_threads;
    gboolean is_over;
    struct job *newest; /* who wakes when a job has gone is not waited for */
    const StrobeCrewFlow *flow;
    gpointer flow_user;
};

/* Under the lock. */
static void tell(StrobeCrew *crew)
{
    g_atomic_int_inc(&crew->n_changes);
    if (crew->n_asleep)
        pthread_cond_broadcast(&crew->changed);
}

static void look(const StrobeCrew *crew, gint seen)
{
    const gint64 end_us = g_get_monotonic_time() + LOOK_US;

    do {
        for (guint i = 0; i < 16 && g_atomic_int_get(&crew->n_changes) == seen; i++)
            pause_processor();
    } while (g_atomic_int_get(&crew->n_changes) == seen && g_get_monotonic_time() < end_us);
}

/* Until something has changed; the lock is not held meanwhile. */
static void await(StrobeCrew *crew)
{
    const gint seen = crew->n_changes;

    if (crew->n_looking < LOOKERS_MAX) {
        crew->n_looking++;
        pthread_mutex_unlock(&crew->lock);
        look(crew, seen);
        pthread_mutex_lock(&crew->lock);
        crew->n_looking--;
    }
    crew->n_asleep++;
    while (crew->n_changes == seen)
        pthread_cond_wait(&crew->changed, &crew->lock);
    crew->n_asleep--;
}

static void take_calls(struct job *job)
{
    guint index;

    while ((index = (guint)g_atomic_int_add(&job->next, 1)) < job->n)
        job->call(job->user, index);
}

/* One that has calls left, the newest: others wait for it. */
static struct job *find_job(const StrobeCrew *crew)
{
    struct job *job = crew->newest;

    while (job && (guint)g_atomic_int_get(&job->next) >= job->n)
        job = job->older;
    return job;
}

/* Under the lock, which is not held meanwhile. */
static void help(StrobeCrew *crew, struct job *job)
{
    job->n_inside++;
    pthread_mutex_unlock(&crew->lock);
    take_calls(job);
    pthread_mutex_lock(&crew->lock);
    if (--job->n_inside == 0)
        tell(crew);
}

/* A call of the flow, the same way; FALSE: there is none. */
static gboolean go_on(StrobeCrew *crew)
{
    const StrobeCrewFlow *flow = crew->flow;
    gint call = flow ? flow->take(crew->flow_user) : -1;

    if (call < 0)
        return FALSE;
    pthread_mutex_unlock(&crew->lock);
    flow->call(crew->flow_user, (guint)call);
    pthread_mutex_lock(&crew->lock);
    flow->ended(crew->flow_user, (guint)call);
    tell(crew);
    return TRUE;
}

static void *serve(void *data)
{
    StrobeCrew *crew = data;
    struct job *job;

    pthread_mutex_lock(&crew->lock);
    while (!crew->is_over) {
        job = find_job(crew);
        if (job)
            help(crew, job);
        else if (!go_on(crew))
            await(crew);
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
    /* GLib counts all processors where this process may not use the first ones. */
    guint n = MIN(strobe_thread_processors() - 1, most);
    StrobeCrew *crew;

    if (n == 0)
        return NULL;
    crew = g_new0(StrobeCrew, 1);
    pthread_mutex_init(&crew->lock, NULL);
    pthread_cond_init(&crew->changed, NULL);
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
    tell(crew);
    pthread_mutex_unlock(&crew->lock);
    for (guint i = 0; i < crew->n_threads; i++)
        pthread_join(crew->threads[i], NULL);
    pthread_mutex_destroy(&crew->lock);
    pthread_cond_destroy(&crew->changed);
    g_free(crew->threads);
    g_free(crew);
}

guint strobe_crew_n_threads(const StrobeCrew *crew)
{
    return crew ? crew->n_threads : 0;
}

static void leave_out(StrobeCrew *crew, const struct job *job)
{
    struct job **at = &crew->newest;

    while (*at != job)
        at = &(*at)->older;
    *at = job->older;
}

/* `is_outermost`: nothing is left to do below it, so that it helps others to what it waits for. */
static void run(StrobeCrew *crew, StrobeCrewCall call, gpointer user, guint n,
                gboolean is_outermost)
{
    struct job job = {.call = call, .user = user, .n = n, .next = 1}, *other;

    if (strobe_crew_n_threads(crew) == 0 || n < 2) {
        for (guint i = 0; i < n; i++)
            call(user, i);
        return;
    }
    pthread_mutex_lock(&crew->lock);
    job.older = crew->newest;
    crew->newest = &job;
    tell(crew);
    pthread_mutex_unlock(&crew->lock);
    call(user, 0);
    take_calls(&job);
    pthread_mutex_lock(&crew->lock);
    leave_out(crew, &job);
    while (job.n_inside) {
        other = is_outermost ? find_job(crew) : NULL;
        if (other)
            help(crew, other);
        else
            await(crew);
    }
    pthread_mutex_unlock(&crew->lock);
}

void strobe_crew_run(StrobeCrew *crew, StrobeCrewCall call, gpointer user, guint n)
{
    run(crew, call, user, n, TRUE);
}

void strobe_crew_share(StrobeCrew *crew, StrobeCrewCall call, gpointer user, guint n)
{
    run(crew, call, user, n, FALSE);
}

void strobe_crew_set_flow(StrobeCrew *crew, const StrobeCrewFlow *flow, gpointer user)
{
    pthread_mutex_lock(&crew->lock);
    crew->flow = flow;
    crew->flow_user = user;
    pthread_mutex_unlock(&crew->lock);
}

void strobe_crew_flow_until(StrobeCrew *crew, gboolean (*is_so)(gpointer user))
{
    struct job *job;

    pthread_mutex_lock(&crew->lock);
    while (!is_so(crew->flow_user)) {
        job = find_job(crew);
        if (job)
            help(crew, job);
        else if (!go_on(crew))
            await(crew);
    }
    pthread_mutex_unlock(&crew->lock);
}

void strobe_crew_flow_change(StrobeCrew *crew, void (*change)(gpointer user), gboolean wakes)
{
    pthread_mutex_lock(&crew->lock);
    change(crew->flow_user);
    if (wakes)
        tell(crew);
    pthread_mutex_unlock(&crew->lock);
}
