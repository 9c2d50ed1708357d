/* SPDX-License-Identifier: Apache-2.0 */
/* strobe attach: records from outside a process that Strobe did not start. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "analysis.h"
#include "command.h"
#include "config-file.h"
#include "error.h"
#include "folder.h"
#include "options.h"
#include "outside.h"
#include "process.h"
#include "result.h"
#include "run-request.h"
#include "session.h"

static const char *const default_collectors[] = {"cpu_sample", "host_sys"};

typedef struct Flags {
    StrobeRunFlags run; /* those flags of `strobe run` that this command has too */
    char *duration;
} Flags;

static const StrobeUsage usage = {
    .name = "attach",
    .arguments = "PID",
    .summary = "Records the process PID and the processes that it starts from then on, until it\n"
               "ends, for a duration, or until Ctrl-C. It records from outside: it does not\n"
               "stop the process and loads nothing into it. Collectors that work inside a\n"
               "program need \"strobe run\".",
    .examples =
        "Examples:\n"
        "  strobe attach 4711 --duration 10s\n"
        "      Samples where its threads and their child processes spend processor time, and\n"
        "      its use of the host. strobe show then lists the functions.\n"
        "  strobe attach 4711 --collect cpu_sample:frequency=99 --no-default-collectors\n"
        "\n"
        "You need permission to observe the process: it must be yours, or you must be root.\n"
        "\n"
        "Exit codes: 2 usage, 3 configuration, 4 a collector that cannot work here, 5 no such\n"
        "process, 6 cannot write, 1 not permitted or not possible.",
};

static gboolean parse_flags(int *argc, char ***argv, Flags *flags)
{
    const GOptionEntry entries[] = {
        {"duration", 'd', 0, G_OPTION_ARG_FILENAME, &flags->duration,
         "How long to record (default: until the process ends)", "TIME"},
        {"output", 'o', 0, G_OPTION_ARG_FILENAME, &flags->run.output,
         "Parent of the result directory (default: the current folder)", "DIR"},
        {"collect", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &flags->run.collect,
         "Add a collector to the default ones (cpu_sample, host_sys), or set options of one of "
         "these; repeatable",
         "NAME[:OPTION=VALUE,...]"},
        {"no-default-collectors", 0, 0, G_OPTION_ARG_NONE, &flags->run.no_defaults,
         "Do not add the default collectors", NULL},
        {"export", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &flags->run.export,
         "Use this exporter, with options, instead of the default ones; repeatable",
         "NAME[:OPTION=VALUE,...]"},
        STROBE_MAX_MEM_OPTION(&flags->run.memory),
        STROBE_TMP_DIR_OPTION(&flags->run.memory),
        {NULL},
    };

    return strobe_command_parse(&usage, entries, argc, argv);
}

/* ---- the process ---- */

static gboolean read_pid(const char *text, pid_t *pid)
{
    guint64 number;

    if (!g_ascii_string_to_unsigned(text, 10, 1, G_MAXINT, &number, NULL))
        return FALSE;
    *pid = (pid_t)number;
    return TRUE;
}

static int refuse_process(pid_t pid, int reason, GError **error)
{
    /* EINVAL: `pid` is the id of a thread, not of a process */
    if (reason == ESRCH || reason == EINVAL)
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_INPUT, "There is no process %ld", (long)pid);
    else
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_FAILED, "Cannot attach to process %ld: %s",
                    (long)pid, g_strerror(reason));
    return -1;
}

/* Returns a descriptor of the process, which stays valid if the process's id is reused; -1 with an
 * error. */
static int open_process(pid_t pid, GError **error)
{
    int process = (int)syscall(SYS_pidfd_open, pid, 0);

    if (process < 0)
        return refuse_process(pid, errno, error);
    if (kill(pid, 0) == 0)
        return process;
    int reason = errno;
    close(process);
    if (reason != EPERM)
        return refuse_process(pid, reason, error);
    g_set_error(error, STROBE_ERROR, STROBE_ERROR_FAILED,
                "Cannot attach to process %ld: it is another user's; attach as that user or as "
                "root",
                (long)pid);
    return -1;
}

/* ---- the configuration ---- */

static gboolean check_outside(const StrobeConfig *config, StrobeRegistry *registry, GError **error)
{
    for (guint i = 0; i < config->collectors->len; i++) {
        StrobeConfigComponent *wanted = g_ptr_array_index(config->collectors, i);
        const StrobeComponent *component =
            strobe_registry_find(registry, STROBE_COMPONENT_COLLECTOR, wanted->name, NULL, error);
        if (!component)
            return FALSE;
        if (!strobe_component_is_outside(component)) {
            g_set_error(error, STROBE_ERROR, STROBE_ERROR_CONFIG,
                        "Collector \"%s\" works inside the program only: strobe run -- COMMAND",
                        wanted->name);
            return FALSE;
        }
    }
    return TRUE;
}

/* Marks all collectors as required, so that it is an error if one cannot work here. */
static void require_named(StrobeConfig *config)
{
    for (guint i = 0; i < config->collectors->len; i++)
        ((StrobeConfigComponent *)g_ptr_array_index(config->collectors, i))->required = TRUE;
}

static StrobeConfig *make_config(const Flags *flags, StrobeRegistry *registry, GError **error)
{
    StrobeConfig *config = strobe_config_parse(NULL, NULL, error);
    StrobeRunReach reach;
    gboolean good = config != NULL;

    for (guint i = 0; good && !flags->run.no_defaults && i < G_N_ELEMENTS(default_collectors); i++)
        good = strobe_config_add_collector(config, default_collectors[i], error);
    for (char **text = flags->run.collect; good && text && *text; text++)
        good = strobe_config_add_collector(config, *text, error);
    for (char **text = flags->run.export; good && text && *text; text++)
        good = strobe_config_add_exporter(config, *text, error);
    if (good)
        strobe_config_add_defaults(config);
    if (good && check_outside(config, registry, error)) {
        require_named(config);
        config->directory =
            g_canonicalize_filename(flags->run.output ? flags->run.output : ".", NULL);
        if (strobe_run_check(config, registry, FALSE, &reach, error) &&
            strobe_folder_check_writable(config->directory, NULL, error))
            return config;
    }
    if (config)
        strobe_config_free(config);
    return NULL;
}

/* ---- recording ---- */

/* Blocks the signals that end the recording, and returns a descriptor from which they are read.
 * Called before the recording begins, so that no signal ends the command before the result is
 * complete. */
static int take_signals(sigset_t *before)
{
    sigset_t mask;

    sigemptyset(&mask);
    sigaddset(&mask, SIGINT);
    sigaddset(&mask, SIGTERM);
    sigaddset(&mask, SIGHUP);
    sigprocmask(SIG_BLOCK, &mask, before);
    return signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* Removes pending signals, which would end the command when they are unblocked. */
static void drop_signals(int signals, const sigset_t *before)
{
    struct signalfd_siginfo info;

    while (read(signals, &info, sizeof info) == (ssize_t)sizeof info)
        ;
    close(signals);
    sigprocmask(SIG_SETMASK, before, NULL);
}

/* Waits until the process ends, the duration is over or a signal comes. */
static void wait_for_end(int process, int signals, gint64 duration_ns)
{
    struct pollfd events[] = {{.fd = process, .events = POLLIN}, {.fd = signals, .events = POLLIN}};
    const gint64 end_us = g_get_monotonic_time() + duration_ns / 1000;
    gint64 left_ms = -1;

    do {
        if (duration_ns)
            left_ms = MAX((end_us - g_get_monotonic_time() + 999) / 1000, 0);
    } while (poll(events, G_N_ELEMENTS(events), (int)MIN(left_ms, G_MAXINT)) < 0 && errno == EINTR);
}

/* Records the process until it ends, `duration_ns` is over or a signal comes. Returns the path of
 * the result directory (free it); NULL with an error. */
static char *record_process(const StrobeConfig *config, pid_t pid, int process, gint64 duration_ns,
                            GError **error)
{
    g_autofree char *text = strobe_config_to_json(config);
    StrobeSession *session = NULL;
    StrobeError *failure = NULL;
    sigset_t before;
    int signals = take_signals(&before);
    StrobeStatus status = strobe_session_make(text, "--collect", TRUE, pid, &session, &failure);

    if (status == STROBE_OK)
        status = strobe_session_start(session, &failure);
    if (status == STROBE_OK) {
        wait_for_end(process, signals, duration_ns);
        status = strobe_session_stop(session, &failure);
    }
    char *directory = session ? g_strdup(strobe_session_directory(session)) : NULL;
    strobe_session_free(session);
    drop_signals(signals, &before);
    if (status == STROBE_OK)
        return directory;
    if (directory && *directory)
        strobe_folder_remove(directory);
    g_free(directory);
    g_set_error(error, STROBE_ERROR, status, "Cannot attach to process %ld: %s", (long)pid,
                strobe_error_message(failure));
    strobe_error_free(failure);
    return NULL;
}

static int analyse_result(StrobeRegistry *registry, const StrobeConfig *config,
                          const char *directory)
{
    const StrobeAnalysisWish wish = {.exporters = config->exporters};
    g_autoptr(StrobeAnalysis) analysis = NULL;
    g_autoptr(GPtrArray) results = NULL;
    GError *error = NULL;
    int code = STROBE_EXIT_OK;

    results = strobe_result_find(directory, &error);
    if (!results)
        return strobe_command_fail(error);
    strobe_analysis_report(registry, g_ptr_array_index(results, 0), &wish, &analysis, &code);
    return code;
}

static int attach_process(Flags *flags, pid_t pid, gint64 duration_ns, StrobeRegistry *registry)
{
    GError *error = NULL;
    int code = STROBE_EXIT_OK;
    int process = open_process(pid, &error);
    StrobeConfig *config = process >= 0 ? make_config(flags, registry, &error) : NULL;
    g_autofree char *directory =
        config ? record_process(config, pid, process, duration_ns, &error) : NULL;

    if (error)
        code = strobe_command_fail(error);
    else if (strobe_memory_flags_apply(&flags->run.memory, &code))
        code = analyse_result(registry, config, directory);
    if (process >= 0)
        close(process);
    if (config)
        strobe_config_free(config);
    return code;
}

static int run_attach(Flags *flags, int argc, char **argv)
{
    gint64 duration_ns = 0;
    pid_t pid;
    int code = STROBE_EXIT_OK;

    if (argc != 2 || !read_pid(argv[1], &pid))
        return strobe_command_misuse(&usage, "The number of one process is needed");
    if (flags->duration &&
        (!strobe_parse_duration(flags->duration, &duration_ns) || duration_ns <= 0))
        return strobe_command_misuse(&usage, "--duration=%s: expected a time such as 10s",
                                     flags->duration);
    if (!strobe_memory_flags_check(&flags->run.memory, &code))
        return code;
    StrobeRegistry *registry = strobe_registry_new(NULL);
    code = attach_process(flags, pid, duration_ns, registry);
    strobe_registry_free(registry);
    return code;
}

int strobe_command_attach(int argc, char **argv)
{
    Flags flags = {0};
    int code =
        parse_flags(&argc, &argv, &flags) ? run_attach(&flags, argc, argv) : STROBE_EXIT_USAGE;

    strobe_run_flags_clear(&flags.run);
    g_free(flags.duration);
    return code;
}
