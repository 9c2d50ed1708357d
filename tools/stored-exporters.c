/* SPDX-License-Identifier: Apache-2.0 */
#include "stored-exporters.h"

#include "command.h"
#include "config-file.h"
#include "json-text.h"
#include "reader.h"

/* Removes the options that name files, with a message: only the user of the analysis may choose
 * output files, not a capture. */
static void drop_stored_paths(StrobeRegistry *registry, StrobeConfigComponent *exporter)
{
    const StrobeComponent *component =
        strobe_registry_find(registry, STROBE_COMPONENT_EXPORTER, exporter->name, NULL, NULL);
    g_autoptr(GPtrArray) dropped = g_ptr_array_new_with_free_func(g_free);

    if (component)
        strobe_config_component_drop_paths(exporter, component->options, component->n_options,
                                           dropped);
    for (guint i = 0; i < dropped->len; i++)
        strobe_complain(
            "%s: option \"%s\" of %s names a file and is ignored: give it with --export",
            exporter->origin, (char *)g_ptr_array_index(dropped, i), exporter->name);
}

/* Returns a configuration with the exporters that the capture names, or the default ones if it
 * names none. NULL with an error. */
static StrobeConfig *read_exporters(StrobeRegistry *registry, const StrobeHeldResult *held,
                                    GError **error)
{
    StrobeReader *reader = strobe_reader_open(held->result.source, error);

    if (!reader)
        return NULL;
    g_autofree char *text = NULL;
    JsonObject *metadata = strobe_reader_metadata(reader);
    JsonNode *node = metadata ? json_object_get_member(metadata, "exporters") : NULL;
    if (node && JSON_NODE_HOLDS_OBJECT(node)) {
        g_autofree char *exporters = strobe_json_to_text(node, 0);
        text = g_strdup_printf("{\"exporters\": %s}", exporters);
    }
    StrobeConfig *config = strobe_config_parse(text, held->named->capture, error);
    strobe_reader_free(reader);
    for (guint i = 0; config && i < config->exporters->len; i++)
        drop_stored_paths(registry, g_ptr_array_index(config->exporters, i));
    /* An empty list in the capture means that nothing was exported after the recording. An analysis
     * then uses the default exporters. */
    if (config)
        config->has_exporters = config->has_exporters && config->exporters->len > 0;
    if (config && !config->has_exporters)
        strobe_config_add_defaults(config);
    return config;
}

StrobeConfig *strobe_stored_exporters(StrobeRegistry *registry, const StrobeHeldResult *held,
                                      char **also, GError **error)
{
    StrobeConfig *config = read_exporters(registry, held, error);

    for (; config && also && *also; also++)
        if (!strobe_config_add_exporter(config, *also, error))
            g_clear_pointer(&config, strobe_config_free);
    return config;
}
