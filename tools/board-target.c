/* SPDX-License-Identifier: Apache-2.0 */
#include "board-target.h"

#include <sys/resource.h>

#include "command.h"
#include "install-paths.h"

static void print_warning(void *user, const char *text)
{
    (void)user;
    strobe_complain("%s", text);
}

StrobeTarget *strobe_board_target(const char *config, const char *name, GError **error)
{
    return config ? strobe_target_read(config, print_warning, NULL, error)
                  : strobe_target_find(name, print_warning, NULL, error);
}

static void report_key(const char *text)
{
    strobe_complain("%s", text);
}

static StrobeRemote *open_remote(StrobeTarget *target, const char *folder, gboolean has_signals,
                                 GError **error)
{
    g_autofree char *module = strobe_install_path_ssh();
    g_autofree char *own = g_build_filename(g_get_user_config_dir(), "strobe", "known_hosts", NULL);
    StrobeRemoteRequest request = {.target = target,
                                   .known_hosts = target->known_hosts ? target->known_hosts : own,
                                   .folder = folder,
                                   .has_signals = has_signals,
                                   .report = report_key};

    request.api = strobe_link_load(module, error);
    if (!request.api || !strobe_target_complete(target, error))
        return NULL;
    return strobe_remote_open(&request, error);
}

/* While the password is in memory, a crash leaves no core file. */
StrobeRemote *strobe_board_open(StrobeTarget *target, const char *folder, gboolean has_signals,
                                GError **error)
{
    struct rlimit before = {RLIM_INFINITY, RLIM_INFINITY}, none;
    StrobeRemote *remote;

    getrlimit(RLIMIT_CORE, &before);
    none = before;
    none.rlim_cur = 0;
    setrlimit(RLIMIT_CORE, &none);
    remote = open_remote(target, folder, has_signals, error);
    strobe_target_forget(target);
    setrlimit(RLIMIT_CORE, &before);
    return remote;
}
