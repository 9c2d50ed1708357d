/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Puts what passes keep of records in order of time, in bounded memory. A capture has the records
 * of each thread in order, but not those of several: what one thread took another may give back,
 * and the release come first.
 */
#ifndef STROBE_PASSES_TIME_ORDER_H
#define STROBE_PASSES_TIME_ORDER_H

#include <glib.h>
#include <strobe/exporter.h>

typedef struct TimeOrder TimeOrder;

/* Items of `size` bytes, which are copied. */
TimeOrder *time_order_new(const StrobeFacts *facts, gsize size);
void time_order_free(TimeOrder *order); /* NULL is allowed */

/* 0 or an errno value: there is no room for a scratch file in the folder for temporary files. */
int time_order_add(TimeOrder *order, gint64 at_ns, gconstpointer item);
/* Calls `take` for each item in order, for those of one time as they came. `item` may be changed.
 * Once, at the end. 0 or an errno value, that of an earlier call too. */
int time_order_finish(TimeOrder *order, void (*take)(void *user, gpointer item), void *user);

/* Says so: the calling pass has failed. */
StrobeStatus time_order_fail(const StrobeConsumerHost *host, StrobeInstance *self, int error);

#endif
