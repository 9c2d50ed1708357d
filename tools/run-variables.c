/* SPDX-License-Identifier: Apache-2.0 */
#include "run-variables.h"

#include <string.h>

#include "command.h"
#include "run-request.h"

static char **keep_old(char **environment, const char *name)
{
    g_autofree char *kept = g_strconcat("STROBE_RUN_OLD_", name, NULL);
    g_autofree char *old = g_strdup(g_environ_getenv(environment, name));

    return old ? g_environ_setenv(environment, kept, old, TRUE)
               : g_environ_unsetenv(environment, kept);
}

static char **join_values(char **environment, const char *name, const char *first,
                          const char *second)
{
    g_autofree char *value = first && *first && second && *second
                                 ? g_strconcat(first, ":", second, NULL)
                                 : g_strdup(first && *first ? first : second);

    return g_environ_setenv(environment, name, value, TRUE);
}

/* Adds a value to a variable. If this is called several times, the kept old value is the one before
 * the first call. */
static char **add_value(char **environment, const char *name, const char *value, gboolean is_last)
{
    g_autofree char *ours = g_strconcat("STROBE_RUN_NEW_", name, NULL);
    g_autofree char *old = g_strdup(g_environ_getenv(environment, name));
    g_autofree char *added = g_strdup(g_environ_getenv(environment, ours));
    g_autofree char *names = g_strdup(g_environ_getenv(environment, "STROBE_RUN_VARIABLES"));

    if (!added) {
        environment = keep_old(environment, name);
        environment = join_values(environment, "STROBE_RUN_VARIABLES", names, name);
    }
    environment = join_values(environment, ours, added, value);
    return is_last ? join_values(environment, name, old, value)
                   : join_values(environment, name, value, old);
}

char **strobe_run_variable_prepend(char **environment, const char *name, const char *first)
{
    return add_value(environment, name, first, FALSE);
}

/* Returns the value with "{folder}" replaced by the folder of the file `plugin` (free it). */
static char *expand_folder(const char *value, const char *plugin)
{
    g_autofree char *folder = g_path_get_dirname(plugin);
    g_auto(GStrv) parts = g_strsplit(value, "{folder}", -1);

    return g_strjoinv(folder, parts);
}

/* Whether the collector needs the variable with the options that are configured. */
static gboolean is_asked_for(const StrobeVariable *variable, const StrobeComponent *component,
                             const StrobeConfigComponent *wanted)
{
    gboolean asked = FALSE;

    if (!variable->option)
        return TRUE;
    StrobeOptions *options = strobe_run_options(component, wanted, NULL);
    if (options && !variable->text)
        asked = strobe_options_bool(options, variable->option);
    if (options && variable->text) {
        g_auto(GStrv) values = g_strsplit(strobe_options_text(options, variable->option), "+", -1);
        asked = g_strv_contains((const char *const *)values, variable->text);
    }
    strobe_options_free(options);
    return asked;
}

static char **set_variable(char **environment, const StrobeVariable *variable, const char *value,
                           const char *collector)
{
    const char *old = g_environ_getenv(environment, variable->name);

    if (variable->how == STROBE_VARIABLE_UNLESS_SET && old && *old) {
        strobe_complain(
            "%s is set already: collector \"%s\" does not receive the data that \"%s\" takes",
            variable->name, collector, old);
        return environment;
    }
    if (variable->how != STROBE_VARIABLE_UNLESS_SET && strpbrk(value, ": \t")) {
        strobe_complain("\"%s\" cannot be named in %s because of a character in it; install Strobe "
                        "somewhere else",
                        value, variable->name);
        return environment;
    }
    return add_value(environment, variable->name, value, variable->how == STROBE_VARIABLE_APPEND);
}

char **strobe_run_variables_forget(char **environment)
{
    g_auto(GStrv) names =
        g_strsplit(g_environ_getenv(environment, "STROBE_RUN_VARIABLES") ?: "", ":", -1);

    for (char **name = names; *name; name++) {
        g_autofree char *marker = g_strconcat("STROBE_RUN_NEW_", *name, NULL);
        environment = g_environ_unsetenv(environment, marker);
    }
    return g_environ_unsetenv(environment, "STROBE_RUN_VARIABLES");
}

char **strobe_run_variables_set(char **environment, const StrobeConfig *config,
                                StrobeRegistry *registry)
{
    for (guint i = 0; i < config->collectors->len; i++) {
        const StrobeConfigComponent *wanted = g_ptr_array_index(config->collectors, i);
        const StrobePluginFile *file = NULL;
        const StrobeComponent *component =
            strobe_registry_find(registry, STROBE_COMPONENT_COLLECTOR, wanted->name, &file, NULL);
        for (guint j = 0; component && j < component->n_variables; j++) {
            const StrobeVariable *variable = &component->variables[j];
            if (!is_asked_for(variable, component, wanted))
                continue;
            g_autofree char *value = expand_folder(variable->value, file->path);
            environment = set_variable(environment, variable, value, wanted->name);
        }
    }
    return environment;
}
