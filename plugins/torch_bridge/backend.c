/* SPDX-License-Identifier: Apache-2.0 */
#include "backend.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <strobe/helpers/environment.h>
#include <sys/auxv.h>

#include <strobe/helpers/interpreter.h>

#define PATTERN_MAX 80

static int folder_has(const char *folder, const char *pattern)
{
    struct dirent *entry;
    int found = 0;
    DIR *directory = folder[0] ? opendir(folder) : NULL;
    while (directory && !found && (entry = readdir(directory)))
        found = fnmatch(pattern, entry->d_name, 0) == 0;
    if (directory)
        closedir(directory);
    return found;
}

static int own_folder_has(const char *pattern)
{
    static const char place_in_this_file;
    char folder[PATH_MAX];
    Dl_info info;
    if (!dladdr(&place_in_this_file, &info) || !info.dli_fname)
        return 0;
    const char *slash = strrchr(info.dli_fname, '/');
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - info.dli_fname) : 1,
             slash ? info.dli_fname : ".");
    return folder_has(folder, pattern);
}

static const char *read_variable(const char *name)
{
    return getauxval(AT_SECURE) ? NULL : strobe_environment_get(name);
}

static int folder_below_has(const char *parent, const char *name, const char *pattern)
{
    char folder[PATH_MAX];
    int length = snprintf(folder, sizeof folder, "%s/%s", parent ? parent : "", name);
    return parent && parent[0] && (size_t)length < sizeof folder && folder_has(folder, pattern);
}

/* Returns whether the user's folders have a file that matches the pattern: the folder of `strobe
 * torch build -o`, and the folder of the bridges that Strobe itself builds (see
 * strobe_registry_cache). */
static int user_folder_has(const char *pattern)
{
    const char *home = read_variable("HOME"), *cache = read_variable("XDG_CACHE_HOME");
    if (folder_below_has(home, ".local/lib/strobe", pattern))
        return 1;
    return cache && cache[0] == '/' ? folder_below_has(cache, "strobe", pattern)
                                    : folder_below_has(home, ".cache/strobe", pattern);
}

static int search_path_has(const char *pattern)
{
    char folder[PATH_MAX];
    const char *path = read_variable("STROBE_PLUGIN_PATH");
    while (path && *path) {
        size_t length = strcspn(path, ":");
        snprintf(folder, sizeof folder, "%.*s", length < PATH_MAX ? (int)length : 0, path);
        if (folder_has(folder, pattern))
            return 1;
        path += length + (path[length] == ':');
    }
    return 0;
}

int strobe_backend_exists(const char *id)
{
    char pattern[PATTERN_MAX];
    strobe_libtorch_bridge_pattern(id, pattern, sizeof pattern);
    return own_folder_has(pattern) || user_folder_has(pattern) || search_path_has(pattern);
}

static void answer_for_process(StrobeProbe *answer)
{
    StrobeLibtorch libtorch;
    if (strobe_libtorch_find(&libtorch)) {
        answer->available = strobe_backend_exists(libtorch.id);
        answer->reason = answer->available ? NULL : "There is no bridge to this process's PyTorch";
        answer->hint = answer->available ? NULL : STROBE_BACKEND_HINT;
    } else if (strobe_interpreter_state() != STROBE_INTERPRETER_NONE) {
        answer->available = 2;
        answer->reason = "libtorch is not in the process yet";
        answer->hint = NULL;
    } else {
        answer->available = 0;
        answer->reason = "Neither libtorch nor Python is in the process";
        answer->hint = NULL;
    }
}

static int is_forbidden(void)
{
    const char *mode = read_variable("STROBE_TORCH_BUILD");
    return mode && strcmp(mode, "never") == 0;
}

void strobe_backend_probe(uint32_t question, StrobeProbe *answer)
{
    if (question == STROBE_PROBE_PROCESS) {
        answer_for_process(answer);
        return;
    }
    answer->available = 1;
    answer->reason = answer->hint = NULL;
    if (strobe_backend_exists(NULL))
        return;
    answer->available = is_forbidden() ? 0 : 2;
    answer->reason = answer->available ? "The bridge to PyTorch is built at the first run"
                                       : "There is no bridge to PyTorch, and "
                                         "STROBE_TORCH_BUILD=never forbids building one";
    answer->hint = answer->available ? NULL : STROBE_BACKEND_HINT;
}

/* Returns whether a missing bridge can still be built. Only a process with Python builds it, unless
 * STROBE_TORCH_BUILD forbids this. */
static int may_be_built(void)
{
    return !is_forbidden() && strobe_interpreter_state() != STROBE_INTERPRETER_NONE;
}

StrobeStatus strobe_backend_load(const StrobeHost *host, StrobeInstance *self,
                                 const StrobeLibtorch *libtorch, const char *symbol,
                                 size_t least_size, const void **table)
{
    char pattern[PATTERN_MAX], path[PATH_MAX];
    const char *version = libtorch->version[0] ? libtorch->version : "of unknown version";
    strobe_libtorch_bridge_pattern(libtorch->id, pattern, sizeof pattern);
    if (host->companion(self, pattern, path, sizeof path) != STROBE_OK)
        return host->fail(self, may_be_built() ? STROBE_AGAIN : STROBE_UNAVAILABLE, __FILE__,
                          __LINE__,
                          "Cannot record PyTorch: there is no bridge to PyTorch %s "
                          "(build-id=\"%s\"). " STROBE_BACKEND_HINT,
                          version, libtorch->id);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!library) {
        const char *reason = dlerror();
        return host->fail(
            self, STROBE_ERROR_PLUGIN, __FILE__, __LINE__,
            "Cannot load the bridge to PyTorch: path=\"%s\", reason=\"%s\". " STROBE_BACKEND_HINT,
            path, reason ? reason : "unknown");
    }
    const uint32_t *found_size = dlsym(library, symbol);
    if (!found_size || *found_size < least_size)
        return host->fail(
            self, STROBE_ERROR_ABI, __FILE__, __LINE__,
            "Cannot use the bridge to PyTorch: path=\"%s\", expected symbol \"%s\" of %zu bytes, "
            "found %u. " STROBE_BACKEND_HINT,
            path, symbol, least_size, found_size ? *found_size : 0);
    host->log(self, STROBE_LOG_INFO, "Bridge to PyTorch %s: %s", version, path);
    *table = found_size;
    return STROBE_OK;
}
