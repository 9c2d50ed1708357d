/* SPDX-License-Identifier: Apache-2.0 */
#include "run-on-request.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "board-words.h"
#include "error.h"
#include "folder.h"
#include "project-files.h"
#include "recording-settings.h"

static gboolean refuse_word(GError **error, const char *word, const char *value, const char *why)
{
    g_set_error(error, STROBE_ERROR, STROBE_ERROR_CONFIG, "%s%s%s: %s", word, value ? " " : "",
                value ? value : "", why);
    return FALSE;
}

/* ---- flags and settings that need Strobe in the program ---- */

static gboolean check_flags(const StrobeRunFlags *flags, GError **error)
{
    const struct {
        const char *name;
        gboolean is_given;
    } all[] = {{"--schedule", flags->schedule != NULL},
               {"--rotate", flags->rotate != NULL},
               {"--dump", flags->dump != NULL},
               {"--step-on", flags->step_on != NULL},
               {"--as", flags->as != NULL},
               {"--follow", flags->follow},
               {"--preload", flags->preload != NULL}};

    for (guint i = 0; i < G_N_ELEMENTS(all); i++)
        if (all[i].is_given)
            return refuse_word(error, all[i].name, NULL,
                               "does not work with --on: nothing of Strobe is in the program on a "
                               "board");
    return strobe_board_environment_check(flags->environment, error);
}

static gboolean check_config(const StrobeConfig *config, GError **error)
{
    if (config->has_schedule || strobe_rotate_config_any(&config->rotate))
        return refuse_word(error, config->has_schedule ? "schedule" : "rotate", NULL,
                           "does not work with --on: the whole run is one capture");
    if (config->buffer.policy == STROBE_POLICY_RING)
        return refuse_word(error, "buffer", "policy=ring", "does not work with --on");
    if (config->buffer.compress)
        return refuse_word(error, "buffer", "compress=zstd",
                           "does not work with --on: a board's kit has no zstd");
    return TRUE;
}

/* ---- the program and its files ---- */

static gboolean find_program(StrobeRunOnRequest *request, GError **error)
{
    const char *word = request->command[0];
    char *real = realpath(word, NULL);
    struct stat st;

    if (!real || stat(real, &st) != 0 || !S_ISREG(st.st_mode)) {
        free(real);
        return refuse_word(error, "The program", word,
                           "no such file here; a name without \"/\" is a command of the board");
    }
    request->main = g_strdup(real);
    free(real);
    if (access(request->main, X_OK) != 0)
        return refuse_word(error, "The program", word, "is not executable");
    return strobe_board_program_read(request->main, &request->program, error);
}

/* FALSE with an error: the program is not among the files that are sent, for example because of
 * .strobeignore. The board might then run an older one. */
static gboolean check_program_is_sent(const StrobeRunOnRequest *request, GError **error)
{
    for (guint i = 0; i < request->files->len; i++) {
        const StrobeProjectFile *file = g_ptr_array_index(request->files, i);
        if (strcmp(file->name, request->main_name ? request->main_name : file->name) == 0)
            return TRUE;
    }
    return !request->main_name ||
           refuse_word(error, "The program", request->main_name,
                       "is not sent, because of its name or of .strobeignore");
}

static gboolean list_files(StrobeRunOnRequest *request, GError **error)
{
    if (request->flags->project) {
        request->files = strobe_project_files_list(request->place, error);
        return request->files && check_program_is_sent(request, error);
    }
    request->files = g_ptr_array_new_with_free_func((GDestroyNotify)strobe_project_file_free);
    return !request->main ||
           strobe_project_files_add(request->files, request->main_name, request->main, error);
}

static gboolean find_place(StrobeRunOnRequest *request, GError **error)
{
    const char *project = request->flags->project;
    char *real = project ? realpath(project, NULL) : NULL;

    if (project && (!real || !g_file_test(real, G_FILE_TEST_IS_DIR))) {
        free(real);
        return refuse_word(error, "--project", project, "no such folder");
    }
    request->place = real            ? g_strdup(real)
                     : request->main ? g_path_get_dirname(request->main)
                                     : NULL;
    free(real);
    request->key = g_strdup(project         ? request->place
                            : request->main ? request->main
                                            : request->command[0]);
    if (!request->main)
        return TRUE;
    request->main_name = strobe_board_path_below(request->place, request->main);
    return request->main_name ||
           refuse_word(error, "The program", request->main, "is not in the folder of --project");
}

gboolean strobe_run_on_request_fill(StrobeRunOnRequest *request, GError **error)
{
    request->program.machine = "";
    return check_flags(request->flags, error) && check_config(request->config, error) &&
           strobe_run_check_outside(request->config, request->registry, error) &&
           (!strchr(request->command[0], '/') || find_program(request, error)) &&
           find_place(request, error) && list_files(request, error) &&
           strobe_folder_check_writable(request->config->directory, NULL, error);
}

void strobe_run_on_request_clear(StrobeRunOnRequest *request)
{
    g_clear_pointer(&request->files, g_ptr_array_unref);
    g_free(request->main);
    g_free(request->place);
    g_free(request->main_name);
    g_free(request->key);
}
