/* SPDX-License-Identifier: Apache-2.0 */
#include "collect-request.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "board-words.h"
#include "error.h"
#include "svp-job.h"

static gboolean refuse_value(GError **error, const char *option, const char *value, const char *why)
{
    g_set_error(error, STROBE_ERROR, STROBE_ERROR_CONFIG, "%s %s: %s", option, value, why);
    return FALSE;
}

/* ---- the program ---- */

static gboolean find_main(StrobeCollectRequest *request, const char *text, GError **error)
{
    g_autoptr(GError) failure = NULL;
    struct stat st;
    char *real;

    if (!g_shell_parse_argv(text, NULL, &request->words, &failure))
        return refuse_value(error, "--main", text, failure->message);
    real = realpath(request->words[0], NULL);
    if (!real || stat(real, &st) != 0 || !S_ISREG(st.st_mode)) {
        free(real);
        return refuse_value(error, "--main", request->words[0], "no such file");
    }
    request->main = g_strdup(real);
    free(real);
    if (access(request->main, X_OK) != 0)
        return refuse_value(error, "--main", request->words[0], "is not executable");
    return strobe_board_program_read(request->main, &request->program, error);
}

/* ---- the project ---- */

/* Returns the folder of the program or, if its name is "out", the parent of that folder. */
static char *guess_project(const char *main_path)
{
    g_autofree char *folder = g_path_get_dirname(main_path);
    g_autofree char *name = g_path_get_basename(folder);

    return strcmp(name, "out") == 0 ? g_path_get_dirname(folder) : g_steal_pointer(&folder);
}

static gboolean find_project(StrobeCollectRequest *request, const char *named, GError **error)
{
    char *real = named ? realpath(named, NULL) : NULL;

    if (named && (!real || !g_file_test(real, G_FILE_TEST_IS_DIR))) {
        free(real);
        return refuse_value(error, "--project", named, "no such folder");
    }
    request->project = real ? g_strdup(real) : guess_project(request->main);
    free(real);
    if (!strobe_svp_check_path("--project", request->project, error))
        return FALSE;
    request->main_name = strobe_board_path_below(request->project, request->main);
    return request->main_name ||
           refuse_value(error, "--main", request->main, "is not in the project's folder");
}

/* ---- acl.json ---- */

static gboolean take_config(StrobeCollectRequest *request, const char *path, GError **error)
{
    char *real = realpath(path, NULL);

    if (!real)
        return refuse_value(error, "--acl-json", path, "no such file");
    request->acl_json = g_strdup(real);
    free(real);
    request->acl_name = strobe_board_path_below(request->project, request->acl_json);
    return request->acl_name ||
           refuse_value(error, "--acl-json", path, "is not in the project's folder");
}

/* Uses the file that the user named, or else src/acl.json, or else the acl.json next to the
 * program. If there is none, chooses the path for a new acl.json at which the program will find
 * it. */
static gboolean find_config(StrobeCollectRequest *request, const char *named, GError **error)
{
    g_autofree char *folder = g_path_get_dirname(request->main);
    g_autofree char *source = g_build_filename(request->project, "src", "acl.json", NULL);
    g_autofree char *beside = g_build_filename(folder, "acl.json", NULL);
    g_autofree char *out = g_build_filename(request->project, "out", NULL);

    if (named)
        return take_config(request, named, error);
    if (g_file_test(source, G_FILE_TEST_EXISTS))
        return take_config(request, source, error);
    if (g_file_test(beside, G_FILE_TEST_EXISTS))
        return take_config(request, beside, error);
    request->acl_name =
        strobe_board_path_below(request->project, strcmp(folder, out) == 0 ? source : beside);
    return TRUE;
}

/* ---- other options ---- */

/* Sets *place to the index of `text` in `words`. Leaves *place if `text` is NULL. FALSE with an
 * error that names `option`: the list has no such word. */
static gboolean take_word(const char *option, const char *text, const char *const *words,
                          guint *place, GError **error)
{
    for (guint i = 0; text && words[i]; i++)
        if (strcmp(text, words[i]) == 0) {
            *place = i;
            return TRUE;
        }
    if (!text)
        return TRUE;
    g_autofree char *all = g_strjoinv(", ", (char **)(uintptr_t)words);
    g_autofree char *hint = strobe_nearest_hint(text, words);
    g_autofree char *why = g_strdup_printf("expected one of %s%s", all, hint);
    return refuse_value(error, option, text, why);
}

static gboolean take_words(StrobeCollectRequest *request, const StrobeCollectTexts *texts,
                           GError **error)
{
    static const char *const recorders[] = {"auto", "vendor", "strobe", NULL};
    static const char *const mounts[] = {"off", "auto", "required", NULL};
    guint recorder = STROBE_RECORDER_AUTO, mount = STROBE_MOUNT_OFF;

    if (!take_word("--recorder", texts->recorder, recorders, &recorder, error) ||
        !take_word("--mount", texts->mount, mounts, &mount, error))
        return FALSE;
    request->recorder = (StrobeCollectRecorder)recorder;
    request->mount = (StrobeCollectMount)mount;
    return TRUE;
}

/* Reads a duration such as "90s", "5min" or "2h"; a number without a unit is in seconds. FALSE with
 * an error. */
static gboolean take_timeout(StrobeCollectRequest *request, const char *text, GError **error)
{
    static const struct {
        const char *unit;
        double seconds;
    } units[] = {{"ms", 0.001}, {"s", 1}, {"", 1}, {"min", 60}, {"h", 3600}};
    char *end;
    const double value = g_ascii_strtod(text ? text : "0", &end);

    if (!text)
        return TRUE;
    for (guint i = 0; i < G_N_ELEMENTS(units); i++)
        if (end != text && strcmp(end, units[i].unit) == 0 && value > 0 && value < 1e7) {
            request->timeout_us = (gint64)(value * units[i].seconds * G_USEC_PER_SEC);
            return TRUE;
        }
    return refuse_value(error, "--timeout", text, "expected a time such as 90s or 5min");
}

gboolean strobe_collect_request_fill(StrobeCollectRequest *request, const StrobeCollectTexts *texts,
                                     GError **error)
{
    request->config = texts->config;
    request->target = texts->target;
    if (!strobe_board_keys_check(&request->keys, error) || !take_words(request, texts, error) ||
        !take_timeout(request, texts->timeout, error) ||
        !strobe_board_environment_check(request->environment, error) ||
        !find_main(request, texts->main, error) || !find_project(request, texts->project, error) ||
        !find_config(request, texts->acl_json, error))
        return FALSE;
    request->output = texts->output ? g_canonicalize_filename(texts->output, NULL)
                                    : g_build_filename(request->project, "profiling", NULL);
    return strobe_svp_check_path("--output", request->output, error);
}

void strobe_collect_request_clear(StrobeCollectRequest *request)
{
    g_strfreev(request->words);
    g_free(request->main);
    g_free(request->project);
    g_free(request->main_name);
    g_free(request->acl_json);
    g_free(request->acl_name);
    g_free(request->output);
}
