/* SPDX-License-Identifier: Apache-2.0 */
#include "ascend-config.h"

#include <string.h>
#include "config-json.h"
#include "error.h"
#include "export-types.h"

#define STEP_LIMIT 1000000000000

const char *const strobe_ascend_config_keys[] = {
    "activities", "prof_dir",      "analyse",
    "async_mode", "record_shapes", "profile_memory",
    "with_stack", "with_flops",    "with_modules",
    "active",     "warmup",        "start_step",
    "is_rank",    "rank_list",     "experimental_config",
    NULL};

/* ---- the shared checks ---- */

void strobe_ascend_reset(StrobeConfig *config, const StrobeConfigPlace *place, const char *key,
                         const char *expected, JsonNode *node, const char *instead)
{
    g_autoptr(GError) error = NULL;

    strobe_config_set_wrong(place, key, expected, node, &error);
    strobe_config_warn(config, "%s; it is reset to %s", error->message, instead);
}

gboolean strobe_ascend_switch(StrobeConfig *config, const StrobeConfigPlace *place,
                              JsonObject *object, const char *key, gboolean otherwise)
{
    JsonNode *node = object ? json_object_get_member(object, key) : NULL;

    if (!node)
        return otherwise;
    if (json_node_get_value_type(node) == G_TYPE_BOOLEAN)
        return json_node_get_boolean(node);
    strobe_ascend_reset(config, place, key, "true or false", node, otherwise ? "true" : "false");
    return otherwise;
}

/* Only warns of unknown keys, because later versions of the profiler may know them. */
static void warn_of_unknown(StrobeConfig *config, JsonObject *top, const char *origin)
{
    g_autoptr(GList) keys = json_object_get_members(top);

    for (GList *k = keys; k; k = k->next) {
        if (g_strv_contains(strobe_ascend_config_keys, k->data) || g_str_equal(k->data, "metadata"))
            continue;
        g_autofree char *hint = strobe_nearest_hint(k->data, strobe_ascend_config_keys);
        strobe_config_warn(config, "%s: unknown key \"%s\"%s; it has no effect", origin,
                           (const char *)k->data, hint);
    }
}

/* ---- the top-level members ---- */

static void read_activities(StrobeAscendSettings *settings, JsonObject *top, StrobeConfig *config,
                            const StrobeConfigPlace *place)
{
    JsonNode *node = json_object_get_member(top, "activities");
    JsonArray *array = node && JSON_NODE_HOLDS_ARRAY(node) ? json_node_get_array(node) : NULL;

    for (guint i = 0; array && i < json_array_get_length(array); i++) {
        JsonNode *item = json_array_get_element(array, i);
        const char *name =
            json_node_get_value_type(item) == G_TYPE_STRING ? json_node_get_string(item) : "";
        if (g_ascii_strcasecmp(name, "CPU") == 0)
            settings->cpu = TRUE;
        else if (g_ascii_strcasecmp(name, "NPU") == 0)
            settings->npu = TRUE;
        else
            strobe_ascend_reset(config, place, "activities", "\"CPU\" and \"NPU\"", item,
                                "nothing");
    }
    if (node && !array)
        strobe_ascend_reset(config, place, "activities", "an array", node, "both");
    if (!settings->cpu && !settings->npu)
        settings->cpu = settings->npu = TRUE;
}

static gint64 read_step(StrobeConfig *config, const StrobeConfigPlace *place, JsonObject *top,
                        const char *key, gint64 least, gint64 otherwise)
{
    JsonNode *node = json_object_get_member(top, key);

    if (!node)
        return otherwise;
    if (json_node_get_value_type(node) == G_TYPE_INT64 && json_node_get_int(node) >= least &&
        json_node_get_int(node) <= STEP_LIMIT)
        return json_node_get_int(node);
    g_autofree char *expected = g_strdup_printf("an integer from %d", (int)least);
    g_autofree char *instead = g_strdup_printf("%d", (int)otherwise);
    strobe_ascend_reset(config, place, key, expected, node, instead);
    return otherwise;
}

/* In the Ascend PyTorch Profiler the file can also start a profile in a running program. Strobe
 * reads it before the first step, so start_step 0 and -1 both mean the first step. */
static void read_schedule(StrobeConfig *config, JsonObject *top, const StrobeConfigPlace *place)
{
    gint64 start = read_step(config, place, top, "start_step", -1, 0);

    config->has_schedule = TRUE;
    config->schedule = (StrobeScheduleConfig){
        .warmup = read_step(config, place, top, "warmup", 0, 0),
        .active = read_step(config, place, top, "active", 1, 1),
        .repeat = 1,
        .skip_first = MAX(start, 0),
    };
}

static void read_ranks(StrobeConfig *config, JsonObject *top, const StrobeConfigPlace *place)
{
    JsonNode *node = json_object_get_member(top, "rank_list");
    JsonArray *array = node && JSON_NODE_HOLDS_ARRAY(node) ? json_node_get_array(node) : NULL;

    if (!strobe_ascend_switch(config, place, top, "is_rank", FALSE))
        return;
    config->ranks = g_array_new(FALSE, FALSE, sizeof(gint64));
    for (guint i = 0; array && i < json_array_get_length(array); i++) {
        JsonNode *item = json_array_get_element(array, i);
        gint64 rank = json_node_get_value_type(item) == G_TYPE_INT64 ? json_node_get_int(item) : -1;
        if (rank >= 0)
            g_array_append_val(config->ranks, rank);
        else
            strobe_ascend_reset(config, place, "rank_list", "integers from 0", item, "nothing");
    }
    if (config->ranks->len == 0)
        strobe_config_warn(config,
                           "%s: \"is_rank\" is true and \"rank_list\" names no rank: nothing will "
                           "be recorded",
                           place->origin);
}

static void read_output(StrobeConfig *config, JsonObject *top, const StrobeConfigPlace *place)
{
    JsonNode *node = json_object_get_member(top, "prof_dir");
    gboolean analyses = strobe_ascend_switch(config, place, top, "analyse", FALSE);

    if (node && json_node_get_value_type(node) == G_TYPE_STRING && *json_node_get_string(node))
        config->directory = g_strdup(json_node_get_string(node));
    else if (node)
        strobe_ascend_reset(config, place, "prof_dir", "the name of a folder", node,
                            "the current folder");
    if (strobe_ascend_switch(config, place, top, "async_mode", FALSE) && !analyses)
        strobe_config_warn(config, "%s: \"async_mode\" has no effect while \"analyse\" is false",
                           place->origin);
    config->has_exporters = !analyses; /* the list of exporters is empty, so no exporter runs */
}

static void read_metadata(StrobeConfig *config, JsonObject *top, const StrobeConfigPlace *place)
{
    JsonNode *node = json_object_get_member(top, "metadata");

    if (node && !JSON_NODE_HOLDS_OBJECT(node))
        strobe_ascend_reset(config, place, "metadata", "an object", node, "nothing");
    if (!node || !JSON_NODE_HOLDS_OBJECT(node))
        return;
    json_object_unref(config->metadata);
    config->metadata = json_object_ref(json_node_get_object(node));
}

static JsonObject *read_experimental(JsonObject *top, StrobeConfig *config,
                                     const StrobeConfigPlace *place)
{
    JsonNode *node = json_object_get_member(top, "experimental_config");

    if (node && !JSON_NODE_HOLDS_OBJECT(node))
        strobe_ascend_reset(config, place, "experimental_config", "an object", node, "its default");
    return node && JSON_NODE_HOLDS_OBJECT(node) ? json_node_get_object(node) : NULL;
}

/* Checks combinations of settings, as the constructor of the Ascend PyTorch Profiler's profile
 * does. */
static void check_together(StrobeAscendSettings *settings, StrobeConfig *config, const char *origin)
{
    if (!settings->npu)
        strobe_config_warn(config,
                           "%s: Experimental config will not be used while ProfilerActivity.NPU is "
                           "not set.",
                           origin);
    if (!settings->cpu && settings->gc_threshold_ms >= 0)
        strobe_config_warn(config,
                           "%s: GC detect will not take effect while ProfilerActivity.CPU is not "
                           "set.",
                           origin);
    if (settings->record_op_args)
        strobe_config_warn(config,
                           "%s: \"record_op_args\" puts arguments into the capture; only "
                           "strobe.profiler writes the folder next to the result",
                           origin);
}

gboolean strobe_ascend_config_read(StrobeConfig *config, JsonObject *top, const char *origin,
                                   GError **error)
{
    const StrobeConfigPlace place = {origin, NULL};
    StrobeAscendSettings settings = {0};
    const struct {
        const char *key;
        gboolean *value;
    } switches[] = {{"record_shapes", &settings.record_shapes},
                    {"profile_memory", &settings.profile_memory},
                    {"with_stack", &settings.with_stack},
                    {"with_flops", &settings.with_flops},
                    {"with_modules", &settings.with_modules}};

    warn_of_unknown(config, top, origin);
    read_activities(&settings, top, config, &place);
    for (guint i = 0; i < G_N_ELEMENTS(switches); i++)
        *switches[i].value = strobe_ascend_switch(config, &place, top, switches[i].key, FALSE);
    read_schedule(config, top, &place);
    read_ranks(config, top, &place);
    read_output(config, top, &place);
    read_metadata(config, top, &place);
    JsonObject *experimental = read_experimental(top, config, &place);
    strobe_ascend_experimental_read(&settings, experimental, config, origin);
    if (experimental)
        check_together(&settings, config, origin);
    strobe_ascend_collectors_add(config, &settings, origin);
    config->front_end = strobe_ascend_front_end(config, &settings);
    strobe_ascend_settings_clear(&settings);
    return TRUE;
}
