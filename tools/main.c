/* SPDX-License-Identifier: Apache-2.0 */
/* The strobe command: finds the subcommand. */
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <strobe/strobe.h>

#include "command.h"
#include "error.h"
#include "crash-attribution.h"
#include "signal-cleanup.h"
#include "out-of-memory.h"
#include "plugin-trial.h"
#include "run-command.h"

typedef struct Command {
    const char *name;
    const char *alias; /* NULL: none */
    int (*run)(int argc, char **argv);
    const char *summary;
    /* main.c begins signal-cleanup for the command; the others have nothing to clean up, or handle
     * signals themselves */
    gboolean cleans_up;
} Command;

static const Command commands[] = {
    {"run", NULL, strobe_command_run, "run a command and profile it"},
    {"attach", NULL, strobe_command_attach, "record a process that runs already"},
    {"show", NULL, strobe_command_show, "print tables of a result in the terminal"},
    {"report", NULL, strobe_command_report, "make one page of a result, or compare two", TRUE},
    {"analyse", "analyze", strobe_command_analyse, "make the output files of a result again", TRUE},
    {"export", NULL, strobe_command_export, "make output files of a part of a result", TRUE},
    {"import", NULL, strobe_command_import, "take over results that another profiler wrote", TRUE},
    {"diff", NULL, strobe_command_diff, "compare results: what became slower", TRUE},
    {"info", NULL, strobe_command_info, "say what a capture holds, and what was lost"},
    {"plugins", NULL, strobe_command_plugins, "list collectors, importers, passes and exporters"},
    {"torch", NULL, strobe_command_torch, "build the bridge to your PyTorch early", TRUE},
    {"svp", NULL, strobe_command_svp, "the vendor's commands for camera boards"},
    {"doctor", NULL, strobe_command_doctor, "say what works here, and what to do where it does not",
     TRUE},
};

static void print_help(void)
{
    puts("Usage: strobe COMMAND [OPTION...]\n"
         "\n"
         "Strobe records the work of a program, step by step, and writes it to files for trace\n"
         "viewers. The program needs no change.\n"
         "\n"
         "Commands:");
    for (gsize i = 0; i < G_N_ELEMENTS(commands); i++)
        printf("  %-9s %s\n", commands[i].name, commands[i].summary);
    puts("\n"
         "\"strobe COMMAND --help\" explains a command; \"strobe --version\" prints the version.\n"
         "\n"
         "A first run:\n"
         "  strobe run -- python3 train.py     profile the whole run\n"
         "  strobe run --schedule wait=1,warmup=1,active=3,repeat=1 -- python3 train.py\n"
         "                                     skip one step, warm up for one, record three\n"
         "  strobe show DIR                    where the time went\n"
         "\n"
         "\"strobe run\" prints the name of the result directory (DIR). Its\n"
         "ASCEND_PROFILER_OUTPUT/trace_view.json opens in ui.perfetto.dev, speedscope.app and\n"
         "MindStudio Insight.\n"
         "\n"
         "Exit codes: 0 good, 2 usage, 3 configuration, 4 plugin, 5 unreadable input, 6 cannot\n"
         "write, 7 a regression (strobe diff), 8 the program made no marks for the table (strobe\n"
         "show), 9 a board was not reached, 10 the program on the board failed, 1 any other\n"
         "error. \"strobe run\" exits with the exit code of its command.");
}

static const Command *find_command(const char *name)
{
    for (gsize i = 0; i < G_N_ELEMENTS(commands); i++)
        if (strcmp(commands[i].name, name) == 0 || g_strcmp0(commands[i].alias, name) == 0)
            return &commands[i];
    return NULL;
}

static int refuse_command(const char *name)
{
    const char *names[G_N_ELEMENTS(commands) + 1] = {NULL};

    for (gsize i = 0; i < G_N_ELEMENTS(commands); i++)
        names[i] = commands[i].name;
    g_autofree char *hint = strobe_nearest_hint(name, names);
    strobe_complain("Unknown command \"%s\"%s", name, hint);
    fputs("Try \"strobe --help\".\n", stderr);
    return STROBE_EXIT_USAGE;
}

/* Runs "strobe help" and "strobe help COMMAND". */
static int run_help(int argc, char **argv)
{
    char *words[] = {argc > 1 ? argv[1] : NULL, (char *)"--help", NULL};

    if (argc < 2) {
        print_help();
        return STROBE_EXIT_OK;
    }
    const Command *command = find_command(argv[1]);
    return command ? command->run(2, words) : refuse_command(argv[1]);
}

static void pass_over(int number)
{
    (void)number;
}

/* Makes a write above the shell's limit of a file's size fail, instead of ending the process. Sets
 * a handler instead of SIG_IGN, because the command of `strobe run` does not inherit handlers. */
static void take_file_limit(void)
{
    struct sigaction action = {.sa_handler = pass_over, .sa_flags = SA_RESTART}, before;

    sigemptyset(&action.sa_mask);
    if (sigaction(SIGXFSZ, NULL, &before) == 0 && before.sa_handler == SIG_DFL)
        sigaction(SIGXFSZ, &action, NULL);
}

/* Opens standard descriptors that are closed, so that no file of Strobe gets their numbers and then
 * receives Strobe's output. The new descriptors cannot be read or written, and the command of
 * `strobe run` does not get them. */
static void take_closed_places(void)
{
    for (int i = STDIN_FILENO; i <= STDERR_FILENO; i++)
        if (fcntl(i, F_GETFD) < 0 && errno == EBADF)
            (void)!open("/dev/null", O_PATH | O_CLOEXEC);
}

/* If the program was started by the name of the vendor's tool for camera boards, changes the
 * arguments to those of `strobe svp`. */
static void take_vendor_name(int *argc, char ***argv)
{
    g_autofree char *name = g_path_get_basename(*argc > 0 ? (*argv)[0] : "");

    if (strcmp(name, "msprof") && strcmp(name, "msprof.pyc"))
        return;
    char **words = g_new0(char *, (gsize)*argc + 2); /* never freed */
    words[0] = (*argv)[0];
    words[1] = (char *)"svp";
    memcpy(words + 2, *argv + 1, (gsize)*argc * sizeof *words);
    *argv = words;
    (*argc)++;
}

int main(int argc, char **argv)
{
    take_vendor_name(&argc, &argv);
    take_closed_places();
    setlocale(LC_CTYPE, "");
    strobe_run_heed_children();
    take_file_limit();
    if (argc < 2) {
        fputs("strobe: A command is needed, such as: strobe run -- python3 train.py\n"
              "Try \"strobe --help\".\n",
              stderr);
        return STROBE_EXIT_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        print_help();
        return strobe_command_close(STROBE_EXIT_OK);
    }
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
        printf("strobe %s\n", strobe_version());
        return strobe_command_close(STROBE_EXIT_OK);
    }
    if (strcmp(argv[1], "help") == 0)
        return strobe_command_close(run_help(argc - 1, argv + 1));
    if (strcmp(argv[1], STROBE_PLUGIN_TRIAL) == 0 && argc == 3)
        strobe_plugin_trial_run(argv[2]);
    const Command *command = find_command(argv[1]);
    if (!command)
        return refuse_command(argv[1]);
    strobe_plugin_trial_begin();
    strobe_crash_attribution_begin();
    strobe_memory_shortage_begin();
    if (command->cleans_up)
        strobe_signal_cleanup_begin();
    int code = command->run(argc - 1, argv + 1);
    /* `strobe run` returns its command's exit code. */
    return command->run == strobe_command_run ? code : strobe_command_close(code);
}
