/* SPDX-License-Identifier: Apache-2.0 */
#include "run-on.h"

#include <signal.h>
#include <string.h>

#include "analysis.h"
#include "board-run.h"
#include "board-target.h"
#include "board-words.h"
#include "command.h"
#include "error.h"
#include "plugin-folders.h"
#include "remote-error.h"
#include "remote-flow.h"
#include "result.h"
#include "run-on-kit.h"
#include "run-on-request.h"
#include "run-on-result.h"
#include "show-empty.h"
#include "signal-cleanup.h"
#include "upload.h"

typedef struct StrobeRunOn {
    StrobeRunOnRequest request;
    StrobeRemote *remote;
    StrobeBoardProperties properties;
    StrobeRunOnKit kit;
    StrobeCollectClock clocks[2];
    StrobeUploadTotals sent;
    StrobeBoardRunEnd end;
    gboolean has_run;
    char *directory; /* path of the result directory; NULL: there is none */
    int code;        /* exit code of the first failure */
} StrobeRunOn;

static void note_failure(StrobeRunOn *run, GError *error)
{
    const int code = strobe_command_fail(error);

    if (!run->code)
        run->code = code;
}

/* ---- before the run ---- */

static gboolean check_board(const StrobeRunOn *run, GError **error)
{
    const StrobeBoardProgram *program = &run->request.program;

    if (run->properties.lacks)
        return strobe_remote_refuse(error, "%s: the board lacks these commands: %s",
                                    run->remote->name, run->properties.lacks);
    if (strobe_board_program_fits(program, run->properties.machine))
        return TRUE;
    g_set_error(error, STROBE_ERROR, STROBE_ERROR_CONFIG,
                "%s: is a program for %s, the board %s is %s", run->request.main, program->machine,
                run->remote->name, run->properties.machine);
    return FALSE;
}

static gboolean compare_clocks(StrobeRunOn *run, StrobeCollectClock *clock, GError **error)
{
    memset(&run->remote->clock, 0, sizeof run->remote->clock);
    if (!strobe_remote_measure_clock(run->remote, error))
        return FALSE;
    *clock = strobe_collect_clock_now(&run->remote->clock);
    return TRUE;
}

static gboolean make_capture_folder(const StrobeRunOn *run, GError **error)
{
    g_autoptr(GString) command = g_string_new("umask 027; mkdir");
    g_autoptr(GString) answer = g_string_new(NULL);

    strobe_board_line_add(command, run->kit.capture);
    return strobe_flow_text(run->remote, "cannot make a folder on the board", command->str, NULL,
                            answer, 1024, error);
}

static gboolean prepare_board(StrobeRunOn *run, GError **error)
{
    return strobe_board_properties_read(run->remote, &run->properties, error) &&
           compare_clocks(run, &run->clocks[0], error) && check_board(run, error) &&
           strobe_run_on_kit_make(&run->kit, &run->request, &run->properties, run->remote->name,
                                  run->remote->folder, error) &&
           strobe_upload_files(run->remote, run->request.files, run->properties.free_bytes,
                               &run->sent, error) &&
           make_capture_folder(run, error);
}

/* ---- the run ---- */

/* Returns the command line for the board: "umask 027; cd FOLDER && exec env NAME=VALUE...
 * strobe-board-run ... -- PROGRAM ARGUMENTS". */
static char *make_line(const StrobeRunOn *run)
{
    const StrobeRunOnRequest *request = &run->request;
    GString *line = g_string_new("umask 027; cd");
    g_autofree char *program = request->main
                                   ? g_build_filename(run->remote->folder, request->main_name, NULL)
                                   : g_strdup(request->command[0]);
    g_autofree char *folder =
        request->main ? g_path_get_dirname(program) : g_strdup(run->remote->folder);

    strobe_board_line_add(line, folder);
    g_string_append(line, " && exec env");
    for (char **pair = request->flags->environment; pair && *pair; pair++)
        strobe_board_line_add(line, *pair);
    g_string_append_printf(line, "%s --", run->kit.words->str);
    for (guint i = 0; request->command[i]; i++)
        strobe_board_line_add(line, i ? request->command[i] : program);
    return g_string_free(line, FALSE);
}

static gboolean run_program(StrobeRunOn *run, GError **error)
{
    g_autofree char *line = make_line(run);
    const StrobeBoardRun wish = {.line = line, .has_input = TRUE};

    if (run->remote->signal)
        return strobe_remote_refuse_signal(run->remote, error);
    if (!strobe_board_run(run->remote, &wish, &run->end, error))
        return FALSE;
    run->has_run = TRUE;
    return TRUE;
}

/* Returns the number of the signal with this name in SSH, which has no "SIG"; 0: unknown. */
static int number_signal(const char *name)
{
    static const struct {
        const char *name;
        int number;
    } signals[] = {{"ABRT", SIGABRT}, {"ALRM", SIGALRM}, {"BUS", SIGBUS},   {"FPE", SIGFPE},
                   {"HUP", SIGHUP},   {"ILL", SIGILL},   {"INT", SIGINT},   {"KILL", SIGKILL},
                   {"PIPE", SIGPIPE}, {"QUIT", SIGQUIT}, {"SEGV", SIGSEGV}, {"SYS", SIGSYS},
                   {"TERM", SIGTERM}, {"TRAP", SIGTRAP}, {"USR1", SIGUSR1}, {"USR2", SIGUSR2}};

    for (guint i = 0; i < G_N_ELEMENTS(signals); i++)
        if (strcmp(name, signals[i].name) == 0)
            return signals[i].number;
    return 0;
}

/* Prints how the program ended if it did not exit itself, and returns the exit code of `strobe run`
 * for it. */
static int judge_program(const StrobeRunOn *run)
{
    const StrobeChannelEnd *end = &run->end.end;
    const char *name = run->request.command[0];

    if (run->remote->signal) {
        strobe_complain("%s: ended after signal %d", name, run->remote->signal);
        return 128 + run->remote->signal;
    }
    if (end->signal[0]) {
        strobe_complain("%s: ended by signal %s", name, end->signal);
        return 128 + number_signal(end->signal);
    }
    if (end->is_known)
        return end->status;
    strobe_complain("%s: the board did not say how it ended", name);
    return STROBE_EXIT_BOARD;
}

/* ---- after the run ---- */

static gboolean fetch_result(StrobeRunOn *run, GError **error)
{
    const StrobeRunOnSource source = {run->remote, run->request.flags->on, run->kit.capture,
                                      &run->properties, run->clocks};
    GError *failure = NULL;

    run->directory = strobe_run_on_result(&source, run->request.config, &failure);
    if (failure) {
        g_propagate_error(error, failure);
        return FALSE;
    }
    if (!run->directory)
        strobe_complain("Nothing was recorded: the run left no capture on the board");
    return TRUE;
}

static gboolean work_on_board(StrobeRunOn *run, GError **error)
{
    return prepare_board(run, error) && run_program(run, error) &&
           compare_clocks(run, &run->clocks[1], error) && fetch_result(run, error);
}

/* Analyses the result. FALSE: it is missing or incomplete, or nothing that the program did was
 * recorded. */
static gboolean analyse_result(const StrobeRunOn *run, gint generation)
{
    const StrobeAnalysisWish wish = {.exporters = run->request.config->exporters,
                                     .generation = generation};
    g_autoptr(StrobeAnalysis) analysis = NULL;
    g_autoptr(GPtrArray) results = NULL;
    g_autoptr(GError) error = NULL;
    int code;

    results = run->directory ? strobe_result_find(run->directory, &error) : NULL;
    if (error)
        strobe_complain("%s", error->message);
    if (!results || !strobe_analysis_report(run->request.registry, g_ptr_array_index(results, 0),
                                            &wish, &analysis, &code))
        return FALSE;
    if (analysis->n_own > 0 && analysis->n_own >= analysis->n_records) {
        g_autofree char *advice = strobe_show_advice(run->request.registry);
        strobe_complain("Nothing was recorded of what the program did. %s", advice);
        return FALSE;
    }
    return analysis->is_complete;
}

/* ---- the session ---- */

static gboolean open_session(StrobeRunOn *run, GError **error)
{
    g_autoptr(StrobeTarget) target = strobe_board_target(NULL, run->request.flags->on, error);
    g_autofree char *folder = strobe_board_folder_name(run->request.key);

    if (target)
        run->remote = strobe_board_open(target, folder, TRUE, error);
    return run->remote != NULL;
}

static void work_in_session(StrobeRunOn *run)
{
    GError *error = NULL;
    int code = 0;

    if (!work_on_board(run, &error))
        note_failure(run, error);
    if (run->has_run)
        code = judge_program(run);
    /* The program's code takes precedence over that of a failed step, unless the connection was
     * lost or the user interrupted the run. */
    if (!run->code || (code && run->code != STROBE_EXIT_BOARD && !run->remote->signal))
        run->code = code;
    strobe_remote_close(run->remote);
}

static int run_request(StrobeRunOn *run, StrobeRunFlags *flags, gint generation)
{
    GError *error = NULL;
    int ignored;

    if (!strobe_run_on_request_fill(&run->request, &error) || !open_session(run, &error))
        return strobe_command_fail(error);
    work_in_session(run);
    strobe_signal_cleanup_begin();
    if (!run->directory)
        return run->code || !flags->strict ? run->code : STROBE_EXIT_WRITE;
    strobe_memory_flags_apply(&flags->memory, &ignored);
    const gboolean is_good = analyse_result(run, generation);
    return !run->code && flags->strict && !is_good ? STROBE_EXIT_WRITE : run->code;
}

int strobe_run_on(StrobeRunFlags *flags, StrobeConfig *config, StrobeRegistry *registry,
                  char **command)
{
    StrobeRunOn run = {
        .request = {.flags = flags, .config = config, .registry = registry, .command = command}};
    gint generation;
    int code = 0;

    if (!strobe_analysis_generation(flags->generation, &generation))
        return STROBE_EXIT_USAGE;
    if (!strobe_plugin_folders_check(flags->plugin_path, &code) ||
        !strobe_memory_flags_check(&flags->memory, &code))
        return code;
    code = run_request(&run, flags, generation);
    strobe_run_on_request_clear(&run.request);
    strobe_run_on_kit_clear(&run.kit);
    strobe_board_properties_clear(&run.properties);
    g_free(run.directory);
    return code;
}
