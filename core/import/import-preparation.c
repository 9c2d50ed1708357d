/* SPDX-License-Identifier: Apache-2.0 */
/* Calls the importers that use a vendor's tool to make a source readable, before an import. */
#include <stddef.h>
#include <string.h>

#include "import-source.h"
#include "import.h"

static gboolean has_prepare(const StrobeImporterOps *ops)
{
    return ops->struct_size >= offsetof(StrobeImporterOps, prepare) + sizeof ops->prepare &&
           ops->prepare;
}

const StrobeConfigComponent *strobe_import_options(const GPtrArray *options,
                                                   const StrobeComponent *importer)
{
    for (guint i = 0; options && i < options->len; i++) {
        const StrobeConfigComponent *wanted = g_ptr_array_index(options, i);

        if (!strcmp(wanted->name, importer->name))
            return wanted;
    }
    return NULL;
}

static gboolean prepare_one(const StrobeComponent *importer, const StrobeConfigComponent *options,
                            const char *path, int logs, GError **error)
{
    g_autofree guchar *head = g_malloc(STROBE_SOURCE_HEAD);
    StrobeSource source;

    if (!strobe_source_open(&source, path, head, error))
        return FALSE;
    StrobeStatus status = strobe_import_call_prepare(importer, options, &source, logs, error);
    strobe_source_close(&source);
    return status == STROBE_OK;
}

/* Returns all importers that have the call `prepare`, as an array of StrobeComponent. */
static GPtrArray *all_with_prepare(StrobeRegistry *registry)
{
    GPtrArray *files = strobe_registry_scan(registry);
    GPtrArray *importers = g_ptr_array_new();

    for (guint i = 0; i < files->len; i++) {
        const StrobePluginFile *file = g_ptr_array_index(files, i);

        for (guint k = 0; !file->shadowed && file->plugin && k < file->plugin->n_components; k++) {
            const StrobeComponent *component = file->plugin->components[k];

            if (component->type == STROBE_COMPONENT_IMPORTER && has_prepare(component->ops))
                g_ptr_array_add(importers, (gpointer)component);
        }
    }
    return importers;
}

gboolean strobe_import_prepare(StrobeRegistry *registry, const char *path, int logs,
                               const GPtrArray *options, GError **error)
{
    g_autoptr(GPtrArray) importers = all_with_prepare(registry);
    gboolean good = TRUE;

    for (guint i = 0; i < importers->len; i++) {
        const StrobeComponent *importer = g_ptr_array_index(importers, i);

        good &= prepare_one(importer, strobe_import_options(options, importer), path, logs,
                            good ? error : NULL);
    }
    return good;
}

GPtrArray *strobe_import_find_raw(StrobeRegistry *registry, const char *path)
{
    g_autoptr(GPtrArray) importers = all_with_prepare(registry);

    for (guint i = 0; i < importers->len; i++) {
        const StrobeComponent *importer = g_ptr_array_index(importers, i);
        GPtrArray *sources = strobe_import_find(registry, path, importer->name, NULL);

        if (sources)
            return sources;
    }
    return NULL;
}
