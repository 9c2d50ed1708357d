/* SPDX-License-Identifier: Apache-2.0 */
/* Finds, checks and loads plugins, and finds their components by name. */
#ifndef STROBE_CORE_REGISTRY_H
#define STROBE_CORE_REGISTRY_H

#include <glib.h>
#include <strobe/plugin.h>

typedef struct StrobeRegistry StrobeRegistry;

/* A plugin file. Owned by the registry. */
typedef struct StrobePluginFile {
    char *path;
    char *name;                 /* the file's stem */
    const StrobePlugin *plugin; /* NULL: not loaded, see error */
    char *error;         /* why the file was refused or could not be loaded; NULL: no error */
    gboolean shadowed;   /* another file with this name comes first in the search order */
    gboolean is_harmful; /* the file failed its trial (StrobeRegistryTrial) */
} StrobePluginFile;

/* Called before a file outside of Strobe's own folders is loaded: returns the reason why the file
 * must not be loaded (free it), or NULL if it may be loaded. The command sets this function before
 * it makes a registry; a profiled program has none, because a trial starts a process. */
typedef char *(*StrobeRegistryTrial)(const char *path);
void strobe_registry_on_load(StrobeRegistryTrial trial);

/* Makes a registry. The search order is: `extra` (--plugin-path, NULL-terminated, may be NULL),
 * STROBE_PLUGIN_PATH (ignored when setuid), the user's folder, the system's folder. */
StrobeRegistry *strobe_registry_new(const char *const *extra);
void strobe_registry_free(StrobeRegistry *registry); /* does not unload the plugins */

/* Finds a component: "NAME", or "PLUGIN.NAME" for one of several in a plugin. An unknown name is
 * an error with the nearest name; a refused plugin is an error with the reason. `file` may be
 * NULL. */
const StrobeComponent *strobe_registry_find(StrobeRegistry *registry, guint32 type,
                                            const char *name, const StrobePluginFile **file,
                                            GError **error);

/* Returns the pass that emits a derived kind, NULL if none does. */
const StrobeComponent *strobe_registry_find_pass(StrobeRegistry *registry, const char *kind);

/* Loads every plugin and returns all files, including refused ones: a GPtrArray of
 * StrobePluginFile, owned by the registry, in search order. */
GPtrArray *strobe_registry_scan(StrobeRegistry *registry);

/* Returns all plugin files in search order, like strobe_registry_scan(), but opens none of them:
 * neither `plugin` nor `error` is set. Used by a command that loads each file in a separate
 * process. */
GPtrArray *strobe_registry_list(StrobeRegistry *registry);

/* Checks and loads the file at `path`, which strobe_registry_list() has returned. Never NULL;
 * either `plugin` or `error` of the result is set. */
const StrobePluginFile *strobe_registry_load(StrobeRegistry *registry, const char *path);

/* Returns the search path, first to last; NULL-terminated, owned by the registry. */
const char *const *strobe_registry_path(const StrobeRegistry *registry);

/* Returns the folder for backends that Strobe itself builds, $XDG_CACHE_HOME/strobe or
 * ~/.cache/strobe (free it). Only companions are searched there, not plugins. */
char *strobe_registry_cache(void);

/* Returns a trusted file that matches a shell pattern, in the search path or the cache (free it);
 * NULL if there is none.
 * */
char *strobe_registry_companion(StrobeRegistry *registry, const char *pattern, GError **error);

/* Returns the name of the type of component, such as "collector". */
const char *strobe_component_type_name(guint32 type);

#endif
