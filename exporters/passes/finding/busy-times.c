/* SPDX-License-Identifier: Apache-2.0 */
#include "busy-times.h"
#include <glib.h>
#include <strobe/helpers/intervals.h>

/* The intervals of a thread, by part of a step. */
typedef struct BusyThread {
    StrobeTrackId track;
    StrobeIntervals parts[N_PARTS];
    gint64 gap_ns[N_PARTS]; /* intervals with smaller gaps between them were merged */
    gint64 busy_ns;
} BusyThread;

struct BusyTimes {
    GHashTable *threads;   /* track -> BusyThread */
    GArray *steps, *marks; /* elements of type BusyStep */
    gboolean has_steps;
};

static void free_thread(gpointer data)
{
    BusyThread *thread = data;

    for (guint i = 0; i < N_PARTS; i++)
        strobe_intervals_clear(&thread->parts[i]);
    g_free(thread);
}

BusyTimes *busy_times_new(void)
{
    BusyTimes *times = g_new0(BusyTimes, 1);

    times->threads = g_hash_table_new_full(g_direct_hash, g_direct_equal, NULL, free_thread);
    times->steps = g_array_new(FALSE, TRUE, sizeof(BusyStep));
    times->marks = g_array_new(FALSE, TRUE, sizeof(BusyStep));
    return times;
}

void busy_times_free(BusyTimes *times)
{
    g_hash_table_unref(times->threads);
    g_array_unref(times->steps);
    g_array_unref(times->marks);
    g_free(times);
}

static BusyThread *find_thread(BusyTimes *times, StrobeTrackId track)
{
    BusyThread *thread = g_hash_table_lookup(times->threads, GUINT_TO_POINTER(track));

    if (thread)
        return thread;
    thread = g_new0(BusyThread, 1);
    thread->track = track;
    g_hash_table_insert(times->threads, GUINT_TO_POINTER(track), thread);
    return thread;
}

/* Adds a span to a part of its thread. On a thread an inner span comes before the span that
 * contains it; the outer span replaces the inner one. */
void busy_times_add(BusyTimes *times, StrobeTrackId track, StepPart part, gint64 begin_ns,
                    gint64 end_ns)
{
    BusyThread *thread = find_thread(times, track);
    StrobeIntervals *set = &thread->parts[part];

    if (end_ns <= begin_ns)
        return;
    thread->busy_ns += end_ns - begin_ns;
    while (set->n) {
        const StrobeInterval *last = &set->items[set->n - 1];

        if (last->begin_ns <= begin_ns && last->end_ns >= end_ns)
            return;
        if (last->begin_ns < begin_ns || last->end_ns > end_ns)
            break;
        set->n--;
    }
    strobe_intervals_add(set, begin_ns, end_ns);
    if (set->n >= BUSY_STRETCHES_MAX)
        thread->gap_ns[part] =
            strobe_intervals_coarsen(set, BUSY_STRETCHES_MAX / 2, thread->gap_ns[part]);
}

static void add_step(GArray *steps, const BusyStep *step)
{
    if (step->end_ns > step->begin_ns && steps->len < BUSY_STEPS_MAX)
        g_array_append_vals(steps, step, 1);
}

void busy_times_add_step(BusyTimes *times, gint64 number, guint64 thread, gint64 begin_ns,
                         gint64 end_ns)
{
    const BusyStep step = {
        .number = number, .thread = thread, .begin_ns = begin_ns, .end_ns = end_ns};

    add_step(times->steps, &step);
}

void busy_times_add_mark(BusyTimes *times, gint64 number, guint64 thread, gint64 begin_ns,
                         gint64 end_ns)
{
    const BusyStep step = {
        .number = number, .thread = thread, .begin_ns = begin_ns, .end_ns = end_ns};

    add_step(times->marks, &step);
}

static gint compare_steps(gconstpointer a, gconstpointer b)
{
    const BusyStep *x = a, *y = b;

    if (x->begin_ns != y->begin_ns)
        return x->begin_ns < y->begin_ns ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

/* Returns the thread that announced the steps. If none did, returns the thread with the most
 * recorded time; NULL: there are no threads. */
static BusyThread *find_main_thread(BusyTimes *times, const StrobeConsumerHost *host,
                                    StrobeInstance *self)
{
    guint64 announcer = times->steps->len ? g_array_index(times->steps, BusyStep, 0).thread : 0;
    BusyThread *thread, *busiest = NULL;
    GHashTableIter iter;

    g_hash_table_iter_init(&iter, times->threads);
    while (g_hash_table_iter_next(&iter, NULL, (gpointer *)&thread)) {
        const StrobeTrackView *track = host->track(self, thread->track);

        if (announcer && track && track->type == STROBE_TRACK_THREAD && track->number == announcer)
            return thread;
        if (!busiest || thread->busy_ns > busiest->busy_ns ||
            (thread->busy_ns == busiest->busy_ns && thread->track < busiest->track))
            busiest = thread;
    }
    return busiest;
}

/* Returns the garbage collections of all threads, because each one stops all threads of the
 * interpreter. */
static StrobeIntervals collect_gc(BusyTimes *times)
{
    StrobeIntervals all = {0};
    BusyThread *thread;
    GHashTableIter iter;

    g_hash_table_iter_init(&iter, times->threads);
    while (g_hash_table_iter_next(&iter, NULL, (gpointer *)&thread))
        strobe_intervals_append(&all, &thread->parts[PART_GC]);
    strobe_intervals_merge(&all);
    return all;
}

/* Sets the parts of each step. A time that belongs to several parts counts for the first of these
 * parts. */
static void divide_steps(BusyTimes *times, BusyThread *thread)
{
    StrobeIntervals covered = collect_gc(times);

    for (guint part = 0; part <= N_PARTS; part++) {
        if (part > 0 && part < N_PARTS && thread) {
            strobe_intervals_append(&covered, &thread->parts[part]);
            strobe_intervals_merge(&covered);
        }
        for (guint i = 0; i < times->steps->len; i++) {
            BusyStep *step = &g_array_index(times->steps, BusyStep, i);
            gint64 before = 0;

            for (guint k = 0; k < part; k++)
                before += step->parts[k];
            step->parts[part] =
                (part < N_PARTS ? strobe_intervals_covered(&covered, step->begin_ns, step->end_ns)
                                : step->end_ns - step->begin_ns) -
                before;
        }
    }
    strobe_intervals_clear(&covered);
}

const GArray *busy_times_steps(BusyTimes *times, const StrobeConsumerHost *host,
                               StrobeInstance *self)
{
    const StrobeMetadata *metadata = host->metadata(self);

    if (times->steps->len == 0)
        g_array_append_vals(times->steps, times->marks->data, times->marks->len);
    g_array_sort(times->steps, compare_steps);
    times->has_steps = times->steps->len > 0;
    if (!times->has_steps)
        busy_times_add_step(times, -1, 0, metadata->window_begin_ns, metadata->window_end_ns);
    divide_steps(times, find_main_thread(times, host, self));
    return times->steps;
}

gboolean busy_times_has_steps(const BusyTimes *times)
{
    return times->has_steps;
}
