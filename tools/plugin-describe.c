/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin-describe.h"

#include <glib.h>

#include <strobe/collector.h>
#include <strobe/exporter.h>

#include "options.h"
#include "outside.h"
#include "registry.h"

static void add_text(StrobeJsonWriter *json, const char *key, const char *text)
{
    strobe_json_key(json, key);
    strobe_json_string(json, text ? text : "");
}

static void add_flag(StrobeJsonWriter *json, const char *key, gboolean value)
{
    strobe_json_key(json, key);
    strobe_json_bool(json, value != FALSE);
}

static void add_option(StrobeJsonWriter *json, const StrobeOption *option)
{
    g_autofree char *range = strobe_option_range(option);

    strobe_json_begin_object(json);
    add_text(json, "name", option->name);
    add_text(json, "type", strobe_option_type_name(option->type));
    add_text(json, "default", option->default_value);
    add_text(json, "range", range);
    strobe_json_key(json, "choices");
    strobe_json_begin_array(json);
    for (const char *const *choice = option->choices; choice && *choice; choice++)
        strobe_json_string(json, *choice);
    strobe_json_end_array(json);
    add_flag(json, "required", (option->flags & STROBE_OPTION_REQUIRED) != 0);
    add_text(json, "summary", option->summary);
    strobe_json_end_object(json);
}

static StrobeProbe ask_probe(const StrobeComponent *component)
{
    StrobeProbe answer = {.struct_size = sizeof answer, .available = 1};
    const StrobeCollectorOps *collector = component->ops;
    const StrobeConsumerOps *consumer = component->ops;

    if (!component->ops)
        return answer;
    if (component->type == STROBE_COMPONENT_COLLECTOR && collector->probe)
        collector->probe(STROBE_PROBE_MACHINE, &answer);
    else if ((component->type == STROBE_COMPONENT_PASS ||
              component->type == STROBE_COMPONENT_EXPORTER) &&
             consumer->probe)
        consumer->probe(STROBE_PROBE_MACHINE, &answer);
    return answer;
}

static void add_probe(StrobeJsonWriter *json, const StrobeComponent *component)
{
    StrobeProbe answer = ask_probe(component);

    add_text(json, "available",
             answer.available == 1   ? "yes"
             : answer.available == 0 ? "no"
                                     : "unknown");
    add_text(json, "reason", answer.reason);
    add_text(json, "hint", answer.hint);
}

/* Returns a word for the thread in which the component's function `sample` is called. NULL: the
 * component has no such function. */
static const char *describe_place(const StrobeComponent *component)
{
    const StrobeCollectorOps *ops = component->ops;

    if (component->type != STROBE_COMPONENT_COLLECTOR || !ops->sample)
        return NULL;
    return strobe_component_is_outside(component) ? "outside the program"
                                                  : "in a thread of the program";
}

static void add_component(StrobeJsonWriter *json, const StrobeComponent *component)
{
    strobe_json_begin_object(json);
    add_text(json, "type", strobe_component_type_name(component->type));
    add_text(json, "name", component->name);
    add_text(json, "summary", component->summary);
    add_flag(json, "simulated", (component->flags & STROBE_COMPONENT_SIMULATED) != 0);
    add_flag(json, "any_process", (component->flags & STROBE_COMPONENT_ANY_PROCESS) != 0);
    add_text(json, "samples", describe_place(component));
    add_probe(json, component);
    strobe_json_key(json, "kinds");
    strobe_json_begin_array(json);
    for (guint i = 0; component->kinds && i < component->n_kinds; i++)
        strobe_json_string(json, component->kinds[i]->name);
    strobe_json_end_array(json);
    strobe_json_key(json, "wants");
    strobe_json_begin_array(json);
    for (const char *const *kind = component->wants; kind && *kind; kind++)
        strobe_json_string(json, *kind);
    strobe_json_end_array(json);
    strobe_json_key(json, "options");
    strobe_json_begin_array(json);
    for (guint i = 0; component->options && i < component->n_options; i++)
        add_option(json, &component->options[i]);
    strobe_json_end_array(json);
    strobe_json_end_object(json);
}

void strobe_plugin_describe(StrobeJsonWriter *json, const StrobePlugin *plugin)
{
    add_text(json, "version", plugin->version);
    add_text(json, "summary", plugin->summary);
    add_text(json, "license", plugin->license);
    add_text(json, "vendor", plugin->vendor);
    add_text(json, "url", plugin->url);
    strobe_json_key(json, "components");
    strobe_json_begin_array(json);
    for (guint i = 0; i < plugin->n_components; i++)
        add_component(json, plugin->components[i]);
    strobe_json_end_array(json);
}
