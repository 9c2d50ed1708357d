/* SPDX-License-Identifier: Apache-2.0 */
/* A pass's groups in the order of output. */
#ifndef STROBE_PASSES_SORTED_VALUES_H
#define STROBE_PASSES_SORTED_VALUES_H

#include <glib.h>

/* The values of a table, or the members of a set; `compare` gets pointers to them. The table
 * still owns them. (transfer full) */
GPtrArray *sorted_values(GHashTable *table, GCompareFunc compare);

#endif
