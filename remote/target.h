/* SPDX-License-Identifier: Apache-2.0 */
/* A board that is reached over SSH, and the ini file that describes it. */
#ifndef STROBE_REMOTE_TARGET_H
#define STROBE_REMOTE_TARGET_H

#include <glib.h>

#define STROBE_TARGET_BYTES_MAX 65536u
#define STROBE_TARGET_SUFFIX ".ini"

typedef struct StrobeTarget {
    char *host; /* IPv4 address, IPv6 address without brackets, or name */
    char *user;
    char *password; /* is overwritten before it is freed; NULL: none */
    /* shell command that prints the password as its first line; NULL: none */
    char *password_command;
    char *identity;    /* path of a private key */
    char *known_hosts; /* path of the file of host keys; NULL: the user's own file */
    guint16 port;
    guint16 keepalive_s;
    gboolean is_strict;       /* whether an unknown host key is refused */
    gboolean has_user_config; /* whether ~/.ssh/config is read */
} StrobeTarget;

typedef void StrobeTargetWarn(void *user, const char *text);

/* Parses the text of an ini file, which messages call `origin`. Warns about unknown keys. NULL with
 * an error, whose message never contains the value of "pwd". */
StrobeTarget *strobe_target_parse(const char *text, gsize length, const char *origin,
                                  StrobeTargetWarn *warn, void *user, GError **error);
/* Reads the target in the file `path`. Warns if other users can read the file; refuses a file of
 * another user. NULL with an error. */
StrobeTarget *strobe_target_read(const char *path, StrobeTargetWarn *warn, void *user,
                                 GError **error);
/* Finds the target with this name. "ssh:HOST" is a host in ~/.ssh/config; another name is the file
 * ~/.config/strobe/targets/NAME.ini. NULL with an error. */
StrobeTarget *strobe_target_find(const char *name, StrobeTargetWarn *warn, void *user,
                                 GError **error);
void strobe_target_free(StrobeTarget *target);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(StrobeTarget, strobe_target_free)

/* Runs `password_command`, if there is one, to get the password. FALSE with an error. */
gboolean strobe_target_complete(StrobeTarget *target, GError **error);
/* Overwrites and frees the password. */
void strobe_target_forget(StrobeTarget *target);

#endif
