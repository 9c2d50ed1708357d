/* SPDX-License-Identifier: Apache-2.0 */
/* Collects many numbers in slots. Computes for each slot their number, sum, mean, p50, p95 and
 * max. */
#ifndef STROBE_TOOLS_GROUP_VALUES_H
#define STROBE_TOOLS_GROUP_VALUES_H

#include <glib.h>
#include <strobe/helpers/external-sorter.h>

enum {
    STROBE_GROUP_SUM,
    STROBE_GROUP_MEAN,
    STROBE_GROUP_P50,
    STROBE_GROUP_P95,
    STROBE_GROUP_MAX,
    STROBE_GROUP_STATISTICS
};

/* Statistics of one slot; strobe_group_values_finish sets all except n. */
typedef struct StrobeGroupValue {
    guint64 n;
    double of[STROBE_GROUP_STATISTICS];
} StrobeGroupValue;

typedef struct StrobeGroupValues StrobeGroupValues;

/* Returns a new, empty collection. `storage` is where the sorter of the numbers may write its
 * temporary files. */
StrobeGroupValues *strobe_group_values_new(StrobeStorage *storage);
void strobe_group_values_free(StrobeGroupValues *values); /* NULL is fine */

/* Adds a number to a slot. Returns 0 or an errno value. */
int strobe_group_values_add(StrobeGroupValues *values, guint64 slot, double number);
int strobe_group_values_finish(StrobeGroupValues *values);

/* Returns the statistics of a slot. NULL: the slot has no values. */
const StrobeGroupValue *strobe_group_values_get(const StrobeGroupValues *values, guint64 slot);

#endif
