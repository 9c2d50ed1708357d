/* SPDX-License-Identifier: Apache-2.0 */
#include "writer-setup.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "config-file.h"
#include "error.h"
#include "json-text.h"
#include "process.h"
#include "result-directory.h"

#define ORIGIN "the session's configuration"

static void set_text(JsonObject *metadata, const char *name, const char *value)
{
    g_autofree char *valid = g_utf8_make_valid(value, -1);

    json_object_set_string_member(metadata, name, valid);
}

static JsonArray *array_of(const char *const *texts)
{
    JsonArray *array = json_array_new();

    for (; *texts; texts++)
        if (g_utf8_validate(*texts, -1, NULL))
            json_array_add_string_element(array, *texts);
    return array;
}

static JsonArray *array_of_numbers(const GArray *numbers)
{
    JsonArray *array = json_array_new();

    for (guint i = 0; i < numbers->len; i++)
        json_array_add_int_element(array, g_array_index(numbers, guint, i));
    return array;
}

char *strobe_writer_setup_text(const StrobeConfig *config, const StrobeRegistry *registry,
                               const GArray *outside, pid_t target)
{
    g_autoptr(JsonObject) metadata = json_object_new();
    g_autofree char *directory =
        g_canonicalize_filename(config->directory ? config->directory : ".", NULL);
    char command[4096];

    strobe_process_command(target ? target : getpid(), command, sizeof command);
    set_text(metadata, "directory", directory);
    set_text(metadata, "worker", config->worker ? config->worker : g_get_host_name());
    set_text(metadata, "command", command);
    json_object_set_int_member(metadata, "rank", strobe_rank());
    json_object_set_int_member(metadata, "target", target);
    json_object_set_array_member(metadata, "plugin_path", array_of(strobe_registry_path(registry)));
    json_object_set_array_member(metadata, "outside", array_of_numbers(outside));
    g_autofree char *head = strobe_json_object_to_text(metadata, 0);
    g_autofree char *rest = strobe_config_to_json(config);
    return g_strconcat(head, "\n", rest, NULL);
}

/* ---- reading ---- */

static char **texts_of(JsonObject *metadata, const char *name)
{
    JsonNode *node = json_object_get_member(metadata, name);
    GPtrArray *texts = g_ptr_array_new();

    for (guint i = 0; node && JSON_NODE_HOLDS_ARRAY(node); i++) {
        JsonArray *array = json_node_get_array(node);
        if (i >= json_array_get_length(array))
            break;
        JsonNode *item = json_array_get_element(array, i);
        if (json_node_get_value_type(item) == G_TYPE_STRING)
            g_ptr_array_add(texts, json_node_dup_string(item));
    }
    g_ptr_array_add(texts, NULL);
    return (char **)g_ptr_array_free(texts, FALSE);
}

/* Returns the entries of the array `name` that are valid numbers of collectors. */
static GArray *numbers_of(JsonObject *metadata, const char *name, guint n_collectors)
{
    JsonNode *node = json_object_get_member(metadata, name);
    JsonArray *array = node && JSON_NODE_HOLDS_ARRAY(node) ? json_node_get_array(node) : NULL;
    GArray *numbers = g_array_new(FALSE, FALSE, sizeof(guint));

    for (guint i = 0; array && i < MIN(json_array_get_length(array), n_collectors); i++) {
        JsonNode *item = json_array_get_element(array, i);
        gint64 value = json_node_get_value_type(item) == G_TYPE_INT64 ? json_node_get_int(item) : 0;
        guint number = (guint)CLAMP(value, 0, G_MAXINT);
        if (number >= 1 && number <= n_collectors)
            g_array_append_val(numbers, number);
    }
    return numbers;
}

static void replace_text(char **text, JsonObject *metadata, const char *name)
{
    const char *value = strobe_json_member_text(metadata, name);

    g_free(*text);
    *text = g_strdup(value);
}

static void take_metadata(StrobeWriterSetup *setup, JsonObject *metadata)
{
    replace_text(&setup->config->directory, metadata, "directory");
    replace_text(&setup->config->worker, metadata, "worker");
    replace_text(&setup->command, metadata, "command");
    setup->rank = (gint)CLAMP(strobe_json_member_int(metadata, "rank", -1), -1, G_MAXINT);
    setup->target = (pid_t)CLAMP(strobe_json_member_int(metadata, "target", 0), 0, G_MAXINT);
    setup->outside = numbers_of(metadata, "outside", setup->config->collectors->len);
    setup->plugin_path = texts_of(metadata, "plugin_path");
}

StrobeWriterSetup *strobe_writer_setup_parse(const char *text, GError **error)
{
    const char *end = strchr(text, '\n');

    if (!end) {
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_CONFIG, ORIGIN " is incomplete");
        return NULL;
    }
    g_autoptr(JsonNode) metadata = strobe_json_parse(text, (gsize)(end - text), ORIGIN, error);
    StrobeConfig *config = metadata ? strobe_config_parse(end + 1, ORIGIN, error) : NULL;
    if (!config)
        return NULL;
    StrobeWriterSetup *setup = g_new0(StrobeWriterSetup, 1);
    setup->config = config;
    take_metadata(setup, json_node_get_object(metadata));
    return setup;
}

StrobeWriterSetup *strobe_writer_setup_read(const struct pool_header *pool, GError **error)
{
    char *text = strobe_pool_copy_setup(pool);
    StrobeWriterSetup *setup = strobe_writer_setup_parse(text ? text : "", error);

    free(text);
    return setup;
}

void strobe_writer_setup_free(StrobeWriterSetup *setup)
{
    if (!setup)
        return;
    strobe_config_free(setup->config);
    g_strfreev(setup->plugin_path);
    g_array_unref(setup->outside);
    g_free(setup->command);
    g_free(setup);
}
