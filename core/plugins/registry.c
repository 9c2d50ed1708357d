/* SPDX-License-Identifier: Apache-2.0 */
#include "registry.h"

#include <dlfcn.h>
#include <errno.h>
#include <fnmatch.h>
#include <string.h>
#include <strobe/exporter.h>
#include <strobe/helpers/environment.h>
#include <strobe/importer.h>
#include <sys/auxv.h>
#include <unistd.h>
#include "component-fault.h"
#include "error.h"
#include "log.h"
#include "trusted-file.h"

struct StrobeRegistry {
    GPtrArray *path;    /* folders, NULL-terminated */
    GPtrArray *files;   /* of StrobePluginFile, in search order */
    guint own;          /* index in `path` of the first folder of Strobe itself */
    gboolean is_listed; /* all folders have been read */
};

static StrobeRegistryTrial try_file; /* NULL: none */

void strobe_registry_on_load(StrobeRegistryTrial trial)
{
    try_file = trial;
}

static void free_file(gpointer data)
{
    StrobePluginFile *file = data;

    g_free(file->path);
    g_free(file->name);
    g_free(file->error);
    g_free(file);
}

/* ---- search path ---- */

static void add_folder(StrobeRegistry *registry, const char *folder)
{
    if (folder && *folder)
        g_ptr_array_add(registry->path, g_strdup(folder));
}

/* Adds the folders with the plugins of this Strobe: next to the library in an installation
 * (LIBDIR/strobe) or below the program's prefix; in a build tree, first the folders of the
 * build. */
static void add_own_folders(StrobeRegistry *registry)
{
    static const char *const beside[] = {"strobe", "../" STROBE_PLUGIN_SUBDIR, NULL};
    g_autofree char *file = strobe_own_file();

    if (file) {
        g_autofree char *folder = g_path_get_dirname(file);
        g_autofree char *build = g_build_filename(folder, "..", "meson-private", NULL);
        if (g_file_test(build, G_FILE_TEST_IS_DIR)) {
            g_autofree char *plugins = g_build_filename(folder, "..", "plugins", NULL);
            g_autofree char *exporters = g_build_filename(folder, "..", "exporters", NULL);
            g_autofree char *p = realpath(plugins, NULL);
            g_autofree char *e = realpath(exporters, NULL);
            add_folder(registry, p);
            add_folder(registry, e);
            return;
        }
        for (guint i = 0; beside[i]; i++) {
            g_autofree char *plain = g_build_filename(folder, beside[i], NULL);
            g_autofree char *real = realpath(plain, NULL);
            if (real && g_file_test(real, G_FILE_TEST_IS_DIR)) {
                add_folder(registry, real);
                return;
            }
        }
    }
#ifdef STROBE_PLUGIN_DIR
    add_folder(registry, STROBE_PLUGIN_DIR);
#endif
}

char *strobe_registry_cache(void)
{
    const char *cache = strobe_environment_get("XDG_CACHE_HOME");
    const char *home = strobe_environment_get("HOME");

    if (cache && g_path_is_absolute(cache))
        return g_build_filename(cache, "strobe", NULL);
    return g_build_filename(home && *home ? home : g_get_home_dir(), ".cache", "strobe", NULL);
}

StrobeRegistry *strobe_registry_new(const char *const *extra)
{
    StrobeRegistry *registry = g_new0(StrobeRegistry, 1);
    const char *from_environment =
        getauxval(AT_SECURE) ? NULL : strobe_environment_get("STROBE_PLUGIN_PATH");

    registry->path = g_ptr_array_new_null_terminated(0, g_free, TRUE);
    registry->files = g_ptr_array_new_with_free_func(free_file);
    for (; extra && *extra; extra++)
        add_folder(registry, *extra);
    if (from_environment) {
        g_auto(GStrv) folders = g_strsplit(from_environment, ":", -1);
        for (guint i = 0; folders[i]; i++)
            add_folder(registry, folders[i]);
    }
    const char *home = strobe_environment_get("HOME");
    g_autofree char *user =
        g_build_filename(home && *home ? home : g_get_home_dir(), ".local", "lib", "strobe", NULL);
    add_folder(registry, user);
    registry->own = registry->path->len;
    add_own_folders(registry);
    return registry;
}

void strobe_registry_free(StrobeRegistry *registry)
{
    if (!registry)
        return;
    g_ptr_array_unref(registry->path);
    g_ptr_array_unref(registry->files);
    g_free(registry);
}

const char *const *strobe_registry_path(const StrobeRegistry *registry)
{
    static const char *const none[] = {NULL};
    return registry->path->len ? (const char *const *)registry->path->pdata : none;
}

/* ---- checking a file ---- */

/* Returns the reason why `path` must not be loaded, NULL if it may be loaded (free it). *resolved
 * is the path without links, under which the file is loaded: the loader would take a name under
 * /proc/self/fd for a library that it already has. After the check no untrusted user can put
 * another file there. */
static char *vet_path(const char *path, char **resolved)
{
    g_autofree char *real = realpath(path, NULL);
    char *fault = NULL;

    if (!real)
        return g_strdup_printf("%s: %s", path, g_strerror(errno));
    int file = strobe_trusted_open(real, &fault);
    if (file < 0)
        return fault;
    close(file);
    *resolved = g_steal_pointer(&real);
    return NULL;
}

/* ---- loading ---- */

/* Returns the reason why the descriptor cannot be used, NULL if it can be used. Checks integers
 * before pointers. */
static char *check_descriptor(const StrobePlugin *plugin, const char *stem)
{
    if (plugin->struct_size < sizeof(StrobePlugin) || plugin->struct_size > 4096)
        return g_strdup_printf("its descriptor says %u bytes, expected at least %zu",
                               plugin->struct_size, sizeof(StrobePlugin));
    if (plugin->abi_minor > STROBE_ABI_MINOR)
        return g_strdup_printf("it needs plugin ABI %d.%u, this Strobe has %d.%d: upgrade Strobe",
                               STROBE_ABI_MAJOR, plugin->abi_minor, STROBE_ABI_MAJOR,
                               STROBE_ABI_MINOR);
    if (plugin->record_version != STROBE_RECORD_VERSION)
        return g_strdup_printf("it writes records of version %u, this Strobe knows %d",
                               plugin->record_version, STROBE_RECORD_VERSION);
    if (plugin->n_components == 0 || plugin->n_components > 64 || !plugin->components)
        return g_strdup_printf("it declares %u components, expected 1 to 64", plugin->n_components);
    if (!plugin->name || strcmp(plugin->name, stem))
        return g_strdup_printf("it calls itself \"%s\", but its file is named \"%s\"",
                               plugin->name ? plugin->name : "", stem);
    if (!plugin->version || !plugin->summary || !plugin->license || !plugin->vendor)
        return g_strdup("its descriptor lacks version, summary, license or vendor");
    return NULL;
}

/* Explains why the file lacks the symbol: it may be a plugin for another ABI, or no plugin. */
static char *explain_missing_symbol(void *handle)
{
    for (int major = 0; major < 16; major++) {
        g_autofree char *symbol = g_strdup_printf("strobe_plugin_%d", major);
        if (dlsym(handle, symbol))
            return g_strdup_printf("it is for plugin ABI %d, this Strobe has ABI %d: upgrade %s",
                                   major, STROBE_ABI_MAJOR,
                                   major > STROBE_ABI_MAJOR ? "Strobe" : "the plugin");
    }
    return g_strdup("it has no symbol " STROBE_PLUGIN_SYMBOL ": not a Strobe plugin");
}

/* Is the file in a folder of Strobe itself, also if it was found through another folder of the
 * search path? */
static gboolean is_own(const StrobeRegistry *registry, const char *real)
{
    g_autofree char *folder = g_path_get_dirname(real);

    for (guint i = registry->own; i < registry->path->len; i++) {
        g_autofree char *own = realpath(g_ptr_array_index(registry->path, i), NULL);
        if (g_strcmp0(own, folder) == 0)
            return TRUE;
    }
    return FALSE;
}

/* Checks the file and returns the path under which it may be loaded (free it); NULL: the file must
 * not be loaded, and the reason is in file->error. */
static char *admit_file(const StrobeRegistry *registry, StrobePluginFile *file)
{
    g_autofree char *real = NULL;

    file->error = vet_path(file->path, &real);
    if (file->error)
        return NULL;
    if (try_file && !is_own(registry, real)) {
        file->error = try_file(real);
        file->is_harmful = file->error != NULL;
    }
    return file->error ? NULL : g_steal_pointer(&real);
}

static void load_file(const StrobeRegistry *registry, StrobePluginFile *file)
{
    if (file->plugin || file->error)
        return;
    g_autofree char *real = admit_file(registry, file);
    if (!real)
        return;
    void *handle = dlopen(real, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!handle) {
        file->error = g_strdup_printf("cannot be loaded: %s", dlerror());
        return;
    }
    const StrobePlugin *plugin = dlsym(handle, STROBE_PLUGIN_SYMBOL);
    if (!plugin) {
        file->error = explain_missing_symbol(handle);
        return;
    }
    file->error = check_descriptor(plugin, file->name);
    if (!file->error)
        file->error = strobe_components_fault(plugin->components, plugin->n_components);
    if (!file->error)
        file->plugin = plugin;
}

/* Loads a file that the user did not name. So a failure is not reported, except if the file ended
 * the process that loaded it for a trial. */
static void load_unnamed(const StrobeRegistry *registry, StrobePluginFile *file)
{
    gboolean is_new = !file->plugin && !file->error;

    load_file(registry, file);
    if (is_new && file->is_harmful)
        strobe_log(STROBE_LOG_WARNING, "Plugin %s is left out: %s", file->path, file->error);
}

static int compare_names(gconstpointer a, gconstpointer b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void list_folder(StrobeRegistry *registry, const char *folder)
{
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    const char *name;

    while (dir && (name = g_dir_read_name(dir)))
        /* A name with '-' (PLUGIN_something-version.so) is a backend of a plugin, which the plugin
         * itself loads. */
        if (g_str_has_suffix(name, ".so") && !strchr(name, '-'))
            g_ptr_array_add(names, g_strdup(name));
    g_ptr_array_sort(names, compare_names);
    for (guint i = 0; i < names->len; i++) {
        StrobePluginFile *file = g_new0(StrobePluginFile, 1);
        name = g_ptr_array_index(names, i);
        file->path = g_build_filename(folder, name, NULL);
        file->name = g_strndup(name, strlen(name) - 3);
        for (guint k = 0; k < registry->files->len; k++) {
            StrobePluginFile *other = g_ptr_array_index(registry->files, k);
            file->shadowed |= strcmp(other->name, file->name) == 0;
        }
        g_ptr_array_add(registry->files, file);
    }
}

static void list_files(StrobeRegistry *registry)
{
    const char *const *path = strobe_registry_path(registry);

    if (registry->is_listed)
        return;
    registry->is_listed = TRUE;
    for (; *path; path++)
        list_folder(registry, *path);
}

GPtrArray *strobe_registry_list(StrobeRegistry *registry)
{
    list_files(registry);
    return registry->files;
}

const StrobePluginFile *strobe_registry_load(StrobeRegistry *registry, const char *path)
{
    StrobePluginFile *file;

    list_files(registry);
    for (guint i = 0; i < registry->files->len; i++) {
        file = g_ptr_array_index(registry->files, i);
        if (strcmp(file->path, path) == 0) {
            load_file(registry, file);
            return file;
        }
    }
    file = g_new0(StrobePluginFile, 1);
    file->path = g_strdup(path);
    file->name = g_path_get_basename(path);
    file->error = g_strdup("it is not in the plugin search path");
    g_ptr_array_add(registry->files, file);
    return file;
}

GPtrArray *strobe_registry_scan(StrobeRegistry *registry)
{
    list_files(registry);
    for (guint i = 0; i < registry->files->len; i++)
        load_unnamed(registry, g_ptr_array_index(registry->files, i));
    return registry->files;
}

/* ---- finding ---- */

const char *strobe_component_type_name(guint32 type)
{
    static const char *const names[] = {"component", "collector", "importer", "pass", "exporter"};
    return type < G_N_ELEMENTS(names) ? names[type] : names[0];
}

static const StrobeComponent *component_of(const StrobePluginFile *file, guint32 type,
                                           const char *name)
{
    for (uint32_t i = 0; file->plugin && i < file->plugin->n_components; i++) {
        const StrobeComponent *component = file->plugin->components[i];
        if (component->type == type && strcmp(component->name, name) == 0)
            return component;
    }
    return NULL;
}

/* Searches only files called `stem`, so that a request for one name loads only one file. */
static const StrobeComponent *find_in(StrobeRegistry *registry, const char *stem, guint32 type,
                                      const char *name, const StrobePluginFile **file)
{
    for (guint i = 0; i < registry->files->len; i++) {
        StrobePluginFile *candidate = g_ptr_array_index(registry->files, i);
        if (candidate->shadowed || (stem && strcmp(candidate->name, stem)))
            continue;
        if (stem)
            load_file(registry, candidate);
        else
            load_unnamed(registry, candidate);
        const StrobeComponent *component = component_of(candidate, type, name);
        if (component || (stem && candidate->error)) {
            *file = candidate;
            return component;
        }
    }
    return NULL;
}

static void set_not_found(StrobeRegistry *registry, guint32 type, const char *name,
                          const StrobePluginFile *file, GError **error)
{
    if (file && file->error) {
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_PLUGIN, "Cannot use %s \"%s\": %s: %s",
                    strobe_component_type_name(type), name, file->path, file->error);
        return;
    }
    g_autoptr(GPtrArray) names = g_ptr_array_new_null_terminated(0, NULL, TRUE);
    for (guint i = 0; i < registry->files->len; i++) {
        const StrobePluginFile *f = g_ptr_array_index(registry->files, i);
        for (uint32_t k = 0; f->plugin && k < f->plugin->n_components; k++)
            if (f->plugin->components[k]->type == type)
                g_ptr_array_add(names, (gpointer)(uintptr_t)f->plugin->components[k]->name);
    }
    g_autofree char *hint =
        strobe_nearest_hint(name, names->len ? (const char *const *)names->pdata : NULL);
    g_autofree char *path = g_strjoinv(":", (char **)(uintptr_t)strobe_registry_path(registry));
    g_set_error(error, STROBE_ERROR, STROBE_ERROR_PLUGIN, "There is no %s \"%s\"%s (searched %s)",
                strobe_component_type_name(type), name, hint, path);
}

const StrobeComponent *strobe_registry_find(StrobeRegistry *registry, guint32 type,
                                            const char *name, const StrobePluginFile **file,
                                            GError **error)
{
    const StrobePluginFile *found = NULL;
    const char *dot = strchr(name, '.');
    g_autofree char *stem = dot ? g_strndup(name, (gsize)(dot - name)) : g_strdup(name);
    const char *component_name = dot ? dot + 1 : name;
    const StrobeComponent *component;

    list_files(registry);
    component = find_in(registry, stem, type, component_name, &found);
    if (!component && !dot && !found)
        component = find_in(registry, NULL, type, component_name, &found);
    if (!component) {
        set_not_found(registry, type, name, found, error);
        return NULL;
    }
    if (file)
        *file = found;
    return component;
}

const StrobeComponent *strobe_registry_find_pass(StrobeRegistry *registry, const char *kind)
{
    GPtrArray *files = strobe_registry_scan(registry);

    for (guint i = 0; i < files->len; i++) {
        const StrobePluginFile *file = g_ptr_array_index(files, i);
        for (uint32_t k = 0; !file->shadowed && file->plugin && k < file->plugin->n_components;
             k++) {
            const StrobeComponent *component = file->plugin->components[k];
            for (uint32_t j = 0; component->type == STROBE_COMPONENT_PASS && j < component->n_kinds;
                 j++)
                if (strcmp(component->kinds[j]->name, kind) == 0)
                    return component;
        }
    }
    return NULL;
}

/* Returns the first trusted file in the folder that matches (free it), NULL: none. `refused`
 * receives the reason why a matching file was refused. */
static char *find_companion(const char *folder, const char *pattern, char **refused)
{
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
    const char *name;

    while (dir && (name = g_dir_read_name(dir))) {
        if (fnmatch(pattern, name, FNM_PERIOD))
            continue;
        g_autofree char *file = g_build_filename(folder, name, NULL);
        char *real = NULL, *fault = vet_path(file, &real);
        if (!fault)
            return real;
        g_free(*refused);
        *refused = fault;
    }
    return NULL;
}

char *strobe_registry_companion(StrobeRegistry *registry, const char *pattern, GError **error)
{
    g_autofree char *refused = NULL, *cache = strobe_registry_cache();
    char *found = NULL;

    for (const char *const *path = strobe_registry_path(registry); *path && !found; path++)
        found = find_companion(*path, pattern, &refused);
    if (!found)
        found = find_companion(cache, pattern, &refused);
    if (!found && refused)
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_PLUGIN, "%s", refused);
    else if (!found)
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_PLUGIN, "no file %s in the plugin path",
                    pattern);
    return found;
}
