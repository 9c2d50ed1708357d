/* SPDX-License-Identifier: Apache-2.0 */
#include "board-mount.h"

#include <string.h>

#include "remote-error.h"
#include "remote-flow.h"

#define ANSWER_MAX 8192
#define ADVICE                                                                                     \
    "the board must reach this machine by that address. If the hosts file maps this machine's "    \
    "name to 127.0.1.1, comment that line out or map the name to the right address; --server-ip "  \
    "names one"

/* Refuses a loopback address, which on the board would mean the board itself. FALSE with an
 * error. */
static gboolean check_server(const StrobeRemote *remote, const char *server, GError **error)
{
    if (!g_str_has_prefix(server, "127.") && strcmp(server, "::1") && strcmp(server, "localhost"))
        return TRUE;
    return strobe_remote_refuse(error, "%s: cannot mount from %s, a loopback address: " ADVICE,
                                remote->name, server);
}

/* Returns the shell command that mounts the folder. It writes the path to the file `mount` in the
 * lock, from which the guard knows which folder it must unmount. A mount may take minutes: if the
 * guard and its lock have disappeared after it, the command itself unmounts the folder. */
static char *make_command(const StrobeRemote *remote, const char *server, const char *path)
{
    const gboolean is_v6 = strchr(server, ':') != NULL;
    g_autofree char *source = g_strdup_printf(is_v6 ? "[%s]:%s" : "%s:%s", server, path);
    g_autofree char *quoted = g_shell_quote(source);
    g_autofree char *folder = g_shell_quote(remote->folder);

    return g_strdup_printf("cd && m=$(pwd)/profiling && mkdir -p \"$m\" && "
                           "mount -t nfs -o nolock,tcp %s \"$m\" && "
                           "{ { cd %s && echo \"$m\" >" STROBE_REMOTE_LOCK "/mount && "
                           "[ -e " STROBE_REMOTE_LOCK
                           "/open ]; } || { umount \"$m\"; exit 73; }; } && "
                           "echo \"$m\"",
                           quoted, folder);
}

char *strobe_board_mount(StrobeRemote *remote, const char *server, const char *path, GError **error)
{
    g_autofree char *own = server ? g_strdup(server) : remote->api->own_address(remote->link);
    g_autoptr(GString) answer = g_string_new(NULL);

    if (!own || !check_server(remote, own, error))
        return NULL;
    g_autofree char *command = make_command(remote, own, path);
    g_autofree char *what = g_strdup_printf("cannot mount %s:%s", own, path);
    if (!strobe_flow_text(remote, what, command, NULL, answer, ANSWER_MAX, error)) {
        if (error && *error && strstr((*error)->message, "timed out"))
            g_prefix_error(error, "(" ADVICE ") ");
        return NULL;
    }
    g_strchomp(answer->str);
    return answer->str[0] == '/' ? g_strdup(answer->str) : NULL;
}

gboolean strobe_board_unmount(StrobeRemote *remote, GError **error)
{
    g_autofree char *folder = g_shell_quote(remote->folder);
    g_autofree char *command = g_strdup_printf("cd %s/" STROBE_REMOTE_LOCK " || exit 0\n"
                                               "[ -f mount ] || exit 0\n"
                                               "read -r m <mount && umount \"$m\" && rm -f mount",
                                               folder);
    g_autoptr(GString) answer = g_string_new(NULL);

    return strobe_flow_text(remote, "cannot unmount the folder of the JOBs", command, NULL, answer,
                            ANSWER_MAX, error);
}
