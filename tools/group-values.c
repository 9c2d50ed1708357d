/* SPDX-License-Identifier: Apache-2.0 */
#include "group-values.h"

#include <string.h>

struct StrobeGroupValues {
    StrobeExternalSorter *sorter; /* of Sample */
    GArray *slots;                /* of StrobeGroupValue */
};

typedef struct Sample {
    guint64 slot;
    double number;
} Sample;

StrobeGroupValues *strobe_group_values_new(StrobeStorage *storage)
{
    StrobeGroupValues *values = g_new0(StrobeGroupValues, 1);

    values->sorter = strobe_external_sorter_new(storage);
    values->slots = g_array_new(FALSE, TRUE, sizeof(StrobeGroupValue));
    return values;
}

void strobe_group_values_free(StrobeGroupValues *values)
{
    if (!values)
        return;
    strobe_external_sorter_free(values->sorter);
    g_array_unref(values->slots);
    g_free(values);
}

/* Returns an integer for the number, so that integers of numbers have the same order as the
 * numbers. */
static gint64 order_of(double number)
{
    gint64 bits;

    memcpy(&bits, &number, sizeof bits);
    return bits < 0 ? bits ^ G_MAXINT64 : bits;
}

int strobe_group_values_add(StrobeGroupValues *values, guint64 slot, double number)
{
    const Sample sample = {slot, number};

    if (slot >= values->slots->len)
        g_array_set_size(values->slots, (guint)slot + 1);
    g_array_index(values->slots, StrobeGroupValue, slot).n++;
    return strobe_external_sorter_add(
        values->sorter, (StrobeSortKey){(gint64)slot, order_of(number)}, &sample, sizeof sample);
}

/* Returns the index of a percentile among n sorted values, by nearest rank. */
static guint64 rank_of(guint64 n, guint64 percent)
{
    return n / 100 * percent + (n % 100 * percent + 99) / 100 - 1;
}

/* Adds the value at index `place` of a slot's sorted values to the statistics of the slot. */
static void take_value(StrobeGroupValue *value, guint64 place, double number)
{
    value->of[STROBE_GROUP_SUM] += number;
    value->of[STROBE_GROUP_MAX] = number;
    if (place == rank_of(value->n, 50))
        value->of[STROBE_GROUP_P50] = number;
    if (place == rank_of(value->n, 95))
        value->of[STROBE_GROUP_P95] = number;
    value->of[STROBE_GROUP_MEAN] = value->of[STROBE_GROUP_SUM] / (double)value->n;
}

int strobe_group_values_finish(StrobeGroupValues *values)
{
    const Sample *sample;
    guint64 slot = G_MAXUINT64, place = 0;
    size_t length;

    while ((sample = strobe_external_sorter_next(values->sorter, &length))) {
        place = sample->slot == slot ? place + 1 : 0;
        slot = sample->slot;
        take_value(&g_array_index(values->slots, StrobeGroupValue, slot), place, sample->number);
    }
    return strobe_external_sorter_error(values->sorter);
}

const StrobeGroupValue *strobe_group_values_get(const StrobeGroupValues *values, guint64 slot)
{
    const StrobeGroupValue *value;

    if (slot >= values->slots->len)
        return NULL;
    value = &g_array_index(values->slots, StrobeGroupValue, slot);
    return value->n ? value : NULL;
}
