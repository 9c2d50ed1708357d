/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/helpers/state-array.h>

#include <stdbool.h>

#define FIRST_ROOM ((size_t)256)

typedef int (*Compare)(const void *, const void *);

void strobe_state_array_init(StrobeStateArray *array, StrobeStorage *storage, size_t item_size)
{
    *array = (StrobeStateArray){.storage = storage, .item_size = item_size};
}

void strobe_state_array_clear(StrobeStateArray *array)
{
    if (array->items)
        array->storage->state(array->storage, array->items, array->room * array->item_size, 0);
    array->items = NULL;
    array->n = array->room = 0;
}

static void grow_array(StrobeStateArray *array)
{
    const size_t room = array->room ? array->room + array->room / 2 : FIRST_ROOM;

    array->items = array->storage->state(array->storage, array->items,
                                         array->room * array->item_size, room * array->item_size);
    array->room = room;
}

void strobe_state_array_add(StrobeStateArray *array, const void *item)
{
    if (array->n == array->room)
        grow_array(array);
    memcpy((char *)array->items + array->n++ * array->item_size, item, array->item_size);
}

/* Returns the number of items, which are in order, that are not greater than `item`. */
static size_t count_not_greater(const char *items, size_t n, size_t size, Compare compare,
                                const void *item)
{
    size_t low = 0;

    while (low < n) {
        const size_t middle = low + (n - low) / 2;

        if (compare(items + middle * size, item) <= 0)
            low = middle + 1;
        else
            n = middle;
    }
    return low;
}

/* Merges the sorted parts [0, half) and [half, n). Only items of the first part that have to move
 * are copied to `room`. */
static void merge_parts(char *items, size_t half, size_t n, size_t size, Compare compare,
                        char *room)
{
    const size_t first = count_not_greater(items, half, size, compare, items + half * size);
    char *to = items + first * size, *left = room, *right = items + half * size;
    const char *const left_end = room + (half - first) * size, *const end = items + n * size;

    memcpy(room, to, (half - first) * size);
    for (; left < left_end; to += size) {
        if (right < end && compare(right, left) < 0) {
            memcpy(to, right, size);
            right += size;
        } else {
            memcpy(to, left, size);
            left += size;
        }
    }
}

static void sort_items(char *items, size_t n, size_t size, Compare compare, char *room)
{
    const size_t half = n / 2;

    if (n < 2)
        return;
    sort_items(items, half, size, compare, room);
    sort_items(items + half * size, n - half, size, compare, room);
    merge_parts(items, half, n, size, compare, room);
}

static bool is_in_order(const StrobeStateArray *array, Compare compare)
{
    const char *item = array->items;

    for (size_t i = 1; i < array->n; i++, item += array->item_size)
        if (compare(item, item + array->item_size) > 0)
            return false;
    return true;
}

void strobe_state_array_sort(StrobeStateArray *array, int (*compare)(const void *, const void *))
{
    const size_t bytes = array->n / 2 * array->item_size;
    StrobeStorage *storage = array->storage;
    char *room;

    if (is_in_order(array, compare))
        return;
    room = storage->state(storage, NULL, 0, bytes);
    sort_items(array->items, array->n, array->item_size, compare, room);
    storage->state(storage, room, bytes, 0);
}
