/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin-trial.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "probe-child.h"
#include "registry.h"

#define SURVIVED 99 /* an exit code that a plugin does not use by chance */

/* Loads the file in a new process of this program. Returns a text about the failure (free it),
 * NULL: none. A forked child would not do: other threads may hold locks, and under --max-mem a
 * forked child may not write to the heap. */
static char *try_file(const char *path)
{
    char *const words[] = {(char *)(uintptr_t)"/proc/self/exe",
                           (char *)(uintptr_t)STROBE_PLUGIN_TRIAL, (char *)(uintptr_t)path, NULL};
    g_autoptr(GString) text = g_string_new(NULL);
    int status;
    StrobeChildEnd end = strobe_child_spawn(words, FALSE, STROBE_PLUGIN_TRIAL_US, text, &status);

    if (end == STROBE_CHILD_NOT_MADE)
        return g_strdup_printf("it cannot be tried, no process can be made: %s", g_strerror(errno));
    if (end == STROBE_CHILD_ENDED && WIFEXITED(status)) {
        if (WEXITSTATUS(status) == SURVIVED)
            return NULL;
        return g_strdup_printf("it ends the process that loads it, with exit code %d",
                               WEXITSTATUS(status));
    }
    g_autofree char *failure = strobe_child_failure(end, status, STROBE_PLUGIN_TRIAL_US);
    return g_strdup_printf("when it is loaded %s", failure);
}

void strobe_plugin_trial_begin(void)
{
    strobe_registry_on_load(try_file);
}

/* Only loads the file. The process that uses the file checks whether it is a plugin. */
void strobe_plugin_trial_run(const char *path)
{
    (void)!dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    _exit(SURVIVED);
}
