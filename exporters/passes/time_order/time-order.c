/* SPDX-License-Identifier: Apache-2.0 */
#include "time-order.h"

#include <errno.h>
#include <string.h>
#include <strobe/helpers/row-sorter.h>

struct TimeOrder {
    gsize size;
    int error;
    StrobeRowSorter *sorter;
    gpointer item; /* aligned, as the sorter's rows are not */
    void (*take)(void *user, gpointer item);
    void *user;
};

TimeOrder *time_order_new(const StrobeFacts *facts, gsize size)
{
    TimeOrder *order = g_new0(TimeOrder, 1);

    order->size = size;
    order->item = g_malloc(size);
    order->sorter = strobe_row_sorter_new(facts->scratch, facts->memory_bytes / 2);
    return order;
}

void time_order_free(TimeOrder *order)
{
    if (!order)
        return;
    strobe_row_sorter_free(order->sorter);
    g_free(order->item);
    g_free(order);
}

int time_order_add(TimeOrder *order, gint64 at_ns, gconstpointer item)
{
    const StrobeRowKey key = {.major = at_ns};

    if (!order->error)
        order->error =
            order->sorter ? strobe_row_sorter_add(order->sorter, key, item, order->size) : ENOMEM;
    return order->error;
}

static int take_row(void *user, const char *bytes, size_t length)
{
    TimeOrder *order = user;

    memcpy(order->item, bytes, MIN(length, order->size));
    order->take(order->user, order->item);
    return 0;
}

int time_order_finish(TimeOrder *order, void (*take)(void *user, gpointer item), void *user)
{
    order->take = take;
    order->user = user;
    if (!order->error)
        order->error =
            order->sorter ? strobe_row_sorter_finish(order->sorter, take_row, order) : ENOMEM;
    return order->error;
}

StrobeStatus time_order_fail(const StrobeConsumerHost *host, StrobeInstance *self, int error)
{
    return host->fail(self, STROBE_ERROR_IO, __FILE__, __LINE__,
                      "Cannot put allocations in order in the folder for temporary files: %s: %s",
                      host->facts(self)->scratch_path, g_strerror(error));
}
