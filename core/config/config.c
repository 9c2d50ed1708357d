/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <string.h>
#include "config-component.h"
#include "config-json.h"
#include "error.h"
#include "export-types.h"
#include "json-text.h"
#include "options.h"
#include "recording-settings.h"

#define WARNINGS_MAX 50 /* a file may have a hundred thousand errors */

static const char *const own_keys[] = {
    "schedule", "collectors", "defaults", "exporters", "export_type", "output", "buffer",
    "rotate",   "dump",       "ranks",    "metadata",  "front_end",   NULL};

StrobeConfig *strobe_config_new(void)
{
    StrobeConfig *config = g_new0(StrobeConfig, 1);

    config->collectors = strobe_config_components_new();
    config->exporters = strobe_config_components_new();
    config->has_defaults = TRUE;
    config->buffer = strobe_buffer_config_default();
    config->dump = strobe_dump_config_default();
    config->metadata = json_object_new();
    config->warnings = g_ptr_array_new_with_free_func(g_free);
    return config;
}

void strobe_config_free(StrobeConfig *config)
{
    if (!config)
        return;
    g_ptr_array_unref(config->collectors);
    g_ptr_array_unref(config->exporters);
    g_free(config->directory);
    g_free(config->worker);
    g_free(config->report);
    json_object_unref(config->metadata);
    g_clear_pointer(&config->front_end, json_object_unref);
    g_clear_pointer(&config->ranks, g_array_unref);
    g_ptr_array_unref(config->warnings);
    g_free(config);
}

/* ---- reading ---- */

static gboolean read_schedule(StrobeConfig *config, JsonObject *object, const char *origin,
                              GError **error)
{
    static const char *const known[] = {"wait",       "warmup",          "active", "repeat",
                                        "skip_first", "skip_first_wait", NULL};
    StrobeConfigPlace place = {origin, "schedule"};
    StrobeScheduleConfig *s = &config->schedule;

    if (!object)
        return TRUE;
    *s = (StrobeScheduleConfig){0};
    config->has_schedule = TRUE;
    if (!strobe_config_check_keys(&place, object, known, error) ||
        !strobe_config_get_count(&place, object, "wait", 0, &s->wait, error) ||
        !strobe_config_get_count(&place, object, "warmup", 0, &s->warmup, error) ||
        !strobe_config_get_count(&place, object, "active", 1, &s->active, error) ||
        !strobe_config_get_count(&place, object, "repeat", 0, &s->repeat, error) ||
        !strobe_config_get_count(&place, object, "skip_first", 0, &s->skip_first, error) ||
        !strobe_config_get_count(&place, object, "skip_first_wait", G_MININT64, &s->skip_first_wait,
                                 error))
        return FALSE;
    if (s->active < 1) {
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_CONFIG,
                    "%s: key \"schedule.active\" is missing: an integer from 1", origin);
        return FALSE;
    }
    return TRUE;
}

static gboolean read_components(GPtrArray *list, gboolean *has, JsonObject *top,
                                const char *section, const char *origin, GError **error)
{
    StrobeConfigPlace top_place = {origin, NULL}, place = {origin, section};
    JsonObject *object;

    if (!strobe_config_get_object(&top_place, top, section, &object, error))
        return FALSE;
    if (!object)
        return TRUE;
    *has = TRUE;
    g_autoptr(GList) names = json_object_get_members(object);
    for (GList *n = names; n; n = n->next)
        if (!strobe_config_component_read(list, &place, n->data,
                                          json_object_get_member(object, n->data), error))
            return FALSE;
    return TRUE;
}

static gboolean read_output(StrobeConfig *config, JsonObject *object, const char *origin,
                            GError **error)
{
    static const char *const known[] = {"directory", "worker", "report", NULL};
    StrobeConfigPlace place = {origin, "output"};

    if (!object)
        return TRUE;
    if (!strobe_config_check_keys(&place, object, known, error) ||
        !strobe_config_get_string(&place, object, "directory", &config->directory, error) ||
        !strobe_config_get_string(&place, object, "worker", &config->worker, error) ||
        !strobe_config_get_string(&place, object, "report", &config->report, error))
        return FALSE;
    if (config->worker && (strlen(config->worker) >= 226 || strchr(config->worker, '/'))) {
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_CONFIG,
                    "%s: key \"output.worker\": expected a name of fewer than 226 bytes "
                    "without '/'",
                    origin);
        return FALSE;
    }
    return TRUE;
}

gboolean strobe_config_read(StrobeConfig *config, JsonObject *top, const char *origin,
                            GError **error)
{
    StrobeConfigPlace place = {origin, NULL};
    JsonObject *schedule, *output, *buffer, *rotate, *dump, *metadata, *front_end;

    if (!strobe_config_check_keys(&place, top, own_keys, error) ||
        !strobe_config_get_object(&place, top, "schedule", &schedule, error) ||
        !strobe_config_get_object(&place, top, "output", &output, error) ||
        !strobe_config_get_object(&place, top, "buffer", &buffer, error) ||
        !strobe_config_get_object(&place, top, "rotate", &rotate, error) ||
        !strobe_config_get_object(&place, top, "dump", &dump, error) ||
        !strobe_config_get_object(&place, top, "metadata", &metadata, error) ||
        !strobe_config_get_object(&place, top, "front_end", &front_end, error))
        return FALSE;
    if (metadata) {
        json_object_unref(config->metadata);
        config->metadata = json_object_ref(metadata);
    }
    if (front_end)
        config->front_end = json_object_ref(front_end);
    return read_schedule(config, schedule, origin, error) &&
           strobe_config_get_counts(&place, top, "ranks", &config->ranks, error) &&
           read_components(config->collectors, &config->has_collectors, top, "collectors", origin,
                           error) &&
           read_components(config->exporters, &config->has_exporters, top, "exporters", origin,
                           error) &&
           strobe_config_get_boolean(&place, top, "defaults", &config->has_defaults, error) &&
           strobe_export_types_read(top, origin, &config->export_types, error) &&
           read_output(config, output, origin, error) &&
           strobe_buffer_config_read(&config->buffer, buffer, origin, error) &&
           strobe_rotate_config_read(&config->rotate, rotate, origin, error) &&
           strobe_dump_config_read(&config->dump, dump, origin, error);
}

/* ---- command line ---- */

/* Converts "key=value,..." to an object; a value that is a number becomes a JSON number. */
static JsonObject *object_from_flag(const char *section, const char *text, GError **error)
{
    g_autoptr(GPtrArray) pairs = strobe_options_pairs(text, error);

    if (pairs && !pairs->len)
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_CONFIG,
                    "\"%s\": expected option=value[,option=value]...", text);
    if (!pairs || !pairs->len) {
        g_prefix_error(error, "--%s ", section);
        return NULL;
    }
    JsonObject *object = json_object_new();
    for (guint i = 0; i < pairs->len; i += 2) {
        const char *key = g_ptr_array_index(pairs, i), *value = g_ptr_array_index(pairs, i + 1);
        char *end, *real_end;
        errno = 0;
        gint64 number = g_ascii_strtoll(value, &end, 10);
        gboolean fits = errno == 0;
        double real = g_ascii_strtod(value, &real_end);
        if (end != value && !*end && fits)
            json_object_set_int_member(object, key, number);
        else if (real_end != value && !*real_end && fits)
            json_object_set_double_member(object, key, real);
        else
            json_object_set_string_member(object, key, value);
    }
    return object;
}

gboolean strobe_config_set_section(StrobeConfig *config, const char *section, const char *text,
                                   GError **error)
{
    g_autoptr(JsonObject) object = object_from_flag(section, text, error);
    g_autofree char *flag = g_strconcat("--", section, NULL);

    if (!object)
        return FALSE;
    if (strcmp(section, "schedule") == 0)
        return read_schedule(config, object, flag, error);
    if (strcmp(section, "buffer") == 0)
        return strobe_buffer_config_read(&config->buffer, object, flag, error);
    if (strcmp(section, "rotate") == 0)
        return strobe_rotate_config_read(&config->rotate, object, flag, error);
    return strobe_dump_config_read(&config->dump, object, flag, error);
}

gboolean strobe_config_check(const StrobeConfig *config, GError **error)
{
    gboolean is_ring = config->buffer.policy == STROBE_POLICY_RING;
    gboolean triggers = config->dump.signal || config->dump.slow_step > 0;
    const char *wrong = NULL;

    if (config->rotate.keep && !strobe_rotate_config_any(&config->rotate))
        wrong = "\"rotate\" has no limit: expected \"size\", \"time\" or \"steps\" with \"keep\"";
    else if (is_ring && config->has_schedule)
        wrong = "a flight recorder (\"buffer.policy\": \"ring\") records all the time, without a "
                "schedule";
    else if (is_ring && strobe_rotate_config_any(&config->rotate))
        wrong = "a flight recorder (\"buffer.policy\": \"ring\") writes nothing that could roll "
                "over: \"rotate\" is for the other policies";
    else if (!is_ring && triggers)
        wrong = "\"dump\" is for a flight recorder (\"buffer.policy\": \"ring\")";
    else if (!is_ring && config->buffer.keep_ns)
        wrong = "\"buffer.keep\" is for a flight recorder (\"buffer.policy\": \"ring\")";
    if (wrong)
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_CONFIG, "Configuration: %s", wrong);
    return wrong == NULL;
}

gboolean strobe_config_add_collector(StrobeConfig *config, const char *text, GError **error)
{
    return strobe_config_component_parse(config->collectors, &config->has_collectors, text,
                                         "--collect", error);
}

gboolean strobe_config_add_exporter(StrobeConfig *config, const char *text, GError **error)
{
    return strobe_config_component_parse(config->exporters, &config->has_exporters, text,
                                         "--export", error);
}

gboolean strobe_config_set_export_types(StrobeConfig *config, const char *text, GError **error)
{
    return strobe_export_types_parse(text, "--export-type", &config->export_types, error);
}

static const char *const default_collectors[] = {"cpu_op", "gc", "host_sys", "metadata"};
static const char *const run_collectors[] = {"cpu_op", "cpu_sample", "gc", "host_sys", "metadata"};

static gboolean is_named(const StrobeConfigComponent *component, const char *name)
{
    const char *dot =
        /* "FILE.COMPONENT": the component's name follows the plugin file's */
        strrchr(component->name, '.');

    return g_str_equal(dot ? dot + 1 : component->name, name);
}

static gboolean has_collector(const StrobeConfig *config, const char *name)
{
    for (guint i = 0; i < config->collectors->len; i++)
        if (is_named(g_ptr_array_index(config->collectors, i), name))
            return TRUE;
    return FALSE;
}

static gboolean is_of_vendor(const StrobeConfig *config)
{
    for (guint i = 0; i < config->collectors->len; i++)
        if (((const StrobeConfigComponent *)g_ptr_array_index(config->collectors, i))->is_mapped)
            return TRUE;
    return FALSE;
}

void strobe_config_add_default_collectors(StrobeConfig *config)
{
    if (!config->has_defaults)
        config->has_collectors = TRUE;
    if (!config->has_defaults || is_of_vendor(config))
        return;
    for (guint i = 0; i < G_N_ELEMENTS(run_collectors); i++)
        if (!has_collector(config, run_collectors[i]))
            strobe_config_component_add(config->collectors, run_collectors[i], "default")
                ->is_default = TRUE;
    config->has_collectors = TRUE;
}

void strobe_config_add_defaults(StrobeConfig *config)
{
    const char *origin = config->export_types ? "export type" : "default";
    guint32 types = config->export_types ? config->export_types : STROBE_EXPORT_TEXT;
    const char *name;

    for (guint i = 0; !config->has_collectors && i < G_N_ELEMENTS(default_collectors); i++)
        strobe_config_component_add(config->collectors, default_collectors[i], "default");
    for (guint i = 0; !config->has_exporters && (name = strobe_export_types_exporter(types, i));
         i++)
        strobe_config_component_add(config->exporters, name, origin);
    config->has_collectors = config->has_exporters = TRUE;
}

gboolean strobe_config_records_rank(const StrobeConfig *config, gint rank)
{
    for (guint i = 0; config->ranks && i < config->ranks->len; i++)
        if (g_array_index(config->ranks, gint64, i) == rank)
            return TRUE;
    return config->ranks == NULL;
}

void strobe_config_warn(StrobeConfig *config, const char *format, ...)
{
    va_list args;

    if (config->warnings->len > WARNINGS_MAX)
        return;
    if (config->warnings->len == WARNINGS_MAX) {
        g_ptr_array_add(config->warnings,
                        g_strdup("Further warnings about this file are not printed"));
        return;
    }
    va_start(args, format);
    g_ptr_array_add(config->warnings, g_strdup_vprintf(format, args));
    va_end(args);
}

StrobeConfigComponent *strobe_config_map_collector(StrobeConfig *config, const char *name,
                                                   const char *origin)
{
    StrobeConfigComponent *component =
        strobe_config_component_add(config->collectors, name, origin);

    config->has_collectors = TRUE;
    component->is_mapped = TRUE;
    if (!component->json)
        component->json = json_object_new();
    if (!component->wished)
        component->wished = json_object_new();
    return component;
}

/* ---- writing ---- */

static void set_text(JsonObject *object, const char *key, const char *text)
{
    if (text)
        json_object_set_string_member(object, key, text);
}

JsonObject *strobe_config_schedule_json(const StrobeScheduleConfig *schedule)
{
    JsonObject *out = json_object_new();

    json_object_set_int_member(out, "wait", schedule->wait);
    json_object_set_int_member(out, "active", schedule->active);
    json_object_set_int_member(out, "warmup", schedule->warmup);
    json_object_set_int_member(out, "repeat", schedule->repeat);
    json_object_set_int_member(out, "skip_first", schedule->skip_first);
    json_object_set_int_member(out, "skip_first_wait", schedule->skip_first_wait);
    return out;
}

char *strobe_config_to_json(const StrobeConfig *config)
{
    g_autoptr(JsonObject) top = json_object_new();
    JsonObject *output = json_object_new();

    if (config->has_schedule)
        json_object_set_object_member(top, "schedule",
                                      strobe_config_schedule_json(&config->schedule));
    if (config->has_collectors)
        json_object_set_object_member(top, "collectors",
                                      strobe_config_components_json(config->collectors));
    if (config->has_exporters)
        json_object_set_object_member(top, "exporters",
                                      strobe_config_components_json(config->exporters));
    set_text(output, "directory", config->directory);
    set_text(output, "worker", config->worker);
    set_text(output, "report", config->report);
    json_object_set_object_member(top, "output", output);
    json_object_set_object_member(top, "buffer", strobe_buffer_config_json(&config->buffer));
    if (strobe_rotate_config_any(&config->rotate))
        json_object_set_object_member(top, "rotate", strobe_rotate_config_json(&config->rotate));
    json_object_set_object_member(top, "dump", strobe_dump_config_json(&config->dump));
    if (config->ranks) {
        JsonArray *ranks = json_array_new();
        for (guint i = 0; i < config->ranks->len; i++)
            json_array_add_int_element(ranks, g_array_index(config->ranks, gint64, i));
        json_object_set_array_member(top, "ranks", ranks);
    }
    json_object_set_object_member(top, "metadata", json_object_ref(config->metadata));
    if (config->front_end)
        json_object_set_object_member(top, "front_end", json_object_ref(config->front_end));
    return strobe_json_object_to_text(top, 0);
}
