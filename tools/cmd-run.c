/* SPDX-License-Identifier: Apache-2.0 */
/* strobe run: profiles an unchanged command. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analysis.h"
#include "command.h"
#include "error.h"
#include "folder.h"
#include "memory-flags.h"
#include "plugin-folders.h"
#include "result-directory.h"
#include "run-board.h"
#include "run-claim.h"
#include "run-command.h"
#include "run-diagnosis.h"
#include "run-folder.h"
#include "run-on.h"
#include "run-outside.h"
#include "run-scripts.h"
#include "run-torch.h"
#include "run-variables.h"
#include "run-writers.h"
#include "show-empty.h"
#include "terminal.h"

#define RESULTS_MAX 100000
#define NOTES_MAX 10
#define OPTIMIZERS_MAX 20

static const StrobeUsage usage = {
    .name = "run",
    .arguments = "-- COMMAND [ARGUMENT...]",
    .summary = "Runs COMMAND and profiles it; the program needs no change. When it has ended, the\n"
               "result directory's name is printed on stderr. The exit code is the command's own.",
    .examples =
        "Examples:\n"
        "  strobe run -- ./program\n"
        "      Samples where its threads spend their processor time; strobe show then lists the\n"
        "      functions.\n"
        "  strobe run -- python3 train.py\n"
        "      One window over the whole run.\n"
        "  strobe run --schedule wait=1,warmup=1,active=3,repeat=1 -- python3 train.py\n"
        "      Skips the first step, warms up for one, records three. A step ends when the\n"
        "      optimizer's step() returns (see --step-on).\n"
        "  strobe run --collect cpu_op:shapes=true --collect gc:threshold=1ms -- python3 train.py\n"
        "  strobe run -o results --export chrome_trace -- bash -c 'python3 a.py; python3 b.py'\n"
        "      Records the first process in which a collector can work; with --follow, all of\n"
        "      them. If that is a shell in which only host_sys can work, a later process in which\n"
        "      other collectors can work takes the recording over.\n"
        "  strobe run --buffer policy=ring,keep=30s --dump signal=SIGUSR2,slow_step=3 -- ./serve\n"
        "      Records into memory only; writes the last 30 s when the signal comes or a step "
        "takes\n"
        "      three times the median, and at the end.\n"
        "  strobe run --as torch_npu -- python3 train.py\n"
        "      Records only what the script's own profiles, written for torch_npu, ask for.\n"
        "  strobe run --rotate size=1GB,keep=5 -- ./serve\n"
        "      Keeps the last 5 GB on the disk.\n"
        "  strobe run --on camera -- ./main -n 3\n"
        "      Sends ./main to the board \"camera\" and runs it there. What it prints appears as "
        "it\n"
        "      comes; the result directory is made here.\n"
        "\n"
        "\"strobe plugins\" lists collectors and exporters; \"strobe plugins NAME\" lists the\n"
        "options of one.\n"
        "\n"
        "Exit codes before the command starts: 2 usage, 3 configuration, 4 plugin, 6 cannot\n"
        "write, 126 not executable, 127 not found. With --strict, 6 afterwards if the command\n"
        "succeeded, but nothing was recorded, records were lost or files were not written. With\n"
        "--on, 9 if the board was not reached or the connection was lost.",
    .stops_early = TRUE,
};

static gboolean parse_flags(int *argc, char ***argv, StrobeRunFlags *flags)
{
    const GOptionEntry entries[] = {
        {"config", 'c', 0, G_OPTION_ARG_FILENAME, &flags->config,
         "Configuration in JSON; command-line flags override it", "FILE"},
        {"output", 'o', 0, G_OPTION_ARG_FILENAME, &flags->output,
         "Parent of the result directories (default: the current folder)", "DIR"},
        {"schedule", 0, 0, G_OPTION_ARG_FILENAME, &flags->schedule,
         "Which steps to record: wait=1,warmup=1,active=3,repeat=1,skip_first=0", "TEXT"},
        {"collect", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &flags->collect,
         "Add a collector to the default ones (cpu_op, cpu_sample, gc, host_sys, metadata), or set "
         "options of one of these; repeatable",
         "NAME[:OPTION=VALUE,...]"},
        {"no-default-collectors", 0, 0, G_OPTION_ARG_NONE, &flags->no_defaults,
         "Do not add the default collectors", NULL},
        {"export", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &flags->export,
         "Use this exporter, with options, instead of the default ones; repeatable",
         "NAME[:OPTION=VALUE,...]"},
        {"buffer", 0, 0, G_OPTION_ARG_FILENAME, &flags->buffer,
         "Memory between program and disk: size=64MB,policy=drop|block|ring,keep=30s,"
         "flush_interval=1s,sync=none|window|interval,compress=none|zstd",
         "TEXT"},
        {"rotate", 0, 0, G_OPTION_ARG_FILENAME, &flags->rotate,
         "Split the capture into segments and keep the last ones: size=1GB,time=10min,steps=100,"
         "keep=5",
         "TEXT"},
        {"dump", 0, 0, G_OPTION_ARG_FILENAME, &flags->dump,
         "When a flight recorder (--buffer policy=ring) writes its records: "
         "signal=SIGUSR2,slow_step=2.5,min_interval=10s,max=16",
         "TEXT"},
        {"step-on", 0, 0, G_OPTION_ARG_FILENAME, &flags->step_on,
         "What ends a step: first (the first optimizer that steps), any (each optimizer), the "
         "class name of an optimizer, manual (only prof.step(), strobe.step())",
         "WHAT"},
        {"as", 0, 0, G_OPTION_ARG_STRING, &flags->as,
         "Record only the profiles in a script that is written for this package (torch_npu), not "
         "the run. Strobe's torch_npu.profiler and torch_npu.npu.mstx replace those of the package",
         "PACKAGE"},
        {"on", 0, 0, G_OPTION_ARG_FILENAME, &flags->on,
         "Run the command on a board, over SSH: NAME of ~/.config/strobe/targets/NAME.ini, or "
         "ssh:HOST",
         "TARGET"},
        {"project", 0, 0, G_OPTION_ARG_FILENAME, &flags->project,
         "With --on: send this folder, which contains the program (default: the program alone)",
         "DIR"},
        {"env", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &flags->environment,
         "With --on: set a variable for the program; repeatable", "NAME=VALUE"},
        {"follow", 0, 0, G_OPTION_ARG_NONE, &flags->follow,
         "Record every process in which a collector can work, each into its own directory", NULL},
        {"strict", 0, 0, G_OPTION_ARG_NONE, &flags->strict,
         "Exit with 6 if the command succeeded but nothing was recorded, records were lost or "
         "files were not written",
         NULL},
        {"generation", 0, 0, G_OPTION_ARG_FILENAME, &flags->generation,
         "Write the Ascend formats of early 2025 (1), of late 2025 (2) or the newest (3, the "
         "default)",
         "N"},
        STROBE_MAX_MEM_OPTION(&flags->memory),
        STROBE_TMP_DIR_OPTION(&flags->memory),
        {"preload", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &flags->preload,
         "Preload this library into the command, in addition to Strobe's own; repeatable", "LIB"},
        {"plugin-path", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &flags->plugin_path,
         "Look for plugins here first; repeatable", "DIR"},
        {NULL},
    };

    return strobe_command_parse(&usage, entries, argc, argv);
}

/* Appends the paths of the result directories to the file that the user named. */
static void append_report(const char *path, char *const *directories)
{
    FILE *file = path ? fopen(path, "ae") : NULL;

    if (path && !file)
        strobe_complain("Cannot write \"%s\": %s", path, g_strerror(errno));
    if (!file)
        return;
    for (; *directories; directories++)
        fprintf(file, "%s\n", *directories);
    if (fclose(file) != 0)
        strobe_complain("Cannot write \"%s\": %s", path, g_strerror(errno));
}

/* Whether --step-on names a class of optimizers, and not one of its fixed words. */
static gboolean names_class(const char *step_on)
{
    static const char *const words[] = {"first", "any", "manual", NULL};

    return step_on && !g_strv_contains(words, step_on);
}

/* Prints that no step ended, because no optimizer of the class `step_on` stepped. Names the
 * optimizers that did. */
static void explain_class(const char *step_on, char *const *optimizers)
{
    g_autofree char *hint = strobe_nearest_hint(step_on, (const char *const *)optimizers);
    g_autofree char *stepped = g_strjoinv(", ", (char **)(uintptr_t)optimizers);

    strobe_complain("No step ended: no optimizer \"%s\" stepped%s (--step-on; %s%s)", step_on, hint,
                    *optimizers ? "those that did: " : "no other did", stepped);
}

/* Prints why no process of the command began to record, if strobe_run_obstacle found no reason. */
static void explain_unclaimed(const StrobeConfig *config, StrobeRegistry *registry)
{
    g_autofree char *special = strobe_run_collector_names(config, registry, FALSE);
    g_autofree char *any = strobe_run_collector_names(config, registry, TRUE);
    g_autofree char *advice = strobe_show_advice(registry);

    if (!*special)
        strobe_complain("Nothing was recorded: Strobe could enter no process of the command");
    else if (*any)
        strobe_complain("Nothing was recorded: no process of the command is one in which a "
                        "requested collector (%s) can work; request one that works in any process "
                        "(%s) with --collect to record the command all the same",
                        special, any);
    else
        strobe_complain("Nothing was recorded: no process of the command is one in which a "
                        "requested collector (%s) can work. %s",
                        special, advice);
}

/* Prints why there is no result. */
static void explain_nothing(const StrobeConfig *config, StrobeRegistry *registry, char **command,
                            char *const *environment, gboolean is_claimed, gboolean has_notes)
{
    g_autofree char *obstacle = is_claimed ? NULL : strobe_run_obstacle(command, environment);

    if (obstacle)
        strobe_complain("Nothing was recorded: %s", obstacle);
    else if (!is_claimed && !strobe_config_records_rank(config, strobe_rank()))
        strobe_complain("Nothing was recorded: this is rank %d, which the configuration leaves out",
                        strobe_rank());
    else if (is_claimed && config->has_schedule)
        strobe_complain("Nothing was recorded: the program made no step, or fewer steps than the "
                        "schedule needs before it records. A step ends when an optimizer has "
                        "stepped (see --step-on) or the program calls prof.step(), strobe.step() "
                        "or strobe_step()");
    else if (is_claimed && !has_notes)
        strobe_complain("Nothing was recorded: the program ended before it began to record");
    else if (!has_notes)
        explain_unclaimed(config, registry);
    else
        strobe_complain("Nothing was recorded");
}

/* Waits until the writers of the results have sealed them, or seals them itself. */
static void recover_results(char *const *directories)
{
    for (; *directories; directories++) {
        g_autoptr(GPtrArray) results = strobe_result_find(*directories, NULL);
        for (guint i = 0; results && i < results->len; i++)
            strobe_result_recover(g_ptr_array_index(results, i), NULL, NULL);
    }
}

/* Recovers the results, and returns the paths of their directories (g_strfreev). Reads the file
 * "directories" again after the recovery, because a writer that makes a dump when the program ends
 * adds a directory before it seals the window. */
static char **read_directories(const StrobeRunFolder *folder)
{
    g_auto(GStrv) reported = strobe_run_folder_lines(folder, "directories", RESULTS_MAX);

    recover_results(reported);
    return strobe_run_folder_lines(folder, "directories", RESULTS_MAX);
}

/* Removes the results of processes from which another process took the recording over. */
static void remove_dropped(char *const *directories)
{
    recover_results(directories);
    for (; *directories; directories++)
        strobe_folder_remove(*directories);
}

/* Analyses the results that the command left. FALSE: a result is incomplete or could not be
 * analysed, or nothing that the program did was recorded. */
static gboolean finish_results(const StrobeConfig *config, StrobeRegistry *registry,
                               gint generation, char *const *directories, const char *step_on,
                               char *const *optimizers)
{
    const StrobeAnalysisWish wish = {.exporters = config->exporters, .generation = generation};
    gboolean good = TRUE;
    guint64 n_steps = 0, n_records = 0, n_own = 0;

    for (; *directories; directories++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(GPtrArray) results = strobe_result_find(*directories, &error);
        g_autoptr(StrobeAnalysis) analysis = NULL;
        int code;
        if (!results)
            strobe_complain("%s", error->message);
        if (!results || !strobe_analysis_report(registry, g_ptr_array_index(results, 0), &wish,
                                                &analysis, &code))
            good = FALSE;
        if (!analysis)
            continue;
        good = good && analysis->is_complete;
        n_steps += analysis->n_steps;
        n_records += analysis->n_records;
        n_own += analysis->n_own;
    }
    if (n_own > 0 && n_own >= n_records) {
        g_autofree char *advice = strobe_show_advice(registry);
        strobe_complain("Nothing was recorded of what the program did. %s", advice);
        good = FALSE;
    }
    if (names_class(step_on) && n_records > 0 && n_steps == 0)
        explain_class(step_on, optimizers);
    else if (config->has_schedule && n_records > 0 && n_steps == 0)
        strobe_complain("The program never stepped, so that the schedule stayed at its first "
                        "step (see --step-on)");
    return good;
}

/* Whether only collectors recorded that can work in any process, and cpu_sample, which also samples
 * children, was one of them. */
static gboolean has_sampled_children(StrobeRegistry *registry, const StrobeClaim *claim,
                                     const char *directory)
{
    g_autoptr(GPtrArray) results =
        claim->rank == STROBE_CLAIM_OWN ? NULL : strobe_result_find(directory, NULL);

    return results &&
           strobe_show_count(registry, g_ptr_array_index(results, 0), "cpu_sample", NULL) > 0;
}

/* Suggests --follow if children of the command used more processor time than its own process and
 * were not sampled. */
static void complain_of_children(const StrobeRunEnd *end, StrobeRegistry *registry,
                                 const StrobeClaim *claim, const char *directory)
{
    guint64 least = (guint64)sysconf(_SC_CLK_TCK) / 10;

    if (end->children_ticks <= MAX(least, end->own_ticks) ||
        has_sampled_children(registry, claim, directory))
        return;
    strobe_complain("%.0f %% of the processor time was spent in child processes: strobe run "
                    "--follow records each of them",
                    100 * (double)end->children_ticks /
                        (double)(end->children_ticks + end->own_ticks));
}

/* Finishes the run after the command has ended: prints notes of its processes, and analyses the
 * results. FALSE: a result is missing or incomplete. */
static gboolean finish_run(const StrobeConfig *config, StrobeRegistry *registry, gint generation,
                           StrobeRunFolder *folder, const StrobeRunFlags *flags, const char *report,
                           const StrobeRunEnd *end, char **command, char *const *environment)
{
    const char *step_on = flags->step_on;
    g_auto(GStrv) directories = read_directories(folder);
    g_auto(GStrv) dropped = strobe_run_folder_lines(folder, "dropped", RESULTS_MAX);
    g_auto(GStrv) notes = strobe_run_folder_lines(folder, "notes", NOTES_MAX);
    g_auto(GStrv) optimizers = strobe_run_folder_lines(folder, "optimizers", OPTIMIZERS_MAX);
    g_auto(GStrv) cut = strobe_run_folder_cut_openings(folder, NOTES_MAX);
    StrobeClaim claim;
    gboolean is_claimed = strobe_run_folder_claim(folder, &claim);

    /* From here on Ctrl-C ends this process, because `strobe analyse` can make the analysis
     * again. */
    strobe_run_folder_remove(folder);
    strobe_run_restore_signals();
    remove_dropped(dropped);
    for (char **note = notes; *note; note++) {
        g_autofree char *text = strobe_text_printable(*note, strlen(*note));
        strobe_complain("%s", text);
    }
    for (char **opening = cut; *opening; opening++)
        strobe_complain("The process ended while it opened a plugin: %s", *opening);
    if (!*directories) {
        explain_nothing(config, registry, command, environment, is_claimed, *notes != NULL);
        if (is_claimed && config->has_schedule && names_class(step_on))
            explain_class(step_on, optimizers);
        return FALSE;
    }
    append_report(report, directories);
    gboolean good = finish_results(config, registry, generation, directories, step_on, optimizers);
    if (!flags->follow && is_claimed && claim.pid == end->pid)
        complain_of_children(end, registry, &claim, directories[0]);
    return good;
}

static int run_command(StrobeRunFlags *flags, StrobeConfig *config, StrobeRegistry *registry,
                       char **command)
{
    StrobeRunFolder folder = {{.lock = -1}};
    GError *error = NULL;
    StrobeRunWriters writers;
    StrobeRunReach reach;
    StrobeRunEnd end;
    int code = 0;
    gint generation;

    if (!strobe_analysis_generation(flags->generation, &generation))
        return STROBE_EXIT_USAGE;
    if (!strobe_plugin_folders_check(flags->plugin_path, &code) ||
        !strobe_memory_flags_check(&flags->memory, &code))
        return code;
    if (!strobe_run_preload_check(flags->preload))
        return STROBE_EXIT_USAGE;
    if (!strobe_run_check(config, registry, flags->follow, &reach, &error) ||
        !strobe_folder_check_writable(config->directory, NULL, &error))
        return strobe_command_fail(error);
    reach.torch = reach.torch && strobe_run_torch(registry, command);
    g_autofree char *report = g_strdup(config->report);
    if (!strobe_run_folder_make(&folder, config, &error))
        return strobe_command_fail(error);
    g_auto(GStrv) environment = strobe_run_folder_environment(&folder, flags, &reach);
    environment = strobe_run_variables_set(environment, config, registry);
    strobe_run_writers_begin(&writers, folder.own.path);
    StrobeRunOutside *outside =
        strobe_run_outside_new(config, registry, folder.own.path, command, environment);
    code = strobe_run_command(command, environment, &writers, strobe_run_outside_begin, outside,
                              &end, &error);
    strobe_run_outside_end(outside);
    strobe_run_writers_end(&writers);
    if (error) {
        strobe_run_folder_remove(&folder);
        strobe_run_restore_signals();
        strobe_complain("%s", error->message);
        g_error_free(error);
        return code;
    }
    /* The limit is applied after the command, because it is for the analysis and must not stop a
     * recording. */
    strobe_memory_flags_apply(&flags->memory, &code);
    gboolean good = finish_run(config, registry, generation, &folder, flags, report, &end, command,
                               environment);
    if (flags->strict && !good && WIFEXITED(end.status) && WEXITSTATUS(end.status) == 0)
        return STROBE_EXIT_WRITE;
    return strobe_run_end_alike(end.status);
}

int strobe_command_run(int argc, char **argv)
{
    StrobeRunFlags flags = {0};
    GError *error = NULL;
    int code = STROBE_EXIT_USAGE;

    if (!parse_flags(&argc, &argv, &flags))
        goto out;
    if (argc < 2) {
        code = strobe_command_misuse(&usage, "A command is needed, such as: strobe run -- python3 "
                                             "train.py");
        goto out;
    }
    if (!flags.on && (flags.project || flags.environment)) {
        code = strobe_command_misuse(&usage, "%s: works only with --on",
                                     flags.project ? "--project" : "--env");
        goto out;
    }
    if (!flags.on && strobe_run_is_of_scripts(&flags, argv + 1)) {
        g_autofree char *obstacle = strobe_run_scripts_obstacle(&flags);
        code = obstacle ? strobe_command_misuse(&usage, "%s", obstacle)
                        : strobe_run_scripts(&flags, argv + 1);
        goto out;
    }
    if (flags.on && strobe_run_is_board(flags.config)) {
        code = strobe_command_misuse(&usage,
                                     "%s is for a camera board's runtime: strobe svp "
                                     "collect --target %s uses it",
                                     flags.config, flags.on);
        goto out;
    }
    if (strobe_run_is_board(flags.config)) {
        code = strobe_run_board(flags.config, argv + 1);
        goto out;
    }
    StrobeConfig *config = strobe_run_configure(&flags, &error);
    if (!config) {
        code = strobe_command_fail(error);
        goto out;
    }
    StrobeRegistry *registry = strobe_registry_new((const char *const *)flags.plugin_path);
    code = flags.on ? strobe_run_on(&flags, config, registry, argv + 1)
                    : run_command(&flags, config, registry, argv + 1);
    strobe_registry_free(registry);
    strobe_config_free(config);

out:
    strobe_run_flags_clear(&flags);
    return code;
}
