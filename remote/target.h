/* SPDX-License-Identifier: Apache-2.0 */
/* A board that is reached over SSH, and the ini file that describes it. */
#ifndef STROBE_REMOTE_TARGET_H
#define STROBE_REMOTE_TARGET_H

#include <glib.h>

#define STROBE_TARGET_BYTES_MAX 65536u
#define STROBE_TARGET_SUFFIX ".ini"

typedef struct StrobeTarget {
    char *host; /* IPv4, IPv6 without brackets, or a name */
    char *user;
    char *password;         /* NULL: none; overwritten before it is freed */
    char *password_command; /* prints the password as its first line */
    char *identity;         /* path of a private key */
    char *known_hosts;      /* path of the file of host keys; NULL: the user's own file */
    guint16 port;
    guint16 keepalive_s;
    gboolean is_strict;       /* an unknown host key is refused */
    gboolean has_user_config; /* ~/.ssh/config is read */
} StrobeTarget;

typedef void StrobeTargetWarn(void *user, const char *text);

/* Parses the text of an ini file; messages name it by `origin`. Warns about unknown keys. NULL: the
 * error, whose message never contains the value of "pwd". */
StrobeTarget *strobe_target_parse(const char *text, gsize length, const char *origin,
                                  StrobeTargetWarn *warn, void *user, GError **error);
/* Reads a file "NAME.ini". Warns if other users can read it; refuses a file of another user. */
StrobeTarget *strobe_target_read(const char *path, StrobeTargetWarn *warn, void *user,
                                 GError **error);
/* Finds a target by its name. "NAME" is the file ~/.config/strobe/targets/NAME.ini; "ssh:HOST" is a
 * host in ~/.ssh/config. */
StrobeTarget *strobe_target_find(const char *name, StrobeTargetWarn *warn, void *user,
                                 GError **error);
void strobe_target_free(StrobeTarget *target);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(StrobeTarget, strobe_target_free)

/* Runs `password_command`, if there is one, to get the password. FALSE: the error. */
gboolean strobe_target_complete(StrobeTarget *target, GError **error);
/* Overwrites and frees the password. */
void strobe_target_forget(StrobeTarget *target);

#endif
