/* SPDX-License-Identifier: Apache-2.0 */
/* Checks host keys against a file in OpenSSH's format, and stores new ones in it. */
#include <errno.h>
#include <string.h>

#include <glib/gstdio.h>

#include "remote-error.h"
#include "ssh-link.h"

#define FILE_MAX (16u << 20)

/* Returns the fingerprint of the key, "SHA256:..." (free it). */
static char *make_fingerprint(ssh_key key)
{
    unsigned char *hash = NULL;
    size_t length = 0;
    char *text = NULL, *made;

    if (key && ssh_get_publickey_hash(key, SSH_PUBLICKEY_HASH_SHA256, &hash, &length) == 0)
        text = ssh_get_fingerprint_hash(SSH_PUBLICKEY_HASH_SHA256, hash, length);
    made = g_strdup(text ? text : "unknown");
    ssh_string_free_char(text);
    ssh_clean_pubkey_hash(&hash);
    return made;
}

/* Returns the name of the host as it is in the file (free it). */
static char *make_host_name(StrobeLink *link)
{
    g_autofree char *lower = g_ascii_strdown(link->target->host, -1);
    unsigned port = 22;

    ssh_options_get_port(link->session, &port);
    return port == 22 ? g_steal_pointer(&lower) : g_strdup_printf("[%s]:%u", lower, port);
}

/* Returns the fingerprint of the host's first key in the file (free it), and sets *line to the
 * number of the key's line. NULL: there is none. */
static char *find_known_key(const char *path, const char *host, guint *line)
{
    g_autofree char *text = NULL;
    char *fingerprint = NULL;
    gsize length = 0;

    if (!g_file_get_contents(path, &text, &length, NULL) || length > FILE_MAX)
        return NULL;
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    for (guint i = 0; lines[i] && !fingerprint; i++) {
        struct ssh_knownhosts_entry *entry = NULL;

        if (ssh_known_hosts_parse_line(host, lines[i], &entry) == SSH_OK && entry) {
            fingerprint = make_fingerprint(entry->publickey);
            *line = i + 1;
        }
        if (entry)
            ssh_knownhosts_entry_free(entry);
    }
    return fingerprint;
}

static gboolean refuse_changed(StrobeLink *link, const char *path, const char *found,
                               GError **error)
{
    guint line = 0;
    g_autofree char *host = make_host_name(link);
    g_autofree char *known = find_known_key(path, host, &line);

    return strobe_remote_refuse(
        error,
        "%s: the host key has changed: %s is known, %s was sent. Another machine may be answering. "
        "If the board was flashed anew, remove line %u of %s: ssh-keygen -f %s -R '%s'",
        link->name, known ? known : "another one", found, line, path, path, host);
}

static gboolean store_key(StrobeLink *link, const StrobeLinkRequest *request, const char *found,
                          GError **error)
{
    g_autofree char *folder = g_path_get_dirname(request->known_hosts);

    if (request->target->is_strict)
        return strobe_remote_refuse(
            error, "%s: the host key %s is unknown, and host_keys is strict (known keys: %s)",
            link->name, found, request->known_hosts);
    if (g_mkdir_with_parents(folder, 0700) != 0 ||
        ssh_session_update_known_hosts(link->session) != SSH_OK)
        return strobe_remote_refuse(error, "%s: cannot store the host key in %s: %s", link->name,
                                    request->known_hosts, ssh_get_error(link->session));
    g_autofree char *text =
        g_strdup_printf("%s: host key %s stored in %s", link->name, found, request->known_hosts);
    request->report(text);
    return TRUE;
}

static gboolean judge_key(StrobeLink *link, const StrobeLinkRequest *request, const char *found,
                          GError **error)
{
    switch (ssh_session_is_known_server(link->session)) {
    case SSH_KNOWN_HOSTS_OK:
        return TRUE;
    case SSH_KNOWN_HOSTS_CHANGED:
    case SSH_KNOWN_HOSTS_OTHER:
        return refuse_changed(link, request->known_hosts, found, error);
    case SSH_KNOWN_HOSTS_NOT_FOUND:
    case SSH_KNOWN_HOSTS_UNKNOWN:
        return store_key(link, request, found, error);
    default:
        return strobe_remote_refuse(error, "%s: cannot check the host key in %s: %s", link->name,
                                    request->known_hosts, ssh_get_error(link->session));
    }
}

gboolean strobe_ssh_check_host_key(StrobeLink *link, SshWait *wait, GError **error)
{
    ssh_key key = NULL;

    if (ssh_get_server_publickey(link->session, &key) != SSH_OK)
        return strobe_remote_refuse(error, "%s: the board sent no host key", link->name);
    g_autofree char *found = make_fingerprint(key);
    ssh_key_free(key);
    return judge_key(link, wait->request, found, error);
}
