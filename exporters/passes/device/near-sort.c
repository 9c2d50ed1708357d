/* SPDX-License-Identifier: Apache-2.0 */
#include "near-sort.h"

#include <string.h>

#define BLOCK 32u /* elements that are sorted by moving them back */

typedef struct NearSort {
    char *elements;
    gsize size; /* of one */
    GCompareFunc compare;
    char *spare; /* room for an element, then for what is merged */
} NearSort;

static char *at(const NearSort *sort, gsize index)
{
    return sort->elements + index * sort->size;
}

static gboolean is_behind(const NearSort *sort, gconstpointer a, gconstpointer b)
{
    return sort->compare(a, b) > 0;
}

static void sort_block(const NearSort *sort, gsize begin, gsize end)
{
    for (gsize i = begin + 1; i < end; i++) {
        gsize to = i;

        while (to > begin && is_behind(sort, at(sort, to - 1), at(sort, i)))
            to--;
        if (to == i)
            continue;
        memcpy(sort->spare, at(sort, i), sort->size);
        memmove(at(sort, to + 1), at(sort, to), (i - to) * sort->size);
        memcpy(at(sort, to), sort->spare, sort->size);
    }
}

/* The first element from `begin` on that belongs behind the one at `middle`. */
static gsize first_behind(const NearSort *sort, gsize begin, gsize middle)
{
    gsize low = begin, high = middle;

    while (low < high) {
        gsize half = low + (high - low) / 2;

        if (is_behind(sort, at(sort, half), at(sort, middle)))
            high = half;
        else
            low = half + 1;
    }
    return low;
}

/* Both halves are sorted. Only what has to move is copied. */
static void merge(NearSort *sort, gsize begin, gsize middle, gsize end)
{
    gsize to = first_behind(sort, begin, middle), n = (middle - to) * sort->size;
    gsize right = middle;
    const char *left;

    sort->spare = g_realloc(sort->spare, n + sort->size);
    memcpy(sort->spare, at(sort, to), n);
    left = sort->spare;
    for (; left < sort->spare + n && right < end; to++) {
        gboolean takes_right = is_behind(sort, left, at(sort, right));

        memcpy(at(sort, to), takes_right ? at(sort, right) : left, sort->size);
        right += takes_right != 0;
        left += takes_right ? 0 : sort->size;
    }
    memcpy(at(sort, to), left, (gsize)(sort->spare + n - left));
}

void near_sort(GArray *array, GCompareFunc compare)
{
    NearSort sort = {
        .elements = array->data, .size = g_array_get_element_size(array), .compare = compare};
    gsize n = array->len;

    sort.spare = g_malloc(sort.size);
    for (gsize begin = 0; begin < n; begin += BLOCK)
        sort_block(&sort, begin, MIN(begin + BLOCK, n));
    for (gsize width = BLOCK; width < n; width *= 2)
        for (gsize middle = width; middle < n; middle += 2 * width)
            if (is_behind(&sort, at(&sort, middle - 1), at(&sort, middle)))
                merge(&sort, middle - width, middle, MIN(middle + width, n));
    g_free(sort.spare);
}
