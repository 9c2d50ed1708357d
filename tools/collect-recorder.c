/* SPDX-License-Identifier: Apache-2.0 */
#include "collect-recorder.h"

#include "board-kit.h"
#include "command.h"
#include "error.h"

static gboolean refuse_recorder(const StrobeCollectRequest *request, const char *why,
                                GError **error)
{
    g_set_error(error, STROBE_ERROR, STROBE_ERROR_CONFIG, "--recorder strobe: %s: %s",
                request->main, why);
    return FALSE;
}

/* Called if Strobe's recorder cannot be used, for the reason `why`. FALSE with an error if the user
 * requested it; otherwise prints a message, and the vendor's runtime records. */
static gboolean fall_back(const StrobeCollectRequest *request, const char *why, GError **error)
{
    if (request->recorder == STROBE_RECORDER_STROBE)
        return refuse_recorder(request, why, error);
    strobe_complain("%s: %s: the vendor's runtime records", request->main, why);
    return TRUE;
}

gboolean strobe_collect_choose_recorder(const StrobeCollectRequest *request,
                                        const StrobeBoardProperties *properties, const char *name,
                                        char **kit, GError **error)
{
    const StrobeBoardProgram *program = &request->program;

    *kit = NULL;
    if (request->recorder == STROBE_RECORDER_VENDOR)
        return TRUE;
    if (program->is_elf && !program->is_dynamic)
        return fall_back(request, "is linked statically, nothing can be put before the runtime",
                         error);
    *kit = strobe_board_kit_find(properties, program);
    if (!*kit) {
        g_autofree char *why = g_strdup_printf(
            "no kit is installed for the board %s, %s with %s (docs/board.md)", name,
            properties->machine, *properties->libc ? properties->libc : "an unknown C library");
        return fall_back(request, why, error);
    }
    if (program->is_elf && !program->has_runtime)
        strobe_complain("%s does not name libsvp_acl.so among its libraries: calls are recorded "
                        "only if another library of it does",
                        request->main);
    return TRUE;
}
