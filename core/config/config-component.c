/* SPDX-License-Identifier: Apache-2.0 */
#include "config-component.h"

#include <string.h>
#include "error.h"
#include "options.h"

static void free_component(gpointer data)
{
    StrobeConfigComponent *component = data;

    g_free(component->name);
    g_free(component->origin);
    g_clear_pointer(&component->json, json_object_unref);
    g_clear_pointer(&component->wished, json_object_unref);
    g_clear_pointer(&component->pairs, g_ptr_array_unref);
    g_free(component);
}

static StrobeConfigComponent *find_component(GPtrArray *list, const char *name)
{
    for (guint i = 0; i < list->len; i++) {
        StrobeConfigComponent *component = g_ptr_array_index(list, i);
        if (strcmp(component->name, name) == 0)
            return component;
    }
    return NULL;
}

StrobeConfigComponent *strobe_config_component_add(GPtrArray *list, const char *name,
                                                   const char *origin)
{
    StrobeConfigComponent *component = find_component(list, name);

    if (!component) {
        component = g_new0(StrobeConfigComponent, 1);
        component->name = g_strdup(name);
        component->origin = g_strdup(origin);
        g_ptr_array_add(list, component);
    }
    return component;
}

static gboolean is_own_member(const char *key)
{
    return strcmp(key, "required") == 0 || strcmp(key, "by_default") == 0 ||
           strcmp(key, "optional") == 0;
}

/* Reads a member of the component's object that is for the host, not an option of the component. */
static gboolean read_own_member(StrobeConfigComponent *component, const StrobeConfigPlace *place,
                                JsonObject *object, const char *key, GError **error)
{
    JsonNode *value = json_object_get_member(object, key);

    if (strcmp(key, "required") == 0)
        return strobe_config_get_boolean(place, object, key, &component->required, error);
    if (strcmp(key, "by_default") == 0)
        return strobe_config_get_boolean(place, object, key, &component->is_default, error);
    if (!JSON_NODE_HOLDS_OBJECT(value)) {
        strobe_config_set_wrong(place, key, "an object of options", value, error);
        return FALSE;
    }
    g_clear_pointer(&component->wished, json_object_unref);
    component->wished = json_object_ref(json_node_get_object(value));
    return TRUE;
}

gboolean strobe_config_component_read(GPtrArray *list, const StrobeConfigPlace *place,
                                      const char *name, JsonNode *node, GError **error)
{
    if (!JSON_NODE_HOLDS_OBJECT(node)) {
        strobe_config_set_wrong(place, name, "an object of options", node, error);
        return FALSE;
    }
    StrobeConfigComponent *component = strobe_config_component_add(list, name, place->origin);
    JsonObject *options = json_node_get_object(node);
    component->json = json_object_new();
    g_autoptr(GList) keys = json_object_get_members(options);
    for (GList *k = keys; k; k = k->next) {
        if (!is_own_member(k->data))
            json_object_set_member(component->json, k->data,
                                   json_node_copy(json_object_get_member(options, k->data)));
        else if (!read_own_member(component, place, options, k->data, error))
            return FALSE;
    }
    return TRUE;
}

gboolean strobe_config_component_parse(GPtrArray *list, gboolean *has, const char *text,
                                       const char *flag, GError **error)
{
    g_autoptr(GPtrArray) pairs = NULL;
    g_autofree char *name = strobe_options_split(text, &pairs, error);

    if (!name) {
        g_prefix_error(error, "%s ", flag);
        return FALSE;
    }
    StrobeConfigComponent *component = strobe_config_component_add(list, name, flag);
    *has = TRUE;
    if (!component->pairs)
        component->pairs = g_ptr_array_new_with_free_func(g_free);
    for (guint i = 0; i < pairs->len; i += 2) {
        const char *key = g_ptr_array_index(pairs, i), *value = g_ptr_array_index(pairs, i + 1);
        if (strcmp(key, "required") == 0 && strcmp(value, "true") && strcmp(value, "false")) {
            g_set_error(error, STROBE_ERROR, STROBE_ERROR_CONFIG,
                        "%s %s: option \"required\": expected true or false, found \"%s\"", flag,
                        name, value);
            return FALSE;
        }
        if (strcmp(key, "required") == 0) {
            component->required = strcmp(value, "true") == 0;
            continue;
        }
        g_ptr_array_add(component->pairs, g_strdup(key));
        g_ptr_array_add(component->pairs, g_strdup(value));
    }
    return TRUE;
}

GPtrArray *strobe_config_components_new(void)
{
    return g_ptr_array_new_with_free_func(free_component);
}

gboolean strobe_config_add_component(GPtrArray *components, const char *text, const char *flag,
                                     GError **error)
{
    gboolean has = FALSE;

    return strobe_config_component_parse(components, &has, text, flag, error);
}

gboolean strobe_config_component_sets(const StrobeConfigComponent *component, const char *option)
{
    for (guint p = 0; component->pairs && p < component->pairs->len; p += 2)
        if (g_str_equal(g_ptr_array_index(component->pairs, p), option))
            return TRUE;
    return component->json && json_object_has_member(component->json, option);
}

void strobe_config_component_settle(StrobeConfigComponent *component, const StrobeOption *options,
                                    guint n_options)
{
    for (guint p = 0; component->pairs && p < component->pairs->len;) {
        const char *name = g_ptr_array_index(component->pairs, p);
        gint64 value;
        guint i = 0;
        while (i < n_options && strcmp(options[i].name, name))
            i++;
        if (i == n_options || options[i].type != STROBE_OPTION_BOOL ||
            !strobe_parse_bool(g_ptr_array_index(component->pairs, p + 1), &value)) {
            p += 2;
            continue;
        }
        if (!component->json)
            component->json = json_object_new();
        json_object_set_boolean_member(component->json, name, value != 0);
        g_ptr_array_remove_range(component->pairs, p, 2);
    }
}

static gboolean drop_member(JsonObject *options, const char *name)
{
    gboolean has = options && json_object_has_member(options, name);

    if (has)
        json_object_remove_member(options, name);
    return has;
}

void strobe_config_component_drop_paths(StrobeConfigComponent *component,
                                        const StrobeOption *options, guint n_options,
                                        GPtrArray *dropped)
{
    for (guint i = 0; i < n_options; i++) {
        const char *name = options[i].name;

        if (options[i].type == STROBE_OPTION_PATH &&
            (drop_member(component->json, name) | drop_member(component->wished, name)))
            g_ptr_array_add(dropped, g_strdup(name));
    }
}

JsonObject *strobe_config_components_json(GPtrArray *list)
{
    JsonObject *out = json_object_new();

    for (guint i = 0; i < list->len; i++) {
        const StrobeConfigComponent *component = g_ptr_array_index(list, i);
        JsonObject *options = json_object_new();
        g_autoptr(GList) keys = component->json ? json_object_get_members(component->json) : NULL;
        for (GList *k = keys; k; k = k->next)
            json_object_set_member(
                options, k->data, json_node_copy(json_object_get_member(component->json, k->data)));
        /* A text from a command line is valid for an option of any type except true or false, see
         * strobe_config_component_settle(). */
        for (guint p = 0; component->pairs && p < component->pairs->len; p += 2)
            json_object_set_string_member(options, g_ptr_array_index(component->pairs, p),
                                          g_ptr_array_index(component->pairs, p + 1));
        if (component->required)
            json_object_set_boolean_member(options, "required", TRUE);
        if (component->is_default)
            json_object_set_boolean_member(options, "by_default", TRUE);
        if (component->wished && json_object_get_size(component->wished))
            json_object_set_object_member(options, "optional", json_object_ref(component->wished));
        json_object_set_object_member(out, component->name, options);
    }
    return out;
}
