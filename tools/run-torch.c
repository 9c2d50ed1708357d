/* SPDX-License-Identifier: Apache-2.0 */
#include "run-torch.h"

#include <string.h>

#include "command.h"
#include "run-interpreter.h"
#include "torch-bridge.h"

gboolean strobe_run_needs_bridge(const StrobeConfig *config)
{
    for (guint i = 0; i < config->collectors->len; i++) {
        const StrobeConfigComponent *wanted = g_ptr_array_index(config->collectors, i);
        const char *dot = strchr(wanted->name, '.');
        const char *name = dot ? dot + 1 : wanted->name;
        if (g_str_equal(name, "cpu_op") || g_str_equal(name, "memory"))
            return TRUE;
    }
    return FALSE;
}

/* Builds the bridge in a separate process, and does not wait for it. The separate process may print
 * messages at any time. */
static void build_meanwhile(const StrobeTorch *torch, GError **error)
{
    g_autofree char *self = g_file_read_link("/proc/self/exe", error);
    char *words[] = {self,
                     (char *)"torch",
                     (char *)"build",
                     (char *)"--if-missing",
                     (char *)"--background",
                     (char *)"--torch",
                     torch->home,
                     NULL};

    if (self)
        g_spawn_sync(NULL, words, NULL, G_SPAWN_DEFAULT, NULL, NULL, NULL, NULL, NULL, error);
}

/* Builds a missing bridge as STROBE_TORCH_BUILD requests. TRUE: the bridge exists. FALSE with an
 * error or, if it is being built or must not be built, without an error. */
static gboolean provide_bridge(const StrobeTorch *torch, StrobeRegistry *registry, GError **error)
{
    const StrobeBridgeBuild build = {.missing = registry};
    StrobeBridgeMode mode = strobe_bridge_mode();

    if (mode == STROBE_BRIDGE_WAIT)
        return strobe_bridge_build(torch, &build, error);
    if (mode == STROBE_BRIDGE_BACKGROUND)
        build_meanwhile(torch, error);
    else
        strobe_complain("PyTorch's operators are not recorded: there is no bridge to PyTorch %s, "
                        "and STROBE_TORCH_BUILD=never forbids to build it (\"strobe torch build\" "
                        "does)",
                        torch->version);
    return FALSE;
}

gboolean strobe_run_torch(StrobeRegistry *registry, char *const *command)
{
    g_auto(GStrv) environment = g_get_environ();
    g_autofree char *python = strobe_run_interpreter(command, environment);
    g_autofree char *home = python ? strobe_torch_ask(python, NULL) : NULL;
    g_autoptr(GError) error = NULL;
    gboolean may_build = TRUE;
    StrobeTorch torch = {0};

    if (home && strobe_torch_read(home, &torch, NULL)) {
        g_autofree char *found = strobe_bridge_find(registry, &torch, NULL);
        may_build = found || provide_bridge(&torch, registry, &error);
    }
    if (error)
        strobe_complain("PyTorch's operators are not recorded. %s", error->message);
    strobe_torch_clear(&torch);
    return may_build;
}
