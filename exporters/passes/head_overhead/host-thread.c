/* SPDX-License-Identifier: Apache-2.0 */
#include "host-thread.h"

/* Limits of the work on nested inferences. Real inferences are nested at most twice, but damaged
 * input must not take unlimited time. */
#define WORK_PER_EVENT 16
#define WORK_FREE 1048576

HostThread *host_thread_new(StrobeTrackId track)
{
    HostThread *thread = g_new0(HostThread, 1);

    thread->track = track;
    thread->spans = g_array_new(FALSE, FALSE, sizeof(HostSpan));
    thread->python = g_array_new(FALSE, FALSE, sizeof(PythonTime));
    thread->waiting = g_array_new(FALSE, FALSE, sizeof(HostSpan));
    thread->forgotten_ns = G_MININT64;
    thread->first_ns = G_MAXINT64;
    return thread;
}

void host_thread_free(gpointer data)
{
    HostThread *thread = data;

    g_array_unref(thread->spans);
    g_array_unref(thread->python);
    g_array_unref(thread->waiting);
    g_free(thread);
}

/* Adds an operator, and removes the operators inside it. If too many operators wait, drops the
 * oldest half of them, which probably belongs to no inference. */
static void add_operator(HostThread *thread, const HostSpan *span)
{
    GArray *waiting = thread->waiting;

    while (waiting->len) {
        const HostSpan *last = &g_array_index(waiting, HostSpan, waiting->len - 1);
        if (last->begin_ns < span->begin_ns || last->end_ns > span->end_ns)
            break;
        g_array_set_size(waiting, waiting->len - 1);
    }
    if (waiting->len == HOST_THREAD_OPERATORS_MAX) {
        guint half = HOST_THREAD_OPERATORS_MAX / 2;
        for (guint i = 0; i < half; i++)
            thread->forgotten_ns =
                MAX(thread->forgotten_ns, g_array_index(waiting, HostSpan, i).end_ns);
        g_array_remove_range(waiting, 0, half);
    }
    g_array_append_vals(waiting, span, 1);
}

/* Returns the begin of the C++ side of an inference, which is the begin of the first span with
 * ROLE_RUN inside it. Inner spans come before the spans that contain them. */
static gint64 run_inside(HostThread *thread, const HostSpan *inference)
{
    gint64 found = G_MAXINT64;

    for (guint i = thread->spans->len; i > 0; i--) {
        const HostSpan *span = &g_array_index(thread->spans, HostSpan, i - 1);
        if (span->end_ns < inference->begin_ns)
            break;
        thread->work++;
        if (span->role == ROLE_RUN && span->begin_ns >= inference->begin_ns &&
            span->end_ns <= inference->end_ns)
            found = MIN(found, span->begin_ns);
    }
    return found;
}

static PythonTime python_time(HostThread *thread, const HostSpan *inference)
{
    gint64 run_ns, covered_ns = inference->begin_ns;
    PythonTime time = {.is_known = thread->forgotten_ns <= inference->begin_ns &&
                                   thread->work <= WORK_PER_EVENT * thread->n_seen + WORK_FREE};
    guint first = thread->waiting->len;

    if (!time.is_known)
        return time;
    run_ns = run_inside(thread, inference);
    while (first > 0 &&
           g_array_index(thread->waiting, HostSpan, first - 1).begin_ns >= inference->begin_ns)
        first--;
    thread->work += thread->waiting->len - first;
    for (guint i = first; i < thread->waiting->len; i++) {
        const HostSpan *span = &g_array_index(thread->waiting, HostSpan, i);
        if (span->end_ns > run_ns || span->end_ns > inference->end_ns || span->end_ns <= covered_ns)
            continue;
        time.ns[span->role - ROLE_BUILD] += span->end_ns - MAX(span->begin_ns, covered_ns);
        covered_ns = span->end_ns;
    }
    return time;
}

gboolean host_thread_add(HostThread *thread, gint64 begin_ns, gint64 end_ns, Role role,
                         gboolean can_keep)
{
    HostSpan span = {begin_ns, MAX(begin_ns, end_ns), role, 0};

    thread->n_seen++;
    thread->first_ns = MIN(thread->first_ns, begin_ns);
    if (role == ROLE_NONE)
        return TRUE;
    if (role >= ROLE_BUILD) {
        add_operator(thread, &span);
        return TRUE;
    }
    if (!can_keep)
        return FALSE;
    if (role == ROLE_INFERENCE || role == ROLE_CACHE) {
        PythonTime time = python_time(thread, &span);
        g_array_append_val(thread->python, time);
        span.python = thread->python->len;
    }
    g_array_append_val(thread->spans, span);
    return TRUE;
}

static gint by_begin(gconstpointer a, gconstpointer b)
{
    const HostSpan *x = a, *y = b;

    if (x->begin_ns != y->begin_ns)
        return x->begin_ns < y->begin_ns ? -1 : 1;
    return (x->end_ns < y->end_ns) - (x->end_ns > y->end_ns);
}

void host_thread_sort(HostThread *thread)
{
    g_array_sort(thread->spans, by_begin);
}
