/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel-map.h"

#include <strobe/helpers/keyed-hash.h>

/* A flow event from the host to a device. If the same end comes several times, the first one is
 * used. */
typedef struct Flow {
    gint64 from_ns, to_ns;
    StrobeTrackId to_track;
    gboolean has_from, has_to;
} Flow;

/* A kernel and the time of its launch. */
typedef struct Instant {
    gint64 at_ns;
    guint64 thread; /* thread of the launch, if known */
    /* order: number of the flow event or of the kernel in the order of arrival, which sorts equal
     * times. kernel: index of the kernel */
    guint order, kernel;
} Instant;

void kernel_map_init(KernelMap *map, StrobeStorage *storage)
{
    strobe_state_array_init(&map->kernels, storage, sizeof(Kernel));
    strobe_state_array_init(&map->dequeues, storage, sizeof(QueueSpan));
    strobe_state_array_init(&map->calls, storage, sizeof(HostCall));
    strobe_state_array_init(&map->flows, storage, sizeof(Flow));
    map->flow_at = g_hash_table_new(strobe_hash_of_text, g_str_equal);
    strobe_state_array_init(&map->launches, storage, sizeof(Launch));
    map->has_queue = map->by_thread = FALSE;
}

void kernel_map_clear(KernelMap *map)
{
    strobe_state_array_clear(&map->kernels);
    strobe_state_array_clear(&map->dequeues);
    strobe_state_array_clear(&map->calls);
    strobe_state_array_clear(&map->flows);
    g_hash_table_unref(map->flow_at);
    strobe_state_array_clear(&map->launches);
}

void kernel_map_flow(KernelMap *map, const char *id, gboolean is_end, StrobeTrackId track,
                     gint64 at_ns)
{
    guint at = GPOINTER_TO_UINT(g_hash_table_lookup(map->flow_at, id));
    Flow *flow;

    if (!at) {
        const Flow none = {0};

        strobe_state_array_add(&map->flows, &none);
        at = (guint)map->flows.n;
        g_hash_table_insert(map->flow_at, (gpointer)id, GUINT_TO_POINTER(at));
    }
    flow = &STROBE_STATE_ITEM(&map->flows, Flow, at - 1);
    if (is_end && !flow->has_to) {
        flow->has_to = TRUE;
        flow->to_ns = at_ns;
        flow->to_track = track;
    } else if (!is_end && !flow->has_from) {
        flow->has_from = TRUE;
        flow->from_ns = at_ns;
    }
}

/* ---- kernels and the times of their launches ---- */

typedef struct Place {
    gint64 begin_ns;
    StrobeTrackId track;
    guint kernel;
} Place;

static guint place_hash(gconstpointer key)
{
    const Place *place = key;

    return (guint)strobe_hash_pair(strobe_hash_key(), (guint64)place->begin_ns, place->track);
}

static gboolean place_equal(gconstpointer a, gconstpointer b)
{
    const Place *x = a, *y = b;

    return x->begin_ns == y->begin_ns && x->track == y->track;
}

/* Makes an index of the kernels by track and begin. Of several kernels with the same track and
 * begin, the last one is used. */
static GHashTable *index_places(const KernelMap *map)
{
    GHashTable *places = g_hash_table_new_full(place_hash, place_equal, g_free, NULL);

    for (guint i = 0; i < map->kernels.n; i++) {
        const Kernel *kernel = &STROBE_STATE_ITEM(&map->kernels, Kernel, i);
        Place place = {kernel->begin_ns, kernel->track, i};

        g_hash_table_replace(places, g_memdup2(&place, sizeof place), NULL);
    }
    return places;
}

static void add_instant(StrobeStateArray *instants, gint64 at_ns, guint64 thread, guint order,
                        guint kernel)
{
    const Instant instant = {at_ns, thread, order, kernel};

    strobe_state_array_add(instants, &instant);
}

static void instants_of_flows(const KernelMap *map, StrobeStateArray *instants)
{
    g_autoptr(GHashTable) places = index_places(map);

    for (guint i = 0; i < map->flows.n; i++) {
        const Flow *flow = &STROBE_STATE_ITEM(&map->flows, Flow, i);
        const Place key = {flow->to_ns, flow->to_track, 0};
        gpointer place;

        if (flow->has_from && flow->has_to &&
            g_hash_table_lookup_extended(places, &key, &place, NULL))
            add_instant(instants, flow->from_ns, 0, i, ((const Place *)place)->kernel);
    }
}

static gint compare_calls(gconstpointer a, gconstpointer b)
{
    const HostCall *x = a, *y = b;

    if (x->connection != y->connection)
        return x->connection < y->connection ? -1 : 1;
    return (x->begin_ns > y->begin_ns) - (x->begin_ns < y->begin_ns);
}

/* A task that waits for its call. */
typedef struct Task {
    guint64 connection;
    guint kernel;
} Task;

static gint compare_tasks(gconstpointer a, gconstpointer b)
{
    const Task *x = a, *y = b;

    if (x->connection != y->connection)
        return x->connection < y->connection ? -1 : 1;
    return (x->kernel > y->kernel) - (x->kernel < y->kernel);
}

static void find_tasks(const KernelMap *map, StrobeStateArray *tasks)
{
    strobe_state_array_init(tasks, map->kernels.storage, sizeof(Task));
    for (guint i = 0; i < map->kernels.n; i++) {
        const Kernel *kernel = &STROBE_STATE_ITEM(&map->kernels, Kernel, i);
        const Task task = {kernel->connection, i};

        if (kernel->is_target && kernel->connection != STROBE_ABSENT_U64)
            strobe_state_array_add(tasks, &task);
    }
    strobe_state_array_sort(tasks, compare_tasks);
}

/* Finds launches without flow events: a task is launched by the call with the same id. The Ascend
 * profiler has one flow event for each id, so for its results only the first task of an id is used.
 * In a recording all tasks of an id are used, including those of a graph that runs again. Calls and
 * tasks are both sorted by id, because millions of random look-ups would touch all of memory. */
static void instants_of_calls(KernelMap *map, StrobeStateArray *instants)
{
    StrobeStateArray tasks;
    guint call = 0;

    find_tasks(map, &tasks);
    strobe_state_array_sort(&map->calls, compare_calls);
    for (guint i = 0; i < tasks.n; i++) {
        const Task *task = &STROBE_STATE_ITEM(&tasks, Task, i);
        const HostCall *found;

        if (!map->by_thread && i && task[-1].connection == task->connection)
            continue;
        while (call < map->calls.n &&
               STROBE_STATE_ITEM(&map->calls, HostCall, call).connection < task->connection)
            call++;
        if (call == map->calls.n)
            break;
        found = &STROBE_STATE_ITEM(&map->calls, HostCall, call);
        if (found->connection == task->connection)
            add_instant(instants, found->begin_ns, found->thread, task->kernel, task->kernel);
    }
    strobe_state_array_clear(&tasks);
}

static gint compare_instants(gconstpointer a, gconstpointer b)
{
    const Instant *x = a, *y = b;

    if (x->at_ns != y->at_ns)
        return x->at_ns < y->at_ns ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

/* ---- keys ---- */

/* Assigns launches to dequeues as the Ascend profiler does: goes once through the dequeues of all
 * threads, in the order of their ends. */
static void assign_to_dequeues(KernelMap *map, const StrobeStateArray *instants)
{
    guint cursor = 0;

    for (guint i = 0; i < instants->n; i++) {
        const Instant *instant = &STROBE_STATE_ITEM(instants, Instant, i);

        for (; cursor < map->dequeues.n; cursor++) {
            const QueueSpan *span = &STROBE_STATE_ITEM(&map->dequeues, QueueSpan, cursor);
            const Launch launch = {span->correlation, span->thread, instant->kernel};

            if (span->begin_ns > instant->at_ns)
                break;
            if (instant->at_ns > span->end_ns)
                continue;
            strobe_state_array_add(&map->launches, &launch);
            break;
        }
    }
}

static gint compare_spans(gconstpointer a, gconstpointer b)
{
    const QueueSpan *x = a, *y = b;

    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    return (x->begin_ns > y->begin_ns) - (x->begin_ns < y->begin_ns);
}

/* Returns the dequeue that contains the instant on the instant's thread; NULL: there is none. */
static const QueueSpan *find_dequeue(const KernelMap *map, const Instant *instant)
{
    const QueueSpan key = {.thread = instant->thread, .begin_ns = instant->at_ns};
    guint low = 0, high = (guint)map->dequeues.n;

    while (low < high) {
        guint middle = low + (high - low) / 2;

        if (compare_spans(&STROBE_STATE_ITEM(&map->dequeues, QueueSpan, middle), &key) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    const QueueSpan *span = low ? &STROBE_STATE_ITEM(&map->dequeues, QueueSpan, low - 1) : NULL;
    return span && span->thread == instant->thread && instant->at_ns <= span->end_ns ? span : NULL;
}

/* Assigns each launch to the dequeue of its thread that contains it. The thread of a launch is
 * known in a recording. The key of a launch outside of every dequeue is its time. */
static void assign_by_thread(KernelMap *map, const StrobeStateArray *instants)
{
    strobe_state_array_sort(&map->dequeues, compare_spans);
    for (guint i = 0; i < instants->n; i++) {
        const Instant *instant = &STROBE_STATE_ITEM(instants, Instant, i);
        const QueueSpan *span = find_dequeue(map, instant);
        const Launch launch = {span ? span->correlation : (guint64)instant->at_ns, instant->thread,
                               instant->kernel, .is_direct = !span};

        strobe_state_array_add(&map->launches, &launch);
    }
}

static gint compare_launches(gconstpointer a, gconstpointer b)
{
    const Launch *x = a, *y = b;

    return (x->key > y->key) - (x->key < y->key);
}

/* Compares launches by key, then by thread, because two threads may launch at the same time. */
static gint compare_own_launches(gconstpointer a, gconstpointer b)
{
    const Launch *x = a, *y = b;

    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->thread > y->thread) - (x->thread < y->thread);
}

void kernel_map_finish(KernelMap *map)
{
    StrobeStateArray instants;

    strobe_state_array_init(&instants, map->kernels.storage, sizeof(Instant));
    if (map->flows.n)
        instants_of_flows(map, &instants);
    else
        instants_of_calls(map, &instants);
    /* flow events do not contain the thread */
    map->by_thread = map->by_thread && !map->flows.n;
    strobe_state_array_sort(&instants, compare_instants);
    map->has_queue = map->dequeues.n > 0;
    if (map->has_queue && map->by_thread) {
        assign_by_thread(map, &instants);
    } else if (map->has_queue) {
        assign_to_dequeues(map, &instants);
    } else {
        for (guint i = 0; i < instants.n; i++) {
            const Instant *instant = &STROBE_STATE_ITEM(&instants, Instant, i);
            const Launch launch = {(guint64)instant->at_ns, instant->thread, instant->kernel,
                                   .is_direct = TRUE};

            strobe_state_array_add(&map->launches, &launch);
        }
    }
    strobe_state_array_clear(&instants);
    strobe_state_array_sort(&map->launches,
                            map->by_thread ? compare_own_launches : compare_launches);
}

/* Returns the index of the first launch whose key is not less than `key`. */
static guint first_from(const KernelMap *map, guint64 key)
{
    guint low = 0, high = (guint)map->launches.n;

    while (low < high) {
        guint middle = low + (high - low) / 2;

        if (STROBE_STATE_ITEM(&map->launches, Launch, middle).key < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const Launch *kernel_map_between(const KernelMap *map, guint64 begin, guint64 end, guint *n)
{
    guint low = first_from(map, begin);

    *n = MAX(first_from(map, end), low) - low;
    return *n ? &STROBE_STATE_ITEM(&map->launches, Launch, low) : NULL;
}

const Launch *kernel_map_find(const KernelMap *map, guint64 key, guint *n)
{
    guint low = first_from(map, key);

    for (*n = 0; low + *n < map->launches.n &&
                 STROBE_STATE_ITEM(&map->launches, Launch, low + *n).key == key;)
        ++*n;
    return *n ? &STROBE_STATE_ITEM(&map->launches, Launch, low) : NULL;
}
