/* SPDX-License-Identifier: Apache-2.0 */
/* Readers for members of a configuration's JSON; errors name file, key and the expected value.
 * Each reader leaves *out unchanged if the member is missing. */
#ifndef STROBE_CORE_CONFIG_JSON_H
#define STROBE_CORE_CONFIG_JSON_H

#include <glib.h>
#include <json-glib/json-glib.h>

/* Position of a member in the text, for messages such as "file: key \"schedule.wait\"". */
typedef struct StrobeConfigPlace {
    const char *origin;
    const char *section; /* NULL for a key at the top level */
} StrobeConfigPlace;

void strobe_config_set_wrong(const StrobeConfigPlace *place, const char *key, const char *expected,
                             JsonNode *node, GError **error);
gboolean strobe_config_check_keys(const StrobeConfigPlace *place, JsonObject *object,
                                  const char *const *known, GError **error);

/* Reads an object; *out is NULL if the member is missing. */
gboolean strobe_config_get_object(const StrobeConfigPlace *place, JsonObject *object,
                                  const char *key, JsonObject **out, GError **error);
/* Reads an integer from `least` (G_MININT64: any) to 10^12. */
gboolean strobe_config_get_count(const StrobeConfigPlace *place, JsonObject *object,
                                 const char *key, gint64 least, gint64 *out, GError **error);
gboolean strobe_config_get_boolean(const StrobeConfigPlace *place, JsonObject *object,
                                   const char *key, gboolean *out, GError **error);
/* Reads a number from `low` to `high`. */
gboolean strobe_config_get_number(const StrobeConfigPlace *place, JsonObject *object,
                                  const char *key, double low, double high, double *out,
                                  GError **error);
/* Reads a non-empty text; frees the previous value of *out. */
gboolean strobe_config_get_string(const StrobeConfigPlace *place, JsonObject *object,
                                  const char *key, char **out, GError **error);
/* A size or duration with its limits, see `parse` in options.h. */
typedef struct StrobeConfigMeasure {
    gboolean (*parse)(const char *, gint64 *);
    gint64 low, high;
    const char *expected;
} StrobeConfigMeasure;
gboolean strobe_config_get_measure(const StrobeConfigPlace *place, JsonObject *object,
                                   const char *key, const StrobeConfigMeasure *measure, gint64 *out,
                                   GError **error);
/* Reads a text that must be one of the NULL-terminated `names`; *out receives its index. */
gboolean strobe_config_get_choice(const StrobeConfigPlace *place, JsonObject *object,
                                  const char *key, const char *const *names, guint32 *out,
                                  GError **error);
/* Reads an array of integers from 0, as gint64; unreferences the previous value of *out. */
gboolean strobe_config_get_counts(const StrobeConfigPlace *place, JsonObject *object,
                                  const char *key, GArray **out, GError **error);

#endif
