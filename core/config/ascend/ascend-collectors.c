/* SPDX-License-Identifier: Apache-2.0 */
/* Maps the Ascend PyTorch Profiler's settings to collectors, and writes them for
 * profiler_info.json. */
#include "ascend-config.h"

#include <string.h>
#include "export-types.h"

#define GC_LIMIT_NS 3600000000000.0 /* maximum of the option of the collector gc */
/* the Ascend PyTorch Profiler samples ports at 100 Hz, links at 50 Hz */
#define DEVICE_INTERVAL "10ms"
#define LINK_INTERVAL "20ms"

static void set_switch(JsonObject *options, const char *name, gboolean value)
{
    if (value)
        json_object_set_boolean_member(options, name, TRUE);
}

static void set_text(JsonObject *options, const char *name, const char *text)
{
    if (*text)
        json_object_set_string_member(options, name, text);
}

/* Adds the collector; returns its options. */
static JsonObject *add_collector(StrobeConfig *config, const char *name, const char *origin)
{
    return strobe_config_map_collector(config, name, origin)->json;
}

static void add_host(StrobeConfig *config, const StrobeAscendSettings *s, const char *origin)
{
    JsonObject *operators = add_collector(config, "cpu_op", origin);

    set_switch(operators, "shapes", s->record_shapes || s->with_flops || s->record_op_args);
    set_switch(operators, "values", s->record_op_args);
    set_switch(operators, "stack", s->with_stack);
    set_switch(operators, "flops", s->with_flops);
    set_switch(operators, "modules", s->with_modules);
    if (s->profile_memory)
        add_collector(config, "memory", origin);
    if (s->with_stack || s->with_modules)
        add_collector(config, "python_call", origin);
    if (s->gc_threshold_ms >= 0) {
        double ns = MIN(s->gc_threshold_ms * 1e6, GC_LIMIT_NS);
        g_autofree char *text = g_strdup_printf("%.0fns", ns);
        json_object_set_string_member(add_collector(config, "gc", origin), "threshold", text);
    }
}

static gboolean has_numa(const StrobeAscendSettings *s)
{
    g_auto(GStrv) parts = g_strsplit(s->host_sys, "+", -1);

    return g_strv_contains((const char *const *)parts, "numa");
}

/* Do the settings require the shapes of kernels? The shapes are in the records of tasks, and
 * Level_none records no tasks. */
static gboolean wants_shapes(const StrobeAscendSettings *s)
{
    return s->record_shapes && !g_str_equal(s->level, "Level_none");
}

/* Do the settings require data that only CANN's own profiling provides? CANN's profiling then
 * samples ports and links too, so no other collector may record them. */
static gboolean takes_aclprof(const StrobeAscendSettings *s)
{
    return s->npu && (!g_str_equal(s->aic_metrics, "AiCoreNone") || s->l2_cache || s->op_attr ||
                      s->profile_memory || wants_shapes(s) || has_numa(s));
}

/* Adds the device's collector with the options for the settings; the collector itself reports
 * options that it lacks. */
static void add_device(StrobeConfig *config, const StrobeAscendSettings *s, const char *origin)
{
    StrobeConfigComponent *device = strobe_config_map_collector(config, "npu_task", origin);

    json_object_set_string_member(device->json, "profiler_level", s->level);
    json_object_set_string_member(device->wished, "backend", "auto");
    set_text(device->wished, "aic_metrics",
             g_str_equal(s->aic_metrics, "AiCoreNone") ? "none" : s->aic_metrics);
    set_switch(device->wished, "task_memory", s->profile_memory);
    set_switch(device->wished, "l2_cache", s->l2_cache);
    set_switch(device->wished, "op_attr", s->op_attr);
    set_switch(device->wished, "msproftx", s->mstx || s->msprof_tx);
    set_text(device->wished, "details", wants_shapes(s) ? "shapes" : "");
    set_text(device->wished, "host_sys", has_numa(s) ? "numa" : "");
    set_switch(device->wished, "sys_io", s->sys_io && takes_aclprof(s));
    set_switch(device->wished, "sys_interconnection", s->sys_interconnection && takes_aclprof(s));
}

/* Adds the collectors for the items of "host_sys"; osrt is a separate collector, and only CANN has
 * numa. */
static void add_host_items(StrobeConfig *config, const char *host_sys, const char *origin)
{
    g_auto(GStrv) parts = g_strsplit(host_sys, "+", -1);
    g_autoptr(GPtrArray) kept = g_ptr_array_new();

    for (char **part = parts; *part; part++)
        if (**part && !g_str_equal(*part, "numa") && !g_str_equal(*part, "osrt"))
            g_ptr_array_add(kept, *part);
    g_ptr_array_add(kept, NULL);
    g_autofree char *items = g_strjoinv("+", (char **)kept->pdata);
    if (*items)
        set_text(add_collector(config, "host_sys", origin), "items", items);
    if (g_strv_contains((const char *const *)parts, "osrt"))
        add_collector(config, "osrt", origin);
}

static void add_system(StrobeConfig *config, const StrobeAscendSettings *s, const char *origin)
{
    add_host_items(config, s->host_sys, origin);
    if (has_numa(s) && !s->npu)
        strobe_config_warn(config, "%s: \"host_sys\": \"numa\" needs the activity NPU", origin);
    if (takes_aclprof(s))
        return;
    if (s->sys_io)
        set_text(add_collector(config, "sys_io", origin), "interval", DEVICE_INTERVAL);
    if (s->sys_interconnection)
        set_text(add_collector(config, "interconnect", origin), "interval", LINK_INTERVAL);
}

void strobe_ascend_collectors_add(StrobeConfig *config, const StrobeAscendSettings *s,
                                  const char *origin)
{
    add_collector(config, "metadata", origin);
    if (s->cpu)
        add_host(config, s, origin);
    if (s->npu)
        add_device(config, s, origin);
    if (s->mstx || s->msprof_tx) {
        JsonObject *marks = add_collector(config, "marker", origin);
        set_text(marks, "domain_include", s->domain_include);
        set_text(marks, "domain_exclude", s->domain_exclude);
    }
    add_system(config, s, origin);
    config->export_types = s->export_types;
}

/* ---- profiler_info.json ---- */

/* Sets the member `name` to an array of the parts of `text`, which are joined by '+'. */
static void set_list(JsonObject *object, const char *name, const char *text)
{
    JsonArray *array = json_array_new();
    g_auto(GStrv) parts = g_strsplit(text, "+", -1);

    for (char **part = parts; *part; part++)
        if (**part)
            json_array_add_string_element(array, *part);
    json_object_set_array_member(object, name, array);
}

static JsonObject *make_common_config(const StrobeConfig *config, const StrobeAscendSettings *s)
{
    JsonObject *out = json_object_new();

    set_list(out, "activities",
             s->cpu && s->npu ? "ProfilerActivity.CPU+ProfilerActivity.NPU"
             : s->cpu         ? "ProfilerActivity.CPU"
                              : "ProfilerActivity.NPU");
    json_object_set_object_member(out, "schedule", strobe_config_schedule_json(&config->schedule));
    json_object_set_boolean_member(out, "record_shapes", s->record_shapes);
    json_object_set_boolean_member(out, "profile_memory", s->profile_memory);
    json_object_set_boolean_member(out, "with_stack", s->with_stack);
    json_object_set_boolean_member(out, "with_flops", s->with_flops);
    json_object_set_boolean_member(out, "with_modules", s->with_modules);
    return out;
}

static JsonObject *make_experimental_config(const StrobeAscendSettings *s)
{
    JsonObject *out = json_object_new();

    json_object_set_string_member(out, "_profiler_level", s->level);
    json_object_set_string_member(out, "_aic_metrics", strobe_ascend_metrics_acl(s->aic_metrics));
    json_object_set_boolean_member(out, "_l2_cache", s->l2_cache);
    json_object_set_boolean_member(out, "_msprof_tx", s->msprof_tx);
    json_object_set_boolean_member(out, "_mstx", s->mstx);
    json_object_set_boolean_member(out, "_data_simplification", s->data_simplification);
    json_object_set_boolean_member(out, "record_op_args", s->record_op_args);
    set_list(out, "_export_type",
             s->export_types == STROBE_EXPORT_TEXT ? "text"
             : s->export_types == STROBE_EXPORT_DB ? "db"
                                                   : "text+db");
    set_list(out, "_host_sys", s->host_sys);
    json_object_set_boolean_member(out, "_op_attr", s->op_attr);
    if (s->gc_threshold_ms >= 0)
        json_object_set_double_member(out, "_gc_detect_threshold", s->gc_threshold_ms);
    else
        json_object_set_null_member(out, "_gc_detect_threshold");
    set_list(out, "_mstx_domain_include", s->domain_include);
    set_list(out, "_mstx_domain_exclude", s->domain_exclude);
    json_object_set_boolean_member(out, "_sys_io", s->sys_io);
    json_object_set_boolean_member(out, "_sys_interconnection", s->sys_interconnection);
    return out;
}

JsonObject *strobe_ascend_front_end(const StrobeConfig *config,
                                    const StrobeAscendSettings *settings)
{
    JsonObject *out = json_object_new();

    json_object_set_object_member(out, "common_config", make_common_config(config, settings));
    json_object_set_object_member(out, "experimental_config", make_experimental_config(settings));
    return out;
}
