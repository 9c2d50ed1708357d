/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A growing array for state that a pass or an exporter keeps until the end of the input. A large
 * array is a mapped temporary file, so it does not count against --max-mem; it can be read in any
 * order and sorted. Records that are only read in order should be in a record log or an external
 * sorter instead (record-log.h, external-sorter.h). Only one thread at a time may use an array.
 * libc only. Since 1.0.
 */
#ifndef STROBE_HELPERS_STATE_ARRAY_H
#define STROBE_HELPERS_STATE_ARRAY_H

#include <strobe/helpers/storage.h>

#if defined(__cplusplus)
extern "C" {
#endif

typedef struct StrobeStateArray {
    StrobeStorage *storage;
    void *items; /* moves when the array grows */
    size_t item_size, n, room;
} StrobeStateArray;

/* Makes `array` an empty array of items of `item_size` bytes. `storage` must outlive the array. */
void strobe_state_array_init(StrobeStateArray *array, StrobeStorage *storage, size_t item_size);
void strobe_state_array_clear(StrobeStateArray *array);

/* Adds a copy of the item. If there is no memory, the host ends the command with a message. */
void strobe_state_array_add(StrobeStateArray *array, const void *item);
/* Drops the items from the index `n` on. */
static inline void strobe_state_array_shorten(StrobeStateArray *array, size_t n)
{
    array->n = n < array->n ? n : array->n;
}

/* Sorts the items; equal items keep their order. Fast for items that are nearly in order. */
void strobe_state_array_sort(StrobeStateArray *array, int (*compare)(const void *, const void *));

/* The item at `index`, as an lvalue of type `type`. */
#define STROBE_STATE_ITEM(array, type, index) (((type *)(array)->items)[index])

#if defined(__cplusplus)
}
#endif

#endif
