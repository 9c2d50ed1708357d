/* SPDX-License-Identifier: Apache-2.0 */
#include "operator-forest.h"

#include <strobe/helpers/keyed-hash.h>

/* A leaf of the tree: a queue entry or, if there is no queue, the time of a launch. */
typedef struct Leaf {
    gint64 at_ns;
    guint64 key;
    guint64 thread;
    guint order;
    gboolean any_thread;
} Leaf;

typedef struct Build {
    Forest *forest;
    const KernelMap *map;
    gboolean zero_is_whole;
    /* thread -> index of its innermost open operator; if all threads share one tree, 0 -> index */
    GHashTable *open;
    guint64 last_key; /* a cache: the key that was looked up last */
    gint *last;       /* value of last_key in `open`; NULL: none yet */
    gint64 (*step_number)(void *user, const Operator *op);
    void *user;
} Build;

static gint compare_leaves(gconstpointer a, gconstpointer b)
{
    const Leaf *x = a, *y = b;

    if (x->at_ns != y->at_ns)
        return x->at_ns < y->at_ns ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

static Operator *get_operator(const Build *build, gint place)
{
    return place < 0 ? NULL : operator_list_at(&build->forest->operators, (guint)place);
}

static void add_sum(DeviceSum *sum, double us, gboolean zero_is_whole)
{
    if (us != 0.0 || !zero_is_whole)
        *sum += us + 0.0; /* + 0.0 makes -0.0 positive */
}

static void add_kernel(const Build *build, Operator *op, const Kernel *kernel, gboolean is_self)
{
    DeviceSums *sums = operator_list_sums(&build->forest->operators, op);

    add_sum(&sums->total, kernel->us, build->zero_is_whole);
    if (is_self)
        add_sum(&sums->self, kernel->us, build->zero_is_whole);
    if (!kernel->is_aicore)
        return;
    add_sum(&sums->total_aicore, kernel->us, build->zero_is_whole);
    if (is_self)
        add_sum(&sums->self_aicore, kernel->us, build->zero_is_whole);
}

static void add_to_step(const Build *build, ForestStep *step, guint64 key, const Launch *launches,
                        guint n)
{
    gint64 begin = G_MAXINT64, end = G_MININT64;

    step->has_keys = TRUE;
    if (!n)
        return;
    for (guint i = 0; i < n; i++) {
        const Kernel *kernel = kernel_map_kernel(build->map, &launches[i]);

        begin = MIN(begin, kernel->begin_ns);
        end = MAX(end, kernel->end_ns);
    }
    if (!step->has_kernels || key < step->first_key) {
        step->first_key = key;
        step->begin_ns = begin;
        step->device = kernel_map_kernel(build->map, launches)->device;
    }
    if (!step->has_kernels || key >= step->last_key) {
        step->last_key = key;
        step->end_ns = end;
    }
    step->has_kernels = TRUE;
}

/* Returns the leaf's launches. If each thread has its own tree, returns only the launches of the
 * leaf's thread, because two threads may launch at the same time. */
static const Launch *find_launches(const KernelMap *map, const Leaf *leaf, guint *n)
{
    const Launch *launches = kernel_map_find(map, leaf->key, n);

    if (!map->by_thread || !leaf->any_thread)
        return launches;
    for (; *n && launches->thread != leaf->thread; --*n)
        launches++;
    for (; *n && launches[*n - 1].thread != leaf->thread;)
        --*n;
    return launches;
}

static void take_leaf(const Build *build, gint owner, const Leaf *leaf)
{
    guint n;
    const Launch *launches = find_launches(build->map, leaf, &n);

    for (guint i = 0; i < n; i++) {
        const ForestLink link = {(guint)owner, launches[i].kernel};

        strobe_state_array_add(&build->forest->links, &link);
    }
    for (gint place = owner; place >= 0; place = get_operator(build, place)->parent) {
        Operator *op = get_operator(build, place);

        for (guint i = 0; i < n; i++)
            add_kernel(build, op, kernel_map_kernel(build->map, &launches[i]), place == owner);
        if (op->step >= 0)
            add_to_step(build, &g_array_index(build->forest->steps, ForestStep, op->step),
                        leaf->key, launches, n);
    }
}

/* Returns the operator that owns the leaf. If there is no queue, an operator that ends at the time
 * of the launch does not own it. */
static gint owner_of(const Build *build, gint last, const Leaf *leaf)
{
    while (leaf->any_thread && last >= 0 && get_operator(build, last)->end_ns <= leaf->at_ns)
        last = get_operator(build, last)->parent;
    if (last >= 0 && !leaf->any_thread && get_operator(build, last)->thread != leaf->thread)
        return -1;
    return last;
}

static void make_leaves(StrobeStateArray *leaves, const KernelMap *map,
                        const StrobeStateArray *enqueues)
{
    strobe_state_array_init(leaves, enqueues->storage, sizeof(Leaf));
    for (guint i = 0; map->has_queue && i < enqueues->n; i++) {
        const QueueSpan *span = &STROBE_STATE_ITEM(enqueues, QueueSpan, i);
        const Leaf leaf = {span->begin_ns, span->correlation, span->thread, i, FALSE};

        strobe_state_array_add(leaves, &leaf);
    }
    for (guint i = 0; i < map->launches.n; i++) {
        const Launch *launch = &STROBE_STATE_ITEM(&map->launches, Launch, i), *before = launch - 1;
        const Leaf leaf = {(gint64)launch->key, launch->key, launch->thread, i, TRUE};

        if (launch->is_direct && (!i || before->key != launch->key ||
                                  (map->by_thread && before->thread != launch->thread)))
            strobe_state_array_add(leaves, &leaf);
    }
    strobe_state_array_sort(leaves, compare_leaves);
}

/* Sets the parent of an operator, and its step if it announces one. A nested operator is never a
 * step, so its name is not read: the name may be far away in memory. */
static void enter_operator(const Build *build, gint place, gint last)
{
    Operator *op = get_operator(build, place), *parent = get_operator(build, last);
    ForestStep step = {.place = (guint)place, .device = -1};

    op->parent = last;
    op->step = -1;
    if (parent) {
        parent->children_ns += op->end_ns - op->begin_ns;
        return;
    }
    step.number = build->step_number(build->user, op);
    if (step.number < 0)
        return;
    op->step = (gint)build->forest->steps->len;
    g_array_append_val(build->forest->steps, step);
}

/* Returns the address of the index of the innermost open operator for events of this thread. The
 * index is -1 if no operator is open. */
static gint *find_innermost(Build *build, guint64 thread)
{
    const guint64 key = build->map->by_thread ? thread : 0;
    gint *place;

    if (build->last && build->last_key == key)
        return build->last;
    place = g_hash_table_lookup(build->open, &key);
    if (!place) {
        place = g_new(gint, 1);
        *place = -1;
        g_hash_table_insert(build->open, g_memdup2(&key, sizeof key), place);
    }
    build->last_key = key;
    build->last = place;
    return place;
}

void forest_build(Forest *forest, const KernelMap *map, StrobeStateArray *enqueues,
                  gint64 (*step_number)(void *user, const Operator *op), void *user,
                  gboolean zero_is_whole)
{
    g_autoptr(GHashTable) open =
        g_hash_table_new_full(strobe_hash_of_number, g_int64_equal, g_free, g_free);
    Build build = {.forest = forest,
                   .map = map,
                   .zero_is_whole = zero_is_whole,
                   .open = open,
                   .step_number = step_number,
                   .user = user};
    StrobeStateArray leaves;
    guint next = 0;

    make_leaves(&leaves, map, enqueues);
    operator_list_sort(&forest->operators);
    for (guint i = 0; i < leaves.n || next < forest->operators.operators.n;) {
        Operator *op =
            next < forest->operators.operators.n ? get_operator(&build, (gint)next) : NULL;
        const Leaf *leaf = i < leaves.n ? &STROBE_STATE_ITEM(&leaves, Leaf, i) : NULL;
        gboolean is_leaf = !op || (leaf && leaf->at_ns < op->begin_ns);
        gint64 now = is_leaf ? leaf->at_ns : op->begin_ns;
        gint *last = find_innermost(&build, is_leaf ? leaf->thread : op->thread);

        while (*last >= 0 && now > get_operator(&build, *last)->end_ns)
            *last = get_operator(&build, *last)->parent;
        if (is_leaf) {
            gint owner = owner_of(&build, *last, leaf);

            if (owner >= 0)
                take_leaf(&build, owner, leaf);
            i++;
        } else {
            enter_operator(&build, (gint)next, *last);
            *last = (gint)next++;
        }
    }
    strobe_state_array_clear(&leaves);
}
