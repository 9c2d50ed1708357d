/* SPDX-License-Identifier: Apache-2.0 */
#include "run-scripts.h"

#include <errno.h>
#include <unistd.h>

#include "command.h"
#include "run-command.h"
#include "run-folder.h"
#include "run-interpreter.h"
#include "run-variables.h"

#define FILE_VARIABLE "PROF_CONFIG_PATH"
#define DAEMON_VARIABLE "MSMONITOR_USE_DAEMON"
#define TORCH_NPU "torch_npu"

/* Returns the name of the first given flag that is only for recording the whole run. NULL: none is
 * given. */
static const char *find_recording_flag(const StrobeRunFlags *flags)
{
    const struct {
        const char *name;
        gboolean is_given;
    } all[] = {{"--config", flags->config != NULL},
               {"--output", flags->output != NULL},
               {"--schedule", flags->schedule != NULL},
               {"--collect", flags->collect != NULL},
               {"--no-default-collectors", flags->no_defaults},
               {"--export", flags->export != NULL},
               {"--buffer", flags->buffer != NULL},
               {"--rotate", flags->rotate != NULL},
               {"--dump", flags->dump != NULL},
               {"--step-on", flags->step_on != NULL},
               {"--follow", flags->follow},
               {"--strict", flags->strict},
               {"--generation", flags->generation != NULL},
               {"--preload", flags->preload != NULL},
               {"--plugin-path", flags->plugin_path != NULL}};

    for (guint i = 0; i < G_N_ELEMENTS(all); i++)
        if (all[i].is_given)
            return all[i].name;
    return NULL;
}

/* Whether the command may run Python: its Python interpreter is known, or it is a script or a
 * shell. */
static gboolean may_run_python(char *const *command)
{
    g_auto(GStrv) environment = g_get_environ();
    g_autofree char *python = strobe_run_interpreter(command, environment);
    g_autofree char *program = strobe_run_program(command[0], environment);
    g_autofree char *name = g_path_get_basename(command[0]);
    g_auto(GStrv) words = program ? strobe_run_script_words(program, command) : NULL;

    return python || words || g_regex_match_simple("^(ba|da|k|z|fi)?sh$", name, 0, 0);
}

/* Returns the variable that names the source of requests for profiles; NULL: neither is set. If
 * both are set, the file is used, not the daemon. */
static const char *find_variable(void)
{
    const char *folder = g_getenv(FILE_VARIABLE);

    if (folder && *folder)
        return FILE_VARIABLE;
    return g_strcmp0(g_getenv(DAEMON_VARIABLE), "1") == 0 ? DAEMON_VARIABLE : NULL;
}

gboolean strobe_run_is_of_scripts(const StrobeRunFlags *flags, char *const *command)
{
    const char *variable = find_variable();
    const char *flag = find_recording_flag(flags);

    if (flags->as)
        return TRUE;
    if (!variable)
        return FALSE;
    if (flag)
        strobe_complain("%s has no effect: with %s the run is recorded from its start", variable,
                        flag);
    else if (!may_run_python(command))
        strobe_complain("%s has no effect: \"%s\" is not a Python program", variable, command[0]);
    else
        return TRUE;
    return FALSE;
}

char *strobe_run_scripts_obstacle(const StrobeRunFlags *flags)
{
    const char *flag = find_recording_flag(flags);

    if (flags->as && g_strcmp0(flags->as, TORCH_NPU))
        return g_strdup_printf("--as: expected " TORCH_NPU ", found \"%s\"", flags->as);
    if (flag)
        return g_strdup_printf("%s cannot be combined with --as: the profiles of the script say "
                               "what is recorded",
                               flag);
    return NULL;
}

/* Replaces the variables that name the source of requests by Strobe's own variables. Takes and
 * returns an environment like g_environ_setenv. */
static char **set_variable(char **environment)
{
    const char *variable = find_variable();

    if (g_strcmp0(variable, FILE_VARIABLE) == 0) {
        const char *folder = g_getenv(FILE_VARIABLE);
        g_autofree char *whole = g_canonicalize_filename(folder, NULL);
        environment = g_environ_setenv(environment, "STROBE_RUN_PROF_CONFIG", whole, TRUE);
        strobe_complain("%s: profiles begin as %s/profiler_config.json asks for them", variable,
                        folder);
    } else if (variable) {
        environment = g_environ_setenv(environment, "STROBE_RUN_DAEMON", "1", TRUE);
        strobe_complain("%s: profiles begin as dynolog asks for them", variable);
    }
    environment = g_environ_unsetenv(environment, FILE_VARIABLE);
    return g_environ_unsetenv(environment, DAEMON_VARIABLE);
}

static char **build_environment(const StrobeRunFlags *flags)
{
    char **environment = strobe_run_variables_forget(g_get_environ());

    environment = strobe_run_inject_python(environment);
    environment = g_environ_unsetenv(environment, "STROBE_RUN_DIR");
    environment = g_environ_setenv(environment, "STROBE_RUN_SCRIPTS", "1", TRUE);
    if (flags->as)
        environment = g_environ_setenv(environment, "STROBE_RUN_AS", flags->as, TRUE);
    return set_variable(environment);
}

int strobe_run_scripts(const StrobeRunFlags *flags, char **command)
{
    g_auto(GStrv) environment = build_environment(flags);

    execvpe(command[0], command, environment);
    const int number = errno;
    strobe_complain("Cannot run \"%s\": %s", command[0], g_strerror(number));
    return number == ENOENT || number == ENOTDIR ? STROBE_EXIT_NOT_FOUND
                                                 : STROBE_EXIT_NOT_EXECUTABLE;
}
