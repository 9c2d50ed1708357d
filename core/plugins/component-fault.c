/* SPDX-License-Identifier: Apache-2.0 */
#include "component-fault.h"

#include <string.h>
#include <strobe/exporter.h>
#include <strobe/importer.h>
#include "kind-declaration.h"
#include "options.h"

/* Does the name have the form of names in command lines and configurations? */
static gboolean is_name(const char *name)
{
    return *name && !name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_")];
}

static gboolean is_good_variable(const StrobeVariable *variable)
{
    return variable->struct_size >= sizeof(StrobeVariable) && variable->name && *variable->name &&
           !strchr(variable->name, '=') && variable->value &&
           variable->how >= STROBE_VARIABLE_UNLESS_SET && variable->how <= STROBE_VARIABLE_APPEND;
}

static char *variables_fault(const StrobeComponent *component)
{
    for (guint32 i = 0; i < component->n_variables; i++)
        if (!is_good_variable(&component->variables[i]))
            return g_strdup_printf("component \"%s\": variable %u is incomplete", component->name,
                                   i);
    return NULL;
}

static char *kinds_fault(const StrobeComponent *component)
{
    char fault[256];

    for (guint32 i = 0; i < component->n_kinds; i++) {
        const StrobeKind *kind = component->kinds[i];
        if (!kind || kind->struct_size < sizeof *kind || !kind->name)
            return g_strdup_printf("component \"%s\": kind %u is incomplete", component->name, i);
        if (!strobe_kind_check(kind, fault, sizeof fault))
            return g_strdup_printf("component \"%s\": %s", component->name, fault);
        for (guint32 k = 0; k < kind->n_fields; k++)
            for (guint32 other = 0; other < k; other++)
                if (!strcmp(kind->fields[other].name, kind->fields[k].name))
                    return g_strdup_printf("component \"%s\": kind \"%s\": two fields are named "
                                           "\"%s\"",
                                           component->name, kind->name, kind->fields[k].name);
    }
    return NULL;
}

static char *option_fault(const StrobeComponent *component, guint32 i)
{
    const StrobeOption *option = &component->options[i];

    if (option->struct_size < sizeof *option || !option->name || !option->summary)
        return g_strdup_printf("component \"%s\": option %u is incomplete", component->name, i);
    if (!is_name(option->name))
        return g_strdup_printf("component \"%s\": an option's name must be of a-z 0-9 _, found "
                               "\"%s\"",
                               component->name, option->name);
    if (option->type < STROBE_OPTION_BOOL || option->type > STROBE_OPTION_KINDS)
        return g_strdup_printf("component \"%s\": option \"%s\" has unknown type %u",
                               component->name, option->name, option->type);
    if (option->type == STROBE_OPTION_ENUM && !option->choices)
        return g_strdup_printf("component \"%s\": option \"%s\" has no choices", component->name,
                               option->name);
    for (guint32 k = 0; k < i; k++)
        if (!strcmp(component->options[k].name, option->name))
            return g_strdup_printf("component \"%s\": two options are named \"%s\"",
                                   component->name, option->name);
    return NULL;
}

/* Checks the options, and that each accepts its own default, which would otherwise fail later for
 * every user. */
static char *options_fault(const StrobeComponent *component)
{
    g_autoptr(GError) error = NULL;
    char *fault = NULL;

    for (guint32 i = 0; !fault && i < component->n_options; i++)
        fault = option_fault(component, i);
    if (fault || !component->n_options)
        return fault;
    StrobeOptions *options =
        strobe_options_new(component->options, component->n_options, component->name, &error);
    strobe_options_free(options);
    return options ? NULL : g_strdup(error->message);
}

static char *ops_fault(const StrobeComponent *component)
{
    if (component->type == STROBE_COMPONENT_COLLECTOR) {
        const StrobeCollectorOps *ops = component->ops;
        if (ops->struct_size < sizeof *ops || !ops->open || !ops->start || !ops->stop ||
            !ops->close)
            return g_strdup_printf("collector \"%s\" lacks open, start, stop or close",
                                   component->name);
    } else if (component->type == STROBE_COMPONENT_IMPORTER) {
        const StrobeImporterOps *ops = component->ops;
        if (ops->struct_size < sizeof *ops || !ops->probe || !ops->import)
            return g_strdup_printf("importer \"%s\" lacks probe or import", component->name);
    } else {
        const StrobeConsumerOps *ops = component->ops;
        if (ops->struct_size < sizeof *ops || !ops->open || !ops->batch || !ops->end ||
            !ops->close || !component->wants)
            return g_strdup_printf("\"%s\" lacks open, batch, end, close or its wanted kinds",
                                   component->name);
    }
    return NULL;
}

static char *head_fault(const StrobeComponent *component)
{
    if (!component || component->struct_size < sizeof(StrobeComponent))
        return g_strdup("a component's descriptor is too small");
    if (!component->name || !*component->name || !component->summary || !component->ops)
        return g_strdup("a component lacks name, summary or ops");
    if (!is_name(component->name))
        return g_strdup_printf("a component's name must be of a-z 0-9 _, found \"%s\"",
                               component->name);
    if (component->type < STROBE_COMPONENT_COLLECTOR || component->type > STROBE_COMPONENT_EXPORTER)
        return g_strdup_printf("component \"%s\" is of unknown type %u", component->name,
                               component->type);
    if (component->n_options > 256 || (component->n_options && !component->options) ||
        component->n_kinds > 256 || (component->n_kinds && !component->kinds))
        return g_strdup_printf("component \"%s\": options or kinds are missing", component->name);
    if (component->n_variables > 256 || (component->n_variables && !component->variables))
        return g_strdup_printf("component \"%s\": variables are missing", component->name);
    return NULL;
}

static char *component_fault(const StrobeComponent *component)
{
    char *(*const parts[])(const StrobeComponent *) = {head_fault, variables_fault, kinds_fault,
                                                       options_fault, ops_fault};
    char *fault = NULL;

    for (gsize i = 0; !fault && i < G_N_ELEMENTS(parts); i++)
        fault = parts[i](component);
    return fault;
}

char *strobe_components_fault(const StrobeComponent *const *components, guint32 n)
{
    for (guint32 i = 0; i < n; i++) {
        char *fault = component_fault(components[i]);
        if (fault)
            return fault;
        for (guint32 k = 0; k < i; k++)
            if (components[k]->type == components[i]->type &&
                !strcmp(components[k]->name, components[i]->name))
                return g_strdup_printf("two components are named \"%s\"", components[i]->name);
    }
    return NULL;
}
