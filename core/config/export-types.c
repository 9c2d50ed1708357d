/* SPDX-License-Identifier: Apache-2.0 */
#include "export-types.h"

#include <string.h>
#include "error.h"

#define KEY "export_type"

static const struct {
    const char *name;
    guint32 type;
} names[] = {{"text", STROBE_EXPORT_TEXT}, {"db", STROBE_EXPORT_DB}};

static const struct {
    const char *exporter;
    guint32 types;
} exporters[] = {
    {"chrome_trace", STROBE_EXPORT_TEXT},
    {"comm_json", STROBE_EXPORT_TEXT},
    {"csv", STROBE_EXPORT_TEXT},
    {"stacks", STROBE_EXPORT_TEXT},
#if defined(STROBE_HAVE_SQLITE)
    {"db",
     /* "text" includes the databases, as in the Ascend PyTorch Profiler */
     STROBE_EXPORT_TEXT | STROBE_EXPORT_DB},
#else
    {"db", STROBE_EXPORT_DB}, /* no text files */
#endif
};

/* Returns 0 if there is no type of this name. */
static guint32 find_type(const char *name)
{
    for (gsize i = 0; i < G_N_ELEMENTS(names); i++)
        if (!strcmp(names[i].name, name))
            return names[i].type;
    return 0;
}

gboolean strobe_export_types_parse(const char *text, const char *origin, guint32 *types,
                                   GError **error)
{
    g_auto(GStrv) parts = g_strsplit(text, "+", -1);
    guint32 found = 0;

    for (char **part = parts; *part; part++) {
        guint32 type = find_type(*part);

        if (!type) {
            g_set_error(error, STROBE_ERROR, STROBE_ERROR_CONFIG,
                        "%s: unknown export type \"%s\", expected text, db or text+db", origin,
                        *part);
            return FALSE;
        }
        found |= type;
    }
    if (!found) {
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_CONFIG,
                    "%s: expected text, db or text+db, found an empty text", origin);
        return FALSE;
    }
    *types = found;
    return TRUE;
}

static gboolean read_type(const StrobeConfigPlace *place, JsonNode *node, guint32 *types,
                          GError **error)
{
    gboolean is_text =
        JSON_NODE_HOLDS_VALUE(node) && json_node_get_value_type(node) == G_TYPE_STRING;
    guint32 type = is_text ? find_type(json_node_get_string(node)) : 0;

    if (!type) {
        strobe_config_set_wrong(place, KEY, "\"text\", \"db\" or an array of these", node, error);
        return FALSE;
    }
    *types |= type;
    return TRUE;
}

gboolean strobe_export_types_read(JsonObject *top, const char *origin, guint32 *types,
                                  GError **error)
{
    const StrobeConfigPlace place = {origin, NULL};
    JsonNode *node = json_object_has_member(top, KEY) ? json_object_get_member(top, KEY) : NULL;
    guint32 found = 0;

    if (!node)
        return TRUE;
    if (!JSON_NODE_HOLDS_ARRAY(node)) {
        if (!read_type(&place, node, &found, error))
            return FALSE;
    } else {
        JsonArray *array = json_node_get_array(node);

        for (guint i = 0; i < json_array_get_length(array); i++)
            if (!read_type(&place, json_array_get_element(array, i), &found, error))
                return FALSE;
    }
    if (!found) {
        strobe_config_set_wrong(&place, KEY, "at least one of \"text\" and \"db\"", node, error);
        return FALSE;
    }
    *types = found;
    return TRUE;
}

const char *strobe_export_types_exporter(guint32 types, guint index)
{
    for (gsize i = 0; i < G_N_ELEMENTS(exporters); i++)
        if ((exporters[i].types & types) && index-- == 0)
            return exporters[i].exporter;
    return NULL;
}
