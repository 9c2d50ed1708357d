/* SPDX-License-Identifier: Apache-2.0 */
#include "database-steps.h"

/* The time range of the tasks of one id. */
typedef struct Tasks {
    guint64 connection;
    DatabaseStep span;
} Tasks;

typedef struct Called {
    gint64 begin_ns, end_ns;
    guint tasks; /* index in DatabaseSteps.tasks */
} Called;

struct DatabaseSteps {
    GArray *tasks;  /* of Tasks, sorted by id */
    GArray *called; /* of Called: calls with tasks, sorted by begin */
};

static gint compare_tasks(gconstpointer a, gconstpointer b)
{
    const Tasks *x = a, *y = b;

    return (x->connection > y->connection) - (x->connection < y->connection);
}

static gint compare_called(gconstpointer a, gconstpointer b)
{
    const Called *x = a, *y = b;

    return (x->begin_ns > y->begin_ns) - (x->begin_ns < y->begin_ns);
}

static void add_span(DatabaseStep *to, const DatabaseStep *span)
{
    to->begin_ns = MIN(to->begin_ns, span->begin_ns);
    to->end_ns = MAX(to->end_ns, span->end_ns);
    to->last = MAX(to->last, span->last);
}

/* Returns an entry (Tasks) for each id. */
static GArray *tasks_of(const KernelMap *map)
{
    GArray *tasks = g_array_new(FALSE, FALSE, sizeof(Tasks));
    guint n = 0;

    for (guint i = 0; i < map->kernels->len; i++) {
        const Kernel *kernel = &g_array_index(map->kernels, Kernel, i);
        const Tasks task = {kernel->connection, {kernel->begin_ns, kernel->end_ns, i}};

        if (kernel->task != STROBE_ABSENT_U64)
            g_array_append_val(tasks, task);
    }
    g_array_sort(tasks, compare_tasks);
    for (guint i = 0; i < tasks->len; i++) {
        const Tasks *task = &g_array_index(tasks, Tasks, i);
        Tasks *last = n ? &g_array_index(tasks, Tasks, n - 1) : NULL;

        if (last && last->connection == task->connection)
            add_span(&last->span, &task->span);
        else
            g_array_index(tasks, Tasks, n++) = *task;
    }
    g_array_set_size(tasks, n);
    return tasks;
}

DatabaseSteps *database_steps_new(const KernelMap *map)
{
    DatabaseSteps *steps = g_new(DatabaseSteps, 1);

    steps->tasks = tasks_of(map);
    steps->called = g_array_new(FALSE, FALSE, sizeof(Called));
    for (guint i = 0; i < map->calls->len; i++) {
        const HostCall *call = &g_array_index(map->calls, HostCall, i);
        const Tasks key = {.connection = call->connection};
        Called called = {call->begin_ns, call->end_ns, 0};

        if (g_array_binary_search(steps->tasks, &key, compare_tasks, &called.tasks))
            g_array_append_val(steps->called, called);
    }
    g_array_sort(steps->called, compare_called);
    return steps;
}

void database_steps_free(DatabaseSteps *steps)
{
    g_array_unref(steps->tasks);
    g_array_unref(steps->called);
    g_free(steps);
}

/* Returns the index of the first call that does not begin before `begin_ns`. */
static guint first_from(const DatabaseSteps *steps, gint64 begin_ns)
{
    guint low = 0, high = steps->called->len;

    while (low < high) {
        guint middle = low + (high - low) / 2;

        if (g_array_index(steps->called, Called, middle).begin_ns < begin_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

gboolean database_steps_find(const DatabaseSteps *steps, gint64 begin_ns, gint64 end_ns,
                             DatabaseStep *step)
{
    gboolean has_tasks = FALSE;

    *step = (DatabaseStep){G_MAXINT64, G_MININT64, 0};
    for (guint i = first_from(steps, begin_ns); i < steps->called->len; i++) {
        const Called *called = &g_array_index(steps->called, Called, i);

        if (called->begin_ns > end_ns)
            break;
        if (called->end_ns > end_ns)
            continue;
        add_span(step, &g_array_index(steps->tasks, Tasks, called->tasks).span);
        has_tasks = TRUE;
    }
    return has_tasks;
}
