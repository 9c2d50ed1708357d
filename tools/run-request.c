/* SPDX-License-Identifier: Apache-2.0 */
#include "run-request.h"

#include <string.h>
#include <strobe/collector.h>

#include "command.h"
#include "component-call.h"
#include "config-file.h"
#include "error.h"
#include "instance.h"
#include "options.h"
#include "outside.h"
#include "pipeline.h"
#include "run-torch.h"

/* The option and its value that limit a collector to processes without a result of their own. */
#define CHILDREN "children"
#define UNRECORDED "unrecorded"
/* The option and its value that make a collector sample inside the program. */
#define SOURCE "source"
#define TIMER "timer"

void strobe_run_flags_clear(StrobeRunFlags *flags)
{
    g_free(flags->config);
    g_free(flags->output);
    g_free(flags->schedule);
    g_free(flags->buffer);
    g_free(flags->rotate);
    g_free(flags->dump);
    g_free(flags->step_on);
    g_free(flags->generation);
    g_free(flags->as);
    g_free(flags->on);
    g_free(flags->project);
    g_strfreev(flags->environment);
    g_strfreev(flags->collect);
    g_strfreev(flags->export);
    g_strfreev(flags->plugin_path);
    g_strfreev(flags->preload);
}

static gboolean merge_flags(StrobeConfig *config, const StrobeRunFlags *flags, GError **error)
{
    const struct {
        const char *section, *text;
    } sections[] = {{"schedule", flags->schedule},
                    {"buffer", flags->buffer},
                    {"rotate", flags->rotate},
                    {"dump", flags->dump}};

    for (guint i = 0; i < G_N_ELEMENTS(sections); i++)
        if (sections[i].text &&
            !strobe_config_set_section(config, sections[i].section, sections[i].text, error))
            return FALSE;
    for (char **text = flags->collect; text && *text; text++)
        if (!strobe_config_add_collector(config, *text, error))
            return FALSE;
    for (char **text = flags->export; text && *text; text++)
        if (!strobe_config_add_exporter(config, *text, error))
            return FALSE;
    return TRUE;
}

StrobeConfig *strobe_run_configure(const StrobeRunFlags *flags, GError **error)
{
    StrobeConfig *config = flags->config ? strobe_config_load(flags->config, error)
                                         : strobe_config_parse(NULL, NULL, error);

    if (!config)
        return NULL;
    for (guint i = 0; i < config->warnings->len; i++)
        strobe_complain("%s", (const char *)g_ptr_array_index(config->warnings, i));
    if (!merge_flags(config, flags, error) || !strobe_config_check(config, error)) {
        strobe_config_free(config);
        return NULL;
    }
    config->has_defaults &= !flags->no_defaults;
    strobe_config_add_default_collectors(config);
    strobe_config_add_defaults(config);
    g_autofree char *given = config->directory;
    config->directory = g_canonicalize_filename(flags->output ? flags->output
                                                : given       ? given
                                                              : ".",
                                                NULL);
    return config;
}

StrobeOptions *strobe_run_options(const StrobeComponent *component,
                                  const StrobeConfigComponent *wanted, GError **error)
{
    g_autofree char *owner = g_strdup_printf("collector %s", wanted->name);
    StrobeOptions *options =
        strobe_options_new(component->options, component->n_options, owner, error);

    if (!options)
        return NULL;
    if (strobe_instance_set_options(options, wanted, NULL, error))
        return options;
    strobe_options_free(options);
    return NULL;
}

static gboolean check_options(const StrobeComponent *component, StrobeConfigComponent *wanted,
                              GError **error)
{
    if (!strobe_instance_check_options(component, wanted, error))
        return FALSE;
    strobe_config_component_settle(wanted, component->options, component->n_options);
    return TRUE;
}

/* Whether the component has an option `name` with the choice `choice`, and the user did not set
 * this option. */
static gboolean may_choose(const StrobeComponent *component, const StrobeConfigComponent *wanted,
                           const char *name, const char *choice)
{
    for (guint i = 0; i < component->n_options; i++) {
        const StrobeOption *option = &component->options[i];
        if (g_str_equal(option->name, name) && option->type == STROBE_OPTION_ENUM &&
            g_strv_contains(option->choices, choice))
            return !strobe_config_component_sets(wanted, name);
    }
    return FALSE;
}

/* Sets the option `name` to `choice` if may_choose() allows it. Returns whether it did. */
static gboolean set_choice(const StrobeComponent *component, StrobeConfigComponent *wanted,
                           const char *name, const char *choice)
{
    if (!may_choose(component, wanted, name, choice))
        return FALSE;
    if (!wanted->json)
        wanted->json = json_object_new();
    json_object_set_string_member(wanted->json, name, choice);
    return TRUE;
}

char *strobe_run_otherwise(const StrobeComponent *component, const StrobeConfigComponent *wanted)
{
    return may_choose(component, wanted, SOURCE, TIMER) ? g_strdup(SOURCE "=" TIMER) : NULL;
}

static int probe_machine(const StrobeComponent *component, StrobeProbe *answer)
{
    const StrobeCollectorOps *ops = component->ops;

    *answer = (StrobeProbe){.struct_size = sizeof *answer, .available = 1};
    if (ops->probe) {
        strobe_component_call_begin(component, "probe");
        ops->probe(STROBE_PROBE_MACHINE, answer);
        strobe_component_call_end();
    }
    return answer->available;
}

/* Tests whether the collector can work on this machine. If it cannot and is required, returns FALSE
 * with an error. If it cannot and is not required, makes it use timers in the program, if it can,
 * and prints a message. */
static gboolean check_probe(const StrobeComponent *component, StrobeConfigComponent *wanted,
                            GError **error)
{
    StrobeProbe answer;

    if (strobe_config_component_sets(wanted, SOURCE) || probe_machine(component, &answer) != 0)
        return TRUE;
    g_autofree char *why =
        g_strdup_printf("%s%s%s", answer.reason ? answer.reason : "it gives no reason",
                        answer.hint ? "; " : "", answer.hint ? answer.hint : "");
    if (wanted->required) {
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_PLUGIN,
                    "Collector \"%s\" cannot work here: %s", wanted->name, why);
        return FALSE;
    }
    if (set_choice(component, wanted, SOURCE, TIMER))
        strobe_complain("Collector \"%s\" samples by timers in the program (SIGPROF), without what "
                        "the kernel does: %s",
                        wanted->name, why);
    else if (!g_str_equal(wanted->origin, "default"))
        strobe_complain("Collector \"%s\" cannot work here: %s", wanted->name, why);
    return TRUE;
}

/* Whether the user named the component: it is neither a default one nor taken from a key of an
 * Ascend configuration. */
static gboolean is_named(const StrobeConfigComponent *wanted)
{
    return !wanted->is_mapped && !g_str_equal(wanted->origin, "default");
}

/* Removes the components in `list` that this build lacks and the user did not name, with a
 * message. */
static void drop_missing_defaults(GPtrArray *list, guint32 type, StrobeRegistry *registry)
{
    for (guint i = list->len; i > 0; i--) {
        const StrobeConfigComponent *wanted = g_ptr_array_index(list, i - 1);
        g_autoptr(GError) error = NULL;
        if (is_named(wanted) || strobe_registry_find(registry, type, wanted->name, NULL, &error))
            continue;
        strobe_complain("%s", error->message);
        g_ptr_array_remove_index(list, i - 1);
    }
}

static gboolean check_exporters(const StrobeConfig *config, StrobeRegistry *registry,
                                GError **error)
{
    StrobePipeline *pipeline = strobe_pipeline_new(registry);
    gboolean good = TRUE;

    for (guint i = 0; good && i < config->exporters->len; i++) {
        StrobeConfigComponent *wanted = g_ptr_array_index(config->exporters, i);
        good = strobe_pipeline_add_exporter(pipeline, wanted, error);
        const StrobeComponent *component =
            good ? strobe_registry_find(registry, STROBE_COMPONENT_EXPORTER, wanted->name, NULL,
                                        NULL)
                 : NULL;
        if (component)
            strobe_config_component_settle(wanted, component->options, component->n_options);
    }
    strobe_pipeline_free(pipeline);
    return good;
}

/* Adds the name of the plugin's file to the collector's name. Otherwise the program would load one
 * file after another until it finds the name, including files that this process has excluded. */
static void name_file(StrobeConfigComponent *wanted, const StrobePluginFile *file)
{
    if (strchr(wanted->name, '.') || g_str_equal(wanted->name, file->name))
        return;
    char *name = g_strdup_printf("%s.%s", file->name, wanted->name);
    g_free(wanted->name);
    wanted->name = name;
}

static gboolean works_anywhere(StrobeRegistry *registry, const StrobeConfigComponent *wanted)
{
    const StrobeComponent *component =
        strobe_registry_find(registry, STROBE_COMPONENT_COLLECTOR, wanted->name, NULL, NULL);

    return component && (component->flags & STROBE_COMPONENT_ANY_PROCESS);
}

static gboolean can_stand_in(StrobeRegistry *registry, const StrobeConfigComponent *wanted)
{
    const StrobeComponent *component =
        strobe_registry_find(registry, STROBE_COMPONENT_COLLECTOR, wanted->name, NULL, NULL);
    StrobeProbe answer;

    return (component->flags & STROBE_COMPONENT_STAND_IN) &&
           (strobe_config_component_sets(wanted, SOURCE) || probe_machine(component, &answer));
}

/* Whether a process may record although only collectors that work in any process can work in it.
 * This is so if the user named such a collector, if one can sample here, or if all collectors are
 * of this type. */
static gboolean may_take_any_process(const StrobeConfig *config, StrobeRegistry *registry)
{
    guint n_anywhere = 0;

    for (guint i = 0; i < config->collectors->len; i++) {
        const StrobeConfigComponent *wanted = g_ptr_array_index(config->collectors, i);
        if (!works_anywhere(registry, wanted))
            continue;
        if (is_named(wanted) || can_stand_in(registry, wanted))
            return TRUE;
        n_anywhere++;
    }
    return n_anywhere > 0 && n_anywhere == config->collectors->len;
}

gboolean strobe_run_check(StrobeConfig *config, StrobeRegistry *registry, gboolean follow,
                          StrobeRunReach *reach, GError **error)
{
    drop_missing_defaults(config->collectors, STROBE_COMPONENT_COLLECTOR, registry);
    drop_missing_defaults(config->exporters, STROBE_COMPONENT_EXPORTER, registry);
    *reach = (StrobeRunReach){.torch = strobe_run_needs_bridge(config)};
    for (guint i = 0; i < config->collectors->len; i++) {
        StrobeConfigComponent *wanted = g_ptr_array_index(config->collectors, i);
        const StrobePluginFile *file;
        const StrobeComponent *component =
            strobe_registry_find(registry, STROBE_COMPONENT_COLLECTOR, wanted->name, &file, error);
        if (!component || !check_options(component, wanted, error) ||
            !check_probe(component, wanted, error))
            return FALSE;
        if (follow) /* the samples of a process that records must be in its own result only */
            set_choice(component, wanted, CHILDREN, UNRECORDED);
        name_file(wanted, file);
        reach->late_library |= (component->flags & STROBE_COMPONENT_LATE_LIBRARY) != 0;
    }
    reach->any_process = may_take_any_process(config, registry);
    return check_exporters(config, registry, error);
}

gboolean strobe_run_check_outside(StrobeConfig *config, StrobeRegistry *registry, GError **error)
{
    drop_missing_defaults(config->collectors, STROBE_COMPONENT_COLLECTOR, registry);
    drop_missing_defaults(config->exporters, STROBE_COMPONENT_EXPORTER, registry);
    for (guint i = config->collectors->len; i > 0; i--) {
        StrobeConfigComponent *wanted = g_ptr_array_index(config->collectors, i - 1);
        const StrobeComponent *component =
            strobe_registry_find(registry, STROBE_COMPONENT_COLLECTOR, wanted->name, NULL, error);
        if (!component || !check_options(component, wanted, error))
            return FALSE;
        if (strobe_component_is_outside(component))
            continue;
        if (is_named(wanted)) {
            g_set_error(error, STROBE_ERROR, STROBE_ERROR_CONFIG,
                        "Collector \"%s\" does not work on a board: it records inside the program; "
                        "strobe doctor --on NAME lists those that work",
                        wanted->name);
            return FALSE;
        }
        g_ptr_array_remove_index(config->collectors, i - 1);
    }
    return check_exporters(config, registry, error);
}

char *strobe_run_collector_names(const StrobeConfig *config, StrobeRegistry *registry,
                                 gboolean any_process)
{
    GString *names = g_string_new(NULL);

    for (guint i = 0; i < config->collectors->len; i++) {
        const StrobeConfigComponent *wanted = g_ptr_array_index(config->collectors, i);
        if (works_anywhere(registry, wanted) == any_process)
            g_string_append_printf(names, "%s%s", names->len ? ", " : "", wanted->name);
    }
    return g_string_free(names, FALSE);
}
