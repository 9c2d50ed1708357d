/* SPDX-License-Identifier: Apache-2.0 */
/* Sorts the groups of a pass in the order of output. */
#ifndef STROBE_PASSES_SORTED_VALUES_H
#define STROBE_PASSES_SORTED_VALUES_H

#include <glib.h>

/* Returns the values of a table, or the members of a set, sorted by `compare`, which gets pointers
 * to two values. The table still owns the values. (transfer full) */
GPtrArray *sorted_values(GHashTable *table, GCompareFunc compare);

#endif
