/* SPDX-License-Identifier: Apache-2.0 */
#include "collect.h"

#include <string.h>
#include <unistd.h>

#include "board-pools.h"
#include "board-record.h"
#include "board-target.h"
#include "board-words.h"
#include "collect-answer.h"
#include "collect-export.h"
#include "collect-jobs.h"
#include "collect-mount.h"
#include "collect-recorder.h"
#include "command.h"
#include "error.h"
#include "folder.h"
#include "remote-error.h"
#include "remote-flow.h"
#include "signal-cleanup.h"

#define KIT_NAME ".strobe-kit/libstrobe-board.so"
#define CONFIG_VARIABLE "STROBE_BOARD_CONFIG"
#define WAIT_VARIABLE "STROBE_BOARD_WAIT_MS"
/* maximum time for which the recorder waits for room on the board, which a fetch makes */
#define WAIT_MS "10000"
#define OUTPUT_NAME "profiling"

static void report_line(const char *text)
{
    strobe_complain("%s", text);
}

static void note_failure(StrobeCollect *collect, GError *error)
{
    const int code = strobe_command_fail(error);

    if (!collect->code)
        collect->code = code;
}

/* ---- files for the board ---- */

static void set_paths(StrobeCollect *collect)
{
    const char *folder = collect->remote->folder;

    collect->board_main = g_build_filename(folder, collect->request->main_name, NULL);
    collect->board_folder = g_path_get_dirname(collect->board_main);
    collect->board_output = g_build_filename(folder, OUTPUT_NAME, NULL);
}

static gboolean check_machine(const StrobeCollect *collect, GError **error)
{
    const StrobeBoardProgram *program = &collect->request->program;

    if (strobe_board_program_fits(program, collect->properties.machine))
        return TRUE;
    g_set_error(error, STROBE_ERROR, STROBE_ERROR_CONFIG,
                "--main %s: is a program for %s, the board %s is %s", collect->request->main,
                program->machine, collect->remote->name, collect->properties.machine);
    return FALSE;
}

/* Checks acl.json, lists the project's files and checks --output, so that mistakes are reported
 * before a connection is made. FALSE with an error. */
static gboolean prepare_files(StrobeCollect *collect, GError **error)
{
    const StrobeCollectRequest *request = collect->request;
    g_autofree char *config = strobe_board_config_make(request->acl_json, &request->keys,
                                                       OUTPUT_NAME, &collect->is_on, error);

    collect->files = config ? strobe_project_files_list(request->project, error) : NULL;
    return collect->files && strobe_folder_check_writable(request->output, NULL, error);
}

/* Writes the acl.json for the board into a temporary file. Does not change the user's file. */
static gboolean write_config(StrobeCollect *collect, GError **error)
{
    const StrobeCollectRequest *request = collect->request;
    int file;

    collect->config = strobe_board_config_make(request->acl_json, &request->keys,
                                               collect->board_output, &collect->is_on, error);
    if (!collect->config)
        return FALSE;
    file = g_file_open_tmp("strobe-acl-XXXXXX", &collect->config_path, error);
    if (file < 0)
        return FALSE;
    close(file);
    return g_file_set_contents(collect->config_path, collect->config, -1, error);
}

static void replace_file(GPtrArray *files, const char *name)
{
    for (guint i = 0; i < files->len; i++)
        if (strcmp(((StrobeProjectFile *)g_ptr_array_index(files, i))->name, name) == 0)
            g_ptr_array_remove_index(files, i--);
}

static gboolean send_files(StrobeCollect *collect, GError **error)
{
    const char *acl_name = collect->request->acl_name;

    replace_file(collect->files, acl_name);
    if (!strobe_project_files_add(collect->files, acl_name, collect->config_path, error) ||
        (collect->kit && !strobe_project_files_add(collect->files, KIT_NAME, collect->kit, error)))
        return FALSE;
    return strobe_upload_files(collect->remote, collect->files, collect->properties.free_bytes,
                               &collect->sent, error);
}

/* ---- the run ---- */

static void add_variable(GString *line, const char *name, const char *value)
{
    g_autofree char *text = g_strdup_printf("%s=%s", name, value);

    strobe_board_line_add(line, text);
}

static void add_environment(const StrobeCollect *collect, GString *line)
{
    g_autofree char *library = g_build_filename(collect->remote->folder, KIT_NAME, NULL);
    g_autofree char *config =
        g_build_filename(collect->remote->folder, collect->request->acl_name, NULL);

    for (char **pair = collect->request->environment; pair && *pair; pair++)
        strobe_board_line_add(line, *pair);
    if (!collect->kit)
        return;
    add_variable(line, "LD_PRELOAD", library);
    add_variable(line, CONFIG_VARIABLE, config);
    if (!collect->request->keeps)
        add_variable(line, WAIT_VARIABLE, WAIT_MS);
}

/* Returns the command line for the board: "umask 027; cd FOLDER && exec env NAME=VALUE... PROGRAM
 * ARGUMENTS". */
static char *make_line(const StrobeCollect *collect)
{
    g_autofree char *folder = g_shell_quote(collect->board_folder);
    GString *line = g_string_new("umask 027; cd ");

    g_string_append_printf(line, "%s && exec env", folder);
    add_environment(collect, line);
    for (guint i = 0; collect->request->words[i]; i++)
        strobe_board_line_add(line, i ? collect->request->words[i] : collect->board_main);
    return g_string_free(line, FALSE);
}

static gboolean choose_output(StrobeCollect *collect, GError **error)
{
    char *mounted = NULL;

    if (!strobe_collect_mount(collect->request, collect->remote, &mounted, error))
        return FALSE;
    collect->is_mounted = mounted != NULL;
    if (!mounted)
        return TRUE;
    g_free(collect->board_output);
    collect->board_output = mounted;
    collect->local = strobe_collect_local_jobs(collect->request->output);
    return TRUE;
}

static gboolean prepare_output(StrobeCollect *collect, GError **error)
{
    g_autofree char *output = g_shell_quote(collect->board_output);
    g_autofree char *command = g_strconcat("umask 027; mkdir -p ", output, NULL);
    g_autoptr(GString) answer = g_string_new(NULL);

    if (!strobe_flow_text(collect->remote, "cannot make a folder on the board", command, NULL,
                          answer, 1024, error))
        return FALSE;
    collect->found = strobe_collect_find_jobs(collect, error);
    collect->before =
        collect->found ? strobe_board_record_begin(collect->remote, collect->found, error) : NULL;
    return collect->before != NULL;
}

static gboolean run_program(StrobeCollect *collect, GError **error)
{
    g_autofree char *line = make_line(collect);
    const gboolean streams = collect->kit && !collect->request->keeps && !collect->is_mounted;
    const StrobeBoardRun run = {line, collect->request->has_input, collect->request->timeout_us,
                                streams ? strobe_collect_fetch_meanwhile : NULL, collect};

    strobe_complain("%s: %s begins", collect->remote->name, collect->board_main);
    if (!strobe_board_run(collect->remote, &run, &collect->end, error))
        return FALSE;
    collect->has_run = TRUE;
    return TRUE;
}

/* Prints how the program ended. If it failed, sets the exit code, unless there was a failure
 * before. */
static void judge_program(StrobeCollect *collect)
{
    const StrobeChannelEnd *end = &collect->end.end;
    int code = STROBE_EXIT_PROGRAM;

    if (collect->remote->signal) {
        strobe_complain("%s: ended after signal %d", collect->request->main,
                        collect->remote->signal);
        code = 128 + collect->remote->signal;
    } else if (collect->end.has_timed_out) {
        strobe_complain("%s: ended, as --timeout has passed", collect->request->main);
    } else if (end->signal[0]) {
        strobe_complain("%s: ended by signal %s", collect->request->main, end->signal);
    } else if (!end->is_known) {
        strobe_complain("%s: the board did not say how it ended", collect->request->main);
    } else if (end->status) {
        strobe_complain("%s: exit status %d", collect->request->main, end->status);
    } else {
        strobe_complain("%s: exit status 0", collect->request->main);
        return;
    }
    if (!collect->code)
        collect->code = code;
}

static gboolean clean_board(const StrobeCollect *collect, GError **error)
{
    return strobe_board_pools_clean(collect->remote, collect->board_output, error) &&
           strobe_board_record_end(collect->remote, error);
}

/* ---- the steps ---- */

static gboolean compare_clocks(StrobeCollect *collect, StrobeCollectClock *clock, GError **error)
{
    memset(&collect->remote->clock, 0, sizeof collect->remote->clock);
    if (!strobe_remote_measure_clock(collect->remote, error))
        return FALSE;
    *clock = strobe_collect_clock_now(&collect->remote->clock);
    return TRUE;
}

static gboolean write_clocks(StrobeCollect *collect, GError **error)
{
    gboolean good = TRUE;

    for (guint i = 0; good && i < collect->jobs->len; i++) {
        char *job = g_ptr_array_index(collect->jobs, i);

        good = g_ptr_array_find(collect->earlier, job, NULL) ||
               strobe_collect_clock_write(job, collect->clocks, error);
    }
    return good;
}

static gboolean prepare_board(StrobeCollect *collect, GError **error)
{
    if (!strobe_board_properties_read(collect->remote, &collect->properties, error) ||
        !compare_clocks(collect, &collect->clocks[0], error))
        return FALSE;
    set_paths(collect);
    if (collect->properties.lacks)
        return strobe_remote_refuse(error, "%s: the board lacks these commands: %s",
                                    collect->remote->name, collect->properties.lacks);
    return check_machine(collect, error) &&
           strobe_collect_choose_recorder(collect->request, &collect->properties,
                                          collect->remote->name, &collect->kit, error) &&
           choose_output(collect, error) && write_config(collect, error) &&
           send_files(collect, error) && prepare_output(collect, error);
}

static gboolean collect_on(StrobeCollect *collect, GError **error)
{
    if (!prepare_board(collect, error) || !run_program(collect, error))
        return FALSE;
    judge_program(collect);
    return compare_clocks(collect, &collect->clocks[1], error) &&
           strobe_collect_fetch_jobs(collect, error) &&
           strobe_board_pools_take(collect->remote, collect->jobs, report_line, &collect->fetched,
                                   error) &&
           write_clocks(collect, error) && clean_board(collect, error);
}

static gboolean open_session(StrobeCollect *collect, GError **error)
{
    const StrobeCollectRequest *request = collect->request;
    g_autoptr(StrobeTarget) target = strobe_board_target(request->config, request->target, error);
    g_autofree char *folder = strobe_board_folder_name(request->project);

    if (target)
        collect->remote = strobe_board_open(target, folder, TRUE, error);
    if (collect->remote && request->config)
        strobe_complain("%s holds a password: remove it, or protect the file, when you are done",
                        request->config);
    return collect->remote != NULL;
}

/* ---- the answer ---- */

static void print_answer(const StrobeCollect *collect, gint64 error_ns)
{
    const StrobeCollectAnswer answer = {.jobs = collect->jobs,
                                        .properties = &collect->properties,
                                        .clock_error_ns = error_ns,
                                        .end = collect->has_run ? &collect->end.end : NULL,
                                        .recorder = collect->kit ? "strobe" : "vendor",
                                        .sent = &collect->sent,
                                        .fetched = &collect->fetched};

    strobe_collect_answer_print(&answer, collect->request->is_json);
}

static void clear_collect(StrobeCollect *collect)
{
    if (collect->config_path)
        unlink(collect->config_path);
    strobe_board_properties_clear(&collect->properties);
    g_clear_pointer(&collect->files, g_ptr_array_unref);
    g_clear_pointer(&collect->found, g_ptr_array_unref);
    g_clear_pointer(&collect->before, g_ptr_array_unref);
    g_clear_pointer(&collect->local, g_ptr_array_unref);
    g_ptr_array_unref(collect->earlier);
    g_ptr_array_unref(collect->jobs);
    g_free(collect->kit);
    g_free(collect->config);
    g_free(collect->config_path);
    g_free(collect->board_main);
    g_free(collect->board_folder);
    g_free(collect->board_output);
}

/* Runs the steps that need the connection, and closes it. Keeps data that was fetched before a
 * failure. Returns the error bound of the last clock comparison in ns. */
static gint64 run_session(StrobeCollect *collect)
{
    GError *error = NULL;
    gint64 error_ns;

    if (!collect_on(collect, &error))
        note_failure(collect, error);
    if (collect->fetched.n_refused && !collect->code)
        collect->code = STROBE_EXIT_INPUT;
    error_ns = strobe_clock_offset_error_ns(&collect->remote->clock);
    strobe_remote_close(collect->remote);
    return error_ns;
}

int strobe_collect(const StrobeCollectRequest *request)
{
    StrobeCollect collect = {.request = request,
                             .jobs = g_ptr_array_new_with_free_func(g_free),
                             .earlier = g_ptr_array_new()};
    GError *error = NULL;
    gint64 error_ns = 0;

    if (!prepare_files(&collect, &error) || !open_session(&collect, &error))
        note_failure(&collect, error);
    else
        error_ns = run_session(&collect);
    strobe_signal_cleanup_begin();
    if (request->does_all && !strobe_collect_export(collect.jobs, request->plugin_path, &error)) {
        const int code = strobe_command_fail(error);
        collect.code = collect.code ? collect.code : code;
    }
    print_answer(&collect, error_ns);
    const int code = collect.code;
    clear_collect(&collect);
    return code;
}
