/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin-page.h"

#include <stdio.h>
#include <string.h>

#include <json-glib/json-glib.h>

static const char *text_of(JsonObject *object, const char *key)
{
    return json_object_get_string_member_with_default(object, key, "");
}

/* Prints a cell of a Markdown table. Escapes '|', which would end the cell. */
static void print_cell(const char *text)
{
    fputs("| ", stdout);
    for (; *text; text++) {
        if (*text == '|')
            putchar('\\');
        putchar(*text == '\n' ? ' ' : *text);
    }
    putchar(' ');
}

static void print_option(JsonObject *option)
{
    const char *value = text_of(option, "default");
    g_autofree char *name = g_strdup_printf("`%s`", text_of(option, "name"));
    g_autofree char *quoted = json_object_get_boolean_member_with_default(option, "required", FALSE)
                                  ? g_strdup("required")
                              : *value ? g_strdup_printf("`%s`", value)
                                       : g_strdup("");

    print_cell(name);
    print_cell(text_of(option, "type"));
    print_cell(quoted);
    print_cell(text_of(option, "range"));
    print_cell(text_of(option, "summary"));
    puts("|");
}

static void print_component(JsonObject *component)
{
    JsonArray *options = json_object_get_array_member(component, "options");
    guint n = json_array_get_length(options);

    printf("\n### `%s`\n\n%s\n", text_of(component, "name"), text_of(component, "summary"));
    if (json_object_get_boolean_member_with_default(component, "simulated", FALSE))
        puts("Its results are simulated.");
    if (*text_of(component, "samples"))
        printf("It samples %s.\n", text_of(component, "samples"));
    if (n == 0)
        return;
    puts("\n| Option | Type | Default | Range | Meaning |\n|--|--|--|--|--|");
    for (guint i = 0; i < n; i++)
        print_option(json_array_get_object_element(options, i));
}

static int compare_components(gconstpointer a, gconstpointer b)
{
    return strcmp(text_of(*(JsonObject *const *)a, "name"),
                  text_of(*(JsonObject *const *)b, "name"));
}

/* Returns all components of a type in all files, sorted by name. */
static GPtrArray *components_of(const GPtrArray *plugins, const char *type)
{
    GPtrArray *found = g_ptr_array_new();

    for (guint i = 0; i < plugins->len; i++) {
        JsonObject *plugin = g_ptr_array_index(plugins, i);
        if (!json_object_has_member(plugin, "components") ||
            json_object_get_boolean_member_with_default(plugin, "shadowed", FALSE))
            continue;
        JsonArray *components = json_object_get_array_member(plugin, "components");
        for (guint c = 0; c < json_array_get_length(components); c++) {
            JsonObject *component = json_array_get_object_element(components, c);
            if (strcmp(text_of(component, "type"), type) == 0)
                g_ptr_array_add(found, component);
        }
    }
    g_ptr_array_sort(found, compare_components);
    return found;
}

void strobe_plugin_page_print(const GPtrArray *plugins)
{
    static const struct {
        const char *type, *title;
    } sections[] = {{"collector", "Collectors"},
                    {"importer", "Importers"},
                    {"pass", "Passes"},
                    {"exporter", "Exporters"}};

    puts("# Components and their options\n\n"
         "Made by `strobe plugins --markdown` from the plugins' own declarations.");
    for (gsize i = 0; i < G_N_ELEMENTS(sections); i++) {
        g_autoptr(GPtrArray) components = components_of(plugins, sections[i].type);
        if (components->len == 0)
            continue;
        printf("\n## %s\n", sections[i].title);
        for (guint c = 0; c < components->len; c++)
            print_component(g_ptr_array_index(components, c));
    }
}
