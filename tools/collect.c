/* SPDX-License-Identifier: Apache-2.0 */
#include "collect.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <svp-names.h>

#include "board-properties.h"
#include "board-mount.h"
#include "board-pools.h"
#include "board-record.h"
#include "board-run.h"
#include "board-target.h"
#include "collect-answer.h"
#include "collect-clock.h"
#include "collect-export.h"
#include "collect-mount.h"
#include "collect-recorder.h"
#include "command.h"
#include "crc32c.h"
#include "error.h"
#include "folder.h"
#include "job-fetch.h"
#include "remote-error.h"
#include "remote-flow.h"
#include "signal-cleanup.h"

#define KIT_NAME ".strobe-kit/libstrobe-board.so"
#define CONFIG_VARIABLE "STROBE_BOARD_CONFIG"
#define WAIT_VARIABLE "STROBE_BOARD_WAIT_MS"
#define WAIT_MS "10000" /* for room on the board that fetching makes */
#define OUTPUT_NAME "profiling"
#define LOOK_US (G_USEC_PER_SEC / 10)

typedef struct Collect {
    const StrobeCollectRequest *request;
    StrobeRemote *remote;
    StrobeBoardProperties properties;
    char *kit;          /* the recorder that goes along; NULL: the vendor's records */
    char *config;       /* text of acl.json */
    char *config_path;  /* its temporary file here */
    char *board_main;   /* path on the board */
    char *board_folder; /* its folder */
    char *board_output; /* where JOBs appear */
    gboolean is_on;     /* the profiler */
    GPtrArray *files;   /* of the project */
    GPtrArray *found;   /* JOBs that were there */
    GPtrArray *before;  /* those of them that are no earlier collect's */
    GPtrArray *jobs;    /* paths here */
    StrobeBoardRunEnd end;
    gboolean has_run;
    gint64 looked_us;    /* for finished files */
    gboolean is_mounted; /* --output is mounted on the board */
    GPtrArray *local;    /* JOBs that were in it */
    StrobeCollectClock clocks[2];
    StrobeUploadTotals sent;
    StrobeFetchTotals fetched;
    int code; /* of the first failure */
} Collect;

static void report_line(const char *text)
{
    strobe_complain("%s", text);
}

static void note_failure(Collect *collect, GError *error)
{
    const int code = strobe_command_fail(error);

    if (!collect->code)
        collect->code = code;
}

/* ---- what goes to the board ---- */

/* The same on every collect of the project from this machine. */
static char *make_folder_name(const char *project)
{
    char host[256] = "";

    gethostname(host, sizeof host - 1);
    g_autofree char *name = g_path_get_basename(project);
    g_autofree char *all = g_strdup_printf("%s:%s", host, project);
    return g_strdup_printf("strobe/%.64s_%08x", name, strobe_crc32c(0, all, strlen(all)));
}

static void set_paths(Collect *collect)
{
    const char *folder = collect->remote->folder;

    collect->board_main = g_build_filename(folder, collect->request->main_name, NULL);
    collect->board_folder = g_path_get_dirname(collect->board_main);
    collect->board_output = g_build_filename(folder, OUTPUT_NAME, NULL);
}

static gboolean check_machine(const Collect *collect, GError **error)
{
    const StrobeBoardProgram *program = &collect->request->program;

    if (strobe_board_program_fits(program, collect->properties.machine))
        return TRUE;
    g_set_error(error, STROBE_ERROR, STROBE_ERROR_CONFIG,
                "--main %s: is a program for %s, the board %s is %s", collect->request->main,
                program->machine, collect->remote->name, collect->properties.machine);
    return FALSE;
}

/* What is wrong here is said before anything is connected to. */
static gboolean prepare_files(Collect *collect, GError **error)
{
    const StrobeCollectRequest *request = collect->request;
    g_autofree char *config = strobe_board_config_make(request->acl_json, &request->keys,
                                                       OUTPUT_NAME, &collect->is_on, error);

    collect->files = config ? strobe_project_files_list(request->project, error) : NULL;
    return collect->files && strobe_folder_check_writable(request->output, NULL, error);
}

/* The file that goes to the board is not the user's. */
static gboolean write_config(Collect *collect, GError **error)
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

static gboolean send_files(Collect *collect, GError **error)
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
    g_autofree char *quoted = g_shell_quote(text);

    g_string_append_printf(line, " %s", quoted);
}

static void add_environment(const Collect *collect, GString *line)
{
    g_autofree char *library = g_build_filename(collect->remote->folder, KIT_NAME, NULL);
    g_autofree char *config =
        g_build_filename(collect->remote->folder, collect->request->acl_name, NULL);

    for (char **pair = collect->request->environment; pair && *pair; pair++) {
        g_autofree char *quoted = g_shell_quote(*pair);
        g_string_append_printf(line, " %s", quoted);
    }
    if (!collect->kit)
        return;
    add_variable(line, "LD_PRELOAD", library);
    add_variable(line, CONFIG_VARIABLE, config);
    if (!collect->request->keeps)
        add_variable(line, WAIT_VARIABLE, WAIT_MS);
}

/* "cd FOLDER && exec env A=B PROGRAM ARGUMENTS" */
static char *make_line(const Collect *collect)
{
    g_autofree char *folder = g_shell_quote(collect->board_folder);
    GString *line = g_string_new("umask 027; cd ");

    g_string_append_printf(line, "%s && exec env", folder);
    add_environment(collect, line);
    for (guint i = 0; collect->request->words[i]; i++) {
        g_autofree char *quoted =
            g_shell_quote(i ? collect->request->words[i] : collect->board_main);
        g_string_append_printf(line, " %s", quoted);
    }
    return g_string_free(line, FALSE);
}

static GPtrArray *find_jobs(Collect *collect, GError **error)
{
    const char *folders[] = {collect->board_output, collect->board_folder, NULL};

    return strobe_job_list_find(collect->remote, folders, error);
}

static gboolean choose_output(Collect *collect, GError **error)
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

static gboolean prepare_output(Collect *collect, GError **error)
{
    g_autofree char *output = g_shell_quote(collect->board_output);
    g_autofree char *command = g_strconcat("umask 027; mkdir -p ", output, NULL);
    g_autoptr(GString) answer = g_string_new(NULL);

    if (!strobe_flow_text(collect->remote, "cannot make a folder on the board", command, NULL,
                          answer, 1024, error))
        return FALSE;
    collect->found = find_jobs(collect, error);
    collect->before =
        collect->found ? strobe_board_record_begin(collect->remote, collect->found, error) : NULL;
    return collect->before != NULL;
}

static gboolean has_path(const GPtrArray *paths, const char *path)
{
    return g_ptr_array_find_with_equal_func((GPtrArray *)(uintptr_t)paths, path, g_str_equal, NULL);
}

/* What the recorder has finished comes while the program runs. */
static gboolean fetch_meanwhile(void *user, GError **error)
{
    Collect *collect = user;
    const guint64 n_before = collect->fetched.fetched_bytes;
    g_autoptr(GPtrArray) jobs = NULL;

    if (g_get_monotonic_time() - collect->looked_us < LOOK_US)
        return TRUE;
    jobs = find_jobs(collect, error);
    for (guint i = 0; jobs && i < jobs->len; i++) {
        const char *job = g_ptr_array_index(jobs, i);

        if (!has_path(collect->found, job) &&
            !strobe_job_fetch_finished(collect->remote, job, collect->request->output,
                                       &collect->fetched, error))
            return FALSE;
    }
    /* there may be more at once */
    collect->looked_us = collect->fetched.fetched_bytes > n_before ? 0 : g_get_monotonic_time();
    return jobs != NULL;
}

static gboolean run_program(Collect *collect, GError **error)
{
    g_autofree char *line = make_line(collect);
    const gboolean streams = collect->kit && !collect->request->keeps && !collect->is_mounted;
    const StrobeBoardRun run = {line, collect->request->has_input, collect->request->timeout_us,
                                streams ? fetch_meanwhile : NULL, collect};

    strobe_complain("%s: %s begins", collect->remote->name, collect->board_main);
    if (!strobe_board_run(collect->remote, &run, &collect->end, error))
        return FALSE;
    collect->has_run = TRUE;
    return TRUE;
}

/* What became of the program. */
static void judge_program(Collect *collect)
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

/* ---- results ---- */

static gboolean is_new(const Collect *collect, const char *job)
{
    return !has_path(collect->before, job) ||
           strobe_job_fetch_has_part(collect->request->output, job);
}

static gboolean remove_job(const Collect *collect, const char *job, GError **error)
{
    g_autofree char *quoted = g_shell_quote(job);
    g_autofree char *command = g_strconcat("rm -rf -- ", quoted, NULL);
    g_autoptr(GString) answer = g_string_new(NULL);

    return collect->request->keeps ||
           strobe_flow_text(collect->remote, "cannot remove a JOB on the board", command, NULL,
                            answer, 1024, error);
}

/* A JOB of a collect that was cut off may have been made, and nothing more. */
static gboolean has_info(const char *path)
{
    GDir *folder = g_dir_open(path, 0, NULL);
    const char *name;
    guint32 device;
    gboolean has = FALSE;

    while (folder && !has && (name = g_dir_read_name(folder)))
        has = svp_info_device(name, &device);
    if (folder)
        g_dir_close(folder);
    return has;
}

static void take_job(Collect *collect, const char *job, char *path)
{
    if (has_path(collect->found, job)) {
        strobe_complain("%s: of an earlier collect that was cut off%s", path,
                        has_info(path) ? "" : ", with nothing in it: removed");
        if (!has_info(path)) {
            strobe_folder_remove(path);
            g_free(path);
            return;
        }
    }
    g_ptr_array_add(collect->jobs, path);
}

static gboolean fetch_job(Collect *collect, const char *job, GError **error)
{
    char *path = strobe_job_fetch(collect->remote, job, collect->request->output, report_line,
                                  &collect->fetched, error);

    if (!path)
        return FALSE;
    take_job(collect, job, path);
    return remove_job(collect, job, error);
}

static void explain_no_job(Collect *collect)
{
    if (!collect->is_on) {
        strobe_complain("switch is off: the program ran without profiling");
        return;
    }
    strobe_complain("the program left no JOB: did it call svp_acl_init with the path of acl.json, "
                    "did it execute a model (loading and unloading alone collect nothing), was "
                    "the model built with --online_model_type=2, and does no other program use "
                    "the NPU?");
    if (!collect->code)
        collect->code = STROBE_EXIT_INPUT;
}

/* They were written here. */
static void take_local(Collect *collect)
{
    g_autoptr(GPtrArray) jobs = strobe_collect_local_jobs(collect->request->output);
    guint n = 0;

    for (guint i = 0; i < jobs->len; i++)
        if (!has_path(collect->local, g_ptr_array_index(jobs, i))) {
            g_ptr_array_add(collect->jobs, g_strdup(g_ptr_array_index(jobs, i)));
            n++;
        }
    if (n == 0)
        explain_no_job(collect);
}

static gboolean fetch_jobs(Collect *collect, GError **error)
{
    if (collect->is_mounted) {
        take_local(collect);
        return strobe_board_unmount(collect->remote, error);
    }

    g_autoptr(GPtrArray) jobs = find_jobs(collect, error);
    guint n = 0;

    for (guint i = 0; jobs && i < jobs->len; i++) {
        const char *job = g_ptr_array_index(jobs, i);

        if (!is_new(collect, job))
            continue;
        n += !has_path(collect->found, job);
        if (!fetch_job(collect, job, error))
            return FALSE;
    }
    if (jobs && n == 0)
        explain_no_job(collect);
    return jobs != NULL;
}

static gboolean clean_board(const Collect *collect, GError **error)
{
    return strobe_board_pools_clean(collect->remote, collect->board_output, error) &&
           strobe_board_record_end(collect->remote, error);
}

/* ---- the steps ---- */

static gboolean compare_clocks(Collect *collect, StrobeCollectClock *clock, GError **error)
{
    memset(&collect->remote->clock, 0, sizeof collect->remote->clock);
    if (!strobe_remote_measure_clock(collect->remote, error))
        return FALSE;
    *clock = strobe_collect_clock_now(&collect->remote->clock);
    return TRUE;
}

static gboolean write_clocks(Collect *collect, GError **error)
{
    gboolean good = TRUE;

    for (guint i = 0; good && i < collect->jobs->len; i++)
        good =
            strobe_collect_clock_write(g_ptr_array_index(collect->jobs, i), collect->clocks, error);
    return good;
}

static gboolean prepare_board(Collect *collect, GError **error)
{
    if (!strobe_board_properties_read(collect->remote, &collect->properties, error) ||
        !compare_clocks(collect, &collect->clocks[0], error))
        return FALSE;
    set_paths(collect);
    return check_machine(collect, error) &&
           strobe_collect_choose_recorder(collect->request, &collect->properties,
                                          collect->remote->name, &collect->kit, error) &&
           choose_output(collect, error) && write_config(collect, error) &&
           send_files(collect, error) && prepare_output(collect, error);
}

static gboolean collect_on(Collect *collect, GError **error)
{
    if (!prepare_board(collect, error) || !run_program(collect, error))
        return FALSE;
    judge_program(collect);
    return compare_clocks(collect, &collect->clocks[1], error) && fetch_jobs(collect, error) &&
           strobe_board_pools_take(collect->remote, collect->jobs, report_line, &collect->fetched,
                                   error) &&
           write_clocks(collect, error) && clean_board(collect, error);
}

static gboolean open_session(Collect *collect, GError **error)
{
    const StrobeCollectRequest *request = collect->request;
    g_autoptr(StrobeTarget) target = strobe_board_target(request->config, request->target, error);
    g_autofree char *folder = make_folder_name(request->project);

    if (target)
        collect->remote = strobe_board_open(target, folder, TRUE, error);
    if (collect->remote && request->config)
        strobe_complain("%s holds a password: remove it, or protect the file, when you are done",
                        request->config);
    return collect->remote != NULL;
}

/* ---- the answer ---- */

static void print_answer(const Collect *collect, gint64 error_ns)
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

static void clear_collect(Collect *collect)
{
    if (collect->config_path)
        unlink(collect->config_path);
    strobe_board_properties_clear(&collect->properties);
    g_clear_pointer(&collect->files, g_ptr_array_unref);
    g_clear_pointer(&collect->found, g_ptr_array_unref);
    g_clear_pointer(&collect->before, g_ptr_array_unref);
    g_clear_pointer(&collect->local, g_ptr_array_unref);
    g_ptr_array_unref(collect->jobs);
    g_free(collect->kit);
    g_free(collect->config);
    g_free(collect->config_path);
    g_free(collect->board_main);
    g_free(collect->board_folder);
    g_free(collect->board_output);
}

/* Connected. What was fetched before a failure counts. */
static gint64 run_session(Collect *collect)
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
    Collect collect = {.request = request, .jobs = g_ptr_array_new_with_free_func(g_free)};
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
