/* SPDX-License-Identifier: Apache-2.0 */
#include "step-kernels.h"

static void take_launches(const KernelMap *map, const Launch *launches, guint n, StepKernels *step)
{
    gint64 begin_ns = G_MAXINT64, end_ns = G_MININT64;

    gboolean has_kernels = FALSE;

    for (guint i = 0; i < n; i++) {
        const Kernel *kernel = kernel_map_kernel(map, &launches[i]);

        if (kernel->device != step->device) {
            step->next_device = kernel->device > step->device
                                    ? MIN(step->next_device, kernel->device)
                                    : step->next_device;
            continue;
        }
        begin_ns = MIN(begin_ns, kernel->begin_ns);
        end_ns = MAX(end_ns, kernel->end_ns);
        has_kernels = TRUE;
    }
    if (has_kernels && step->begin_ns == G_MAXINT64)
        step->begin_ns = begin_ns;
    if (has_kernels)
        step->end_ns = end_ns;
}

static gint compare_enqueues(gconstpointer a, gconstpointer b)
{
    const QueueSpan *x = a, *y = b;

    return (x->begin_ns > y->begin_ns) - (x->begin_ns < y->begin_ns);
}

/* Adds to `step` the kernels of the queue entries that were enqueued between the two times, on any
 * thread. */
static void take_entries(const KernelMap *map, const StrobeStateArray *enqueues, gint64 begin_ns,
                         gint64 end_ns, StepKernels *step)
{
    const QueueSpan key = {.begin_ns = begin_ns};
    guint low = 0, high = (guint)enqueues->n, n;

    while (low < high) {
        guint middle = low + (high - low) / 2;
        if (compare_enqueues(&STROBE_STATE_ITEM(enqueues, QueueSpan, middle), &key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < enqueues->n; low++) {
        const QueueSpan *entry = &STROBE_STATE_ITEM(enqueues, QueueSpan, low);
        if (entry->begin_ns >= end_ns)
            return;
        const Launch *launches = kernel_map_find(map, entry->correlation, &n);
        take_launches(map, launches, n, step);
    }
}

/* Adds to `step` the kernels that were launched between the two times. Used if there is no
 * queue. */
static void take_instants(const KernelMap *map, gint64 begin_ns, gint64 end_ns, StepKernels *step)
{
    guint n, same;
    const Launch *launches = kernel_map_between(map, (guint64)begin_ns, (guint64)end_ns, &n);

    for (guint i = 0; i < n; i += same) {
        for (same = 1; i + same < n && launches[i + same].key == launches[i].key;)
            same++;
        take_launches(map, &launches[i], same, step);
    }
}

void step_kernels_sort(StrobeStateArray *enqueues)
{
    strobe_state_array_sort(enqueues, compare_enqueues);
}

gboolean step_kernels_find(const KernelMap *map, const StrobeStateArray *enqueues, gint64 begin_ns,
                           gint64 end_ns, gint32 device, StepKernels *step)
{
    *step = (StepKernels){G_MAXINT64, G_MININT64, device, G_MAXINT32};
    if (map->has_queue)
        take_entries(map, enqueues, begin_ns, end_ns, step);
    else
        take_instants(map, begin_ns, end_ns, step);
    return step->begin_ns != G_MAXINT64;
}
