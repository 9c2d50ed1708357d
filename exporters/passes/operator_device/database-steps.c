/* SPDX-License-Identifier: Apache-2.0 */
#include "database-steps.h"

#include <stdlib.h>

/* The time range of the tasks that have the same id. */
typedef struct Tasks {
    guint64 connection;
    DatabaseStep span;
} Tasks;

typedef struct Called {
    gint64 begin_ns, end_ns;
    guint tasks; /* index in DatabaseSteps.tasks */
} Called;

struct DatabaseSteps {
    StrobeStateArray tasks;  /* elements of type Tasks, sorted by id */
    StrobeStateArray called; /* elements of type Called: calls with tasks, sorted by begin */
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

/* Joins successive entries with the same id to one entry. */
static void join_tasks(StrobeStateArray *tasks)
{
    gsize n = 0;

    for (gsize i = 0; i < tasks->n; i++) {
        const Tasks *task = &STROBE_STATE_ITEM(tasks, Tasks, i);
        Tasks *last = n ? &STROBE_STATE_ITEM(tasks, Tasks, n - 1) : NULL;

        if (last && last->connection == task->connection)
            add_span(&last->span, &task->span);
        else
            STROBE_STATE_ITEM(tasks, Tasks, n++) = *task;
    }
    strobe_state_array_shorten(tasks, n);
}

static void add_tasks(StrobeStateArray *tasks, const KernelMap *map)
{
    for (guint i = 0; i < map->kernels.n; i++) {
        const Kernel *kernel = &STROBE_STATE_ITEM(&map->kernels, Kernel, i);
        const Tasks task = {kernel->connection, {kernel->begin_ns, kernel->end_ns, i}};

        if (kernel->task != STROBE_ABSENT_U64)
            strobe_state_array_add(tasks, &task);
    }
    strobe_state_array_sort(tasks, compare_tasks);
    join_tasks(tasks);
}

static const Tasks *find_tasks(const DatabaseSteps *steps, guint64 connection)
{
    const Tasks key = {.connection = connection};

    return steps->tasks.n
               ? bsearch(&key, steps->tasks.items, steps->tasks.n, sizeof key, compare_tasks)
               : NULL;
}

static void add_calls(DatabaseSteps *steps, const KernelMap *map)
{
    for (guint i = 0; i < map->calls.n; i++) {
        const HostCall *call = &STROBE_STATE_ITEM(&map->calls, HostCall, i);
        const Tasks *tasks = find_tasks(steps, call->connection);

        if (tasks) {
            const Called called = {call->begin_ns, call->end_ns,
                                   (guint)(tasks - (const Tasks *)steps->tasks.items)};
            strobe_state_array_add(&steps->called, &called);
        }
    }
    strobe_state_array_sort(&steps->called, compare_called);
}

DatabaseSteps *database_steps_new(const KernelMap *map)
{
    DatabaseSteps *steps = g_new(DatabaseSteps, 1);

    strobe_state_array_init(&steps->tasks, map->kernels.storage, sizeof(Tasks));
    strobe_state_array_init(&steps->called, map->kernels.storage, sizeof(Called));
    add_tasks(&steps->tasks, map);
    add_calls(steps, map);
    return steps;
}

void database_steps_free(DatabaseSteps *steps)
{
    strobe_state_array_clear(&steps->tasks);
    strobe_state_array_clear(&steps->called);
    g_free(steps);
}

/* Returns the index of the first call that begins at `begin_ns` or later. */
static guint first_from(const DatabaseSteps *steps, gint64 begin_ns)
{
    guint low = 0, high = (guint)steps->called.n;

    while (low < high) {
        guint middle = low + (high - low) / 2;

        if (STROBE_STATE_ITEM(&steps->called, Called, middle).begin_ns < begin_ns)
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
    for (guint i = first_from(steps, begin_ns); i < steps->called.n; i++) {
        const Called *called = &STROBE_STATE_ITEM(&steps->called, Called, i);

        if (called->begin_ns > end_ns)
            break;
        if (called->end_ns > end_ns)
            continue;
        add_span(step, &STROBE_STATE_ITEM(&steps->tasks, Tasks, called->tasks).span);
        has_tasks = TRUE;
    }
    return has_tasks;
}
