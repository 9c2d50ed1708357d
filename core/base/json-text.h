/* SPDX-License-Identifier: Apache-2.0 */
/* Reads small JSON texts as trees: the SDK's scanner checks a text, and json-glib parses it. Also
 * writes trees. */
#ifndef STROBE_CORE_JSON_TEXT_H
#define STROBE_CORE_JSON_TEXT_H

#include <glib.h>
#include <json-glib/json-glib.h>
#include <strobe/helpers/json-writer.h>

#define STROBE_JSON_MAX_BYTES (1u << 20)
#define STROBE_JSON_MAX_DEPTH 64u

/* Parses a text that must be a JSON object. Rejects, with place and reason: a text of more than 1
 * MiB, nesting deeper than 64, a duplicate key, and anything that is not strict JSON. Messages name
 * `origin`. */
JsonNode *strobe_json_parse(const char *text, gsize length, const char *origin, GError **error);

/* Parses a file in a folder; does not follow a link. NULL: the file does not exist, or is not an
 * object in JSON. */
JsonNode *strobe_json_read_file(int folder, const char *name);

/* Parses any JSON value, with the limits of strobe_json_parse. */
JsonNode *strobe_json_parse_value(const char *text, gsize length, const char *origin,
                                  GError **error);

/* Writes a tree through the JSON writer. */
void strobe_json_write_node(StrobeJsonWriter *json, JsonNode *node);

/* Returns the text of a tree (free it); `flags` are STROBE_JSON_*. */
char *strobe_json_to_text(JsonNode *node, guint32 flags);
/* Like strobe_json_to_text, but only the first 60 bytes, for messages. */
char *strobe_json_excerpt(JsonNode *node);
char *strobe_json_object_to_text(JsonObject *object, guint32 flags);

/* Returns the text of the member `name`, "" if the member is missing or not a text. */
const char *strobe_json_member_text(JsonObject *object, const char *name);
gint64 strobe_json_member_int(JsonObject *object, const char *name, gint64 otherwise);

#endif
