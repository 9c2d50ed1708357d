/* SPDX-License-Identifier: Apache-2.0 */
#include "run-folder.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>

#include "command.h"
#include "install-paths.h"
#include "run-variables.h"

gboolean strobe_run_folder_make(StrobeRunFolder *folder, StrobeConfig *config, GError **error)
{
    if (!strobe_folder_private(&folder->own, error))
        return FALSE;
    g_free(config->report);
    config->report = g_build_filename(folder->own.path, "directories", NULL);
    g_autofree char *json = strobe_config_to_json(config);
    g_autofree char *path = g_build_filename(folder->own.path, "config.json", NULL);
    if (g_file_set_contents_full(path, json, -1, G_FILE_SET_CONTENTS_CONSISTENT, 0600, error))
        return TRUE;
    strobe_run_folder_remove(folder);
    return FALSE;
}

void strobe_run_folder_remove(StrobeRunFolder *folder)
{
    strobe_folder_discard(&folder->own);
}

static char **set_or_unset(char **environment, const char *name, const char *value)
{
    return value ? g_environ_setenv(environment, name, value, TRUE)
                 : g_environ_unsetenv(environment, name);
}

/* Whether the path can be in the list of `variable`, which is split at `separators`, even inside
 * quotes. Prints a message if it cannot. */
static gboolean may_be_listed(const char *path, const char *separators, const char *variable)
{
    if (!path[strcspn(path, separators)])
        return TRUE;
    strobe_complain("\"%s\" cannot be named in %s because of a character in it; install Strobe "
                    "somewhere else",
                    path, variable);
    return FALSE;
}

static char **inject_native(char **environment)
{
    g_autofree char *preload = strobe_install_path_preload();
    g_autofree char *library = strobe_install_path_library();

    if (!preload || !library) {
        strobe_complain("%s is missing: only Python programs can be profiled",
                        preload ? "libstrobe.so" : "libstrobe-preload.so");
        return environment;
    }
    environment = g_environ_setenv(environment, "STROBE_RUN_LIBRARY", library, TRUE);
    if (!may_be_listed(preload, " \t:", "LD_PRELOAD"))
        return environment;
    return strobe_run_variable_prepend(environment, "LD_PRELOAD", preload);
}

char **strobe_run_inject_python(char **environment)
{
    g_autofree char *bootstrap = strobe_install_path_bootstrap();
    g_autofree char *package = strobe_install_path_python();

    if (!bootstrap || !package) {
        strobe_complain("The Python package \"strobe\" is missing: Python programs cannot be "
                        "profiled");
        return environment;
    }
    g_autofree char *both = g_strconcat(bootstrap, ":", package, NULL);
    if (!may_be_listed(bootstrap, ":", "PYTHONPATH") || !may_be_listed(package, ":", "PYTHONPATH"))
        return environment;
    return strobe_run_variable_prepend(environment, "PYTHONPATH", both);
}

gboolean strobe_run_preload_check(char *const *libraries)
{
    for (; libraries && *libraries; libraries++) {
        if (strpbrk(*libraries, " \t:")) {
            strobe_complain("--preload: \"%s\" cannot be named in LD_PRELOAD: give the path of a "
                            "library without blanks and colons",
                            *libraries);
            return FALSE;
        }
        if (strchr(*libraries, '/') && g_access(*libraries, R_OK) != 0) {
            strobe_complain("--preload: cannot read \"%s\": %s", *libraries, g_strerror(errno));
            return FALSE;
        }
    }
    return TRUE;
}

/* Appends the libraries of --preload to LD_PRELOAD, after Strobe's own library and the libraries
 * that were there before. Processes that are not recorded keep them in LD_PRELOAD. A name without a
 * slash is not changed, because the loader searches for it. */
static char **add_preloads(char **environment, char *const *libraries)
{
    for (; libraries && *libraries; libraries++) {
        const char *old = g_environ_getenv(environment, "LD_PRELOAD");
        g_autofree char *path = strchr(*libraries, '/') ? g_canonicalize_filename(*libraries, NULL)
                                                        : g_strdup(*libraries);
        g_autofree char *value = old && *old ? g_strconcat(old, ":", path, NULL) : g_strdup(path);
        environment = g_environ_setenv(environment, "LD_PRELOAD", value, TRUE);
    }
    return environment;
}

/* Adds the folders of --plugin-path to STROBE_PLUGIN_PATH, which the session in the command
 * reads. */
static char **set_plugin_path(char **environment, char *const *folders)
{
    g_autoptr(GString) value = g_string_new(NULL);
    const char *old = g_environ_getenv(environment, "STROBE_PLUGIN_PATH");

    if (!folders || !*folders)
        return environment;
    for (; *folders; folders++) {
        g_autofree char *whole = g_canonicalize_filename(*folders, NULL);
        g_string_append_printf(value, "%s%s", value->len ? ":" : "", whole);
    }
    if (old && *old)
        g_string_append_printf(value, ":%s", old);
    return g_environ_setenv(environment, "STROBE_PLUGIN_PATH", value->str, TRUE);
}

char **strobe_run_folder_environment(const StrobeRunFolder *folder, const StrobeRunFlags *flags,
                                     const StrobeRunReach *reach)
{
    char **environment = g_get_environ();

    environment = strobe_run_variables_forget(environment);
    environment = add_preloads(environment, flags->preload);
    environment = inject_native(environment);
    environment = strobe_run_inject_python(environment);
    environment = set_plugin_path(environment, flags->plugin_path);
    environment = g_environ_setenv(environment, "STROBE_RUN_DIR", folder->own.path, TRUE);
    environment = set_or_unset(environment, "STROBE_RUN_FOLLOW", flags->follow ? "1" : NULL);
    environment = set_or_unset(environment, "STROBE_RUN_ANY", reach->any_process ? "1" : NULL);
    environment = set_or_unset(environment, "STROBE_RUN_LATE", reach->late_library ? "1" : NULL);
    environment = set_or_unset(environment, "STROBE_RUN_TORCH", reach->torch ? "1" : NULL);
    return g_environ_setenv(environment, "STROBE_RUN_STEP_ON",
                            flags->step_on ? flags->step_on : "first", TRUE);
}

char **strobe_run_folder_lines(const StrobeRunFolder *folder, const char *name, guint max)
{
    g_autofree char *path = g_build_filename(folder->own.path, name, NULL);
    g_autofree char *text = NULL;
    g_autoptr(GPtrArray) lines = g_ptr_array_new_with_free_func(g_free);

    g_file_get_contents(path, &text, NULL, NULL);
    g_auto(GStrv) parts = g_strsplit(text ? text : "", "\n", -1);
    for (char **part = parts; *part && lines->len < max; part++)
        if (**part)
            g_ptr_array_add(lines, g_strdup(*part));
    g_ptr_array_add(lines, NULL);
    return (char **)g_ptr_array_steal(lines, NULL);
}

/* Whether the process has ended. A process that outlives the command may still be opening its
 * collectors. */
static gboolean has_ended(gint64 pid)
{
    return pid > 0 && pid <= G_MAXINT && kill((pid_t)pid, 0) != 0 && errno == ESRCH;
}

char **strobe_run_folder_cut_openings(const StrobeRunFolder *folder, guint max)
{
    g_autoptr(GPtrArray) found = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GDir) entries = g_dir_open(folder->own.path, 0, NULL);
    const char *name;

    while (entries && found->len < max && (name = g_dir_read_name(entries))) {
        gint64 pid = g_str_has_prefix(name, "opening.")
                         ? g_ascii_strtoll(name + strlen("opening."), NULL, 10)
                         : 0;
        g_auto(GStrv) lines = has_ended(pid) ? strobe_run_folder_lines(folder, name, 1) : NULL;
        if (lines && *lines)
            g_ptr_array_add(
                found, g_strdup_printf("collector %s in process %" G_GINT64_FORMAT, *lines, pid));
    }
    g_ptr_array_add(found, NULL);
    return (char **)g_ptr_array_steal(found, NULL);
}

gboolean strobe_run_folder_claim(const StrobeRunFolder *folder, StrobeClaim *claim)
{
    return strobe_claim_read(folder->own.path, claim) != 0;
}
