/* SPDX-License-Identifier: Apache-2.0 */
#include "acl-config.h"

#include <string.h>
#include "ascend-config.h"
#include "config-json.h"
#include "error.h"

typedef enum KeyType { SWITCH, FREQUENCY, TEXT, CHOICE } KeyType;

/* A key of the section: its type and allowed values. */
typedef struct AclKey {
    const char *name;
    KeyType type;
    gint64 highest;             /* highest value of the type FREQUENCY; the lowest value is 1 */
    const char *const *choices; /* the allowed values of the type CHOICE */
    const char *otherwise;      /* the key's default; NULL: none */
} AclKey;

static const char *const task_times[] = {"on", "off", "l0", "l1", "l2", "l3", NULL};
static const char *const ge_levels[] = {"off", "l0", "l1", NULL};
static const char *const llc_modes[] = {"read", "write", NULL};

static const AclKey keys[] = {
    {"switch", SWITCH, .otherwise = "off"},
    {"output", TEXT},
    {"aic_metrics", TEXT, .otherwise = "PipeUtilization"},
    {"aicpu", SWITCH},
    {"l2", SWITCH},
    {"hccl", SWITCH},
    {"msproftx", SWITCH},
    {"instr_profiling", SWITCH},
    {"task_tsfw", SWITCH},
    {"task_memory", SWITCH},
    {"ascendcl", SWITCH, .otherwise = "on"},
    {"runtime_api", SWITCH, .otherwise = "on"},
    {"task_time", CHOICE, .choices = task_times, .otherwise = "on"},
    {"ge_api", CHOICE, .choices = ge_levels},
    {"storage_limit", TEXT},
    {"sys_mem_serviceflow", TEXT},
    {"llc_profiling", CHOICE, .choices = llc_modes},
    {"host_sys", TEXT},
    {"host_sys_usage", TEXT},
    {"optype", TEXT},
    {"task_block", TEXT},
    {"task_trace", TEXT},
    {"instr_profiling_freq", FREQUENCY, .highest = 100000},
    {"sys_hardware_mem_freq", FREQUENCY, .highest = 10000},
    {"sys_io_sampling_freq", FREQUENCY, .highest = 100},
    {"sys_interconnection_freq", FREQUENCY, .highest = 50},
    {"sys_cpu_freq", FREQUENCY, .highest = 50},
    {"dvpp_freq", FREQUENCY, .highest = 100},
    {"host_sys_usage_freq", FREQUENCY, .highest = 50},
    {"sys_lp_freq", FREQUENCY, .highest = 100},
};

/* Keys and the options of the device's collector that they set, if the collector has these options.
 * task_time, runtime_api and aicpu, which are not in this list, determine the level, see
 * level_of(). */
static const char *const of_device[][2] = {
    {"l2", "l2_cache"},
    {"msproftx", "msproftx"},
    {"task_memory", "task_memory"},
    {"sys_hardware_mem_freq", "hardware_mem_freq"},
    {"sys_cpu_freq", "sys_cpu_freq"},
    {"dvpp_freq", "dvpp_freq"},
    {"sys_lp_freq", "low_power_freq"},
    {"llc_profiling", "llc_mode"},
    {"storage_limit", "storage_limit"},
    {"instr_profiling", "instr_profiling"},
    {"instr_profiling_freq", "instr_profiling_freq"},
    {"task_tsfw", "task_tsfw"},
    {"ge_api", "ge_api"},
    {"optype", "optype"},
    {"sys_mem_serviceflow", "sys_mem_serviceflow"},
};

static const char *const on_off[] = {"on", "off", NULL};

/* ---- checks ---- */

static gboolean is_frequency(JsonNode *node, gint64 highest)
{
    return json_node_get_value_type(node) == G_TYPE_INT64 && json_node_get_int(node) >= 1 &&
           json_node_get_int(node) <= highest;
}

static gboolean check_value(const AclKey *key, const StrobeConfigPlace *place, JsonObject *section,
                            GError **error)
{
    JsonNode *node = json_object_get_member(section, key->name);
    guint32 index;
    g_autofree char *text = NULL;

    if (!node)
        return TRUE;
    if (key->type == SWITCH || key->type == CHOICE)
        return strobe_config_get_choice(place, section, key->name,
                                        key->type == SWITCH ? on_off : key->choices, &index, error);
    if (key->type == TEXT)
        return strobe_config_get_string(place, section, key->name, &text, error);
    if (is_frequency(node, key->highest))
        return TRUE;
    text = g_strdup_printf("a frequency in Hz, an integer from 1 to %d", (int)key->highest);
    strobe_config_set_wrong(place, key->name, text, node, error);
    return FALSE;
}

static gboolean check_section(JsonObject *section, const StrobeConfigPlace *place, GError **error)
{
    const char *names[G_N_ELEMENTS(keys) + 1] = {NULL};

    for (gsize i = 0; i < G_N_ELEMENTS(keys); i++)
        names[i] = keys[i].name;
    if (!strobe_config_check_keys(place, section, names, error))
        return FALSE;
    for (gsize i = 0; i < G_N_ELEMENTS(keys); i++)
        if (!check_value(&keys[i], place, section, error))
            return FALSE;
    return TRUE;
}

/* Returns the text of a checked key, or the key's default; "" if it has none. */
static const char *value_of(JsonObject *section, const char *name)
{
    if (json_object_has_member(section, name))
        return json_object_get_string_member(section, name);
    for (gsize i = 0; i < G_N_ELEMENTS(keys); i++)
        if (g_str_equal(keys[i].name, name) && keys[i].otherwise)
            return keys[i].otherwise;
    return "";
}

static gboolean is_on(JsonObject *section, const char *name)
{
    return g_str_equal(value_of(section, name), "on");
}

/* ---- the device ---- */

/* Returns the profiler level that corresponds to the switches for single sources of data. */
static const char *level_of(JsonObject *section)
{
    const char *time = value_of(section, "task_time");

    if (g_str_equal(time, "off"))
        return "Level_none";
    if (g_str_equal(time, "l0"))
        return "Level0";
    return is_on(section, "runtime_api") || is_on(section, "aicpu") ? "Level2" : "Level1";
}

static gboolean add_metrics(JsonObject *options, JsonObject *section,
                            const StrobeConfigPlace *place, GError **error)
{
    const char *text = value_of(section, "aic_metrics");
    const char *name = strobe_ascend_metrics_name(text);

    /* The name of metrics that only acl.json supports. */
    if (g_str_equal(text, "PipelineExecuteUtilization"))
        name = text;
    if (!name) {
        strobe_config_set_wrong(place, "aic_metrics", "the name of metrics such as PipeUtilization",
                                json_object_get_member(section, "aic_metrics"), error);
        return FALSE;
    }
    json_object_set_string_member(options, "aic_metrics",
                                  g_str_equal(name, "AiCoreNone") ? "none" : name);
    return TRUE;
}

/* Sets the option to true if its key is "on"; a key that is "off" sets nothing. */
static void hand_over(JsonObject *options, const char *name, JsonNode *node)
{
    gboolean is_text = node && json_node_get_value_type(node) == G_TYPE_STRING;
    const char *text = is_text ? json_node_get_string(node) : "";

    if (!node || g_str_equal(text, "off"))
        return;
    if (g_str_equal(text, "on"))
        json_object_set_boolean_member(options, name, TRUE);
    else
        json_object_set_member(options, name, json_node_copy(node));
}

static gboolean add_device(StrobeConfig *config, JsonObject *section,
                           const StrobeConfigPlace *place, GError **error)
{
    StrobeConfigComponent *device = strobe_config_map_collector(config, "npu_task", place->origin);
    const char *level = level_of(section);

    json_object_set_string_member(device->json, "profiler_level", level);
    json_object_set_string_member(device->wished, "backend", "auto");
    if (!g_str_equal(level, "Level_none") && !g_str_equal(level, "Level0") &&
        !add_metrics(device->wished, section, place, error))
        return FALSE;
    for (gsize i = 0; i < G_N_ELEMENTS(of_device); i++)
        hand_over(device->wished, of_device[i][1],
                  json_object_get_member(section, of_device[i][0]));
    return TRUE;
}

/* ---- the host and its links ---- */

/* Adds the items in the value of `key`, for example "cpu,mem", to `items`, each only once. */
static gboolean add_items(GPtrArray *items, JsonObject *section, const char *key,
                          const StrobeConfigPlace *place, GError **error)
{
    static const char *const known[] = {"cpu", "mem", "disk", "network", "osrt", NULL};
    g_auto(GStrv) parts = g_strsplit(value_of(section, key), ",", -1);

    for (char **part = parts; *part && **part; part++) {
        const char *const *name = known;
        g_strstrip(*part);
        while (*name && !g_str_equal(*name, *part))
            name++;
        if (!*name) {
            strobe_config_set_wrong(place, key, "cpu, mem, disk, network or osrt joined by commas",
                                    json_object_get_member(section, key), error);
            return FALSE;
        }
        if (!g_ptr_array_find_with_equal_func(items, *name, g_str_equal, NULL))
            g_ptr_array_add(items, (gpointer)(uintptr_t)*name);
    }
    return TRUE;
}

/* Sets the sampling interval for the frequency at `key`; FALSE if the key is missing. */
static gboolean set_interval(JsonObject *options, JsonObject *section, const char *key)
{
    if (!json_object_has_member(section, key))
        return FALSE;
    g_autofree char *text = g_strdup_printf("%" G_GINT64_FORMAT "ns",
                                            1000000000 / json_object_get_int_member(section, key));
    json_object_set_string_member(options, "interval", text);
    return TRUE;
}

static gboolean add_host(StrobeConfig *config, JsonObject *section, const StrobeConfigPlace *place,
                         GError **error)
{
    g_autoptr(GPtrArray) items = g_ptr_array_new();

    if (!add_items(items, section, "host_sys", place, error) ||
        !add_items(items, section, "host_sys_usage", place, error))
        return FALSE;
    guint osrt;
    gboolean has_osrt = g_ptr_array_find_with_equal_func(items, "osrt", g_str_equal, &osrt);
    if (has_osrt) /* osrt is not an item of host_sys but a separate collector */
        g_ptr_array_remove_index(items, osrt);
    if (items->len > 0) {
        JsonObject *options = strobe_config_map_collector(config, "host_sys", place->origin)->json;
        g_ptr_array_add(items, NULL);
        g_autofree char *text = g_strjoinv("+", (char **)items->pdata);
        json_object_set_string_member(options, "items", text);
        set_interval(options, section, "host_sys_usage_freq");
    }
    if (has_osrt)
        strobe_config_map_collector(config, "osrt", place->origin);
    return TRUE;
}

static void add_links(StrobeConfig *config, JsonObject *section, const char *origin)
{
    static const char *const links[][2] = {{"sys_io_sampling_freq", "sys_io"},
                                           {"sys_interconnection_freq", "interconnect"}};

    for (gsize i = 0; i < G_N_ELEMENTS(links); i++)
        if (json_object_has_member(section, links[i][0]))
            set_interval(strobe_config_map_collector(config, links[i][1], origin)->json, section,
                         links[i][0]);
}

gboolean strobe_acl_config_read(StrobeConfig *config, JsonObject *top, const char *origin,
                                GError **error)
{
    const StrobeConfigPlace above = {origin, NULL}, place = {origin, STROBE_ACL_KEY};
    JsonObject *section;

    if (!strobe_config_get_object(&above, top, STROBE_ACL_KEY, &section, error) ||
        !check_section(section, &place, error))
        return FALSE;
    if (!is_on(section, "switch")) {
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_CONFIG,
                    "%s: key \"profiler.switch\" is not \"on\": the file asks for no profile",
                    origin);
        return FALSE;
    }
    if (json_object_has_member(section, "output"))
        config->directory = g_strdup(value_of(section, "output"));
    strobe_config_map_collector(config, "metadata", origin);
    if (!add_device(config, section, &place, error) || !add_host(config, section, &place, error))
        return FALSE;
    if (is_on(section, "msproftx"))
        strobe_config_map_collector(config, "marker", origin);
    add_links(config, section, origin);
    return TRUE;
}
