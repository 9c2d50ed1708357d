/* SPDX-License-Identifier: Apache-2.0 */
#include "show-list.h"

#include <string.h>

#include <strobe/helpers/keyed-hash.h>
#include <strobe/kinds.h>

#include "capture-contents.h"
#include "error.h"
#include "progress-bar.h"
#include "terminal.h"

/* ---- number of derived records ---- */

/* The numbers of records in the current run. It is a global variable, because a consumer receives
 * no user pointer; this command runs one pipeline at a time. */
static GHashTable *counts; /* name of a kind -> guint64 */

static StrobeStatus census_open(const StrobeConsumerHost *host, StrobeInstance *self, void **state)
{
    *state = counts;
    return STROBE_OK;
}

static StrobeStatus census_batch(void *state, const StrobeView *records, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        guint64 *count = g_hash_table_lookup(state, records[i].kind->name);
        if (count)
            (*count)++;
    }
    return STROBE_OK;
}

static StrobeStatus census_end(void *state)
{
    return STROBE_OK;
}

static void census_close(void *state)
{
}

/* Runs the passes that derive the kinds in `names`, and counts their records in `counts`. FALSE
 * with an error. */
static gboolean count_derived(StrobeRegistry *registry, const StrobeResult *result,
                              const GPtrArray *names, GError **error)
{
    static const StrobeConsumerOps ops = {.struct_size = sizeof ops,
                                          .open = census_open,
                                          .batch = census_batch,
                                          .end = census_end,
                                          .close = census_close};
    g_autofree const char **wants = g_new0(const char *, names->len + 1);
    const StrobeComponent component = {.struct_size = sizeof component,
                                       .type = STROBE_COMPONENT_EXPORTER,
                                       .name = "census",
                                       .summary = "How many records there are of a kind.",
                                       .wants = wants,
                                       .ops = &ops};
    StrobePipeline *pipeline = strobe_pipeline_new(registry);

    for (guint i = 0; i < names->len; i++) {
        wants[i] = g_ptr_array_index(names, i);
        g_hash_table_insert(counts, (gpointer)wants[i], g_new0(guint64, 1));
    }
    strobe_pipeline_on_progress(pipeline, strobe_bar_show, (gpointer) "reading");
    gboolean good = strobe_pipeline_add_consumer(pipeline, &component, error) &&
                    strobe_pipeline_run(pipeline, result, error);
    strobe_bar_clear();
    strobe_pipeline_free(pipeline);
    return good;
}

/* ---- names ---- */

static void add_name(GPtrArray *names, const char *name)
{
    if (!g_ptr_array_find_with_equal_func(names, name, g_str_equal, NULL))
        g_ptr_array_add(names, g_strdup(name));
}

/* Adds the kinds that the available passes can derive. */
static void add_derived(GPtrArray *names, StrobeRegistry *registry)
{
    GPtrArray *files = strobe_registry_scan(registry);

    for (guint i = 0; i < files->len; i++) {
        const StrobePluginFile *file = g_ptr_array_index(files, i);
        for (guint c = 0; file->plugin && c < file->plugin->n_components; c++) {
            const StrobeComponent *component = file->plugin->components[c];
            if (component->type != STROBE_COMPONENT_PASS)
                continue;
            for (guint k = 0; k < component->n_kinds; k++)
                add_name(names, component->kinds[k]->name);
        }
    }
}

gboolean strobe_tables_know(StrobeRegistry *registry, const StrobeResult *result, const char *name,
                            char **hint)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    StrobeContents *contents = strobe_contents_read(result->source, NULL);

    for (gsize i = 0; strobe_standard_kinds[i]; i++)
        add_name(names, strobe_standard_kinds[i]->name);
    for (guint i = 0; contents && i < contents->kinds->len; i++)
        add_name(names, ((StrobeKindCount *)g_ptr_array_index(contents->kinds, i))->name);
    strobe_contents_free(contents);
    add_derived(names, registry);
    gboolean is_known = g_ptr_array_find_with_equal_func(names, name, g_str_equal, NULL);
    g_ptr_array_add(names, NULL);
    *hint = strobe_nearest_hint(name, (const char *const *)names->pdata);
    return is_known;
}

/* ---- the list ---- */

static void add_table(StrobeJsonWriter *json, StrobeGrid *grid, const char *directory,
                      const char *name, const char *origin, guint64 n)
{
    if (json) {
        strobe_json_begin_object(json);
        strobe_json_key(json, "schema_version");
        strobe_json_int(json, STROBE_SHOW_SCHEMA);
        strobe_json_key(json, "directory");
        strobe_json_string(json, directory);
        strobe_json_key(json, "table");
        strobe_json_string(json, name);
        strobe_json_key(json, "origin");
        strobe_json_string(json, origin);
        strobe_json_key(json, "records");
        strobe_json_exact_uint(json, n);
        strobe_json_end_object(json);
        return;
    }
    strobe_grid_add(grid, name);
    strobe_grid_add(grid, origin);
    strobe_grid_printf(grid, "%" G_GUINT64_FORMAT, n);
}

static void add_tables(StrobeJsonWriter *json, StrobeGrid *grid, const char *directory,
                       const StrobeContents *contents, const GPtrArray *derived)
{
    for (guint i = 0; i < contents->kinds->len; i++) {
        const StrobeKindCount *kind = g_ptr_array_index(contents->kinds, i);
        add_table(json, grid, directory, kind->name, "recorded", kind->n);
    }
    for (guint i = 0; i < derived->len; i++) {
        const char *name = g_ptr_array_index(derived, i);
        guint64 n = *(guint64 *)g_hash_table_lookup(counts, name);
        if (n > 0)
            add_table(json, grid, directory, name, "derived", n);
    }
}

gboolean strobe_tables_list(StrobeRegistry *registry, const StrobeResult *result,
                            StrobeJsonWriter *json, GError **error)
{
    g_autoptr(GPtrArray) derived = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GHashTable) table =
        g_hash_table_new_full(strobe_hash_of_text, g_str_equal, NULL, g_free);
    StrobeContents *contents = NULL;

    counts = table;
    add_derived(derived, registry);
    /* The passes run first, because their run recovers the capture of a program that was killed. */
    if (count_derived(registry, result, derived, error))
        contents = strobe_contents_read(result->source, error);
    if (contents) {
        StrobeGrid *grid = strobe_grid_new();
        strobe_grid_add_column(grid, "Table", FALSE, 0);
        strobe_grid_add_column(grid, "Origin", FALSE, 0);
        strobe_grid_add_column(grid, "Records", TRUE, 0);
        add_tables(json, grid, result->directory, contents, derived);
        if (!json)
            strobe_grid_print(grid, stdout);
        strobe_grid_free(grid);
    }
    counts = NULL;
    strobe_contents_free(contents);
    return contents != NULL;
}
