/* SPDX-License-Identifier: Apache-2.0 */
/* Reads targets from files, and passwords from commands. */
#include "target.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "error.h"

#define TARGET_FOLDER "strobe/targets"
#define USER_CONFIG "ssh:"

static gboolean refuse_path(const char *path, GError **error, const char *why)
{
    g_set_error(error, STROBE_ERROR, STROBE_ERROR_CONFIG, "%s: %s", path, why);
    return FALSE;
}

/* Checks the owner, type and size of a target's file; warns if others can read it, because it may
 * contain a password. */
static gboolean check_file(int file, const char *path, StrobeTargetWarn *warn, void *user,
                           GError **error)
{
    struct stat st;

    if (fstat(file, &st) != 0)
        return refuse_path(path, error, g_strerror(errno));
    if (!S_ISREG(st.st_mode))
        return refuse_path(path, error, "is no regular file");
    if (st.st_uid != geteuid() && st.st_uid != 0)
        return refuse_path(path, error, "belongs to another user");
    if (st.st_size > STROBE_TARGET_BYTES_MAX)
        return refuse_path(path, error, "more than the 65536 bytes allowed");
    if (st.st_mode & 077) {
        g_autofree char *text = g_strdup_printf(
            "%s: other users can read it (mode %04o), and it may hold a password: chmod 600", path,
            st.st_mode & 07777);
        warn(user, text);
    }
    return TRUE;
}

/* Reads at most one byte more than a file may have, so that a file which has grown is noticed. */
static gssize read_bytes(int file, char *bytes)
{
    gsize n = 0;
    gssize got = 1;

    while (got > 0 && n <= STROBE_TARGET_BYTES_MAX) {
        got = read(file, bytes + n, STROBE_TARGET_BYTES_MAX + 1 - n);
        if (got > 0)
            n += (gsize)got;
    }
    return got < 0 ? -1 : (gssize)n;
}

static StrobeTarget *read_file(int file, const char *path, StrobeTargetWarn *warn, void *user,
                               GError **error)
{
    g_autofree char *bytes = g_malloc(STROBE_TARGET_BYTES_MAX + 2);
    StrobeTarget *target = NULL;
    gssize length;

    if (!check_file(file, path, warn, user, error))
        return NULL;
    length = read_bytes(file, bytes);
    if (length < 0)
        refuse_path(path, error, g_strerror(errno));
    else
        target = strobe_target_parse(bytes, (gsize)length, path, warn, user, error);
    explicit_bzero(bytes, STROBE_TARGET_BYTES_MAX + 2);
    return target;
}

StrobeTarget *strobe_target_read(const char *path, StrobeTargetWarn *warn, void *user,
                                 GError **error)
{
    StrobeTarget *target;
    int file;

    if (!g_str_has_suffix(path, STROBE_TARGET_SUFFIX)) {
        refuse_path(path, error, "the name of a target's file ends in " STROBE_TARGET_SUFFIX);
        return NULL;
    }
    file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0) {
        refuse_path(path, error, g_strerror(errno));
        return NULL;
    }
    target = read_file(file, path, warn, user, error);
    close(file);
    return target;
}

static StrobeTarget *make_user_target(const char *host, GError **error)
{
    StrobeTarget *target;

    if (!*host || *host == '-') {
        refuse_path(USER_CONFIG, error, "expected " USER_CONFIG "HOST");
        return NULL;
    }
    target = g_new0(StrobeTarget, 1);
    target->host = g_strdup(host);
    target->keepalive_s = 5;
    target->has_user_config = TRUE;
    return target;
}

StrobeTarget *strobe_target_find(const char *name, StrobeTargetWarn *warn, void *user,
                                 GError **error)
{
    if (g_str_has_prefix(name, USER_CONFIG))
        return make_user_target(name + strlen(USER_CONFIG), error);
    if (!*name || *name == '.' || strchr(name, '/')) {
        refuse_path(name, error, "no name of a target");
        return NULL;
    }
    g_autofree char *file = g_strconcat(name, STROBE_TARGET_SUFFIX, NULL);
    g_autofree char *path = g_build_filename(g_get_user_config_dir(), TARGET_FOLDER, file, NULL);
    return strobe_target_read(path, warn, user, error);
}

/* ---- a command that prints the password ---- */

static gboolean refuse_command(const StrobeTarget *target, GError **error, const char *why)
{
    g_set_error(error, STROBE_ERROR, STROBE_ERROR_CONFIG, "pwd_command \"%s\": %s",
                target->password_command, why);
    return FALSE;
}

static gboolean take_output(StrobeTarget *target, char *output, int status, GError **error)
{
    g_autoptr(GError) failure = NULL;

    if (!g_spawn_check_wait_status(status, &failure))
        return refuse_command(target, error, failure->message);
    output[strcspn(output, "\r\n")] = '\0';
    if (!*output)
        return refuse_command(target, error, "printed no password");
    target->password = g_strdup(output);
    return TRUE;
}

gboolean strobe_target_complete(StrobeTarget *target, GError **error)
{
    g_auto(GStrv) words = NULL;
    g_autoptr(GError) failure = NULL;
    g_autofree char *output = NULL;
    int status = 0;

    if (!target->password_command)
        return TRUE;
    if (!g_shell_parse_argv(target->password_command, NULL, &words, &failure) ||
        !g_spawn_sync(NULL, words, NULL, G_SPAWN_SEARCH_PATH | G_SPAWN_CHILD_INHERITS_STDIN, NULL,
                      NULL, &output, NULL, &status, &failure))
        return refuse_command(target, error, failure->message);
    const gsize length = strlen(output);
    const gboolean good = take_output(target, output, status, error);
    explicit_bzero(output, length);
    return good;
}
