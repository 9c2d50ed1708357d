/* SPDX-License-Identifier: Apache-2.0 */
#include "run-board.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <svp-config.h>

#include "command.h"
#include "error.h"
#include "install-paths.h"
#include "svp-job.h"

#define CONFIG_VARIABLE "STROBE_BOARD_CONFIG"

static const char *const own_keys[] = {"switch",          "output",      "aacpu",
                                       "aac_metrics",     "acl_api",     "interval",
                                       "aicpu",           "aic_metrics", "strobe_interval_zero",
                                       "strobe_flush_ms", "strobe_sync", "acl_api_limit",
                                       "strobe_slice_mb", NULL};

/* Returns the text of a regular file (free it). NULL: it cannot be read. A pipe is not read,
 * because the usual reader must read it and this is possible only once. */
static char *read_config(const char *path, gsize *length)
{
    struct stat st;
    char *text = NULL;

    if (stat(path, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size > SVP_CONFIG_BYTES_MAX)
        return NULL;
    return g_file_get_contents(path, &text, length, NULL) ? text : NULL;
}

gboolean strobe_run_is_board(const char *config)
{
    gsize length;
    g_autofree char *text = config ? read_config(config, &length) : NULL;

    return text && svp_config_is_board(text, length);
}

/* The errors that were found in the file. They prevent the run; on a board such keys would only be
 * ignored. */
typedef struct Check {
    GString *external; /* keys that no board knows */
    char *problem;     /* text of the first error that is not in `external`; NULL: none */
} Check;

static void record_fault(void *user, const char *key, const char *why)
{
    Check *check = user;
    const char *name = strrchr(key, '.');

    if (g_str_has_prefix(why, "unknown key") && name)
        g_string_append_printf(check->external, "%s%s", check->external->len ? ", " : "", name + 1);
    else if (!check->problem)
        check->problem = g_strdup_printf("%s%s%s", key, *key ? ": " : "", why);
}

static char *explain_external(const char *keys)
{
    g_autofree char *own = g_strjoinv(", ", (char **)own_keys);
    g_auto(GStrv) names = g_strsplit(keys, ", ", -1);
    g_autofree char *hint = strobe_nearest_hint(names[0], own_keys);

    return g_strdup_printf(
        "the section \"profiler\" has keys of a camera board and others: \"%s\"%s; "
        "a board's are %s",
        keys, hint, own);
}

static gboolean check_output(const char *path, const SvpConfig *config, GError **error)
{
    g_autofree char *option = g_strdup_printf("%s: profiler.output", path);

    return !config->is_on || strobe_svp_check_path(option, config->output, error);
}

gboolean strobe_run_board_check(const char *path, SvpConfig *config, GError **error)
{
    Check found = {.external = g_string_new(NULL)};
    gsize length = 0;
    g_autofree char *text = read_config(path, &length);
    g_autofree char *why = NULL;

    if (text)
        svp_config_read(config, text, length, record_fault, &found);
    if (found.external->len)
        why = explain_external(found.external->str);
    else if (found.problem)
        why = g_strdup(found.problem);
    else if (!text)
        why = g_strdup("cannot be read");
    else if (config->is_on && config->dumps)
        why = g_strdup("\"dump\" and \"profiler.switch\" are both on: dumping distorts times");
    g_string_free(found.external, TRUE);
    g_free(found.problem);
    if (why)
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_CONFIG, "%s: %s", path, why);
    return !why && check_output(path, config, error);
}

static void put_first(const char *library)
{
    const char *before = g_getenv("LD_PRELOAD");
    g_autofree char *all = before && *before ? g_strconcat(library, ":", before, NULL) : NULL;

    g_setenv("LD_PRELOAD", all ? all : library, TRUE);
}

int strobe_run_board(const char *path, char **command)
{
    g_autofree char *library = strobe_install_path_board();
    g_autofree char *whole = g_canonicalize_filename(path, NULL);
    GError *error = NULL;
    SvpConfig config;

    if (!strobe_run_board_check(path, &config, &error))
        return strobe_command_fail(error);
    if (!library) {
        strobe_complain("This Strobe has no libstrobe-board.so");
        return STROBE_EXIT_PLUGIN;
    }
    if (!config.is_on)
        strobe_complain("%s: profiler.switch is off: nothing is recorded", path);
    g_setenv(CONFIG_VARIABLE, whole, TRUE);
    put_first(library);
    execvp(command[0], command);
    const int number = errno;
    strobe_complain("Cannot run \"%s\": %s", command[0], g_strerror(number));
    return number == ENOENT ? STROBE_EXIT_NOT_FOUND : STROBE_EXIT_NOT_EXECUTABLE;
}
