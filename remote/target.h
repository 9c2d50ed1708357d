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
    char *password;         /* NULL: none; wiped when it is freed */
    char *password_command; /* its first line of output is the password */
    char *identity;         /* file of a private key */
    char *known_hosts;      /* NULL: the user's own */
    guint16 port;
    guint16 keepalive_s;
    gboolean is_strict;       /* an unknown host key is refused */
    gboolean has_user_config; /* ~/.ssh/config is read */
} StrobeTarget;

typedef void StrobeTargetWarn(void *user, const char *text);

/* Reads the text of an ini file; `origin` names it in messages. Warns of unknown keys. NULL: the
 * error, which never has a value of "pwd". */
StrobeTarget *strobe_target_parse(const char *text, gsize length, const char *origin,
                                  StrobeTargetWarn *warn, void *user, GError **error);
/* Reads a file "NAME.ini". Warns if other users can read it; refuses one of another user. */
StrobeTarget *strobe_target_read(const char *path, StrobeTargetWarn *warn, void *user,
                                 GError **error);
/* "NAME": ~/.config/strobe/targets/NAME.ini; "ssh:HOST": by ~/.ssh/config. */
StrobeTarget *strobe_target_find(const char *name, StrobeTargetWarn *warn, void *user,
                                 GError **error);
void strobe_target_free(StrobeTarget *target);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(StrobeTarget, strobe_target_free)

/* Runs `password_command` for the password. FALSE: the error. */
gboolean strobe_target_complete(StrobeTarget *target, GError **error);
/* Overwrites and frees the password. */
void strobe_target_forget(StrobeTarget *target);

#endif
