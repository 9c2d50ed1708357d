/* SPDX-License-Identifier: Apache-2.0 */
/* The values of declared options, and the parser of options. */
#ifndef STROBE_CORE_OPTIONS_H
#define STROBE_CORE_OPTIONS_H

#include <glib.h>
#include <json-glib/json-glib.h>
#include <strobe/option.h>

typedef struct StrobeOptions StrobeOptions;

/* Makes an object in which all options have their defaults. The declarations must outlive the
 * object. A default that does not parse is a plugin error. Messages use `owner` ("collector
 * gc"). */
StrobeOptions *strobe_options_new(const StrobeOption *declared, guint n, const char *owner,
                                  GError **error);
void strobe_options_free(StrobeOptions *options);

/* Sets one option from text as a user types it, or from JSON, where only true and false are
 * booleans. An unknown name is an error with the nearest name. Messages use `origin` (a file,
 * "--collect"). */
gboolean strobe_options_set_text(StrobeOptions *options, const char *name, const char *text,
                                 const char *origin, GError **error);
gboolean strobe_options_set_json(StrobeOptions *options, const char *name, JsonNode *value,
                                 const char *origin, GError **error);
/* Is there an option with that name? */
gboolean strobe_options_has(const StrobeOptions *options, const char *name);
/* Are all required options set? Call it after the options are set. */
gboolean strobe_options_check(const StrobeOptions *options, GError **error);

/* Return the value of an option. `name` must be declared. strobe_options_int also returns a
 * duration (in ns) and a number of bytes. */
gboolean strobe_options_bool(const StrobeOptions *options, const char *name);
gint64 strobe_options_int(const StrobeOptions *options, const char *name);
double strobe_options_double(const StrobeOptions *options, const char *name);
const char *strobe_options_text(const StrobeOptions *options, const char *name);

/* Splits "NAME[:opt=value[,opt=value]...]" (`\,` escapes). Returns the name (free it) and a
 * GPtrArray of alternating option names and values (free with g_ptr_array_unref). */
char *strobe_options_split(const char *text, GPtrArray **pairs, GError **error);
/* Splits "opt=value[,opt=value]...". Returns the pairs, as strobe_options_split does. */
GPtrArray *strobe_options_pairs(const char *list, GError **error);

/* strobe_option_type_name returns the name of the option's type, such as "bool".
 * strobe_option_range returns a text about the allowed range, "" if any value is allowed (free
 * it). */
const char *strobe_option_type_name(guint32 type);
char *strobe_option_range(const StrobeOption *option);

/* Parse a size such as "64MB" (equal to "64M" and "64MiB"), and a duration such as "500ms". The
 * core uses these functions for its own settings too. */
gboolean strobe_parse_bytes(const char *text, gint64 *bytes);
gboolean strobe_parse_duration(const char *text, gint64 *ns);
/* For a text that is not a valid size, returns the unit that is most similar to the text's unit, in
 * the form of strobe_nearest_hint; "" if the text has no unit (free it). */
char *strobe_bytes_hint(const char *text);
/* Parses true, on, yes and 1 as 1, and false, off, no and 0 as 0. */
gboolean strobe_parse_bool(const char *text, gint64 *value);

#endif
