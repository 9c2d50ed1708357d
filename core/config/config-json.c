/* SPDX-License-Identifier: Apache-2.0 */
#include "config-json.h"

#include <string.h>
#include "error.h"
#include "json-text.h"
#include "options.h"

#define MAX_COUNT 1000000000000 /* more steps than any program runs */

void strobe_config_set_wrong(const StrobeConfigPlace *place, const char *key, const char *expected,
                             JsonNode *node, GError **error)
{
    g_autofree char *found = strobe_json_excerpt(node);

    g_set_error(error, STROBE_ERROR, STROBE_ERROR_CONFIG,
                "%s: key \"%s%s%s\": expected %s, found %s", place->origin,
                place->section ? place->section : "", place->section ? "." : "", key, expected,
                found);
}

static void set_unknown(const StrobeConfigPlace *place, const char *key, const char *const *known,
                        GError **error)
{
    g_autofree char *hint = strobe_nearest_hint(key, known);
    g_autofree char *all = g_strjoinv(", ", (char **)(uintptr_t)known);

    g_set_error(error, STROBE_ERROR, STROBE_ERROR_CONFIG,
                "%s: unknown key \"%s%s%s\"%s (known: %s)", place->origin,
                place->section ? place->section : "", place->section ? "." : "", key, hint, all);
}

gboolean strobe_config_check_keys(const StrobeConfigPlace *place, JsonObject *object,
                                  const char *const *known, GError **error)
{
    g_autoptr(GList) keys = json_object_get_members(object);

    for (GList *k = keys; k; k = k->next)
        if (!g_strv_contains(known, k->data)) {
            set_unknown(place, k->data, known, error);
            return FALSE;
        }
    return TRUE;
}

gboolean strobe_config_get_object(const StrobeConfigPlace *place, JsonObject *object,
                                  const char *key, JsonObject **out, GError **error)
{
    JsonNode *node = json_object_get_member(object, key);

    *out = NULL;
    if (!node)
        return TRUE;
    if (!JSON_NODE_HOLDS_OBJECT(node)) {
        strobe_config_set_wrong(place, key, "an object", node, error);
        return FALSE;
    }
    *out = json_node_get_object(node);
    return TRUE;
}

gboolean strobe_config_get_count(const StrobeConfigPlace *place, JsonObject *object,
                                 const char *key, gint64 least, gint64 *out, GError **error)
{
    JsonNode *node = json_object_get_member(object, key);

    if (!node)
        return TRUE;
    if (json_node_get_value_type(node) != G_TYPE_INT64 || json_node_get_int(node) < least ||
        json_node_get_int(node) > MAX_COUNT) {
        g_autofree char *expected =
            least == G_MININT64 ? g_strdup("an integer")
                                : g_strdup_printf("an integer from %d to 10^12", (int)least);
        strobe_config_set_wrong(place, key, expected, node, error);
        return FALSE;
    }
    *out = json_node_get_int(node);
    return TRUE;
}

gboolean strobe_config_get_number(const StrobeConfigPlace *place, JsonObject *object,
                                  const char *key, double low, double high, double *out,
                                  GError **error)
{
    JsonNode *node = json_object_get_member(object, key);
    GType type = node ? json_node_get_value_type(node) : G_TYPE_INVALID;
    double value = 0;

    if (!node)
        return TRUE;
    if (type == G_TYPE_INT64 || type == G_TYPE_DOUBLE)
        value = json_node_get_double(node);
    if ((type != G_TYPE_INT64 && type != G_TYPE_DOUBLE) || !(value >= low && value <= high)) {
        g_autofree char *expected = g_strdup_printf("a number from %g to %g", low, high);
        strobe_config_set_wrong(place, key, expected, node, error);
        return FALSE;
    }
    *out = value;
    return TRUE;
}

gboolean strobe_config_get_string(const StrobeConfigPlace *place, JsonObject *object,
                                  const char *key, char **out, GError **error)
{
    JsonNode *node = json_object_get_member(object, key);

    if (!node)
        return TRUE;
    if (json_node_get_value_type(node) != G_TYPE_STRING || !*json_node_get_string(node)) {
        strobe_config_set_wrong(place, key, "a text that is not empty", node, error);
        return FALSE;
    }
    g_free(*out);
    *out = g_strdup(json_node_get_string(node));
    return TRUE;
}

gboolean strobe_config_get_measure(const StrobeConfigPlace *place, JsonObject *object,
                                   const char *key, const StrobeConfigMeasure *measure, gint64 *out,
                                   GError **error)
{
    JsonNode *node = json_object_get_member(object, key);
    gint64 value = 0;

    if (!node)
        return TRUE;
    if (json_node_get_value_type(node) != G_TYPE_STRING ||
        !measure->parse(json_node_get_string(node), &value) || value < measure->low ||
        value > measure->high) {
        strobe_config_set_wrong(place, key, measure->expected, node, error);
        return FALSE;
    }
    *out = value;
    return TRUE;
}

static char *quoted_list(const char *const *names)
{
    GString *out = g_string_new(NULL);

    for (guint i = 0; names[i]; i++)
        g_string_append_printf(out, "%s\"%s\"",
                               i == 0         ? ""
                               : names[i + 1] ? ", "
                                              : " or ",
                               names[i]);
    return g_string_free(out, FALSE);
}

gboolean strobe_config_get_choice(const StrobeConfigPlace *place, JsonObject *object,
                                  const char *key, const char *const *names, guint32 *out,
                                  GError **error)
{
    JsonNode *node = json_object_get_member(object, key);
    g_autofree char *expected = NULL;

    if (!node)
        return TRUE;
    for (guint32 i = 0; names[i] && json_node_get_value_type(node) == G_TYPE_STRING; i++)
        if (strcmp(json_node_get_string(node), names[i]) == 0) {
            *out = i;
            return TRUE;
        }
    expected = quoted_list(names);
    strobe_config_set_wrong(place, key, expected, node, error);
    return FALSE;
}

gboolean strobe_config_get_boolean(const StrobeConfigPlace *place, JsonObject *object,
                                   const char *key, gboolean *out, GError **error)
{
    JsonNode *node = json_object_get_member(object, key);

    if (!node)
        return TRUE;
    if (json_node_get_value_type(node) != G_TYPE_BOOLEAN) {
        strobe_config_set_wrong(place, key, "true or false", node, error);
        return FALSE;
    }
    *out = json_node_get_boolean(node);
    return TRUE;
}

gboolean strobe_config_get_counts(const StrobeConfigPlace *place, JsonObject *object,
                                  const char *key, GArray **out, GError **error)
{
    JsonNode *node = json_object_get_member(object, key);
    g_autoptr(GArray) counts = g_array_new(FALSE, FALSE, sizeof(gint64));

    if (!node)
        return TRUE;
    gboolean good = JSON_NODE_HOLDS_ARRAY(node);
    guint n = good ? json_array_get_length(json_node_get_array(node)) : 0;
    for (guint i = 0; good && i < n; i++) {
        JsonNode *item = json_array_get_element(json_node_get_array(node), i);
        gint64 count =
            json_node_get_value_type(item) == G_TYPE_INT64 ? json_node_get_int(item) : -1;
        good = count >= 0;
        g_array_append_val(counts, count);
    }
    if (!good) {
        strobe_config_set_wrong(place, key, "an array of integers from 0", node, error);
        return FALSE;
    }
    g_clear_pointer(out, g_array_unref);
    *out = g_steal_pointer(&counts);
    return TRUE;
}
