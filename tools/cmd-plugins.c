/* SPDX-License-Identifier: Apache-2.0 */
/* strobe plugins: lists components with their options, and whether they work here. */
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "error.h"
#include "plugin-folders.h"
#include "plugin-page.h"
#include "plugin-scan.h"
#include "terminal.h"

static const StrobeUsage usage = {
    .name = "plugins",
    .arguments = "[NAME]",
    .summary = "Lists all collectors, importers, passes and exporters, and whether each can\n"
               "work on this machine. With the NAME of a component or of a plugin, it also\n"
               "prints the options: type, default, range and meaning. It loads each plugin file\n"
               "in a separate process.",
    .examples =
        "Examples:\n"
        "  strobe plugins\n"
        "  strobe plugins cpu_op\n"
        "  strobe plugins --json --plugin-path ./build\n"
        "\n"
        "Strobe looks for plugins in --plugin-path, $STROBE_PLUGIN_PATH, ~/.local/lib/strobe\n"
        "and its installation, in this order. If two have the same name, it uses the first.",
};

static const char *text_of(JsonObject *object, const char *key)
{
    return json_object_get_string_member_with_default(object, key, "");
}

static gboolean flag_of(JsonObject *object, const char *key)
{
    return json_object_get_boolean_member_with_default(object, key, FALSE);
}

static JsonArray *list_of(JsonObject *object, const char *key)
{
    return json_object_has_member(object, key) ? json_object_get_array_member(object, key) : NULL;
}

/* ---- the list ---- */

static void add_row(StrobeGrid *grid, JsonObject *plugin, JsonObject *component)
{
    const char *available = text_of(component, "available");

    strobe_grid_add(grid, text_of(component, "name"));
    strobe_grid_add(grid, text_of(component, "type"));
    strobe_grid_add(grid, text_of(plugin, "version"));
    strobe_grid_add(grid, flag_of(plugin, "shadowed") ? "shadowed" : available);
    strobe_grid_printf(grid, "%s%s", flag_of(component, "simulated") ? "[simulated] " : "",
                       text_of(component, "summary"));
}

static void print_unavailable(JsonObject *component)
{
    const char *reason = text_of(component, "reason");
    const char *hint = text_of(component, "hint");

    if (*reason)
        printf("%s %s: %s%s%s\n", text_of(component, "type"), text_of(component, "name"), reason,
               *hint ? ". " : "", hint);
}

static void print_list(const GPtrArray *plugins)
{
    StrobeGrid *grid = strobe_grid_new();

    strobe_grid_add_column(grid, "Name", FALSE, 0);
    strobe_grid_add_column(grid, "Type", FALSE, 0);
    strobe_grid_add_column(grid, "Version", FALSE, 0);
    strobe_grid_add_column(grid, "Works here", FALSE, 0);
    strobe_grid_add_column(grid, "Summary", FALSE, 0);
    for (guint i = 0; i < plugins->len; i++) {
        JsonObject *plugin = g_ptr_array_index(plugins, i);
        JsonArray *components = list_of(plugin, "components");
        for (guint c = 0; components && c < json_array_get_length(components); c++)
            add_row(grid, plugin, json_array_get_object_element(components, c));
    }
    strobe_grid_print(grid, stdout);
    strobe_grid_free(grid);
    putchar('\n');
    for (guint i = 0; i < plugins->len; i++) {
        JsonObject *plugin = g_ptr_array_index(plugins, i);
        JsonArray *components = list_of(plugin, "components");
        for (guint c = 0; components && c < json_array_get_length(components); c++)
            print_unavailable(json_array_get_object_element(components, c));
        if (json_object_has_member(plugin, "error"))
            printf("%s was refused: %s\n", text_of(plugin, "file"), text_of(plugin, "error"));
    }
}

/* ---- components by name ---- */

static void print_options(JsonArray *options)
{
    guint n = options ? json_array_get_length(options) : 0;
    StrobeGrid *grid = strobe_grid_new();

    if (n == 0)
        puts("  no options");
    strobe_grid_add_column(grid, "  Option", FALSE, 0);
    strobe_grid_add_column(grid, "Type", FALSE, 0);
    strobe_grid_add_column(grid, "Default", FALSE, 30);
    strobe_grid_add_column(grid, "Range", FALSE, 40);
    strobe_grid_add_column(grid, "Meaning", FALSE, 0);
    for (guint i = 0; i < n; i++) {
        JsonObject *option = json_array_get_object_element(options, i);
        strobe_grid_printf(grid, "  %s", text_of(option, "name"));
        strobe_grid_add(grid, text_of(option, "type"));
        strobe_grid_add(grid,
                        flag_of(option, "required") ? "(required)" : text_of(option, "default"));
        strobe_grid_add(grid, text_of(option, "range"));
        strobe_grid_add(grid, text_of(option, "summary"));
    }
    if (n > 0)
        strobe_grid_print(grid, stdout);
    strobe_grid_free(grid);
}

static void print_kinds(const char *title, JsonArray *kinds)
{
    guint n = kinds ? json_array_get_length(kinds) : 0;

    if (n > 0)
        printf("  %s", title);
    for (guint i = 0; i < n; i++)
        printf("%s%s", i ? ", " : "", json_array_get_string_element(kinds, i));
    if (n > 0)
        putchar('\n');
}

static void print_component(JsonObject *plugin, JsonObject *component)
{
    const char *available = text_of(component, "available");

    printf("%s %s: %s\n", text_of(component, "type"), text_of(component, "name"),
           text_of(component, "summary"));
    printf("  plugin %s %s by %s (%s), %s%s\n", text_of(plugin, "name"), text_of(plugin, "version"),
           text_of(plugin, "vendor"), text_of(plugin, "license"), text_of(plugin, "file"),
           flag_of(plugin, "shadowed") ? ", shadowed by one that comes first" : "");
    if (flag_of(component, "simulated"))
        puts("  its results are simulated");
    if (*text_of(component, "samples"))
        printf("  samples %s\n", text_of(component, "samples"));
    printf("  works here: %s%s%s%s%s\n", available, *text_of(component, "reason") ? ": " : "",
           text_of(component, "reason"), *text_of(component, "hint") ? ". " : "",
           text_of(component, "hint"));
    print_kinds("emits: ", list_of(component, "kinds"));
    print_kinds("reads: ", list_of(component, "wants"));
    print_options(list_of(component, "options"));
    putchar('\n');
}

/* Whether `name` is the name of the component ("component" or "plugin.component") or of the plugin.
 */
static gboolean is_meant(JsonObject *plugin, JsonObject *component, const char *name)
{
    g_autofree char *full =
        g_strdup_printf("%s.%s", text_of(plugin, "name"), text_of(component, "name"));

    return strcmp(text_of(component, "name"), name) == 0 || strcmp(full, name) == 0 ||
           strcmp(text_of(plugin, "name"), name) == 0;
}

/* Prints the components for which is_meant() is TRUE. Returns their number. */
static guint print_named(const GPtrArray *plugins, const char *name)
{
    guint n = 0;

    for (guint i = 0; i < plugins->len; i++) {
        JsonObject *plugin = g_ptr_array_index(plugins, i);
        JsonArray *components = list_of(plugin, "components");
        for (guint c = 0; components && c < json_array_get_length(components); c++) {
            JsonObject *component = json_array_get_object_element(components, c);
            if (!is_meant(plugin, component, name))
                continue;
            print_component(plugin, component);
            n++;
        }
        if (!components && strcmp(text_of(plugin, "name"), name) == 0) {
            printf("%s was refused: %s\n", text_of(plugin, "file"), text_of(plugin, "error"));
            n++;
        }
    }
    return n;
}

static int refuse_name(const GPtrArray *plugins, const char *name)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new();

    for (guint i = 0; i < plugins->len; i++) {
        JsonArray *components = list_of(g_ptr_array_index(plugins, i), "components");
        for (guint c = 0; components && c < json_array_get_length(components); c++)
            g_ptr_array_add(
                names, (gpointer)text_of(json_array_get_object_element(components, c), "name"));
    }
    g_ptr_array_add(names, NULL);
    g_autofree char *hint = strobe_nearest_hint(name, (const char *const *)names->pdata);
    strobe_complain("There is no plugin or component \"%s\"%s", name, hint);
    return STROBE_EXIT_PLUGIN;
}

/* ---- JSON ---- */

/* Prints plugins as JSON: all, or only those of which `name` names the plugin or a component.
 * Returns their number. */
static guint print_json(const GPtrArray *plugins, const char *name)
{
    g_autoptr(JsonNode) root = json_node_new(JSON_NODE_ARRAY);
    JsonArray *array = json_array_new();
    g_autoptr(JsonGenerator) generator = json_generator_new();

    for (guint i = 0; i < plugins->len; i++) {
        JsonObject *plugin = g_ptr_array_index(plugins, i);
        JsonArray *components = list_of(plugin, "components");
        gboolean is_wanted = !name || strcmp(text_of(plugin, "name"), name) == 0;
        for (guint c = 0; components && c < json_array_get_length(components); c++)
            is_wanted |=
                is_meant(plugin, json_array_get_object_element(components, c), name ? name : "");
        if (is_wanted)
            json_array_add_object_element(array, json_object_ref(plugin));
    }
    guint n = json_array_get_length(array);
    json_node_take_array(root, array);
    json_generator_set_root(generator, root);
    json_generator_set_pretty(generator, TRUE);
    json_generator_set_indent(generator, 4);
    g_autofree char *text = json_generator_to_data(generator, NULL);
    if (n > 0 || !name)
        printf("%s\n", text);
    return n;
}

int strobe_command_plugins(int argc, char **argv)
{
    gboolean as_json = FALSE, as_markdown = FALSE;
    int code;
    g_auto(GStrv) folders = NULL;
    const GOptionEntry entries[] = {
        {"json", 0, 0, G_OPTION_ARG_NONE, &as_json, "Print JSON, one object for each plugin file",
         NULL},
        {"markdown", 0, 0, G_OPTION_ARG_NONE, &as_markdown,
         "Print the reference page of all options", NULL},
        {"plugin-path", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &folders,
         "Look for plugins here first; repeatable", "DIR"},
        {NULL},
    };

    if (!strobe_command_parse(&usage, entries, &argc, &argv))
        return STROBE_EXIT_USAGE;
    if (argc > 2)
        return strobe_command_misuse(&usage, "One name at most");
    if (as_markdown && (as_json || argc > 1))
        return strobe_command_misuse(&usage,
                                     "--markdown prints all plugins and cannot be combined with %s",
                                     as_json ? "--json" : "a name");
    if (!strobe_plugin_folders_check(folders, &code))
        return code;
    const char *name = argc > 1 ? argv[1] : NULL;
    g_autoptr(GPtrArray) plugins = strobe_plugin_scan((const char *const *)folders);
    guint n = 1;
    if (as_json)
        n = print_json(plugins, name);
    else if (as_markdown)
        strobe_plugin_page_print(plugins);
    else if (name)
        n = print_named(plugins, name);
    else
        print_list(plugins);
    return name && n == 0 ? refuse_name(plugins, name) : STROBE_EXIT_OK;
}
