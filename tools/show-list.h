/* SPDX-License-Identifier: Apache-2.0 */
/* Which tables a result has: the kinds recorded in it and those that passes derive. */
#ifndef STROBE_TOOLS_SHOW_LIST_H
#define STROBE_TOOLS_SHOW_LIST_H

#include <strobe/helpers/json-writer.h>

#include "pipeline.h"

#define STROBE_SHOW_SCHEMA 1 /* version of what --json prints */

/* Lists those with rows: as a table for people, or as objects into the array that is open. */
gboolean strobe_tables_list(StrobeRegistry *registry, const StrobeResult *result,
                            StrobeJsonWriter *json, GError **error);

/* Whether there can be such a table, with rows or not; else *hint says which may be meant. */
gboolean strobe_tables_know(StrobeRegistry *registry, const StrobeResult *result, const char *name,
                            char **hint);

#endif
