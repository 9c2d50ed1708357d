/* SPDX-License-Identifier: Apache-2.0 */
#include "show-empty.h"

#include <string.h>

#include "show-rows.h"
#include "terminal.h"

#define NAMES 10

/* Reads the rows of a table. NULL: the table has no records, or could not be read. */
static StrobeRows *read_rows(StrobeRegistry *registry, const StrobeResult *result,
                             const StrobeRowsRequest *request, const GPtrArray *passes)
{
    StrobeRows *rows = strobe_rows_new(request);
    StrobeShowConsumer *consumer = strobe_show_consumer_new("show");

    strobe_show_consumer_add(consumer, strobe_rows_table(rows));
    gboolean good = strobe_show_consumer_run(consumer, registry, result, passes, FALSE, NULL);
    strobe_show_consumer_free(consumer);
    if (!good || rows->n_seen == 0)
        g_clear_pointer(&rows, strobe_rows_free);
    return rows;
}

guint64 strobe_show_count(StrobeRegistry *registry, const StrobeResult *result, const char *kind,
                          const GPtrArray *passes)
{
    const StrobeRowsRequest request = {.kind = kind, .limit = 1};
    StrobeRows *rows = read_rows(registry, result, &request, passes);
    guint64 n = rows ? rows->n_seen : 0;

    strobe_rows_free(rows);
    return n;
}

char *strobe_show_top_names(StrobeRegistry *registry, const StrobeResult *result)
{
    static const char *const columns[] = {"name", NULL};
    const StrobeRowsRequest request = {
        .kind = "operator_average", .columns = columns, .limit = NAMES, .raw = TRUE};
    StrobeRows *rows = read_rows(registry, result, &request, NULL);
    GString *names = g_string_new(NULL);

    for (guint i = 0; rows && i < rows->cells->len; i++) {
        const StrobeRowsCell *cell = &g_array_index(rows->cells, StrobeRowsCell, i);
        g_autofree char *name = strobe_text_printable(cell->text, cell->length);
        g_string_append_printf(names, "%s\"%s\"", i ? ", " : "", name);
    }
    strobe_rows_free(rows);
    return g_string_free(names, names->len == 0);
}

/* maximum number of passes in a chain of passes that need each other's records */
#define DEPTH_MAX 8

/* Whether the component records the kind. The collector "fake" does not count, because it invents
 * its records. */
static gboolean emits_kind(const StrobeComponent *component, const char *kind)
{
    if (component->type != STROBE_COMPONENT_COLLECTOR || strcmp(component->name, "fake") == 0)
        return FALSE;
    for (guint32 i = 0; i < component->n_kinds; i++)
        if (strcmp(component->kinds[i]->name, kind) == 0)
            return TRUE;
    return FALSE;
}

static void add_collectors(GPtrArray *names, StrobeRegistry *registry, const char *kind,
                           guint depth)
{
    const GPtrArray *files = strobe_registry_scan(registry);
    const StrobeComponent *pass = strobe_registry_find_pass(registry, kind);

    for (guint i = 0; i < files->len; i++) {
        const StrobePluginFile *file = g_ptr_array_index(files, i);
        for (guint c = 0; file->plugin && c < file->plugin->n_components; c++) {
            const StrobeComponent *component = file->plugin->components[c];
            if (emits_kind(component, kind) &&
                !g_ptr_array_find_with_equal_func(names, component->name, g_str_equal, NULL))
                g_ptr_array_add(names, (gpointer)component->name);
        }
    }
    for (const char *const *want = pass ? pass->wants : NULL; want && *want && depth; want++)
        add_collectors(names, registry, *want, depth - 1);
}

char *strobe_show_collectors(StrobeRegistry *registry, const char *kind)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new();

    add_collectors(names, registry, kind, DEPTH_MAX);
    g_ptr_array_add(names, NULL);
    return names->len > 1 ? g_strjoinv(", ", (char **)names->pdata) : NULL;
}

char *strobe_show_advice(StrobeRegistry *registry)
{
    g_autofree char *functions = strobe_show_collectors(registry, "function");
    g_autofree char *operators = strobe_show_collectors(registry, "cpu_op");
    g_autofree char *kernels = strobe_show_collectors(registry, "device_task");

    return g_strdup_printf("strobe run --collect NAME records functions (%s), operators (%s) and "
                           "kernels (%s)",
                           functions ? functions : "no plugin", operators ? operators : "no plugin",
                           kernels ? kernels : "no plugin");
}
