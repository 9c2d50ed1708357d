/* SPDX-License-Identifier: Apache-2.0 */
#include "board-target.h"

#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "command.h"
#include "crc32c.h"
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

char *strobe_board_folder_name(const char *path)
{
    char host[256] = "";

    gethostname(host, sizeof host - 1);
    g_autofree char *name = g_path_get_basename(path);
    g_autofree char *all = g_strdup_printf("%s:%s", host, path);
    /* the folder's path is in lists of paths that blanks and colons separate */
    g_strcanon(name, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "._-+@,", '_');
    return g_strdup_printf("strobe/%.64s_%08x", name, strobe_crc32c(0, all, strlen(all)));
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

/* Sets the limit of core files to 0 while the password is in memory. */
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
