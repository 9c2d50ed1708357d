/* SPDX-License-Identifier: Apache-2.0 */
#include "pass-ends.h"

#include <pthread.h>
#include <string.h>
#include <strobe/helpers/thread.h>

#include "memory-limit.h"

#define PIECES 4u        /* of one pass that wait, whatever waits of others */
#define PIECES_MAX 64u   /* of one; a pass waits for its turn with its thread idle */
#define MEMORY_PARTS 16u /* of the memory, one for those of all that are more than PIECES */
#define WAITING 2u       /* passes that may wait, for each thread that may run */

struct pass_end {
    StrobePassEnd end; /* first */
    StrobePassEnds *ends;
    StrobeConsumer *pass;
    pthread_t thread;
    gboolean has_thread; /* the caller's alone */
    /* Under the lock. */
    gboolean is_over, is_turn;
    gboolean is_waiting; /* for its turn, or for who takes its pieces */
    guint first, n;      /* pieces that wait, the one that is being taken too */
    struct piece {
        char *bytes;
        gsize used;
    } pieces[PIECES_MAX];
};

struct StrobePassEnds {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    guint n_passes, n_threads;
    guint next;                  /* the first that has not ended for those behind it */
    guint n_pieces, most_pieces; /* that wait, of all */
    guint n_spare;
    char *spare[PIECES_MAX]; /* memory of pieces that were taken */
    struct pass_end *all;
};

StrobePassEnds *strobe_pass_ends_new(const GPtrArray *passes, guint n_threads)
{
    StrobePassEnds *ends = g_new0(StrobePassEnds, 1);

    pthread_mutex_init(&ends->lock, NULL);
    pthread_cond_init(&ends->changed, NULL);
    ends->n_passes = passes->len;
    ends->n_threads = n_threads;
    ends->most_pieces =
        (guint)MIN(strobe_memory_limit() / MEMORY_PARTS / STROBE_SPOOL_PIECE, PIECES_MAX);
    ends->all = g_new0(struct pass_end, passes->len + 1);
    for (guint i = 0; i < passes->len; i++) {
        ends->all[i].ends = ends;
        ends->all[i].pass = g_ptr_array_index(passes, i);
    }
    return ends;
}

void strobe_pass_ends_free(StrobePassEnds *ends)
{
    pthread_mutex_destroy(&ends->lock);
    pthread_cond_destroy(&ends->changed);
    while (ends->n_spare)
        g_free(ends->spare[--ends->n_spare]);
    g_free(ends->all);
    g_free(ends);
}

/* ---- in the pass's thread ---- */

/* Under the lock. Its processor is there for another pass meanwhile. */
static void wait_for_others(struct pass_end *end)
{
    if (!end->is_waiting) {
        end->is_waiting = TRUE;
        pthread_cond_broadcast(&end->ends->changed);
    }
    pthread_cond_wait(&end->ends->changed, &end->ends->lock);
}

static void await_others(struct pass_end *end, gboolean is_alone)
{
    pthread_mutex_lock(&end->ends->lock);
    while (!end->is_turn || (end->n && !is_alone))
        wait_for_others(end);
    end->is_waiting = FALSE;
    pthread_mutex_unlock(&end->ends->lock);
}

static void await_all(StrobePassEnd *end)
{
    await_others((struct pass_end *)end, FALSE);
}

/* Where none of those that take what it derives interns, they need not have done so. */
static void await_for_texts(StrobePassEnd *end)
{
    await_others((struct pass_end *)end, ((struct pass_end *)end)->pass->interns_alone);
}

/* Under the lock. */
static gboolean has_place(const struct pass_end *end)
{
    return end->n < PIECES || (end->n < PIECES_MAX && end->ends->n_pieces < end->ends->most_pieces);
}

/* What waits is not copied: the spool goes on in other memory. */
static void put_piece(gpointer user, const char *bytes, gsize n)
{
    struct pass_end *end = user;
    StrobePassEnds *ends = end->ends;
    char *spare;

    (void)bytes;
    pthread_mutex_lock(&ends->lock);
    while (!has_place(end))
        wait_for_others(end);
    end->is_waiting = FALSE;
    spare = ends->n_spare ? ends->spare[--ends->n_spare] : NULL;
    end->pieces[(end->first + end->n) % PIECES_MAX] =
        (struct piece){strobe_spool_swap(end->pass->spool, spare), n};
    end->n++;
    ends->n_pieces++;
    pthread_cond_broadcast(&ends->changed);
    pthread_mutex_unlock(&ends->lock);
}

static void end_pass(StrobeConsumer *pass)
{
    strobe_consumer_end(pass);
    if (!pass->failure)
        strobe_spool_finish(pass->spool);
}

static void *serve(void *data)
{
    struct pass_end *end = data;

    end_pass(end->pass);
    pthread_mutex_lock(&end->ends->lock);
    end->is_over = TRUE;
    pthread_cond_broadcast(&end->ends->changed);
    pthread_mutex_unlock(&end->ends->lock);
    return NULL;
}

/* ---- in the caller's ---- */

static gboolean wants_of(const StrobeConsumer *pass, const StrobeConsumer *other)
{
    for (uint32_t i = 0; i < other->component->n_kinds; i++)
        if (g_hash_table_contains(pass->wanted, other->component->kinds[i]->name))
            return TRUE;
    return FALSE;
}

/* Has it all that it wants? */
static gboolean is_ready(const StrobePassEnds *ends, guint index)
{
    for (guint i = ends->next; i < index; i++)
        if (wants_of(ends->all[index].pass, ends->all[i].pass))
            return FALSE;
    return TRUE;
}

static void begin(struct pass_end *end)
{
    StrobeConsumer *pass = end->pass;

    end->end = (StrobePassEnd){.await = await_all, .await_texts = await_for_texts};
    pass->end = &end->end;
    strobe_spool_hand_on(pass->spool, put_piece, end);
    end->has_thread = strobe_thread_start(&end->thread, serve, end) == 0;
    if (end->has_thread)
        pthread_setname_np(end->thread, "strobe-pass");
    else
        pass->end = NULL;
}

/* May one more begin to end, where `most` may run? */
static gboolean has_room(StrobePassEnds *ends, guint most)
{
    guint n_running = 0, n_waiting = 0;

    pthread_mutex_lock(&ends->lock);
    for (guint i = ends->next; i < ends->n_passes; i++)
        if (ends->all[i].has_thread && !ends->all[i].is_over) {
            n_running += !ends->all[i].is_waiting;
            n_waiting += ends->all[i].is_waiting;
        }
    pthread_mutex_unlock(&ends->lock);
    return n_running < most && n_waiting < WAITING * most;
}

/* The one whose turn it is, and of those behind it as many as make `most` that run. */
static void begin_ready(StrobePassEnds *ends, guint most)
{
    for (guint i = ends->next; i < ends->n_passes; i++) {
        struct pass_end *end = &ends->all[i];

        if (i > ends->next && !has_room(ends, most))
            return;
        if (!end->has_thread && end->pass->is_open && !end->pass->failure && is_ready(ends, i))
            begin(end);
    }
}

/* May one behind the pass whose turn it is begin? By what nobody changes who has batches. */
static gboolean may_begin(StrobePassEnds *ends, guint most)
{
    if (!has_room(ends, most))
        return FALSE;
    for (guint i = ends->next + 1; i < ends->n_passes; i++)
        if (!ends->all[i].has_thread && is_ready(ends, i))
            return TRUE;
    return FALSE;
}

static gboolean is_waiting(const struct pass_end *end)
{
    return !end->n && !end->is_over;
}

/* The piece that is to be taken, behind one that has been (`n_taken`); NULL: it has ended. The
 * processor of who waits for one is there for another pass. */
static const struct piece *next_piece(struct pass_end *end, guint n_taken)
{
    StrobePassEnds *ends = end->ends;
    const struct piece *piece = NULL;

    pthread_mutex_lock(&ends->lock);
    while (is_waiting(end)) {
        pthread_mutex_unlock(&ends->lock);
        begin_ready(ends, ends->n_threads + 1);
        pthread_mutex_lock(&ends->lock);
        if (is_waiting(end))
            pthread_cond_wait(&ends->changed, &ends->lock);
    }
    if (end->n > n_taken)
        piece = &end->pieces[(end->first + n_taken) % PIECES_MAX];
    pthread_mutex_unlock(&ends->lock);
    return piece;
}

/* So many that are needed no more; TRUE: behind the first that is left there is another. */
static gboolean drop_pieces(struct pass_end *end, guint n)
{
    StrobePassEnds *ends = end->ends;
    gboolean has_more;

    pthread_mutex_lock(&ends->lock);
    for (guint i = 0; i < n; i++) {
        char *bytes = end->pieces[(end->first + i) % PIECES_MAX].bytes;

        if (ends->n_spare < ends->most_pieces)
            ends->spare[ends->n_spare++] = bytes;
        else
            g_free(bytes);
    }
    end->first = (end->first + n) % PIECES_MAX;
    end->n -= n;
    ends->n_pieces -= n;
    has_more = end->n > 1;
    if (n)
        pthread_cond_broadcast(&ends->changed);
    pthread_mutex_unlock(&ends->lock);
    return has_more;
}

/* A piece that has been taken is in use until the next one has been, if that is there already. A
 * pass begins to end while nobody has a batch, which might be its own. */
static void take_pieces(struct pass_end *end, StrobeSpoolTake take, gpointer user)
{
    const struct piece *piece;
    guint n_taken = 0;

    pthread_mutex_lock(&end->ends->lock);
    end->is_turn = TRUE;
    pthread_cond_broadcast(&end->ends->changed);
    pthread_mutex_unlock(&end->ends->lock);
    while ((piece = next_piece(end, n_taken))) {
        if (!n_taken) {
            begin_ready(end->ends, end->ends->n_threads);
        } else if (may_begin(end->ends, end->ends->n_threads)) {
            take(user, NULL, 0);
            begin_ready(end->ends, end->ends->n_threads);
        }
        take(user, piece->bytes, piece->used);
        if (drop_pieces(end, n_taken)) {
            n_taken = 1;
            continue;
        }
        take(user, NULL, 0);
        drop_pieces(end, 1);
        n_taken = 0;
    }
    pthread_join(end->thread, NULL);
}

/* Who takes what a pass without a thread of its own derives. */
typedef struct Direct {
    StrobeSpoolTake take;
    gpointer user;
} Direct;

static void take_at_once(gpointer user, const char *bytes, gsize n)
{
    const Direct *direct = user;

    direct->take(direct->user, bytes, n);
    direct->take(direct->user, NULL, 0);
}

void strobe_pass_ends_begin(StrobePassEnds *ends)
{
    if (ends->n_threads)
        begin_ready(ends, ends->n_threads + 1);
}

void strobe_pass_ends_end(StrobePassEnds *ends, guint index, StrobeSpoolTake take, gpointer user)
{
    struct pass_end *end = &ends->all[index];
    StrobeConsumer *pass = end->pass;
    Direct direct = {take, user};
    g_autoptr(GError) failure = NULL;

    ends->next = index;
    if (ends->n_threads)
        begin_ready(ends, ends->n_threads);
    if (end->has_thread || !pass->failure)
        strobe_spool_read(pass->spool, take, user, &failure);
    if (end->has_thread) {
        take_pieces(end, take, user);
    } else if (!pass->failure) {
        pass->failure = g_steal_pointer(&failure);
        strobe_spool_hand_on(pass->spool, take_at_once, &direct);
        end_pass(pass);
    }
    if (failure && !pass->failure)
        pass->failure = g_steal_pointer(&failure);
    ends->next = index + 1;
}
