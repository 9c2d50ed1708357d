/* SPDX-License-Identifier: Apache-2.0 */
/* What a pass has counted, in the order in which it tells it. */
#ifndef STROBE_PASSES_SORTED_VALUES_H
#define STROBE_PASSES_SORTED_VALUES_H

#include <glib.h>

/* The values of a table, of a set its members; `compare` gets pointers to them. They stay the
 * table's. (transfer full) */
GPtrArray *sorted_values(GHashTable *table, GCompareFunc compare);

#endif
