/* SPDX-License-Identifier: Apache-2.0 */
/* Shared parts of the subcommands: exit codes, messages, option parsing. */
#ifndef STROBE_TOOLS_COMMAND_H
#define STROBE_TOOLS_COMMAND_H

#include <glib.h>

/* Exit codes that Strobe itself chooses. strobe_command_code() returns those of errors. */
enum {
    STROBE_EXIT_OK = 0,
    STROBE_EXIT_FAILED = 1,
    STROBE_EXIT_USAGE = 2,
    STROBE_EXIT_CONFIG = 3,
    STROBE_EXIT_PLUGIN = 4,
    STROBE_EXIT_INPUT = 5,
    STROBE_EXIT_WRITE = 6,
    STROBE_EXIT_REGRESSION = 7,
    STROBE_EXIT_NO_MARKERS = 8,
    STROBE_EXIT_BOARD = 9,    /* the board was not reached, or the connection was lost */
    STROBE_EXIT_PROGRAM = 10, /* the program on the board failed */
    STROBE_EXIT_NOT_EXECUTABLE = 126,
    STROBE_EXIT_NOT_FOUND = 127
};

/* The subcommands. argv[0] is the name of the subcommand. They return the exit code. */
int strobe_command_run(int argc, char **argv);
int strobe_command_attach(int argc, char **argv);
int strobe_command_analyse(int argc, char **argv);
int strobe_command_export(int argc, char **argv);
int strobe_command_import(int argc, char **argv);
int strobe_command_show(int argc, char **argv);
int strobe_command_report(int argc, char **argv);
int strobe_command_diff(int argc, char **argv);
int strobe_command_info(int argc, char **argv);
int strobe_command_plugins(int argc, char **argv);
int strobe_command_torch(int argc, char **argv);
int strobe_command_svp(int argc, char **argv);
int strobe_command_doctor(int argc, char **argv);

/* Prints "strobe: ..." and a newline on stderr. */
void strobe_complain(const char *format, ...) G_GNUC_PRINTF(1, 2);

/* The domain of command-line errors; its codes have no meaning. */
#define STROBE_USAGE_ERROR (strobe_usage_error_quark())
GQuark strobe_usage_error_quark(void);

/* Returns the exit code of an error. */
int strobe_command_code(const GError *error);
/* Prints the error, frees it and returns its exit code. */
int strobe_command_fail(GError *error);
/* Replaces the path `from` by `to` in the error's message. `error` may be NULL. */
void strobe_command_name(GError *error, const char *from, const char *to);

/* Call this at the end of a command. If output could not be written, the command has failed, even
 * if `code` is success. Returns the exit code. */
int strobe_command_close(int code);

/* The texts in the --help of a subcommand. */
typedef struct StrobeUsage {
    const char *name;      /* for example "show" */
    const char *arguments; /* for example "DIR..." */
    const char *summary;   /* paragraph above the options */
    const char *examples;  /* paragraph below the options */
    gboolean stops_early;  /* the options end at the first word that is not an option */
} StrobeUsage;

/* Parses the options. On success argv[1..argc-1] are the other words. FALSE: a usage error was
 * printed; exit with STROBE_EXIT_USAGE. --help prints the help and ends the process. */
gboolean strobe_command_parse(const StrobeUsage *usage, const GOptionEntry *entries, int *argc,
                              char ***argv);

/* Prints "strobe NAME: <message>" and a hint to the help; returns STROBE_EXIT_USAGE. */
int strobe_command_misuse(const StrobeUsage *usage, const char *format, ...) G_GNUC_PRINTF(2, 3);

#endif
