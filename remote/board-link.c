/* SPDX-License-Identifier: Apache-2.0 */
#include "board-link.h"

#include <dlfcn.h>

#include "error.h"

const StrobeLinkApi *strobe_link_load(const char *module, GError **error)
{
    void *library = module ? dlopen(module, RTLD_NOW | RTLD_LOCAL) : NULL;
    const StrobeLinkApi *api = library ? dlsym(library, STROBE_LINK_SYMBOL) : NULL;

    if (api)
        return api;
    if (!module)
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_PLUGIN,
                    "This Strobe was built without libssh: it cannot reach a board");
    else
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_PLUGIN, "Cannot load %s: %s", module,
                    dlerror());
    return NULL;
}
