/* SPDX-License-Identifier: Apache-2.0 */
/* The values of a small JSON file next to a profiler's data, by their paths, such as
 * "start_info.freq" or "CPU.0.Frequency". */
#ifndef STROBE_FORMATS_SIDE_JSON_H
#define STROBE_FORMATS_SIDE_JSON_H

#include <glib.h>

#define SIDE_JSON_BYTES_MAX (1u << 20)

typedef struct SideJson SideJson;

/* Reads the JSON up to the first error. *is_whole (`is_whole` may be NULL) receives whether the
 * JSON has no error. */
SideJson *side_json_new(const char *bytes, gsize length, gboolean *is_whole);
void side_json_free(SideJson *json);

/* Returns the text of the value at `path`, a number as it is written; NULL if there is no such
 * value. If `json` is NULL, there are no values. */
const char *side_json_text(const SideJson *json, const char *path);
/* Reads a number, which may be written as text. FALSE if there is no number at `path`, or the
 * number is out of range. */
gboolean side_json_int(const SideJson *json, const char *path, gint64 *value);
gboolean side_json_double(const SideJson *json, const char *path, double *value);
gboolean side_json_bool(const SideJson *json, const char *path);

#endif
