/* SPDX-License-Identifier: Apache-2.0 */
#include "device-pairs.h"

#include <math.h>

static int compare_pairs(gconstpointer a, gconstpointer b)
{
    const StrobeDevicePair *x = a, *y = b;
    return x->host_ns < y->host_ns ? -1 : x->host_ns > y->host_ns;
}

static double half_of(const StrobeDevicePair *pair)
{
    return (double)pair->width_ns / 2 + 1;
}

/* Is `other`, extrapolated to the time of `pair`, more exact than `pair` itself? It is not if the
 * two pairs contradict each other, because the clock then jumped between them. */
static gboolean is_better_pair(const StrobeDevicePair *other, const StrobeDevicePair *pair)
{
    double host = (double)(pair->host_ns - other->host_ns);
    double device = (double)(pair->device_ns - other->device_ns);
    double reach = fabs(host), both = half_of(other) + half_of(pair);

    return half_of(other) + STROBE_DEVICE_DRIFT_CHANGE * reach < half_of(pair) &&
           fabs(host - device) <= both + STROBE_DEVICE_DRIFT_MAX * reach;
}

/* Removes pairs that a neighbour makes redundant: first compares each pair with its predecessor,
 * then with its successor. */
static void drop_wide(GArray *pairs)
{
    for (guint pass = 0; pass < 2; pass++) {
        guint n = 0;

        for (guint i = 0; i < pairs->len; i++) {
            const StrobeDevicePair *pair = &g_array_index(pairs, StrobeDevicePair, i);
            if (n == 0 || !is_better_pair(&g_array_index(pairs, StrobeDevicePair, n - 1), pair))
                g_array_index(pairs, StrobeDevicePair, n++) = *pair;
        }
        g_array_set_size(pairs, n);
        for (guint i = 0; i < n / 2; i++) {
            StrobeDevicePair *a = &g_array_index(pairs, StrobeDevicePair, i);
            StrobeDevicePair *b = &g_array_index(pairs, StrobeDevicePair, n - 1 - i);
            StrobeDevicePair swapped = *a;
            *a = *b;
            *b = swapped;
        }
    }
}

void strobe_device_pairs_choose(GArray *pairs)
{
    g_array_sort(pairs, compare_pairs);
    drop_wide(pairs);
}
