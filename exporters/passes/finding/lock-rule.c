/* SPDX-License-Identifier: Apache-2.0 */
#include "lock-rule.h"

#include <string.h>
#include <strobe/kinds.h>

#define LEAST_SHARE 10.0 /* % of the time; a thread that waits less is no finding */
#define MEDIUM_SHARE 20.0
#define HIGH_SHARE 50.0
#define THREADS_SHOWN 4u

/* Sets the range of the steps that are used: from the begin of the first step to the end of the
 * last one. */
static void find_range(const Case *c, gint64 *begin_ns, gint64 *end_ns)
{
    *begin_ns = G_MAXINT64;
    *end_ns = G_MININT64;
    for (guint i = c->first; i < c->steps->len; i++) {
        const BusyStep *step = &g_array_index(c->steps, BusyStep, i);

        *begin_ns = MIN(*begin_ns, step->begin_ns);
        *end_ns = MAX(*end_ns, step->end_ns);
    }
}

static gint64 sum_times(const GPtrArray *threads)
{
    gint64 sum = 0;

    for (guint i = 0; i < threads->len; i++)
        sum += ((const LockThread *)g_ptr_array_index(threads, i))->time_ns;
    return sum;
}

/* Returns the length of the function's name, without the name of the object file, at most 80. */
static int name_length(StrobeText name)
{
    const char *end = memchr(name.bytes, ' ', name.length);

    return (int)MIN(end ? (gsize)(end - name.bytes) : name.length, 80);
}

/* Appends the thread's name and number, the call in which it waits, and for how long. */
static void describe_thread(const Case *c, const LockThread *thread, double range_ns, GString *text)
{
    const StrobeTrackView *track = c->m->host->track(c->m->self, thread->track);
    StrobeText name = c->m->host->string(c->m->self, thread->name);
    StrobeText caller = c->m->host->string(c->m->self, thread->caller);

    g_string_append(text, text->len ? "; thread" : "thread");
    if (track && *track->name)
        g_string_append_printf(text, " %s (%" G_GUINT64_FORMAT ")", track->name, track->number);
    else if (track)
        g_string_append_printf(text, " %" G_GUINT64_FORMAT, track->number);
    g_string_append_printf(text, " %.1f %% in %.*s, %" G_GUINT64_FORMAT " x",
                           share_of((double)thread->time_ns, range_ns), name_length(name),
                           name.bytes, thread->count);
    if (caller.length)
        g_string_append_printf(text, ", from %.*s", (int)MIN(caller.length, 120), caller.bytes);
}

gboolean lock_rule_detect(const Case *c, Finding *out)
{
    gint64 begin_ns, end_ns;
    guint64 count = 0;

    find_range(c, &begin_ns, &end_ns);
    g_autoptr(GPtrArray) calls = lock_waits_threads(c->m->lock_calls, begin_ns, end_ns);
    g_autoptr(GPtrArray) stacks = lock_waits_threads(c->m->lock_stacks, begin_ns, end_ns);
    gboolean is_of_stacks = sum_times(stacks) > sum_times(calls);
    const GPtrArray *threads = is_of_stacks ? stacks : calls;
    double range_ns = (double)MAX(end_ns - begin_ns, 1);
    double most =
        threads->len
            ? share_of((double)((const LockThread *)g_ptr_array_index(threads, 0))->time_ns,
                       range_ns)
            : 0;
    if (most < LEAST_SHARE)
        return FALSE;
    GString *text = g_string_new(NULL);
    for (guint i = 0; i < threads->len; i++) {
        const LockThread *thread = g_ptr_array_index(threads, i);

        count += thread->count;
        if (i < THREADS_SHOWN)
            describe_thread(c, thread, range_ns, text);
    }
    out->id = "lock_contention";
    out->table = is_of_stacks ? "cpu_sample.wait" : "os_call";
    out->count = count;
    out->confidence = is_of_stacks ? 75 : 90;
    out->severity = most >= HIGH_SHARE ? "high" : most >= MEDIUM_SHARE ? "medium" : "low";
    out->summary = g_strdup_printf(
        "%u threads wait for a lock: on average %.2f at a time, and one of them for %.1f %% of the "
        "time.",
        threads->len, (double)sum_times(threads) / range_ns, most);
    out->evidence = g_string_free(text, FALSE);
    out->advice = "Hold the lock for less work, give each thread or part of the data a lock of its "
                  "own, or gather the work and take the lock once; collect cpu_sample with "
                  "off_cpu=true to see where it is taken.";
    return TRUE;
}
