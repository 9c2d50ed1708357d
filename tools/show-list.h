/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the tables of a result: its recorded kinds, and the kinds that passes derive. */
#ifndef STROBE_TOOLS_SHOW_LIST_H
#define STROBE_TOOLS_SHOW_LIST_H

#include <strobe/helpers/json-writer.h>

#include "pipeline.h"

#define STROBE_SHOW_SCHEMA 1 /* version of the structure of the --json output */

/* Lists the tables that have rows: prints a table for people or, if `json` is not NULL, adds
 * objects to the open array in `json`. */
gboolean strobe_tables_list(StrobeRegistry *registry, const StrobeResult *result,
                            StrobeJsonWriter *json, GError **error);

/* Whether a table with this name can exist, with or without rows. If FALSE, *hint is a text that
 * suggests another name (free it). */
gboolean strobe_tables_know(StrobeRegistry *registry, const StrobeResult *result, const char *name,
                            char **hint);

#endif
