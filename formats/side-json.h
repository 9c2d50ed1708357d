/* SPDX-License-Identifier: Apache-2.0 */
/* A small JSON file next to a profiler's data: its values by their path, such as "start_info.freq"
 * or "CPU.0.Frequency". */
#ifndef STROBE_FORMATS_SIDE_JSON_H
#define STROBE_FORMATS_SIDE_JSON_H

#include <glib.h>

#define SIDE_JSON_BYTES_MAX (1u << 20)

typedef struct SideJson SideJson;

/* Reads as much of the bytes as it can; sets `is_whole` (may be NULL) to FALSE if that is not
 * all of them. */
SideJson *side_json_new(const char *bytes, gsize length, gboolean *is_whole);
void side_json_free(SideJson *json);

/* Text of a value, numbers as written; NULL if there is none. A NULL json has no values. */
const char *side_json_text(const SideJson *json, const char *path);
/* Numbers may be written as text. FALSE if there is none, or it is out of range. */
gboolean side_json_int(const SideJson *json, const char *path, gint64 *value);
gboolean side_json_double(const SideJson *json, const char *path, double *value);
gboolean side_json_bool(const SideJson *json, const char *path);

#endif
