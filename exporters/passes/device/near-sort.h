/* SPDX-License-Identifier: Apache-2.0 */
/* Sorts what is in order already but for little: records come by their ends and are wanted by their
 * begins. */
#ifndef STROBE_PASSES_NEAR_SORT_H
#define STROBE_PASSES_NEAR_SORT_H

#include <glib.h>

/* As g_array_sort: equal elements keep their order. Takes a comparison or two an element where all
 * are near their places, and no more than a merge sort where they are anywhere. */
void near_sort(GArray *array, GCompareFunc compare);

#endif
