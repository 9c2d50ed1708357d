/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor-checks.h"

#include <json-glib/json-glib.h>
#include <strobe/strobe.h>
#include <unistd.h>

#include "install-paths.h"
#include "plugin-folders.h"
#include "plugin-scan.h"

static const char *text_of(JsonObject *object, const char *key)
{
    return json_object_get_string_member_with_default(object, key, "");
}

static void add_part(StrobeDoctorReport *report, const char *name, char *path, const char *missing)
{
    if (path)
        strobe_doctor_add(report, STROBE_VERDICT_GOOD, name, NULL, "%s", path);
    else
        strobe_doctor_add(report, STROBE_VERDICT_FAILURE, name, "install Strobe again, completely",
                          "missing: %s", missing);
    g_free(path);
}

static void add_parts(StrobeDoctorReport *report)
{
    g_autofree char *self = g_file_read_link("/proc/self/exe", NULL);

    strobe_doctor_add(report, STROBE_VERDICT_NOTE, "version", NULL, "%s, %s", strobe_version(),
                      self ? self : "path unknown");
    add_part(report, "library", strobe_install_path_library(), "no program can be profiled");
    add_part(report, "preload library", strobe_install_path_preload(),
             "only Python programs can be profiled");
    add_part(report, "Python package", strobe_install_path_python(), "Python cannot be profiled");
}

static void add_collector(StrobeDoctorReport *report, JsonObject *component, GPtrArray *names,
                          GPtrArray *anywhere)
{
    const char *name = text_of(component, "name"), *available = text_of(component, "available");
    const char *reason = text_of(component, "reason"), *hint = text_of(component, "hint");
    g_autofree char *label = g_strconcat("collector ", name, NULL);

    if (json_object_get_boolean_member_with_default(component, "simulated", FALSE))
        return;
    if (g_str_equal(available, "no")) {
        strobe_doctor_add(report, STROBE_VERDICT_NOTE, label, *hint ? hint : NULL, "not here: %s",
                          *reason ? reason : "it gives no reason");
        return;
    }
    if (g_str_equal(available, "yes"))
        strobe_doctor_add(report, STROBE_VERDICT_GOOD, label, NULL, "%s",
                          text_of(component, "summary"));
    else
        strobe_doctor_add(report, STROBE_VERDICT_NOTE, label, NULL, "%s",
                          *reason ? reason : "known when a program runs");
    g_ptr_array_add(names, g_strdup(name));
    if (json_object_get_boolean_member_with_default(component, "any_process", FALSE))
        g_ptr_array_add(anywhere, g_strdup(name));
}

/* Lists the collectors of one plugin file; returns the number of its other components. */
static guint add_plugin(StrobeDoctorReport *report, JsonObject *plugin, GPtrArray *names,
                        GPtrArray *anywhere)
{
    JsonArray *components = json_object_has_member(plugin, "components")
                                ? json_object_get_array_member(plugin, "components")
                                : NULL;
    guint others = 0;

    if (json_object_get_boolean_member_with_default(plugin, "shadowed", FALSE)) {
        strobe_doctor_add(report, STROBE_VERDICT_NOTE, text_of(plugin, "name"), NULL,
                          "%s is shadowed by one that comes first", text_of(plugin, "file"));
        return 0;
    }
    if (json_object_has_member(plugin, "error")) {
        strobe_doctor_add(report, STROBE_VERDICT_FAILURE, text_of(plugin, "name"),
                          "remove or replace the file, or correct the reason", "%s is refused: %s",
                          text_of(plugin, "file"), text_of(plugin, "error"));
        return 0;
    }
    for (guint i = 0; components && i < json_array_get_length(components); i++) {
        JsonObject *component = json_array_get_object_element(components, i);
        if (g_str_equal(text_of(component, "type"), "collector"))
            add_collector(report, component, names, anywhere);
        else
            others++;
    }
    return others;
}

static void add_folder_fault(const char *origin, const char *folder, const char *fault,
                             gpointer report)
{
    gboolean is_named = g_str_equal(origin, "--plugin-path");

    strobe_doctor_add(report, is_named ? STROBE_VERDICT_FAILURE : STROBE_VERDICT_WARNING,
                      "plugin folder", "name a folder that exists and can be read",
                      "cannot look for plugins in \"%s\" (%s): %s", folder, origin, fault);
}

GPtrArray *strobe_doctor_strobe(StrobeDoctorReport *report, const char *const *plugin_path,
                                GPtrArray **anywhere)
{
    GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GPtrArray) plugins = strobe_plugin_scan(plugin_path);
    guint others = 0;

    strobe_doctor_section(report, "Strobe");
    add_parts(report);
    strobe_plugin_folders_examine(plugin_path, add_folder_fault, report);
    *anywhere = g_ptr_array_new_with_free_func(g_free);
    for (guint i = 0; i < plugins->len; i++)
        others += add_plugin(report, g_ptr_array_index(plugins, i), names, *anywhere);
    if (plugins->len == 0)
        strobe_doctor_add(report, STROBE_VERDICT_FAILURE, "plugins",
                          "install Strobe again, or name their folder: --plugin-path",
                          "none was found: nothing can be collected or exported");
    else
        strobe_doctor_add(report, STROBE_VERDICT_NOTE, "plugins", NULL,
                          "%u files; %u importers, passes and exporters", plugins->len, others);
    return names;
}
